/* SPDX-License-Identifier: Apache-2.0 */
/* Marks that wait for the frames before them: no row spans a mark.
 *
 * Frames are counted some time after they were read, and a mark that is set while a capture runs is
 * ahead of what was read. So a mark waits until all frames before it are counted.
 */
#ifndef JANKD_RULES_MARKS_H
#define JANKD_RULES_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/rate_limit.h"

#define MARKS_MAX 256 /* marks of one to two seconds */

/* All zeros: there are none. */
struct marks {
	unsigned int n;
	struct rate_limit of_apps; /* marks of apps that are added */
	uint64_t at_ns[MARKS_MAX]; /* in the order of time */
};

/* Returns false where there is no room. */
bool marks_add(struct marks *marks, uint64_t time_ns);

/* Adds a mark from the trace: one in a second counts, however many apps write them. Returns false
 * where it does not count, or there is no room. */
bool marks_add_of_app(struct marks *marks, uint64_t time_ns);

/* Removes the marks up to @time_ns. Was there one? */
bool marks_pass(struct marks *marks, uint64_t time_ns);

/* Removes all marks: the clock is another one. */
void marks_clear(struct marks *marks);

#endif

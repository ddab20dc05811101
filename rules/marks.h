/* SPDX-License-Identifier: Apache-2.0 */
/* Marks that wait for the frames before them: no row spans a mark.
 *
 * Frames are counted some time after they were read, and a mark of a running capture is ahead of
 * the records. So a mark waits until all frames before it are counted.
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

/* Returns false if there is no space. */
bool marks_add(struct marks *marks, uint64_t time_ns);

/* Adds a mark from the trace: one in a second counts, for all apps together. Returns false if it
 * does not count, or there is no space. */
bool marks_add_of_app(struct marks *marks, uint64_t time_ns);

/* Removes the marks up to @time_ns. True: there was at least one. */
bool marks_pass(struct marks *marks, uint64_t time_ns);

/* Removes all marks: later times are those of another clock. */
void marks_clear(struct marks *marks);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Marks that have not closed the rows yet: no row spans a mark.
 *
 * A mark waits until all frames before it are counted: frames are counted some time after they were
 * read, and a mark of a running capture can be ahead of the records.
 */
#ifndef JANKD_RULES_STREAM_MARKS_H
#define JANKD_RULES_STREAM_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/base/rate_limit.h"

#define MARKS_MAX 256 /* marks that can come in the one to two seconds that they wait */

/* All zeros: there are none. */
struct marks {
	unsigned int n;
	struct rate_limit of_apps; /* limits the marks of apps */
	uint64_t at_ns[MARKS_MAX]; /* in the order of time */
};

/* Returns false if there was no space: then the two that are closest have become one. */
bool marks_add(struct marks *marks, uint64_t time_ns);

/* Removes the marks up to @time_ns. True: there was at least one. */
bool marks_pass(struct marks *marks, uint64_t time_ns);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Marks that wait for the frames before them: no row crosses one.
 *
 * Frames are counted some time after they were read, and one that is asked for while a capture
 * runs is ahead of what was read so far. So a mark waits until all frames before it are counted.
 */
#ifndef JANKD_RULES_MARKS_H
#define JANKD_RULES_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#define MARKS_MAX 256 /* of one to two seconds */

/* All zeros: there are none. */
struct marks {
	unsigned int n;
	bool any_of_app;
	uint64_t of_app_ns;	   /* the last one of an app that closed rows */
	uint64_t at_ns[MARKS_MAX]; /* in the order of time */
};

/* False: there is no room. */
bool marks_add(struct marks *marks, uint64_t time_ns);

/* Of those in the trace one in a second counts, however many apps write them. False: not this
 * one, or there is no room. */
bool marks_add_of_app(struct marks *marks, uint64_t time_ns);

/* Forgets those up to @time_ns. Was there one? */
bool marks_pass(struct marks *marks, uint64_t time_ns);

/* Forgets all: what comes has nothing to do with what was. */
void marks_clear(struct marks *marks);

#endif

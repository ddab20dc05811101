/* SPDX-License-Identifier: Apache-2.0 */
/* The last minute of a Surface, in whole seconds of the trace clock: its current frame rate, and
 * what late frames and stalls cost a user. Of the whole session: the worst moment and the worst
 * minute. Their sum is in struct grade_facts.
 *
 * The harm of a frame is the time by which its interval exceeds the cadence so far (late.h). That
 * of a stall is its whole length.
 */
#ifndef JANKD_RULES_COUNT_HARM_H
#define JANKD_RULES_COUNT_HARM_H

#include <stdint.h>

#define RECENT_SECONDS 10		  /* complete seconds in which frames are recent */
#define RECENT_SLOTS (RECENT_SECONDS + 1) /* with the current one */
#define HARM_SLOTS 60			  /* seconds whose harm is kept, with the current one */

/* Each array has a second at its number modulo the size. All zeros: no frame. */
struct recent {
	uint64_t number;		/* of the last second */
	uint64_t time_ns[RECENT_SLOTS]; /* sum of the frame times */
	uint32_t frames[RECENT_SLOTS];
	uint32_t harm_us[HARM_SLOTS];
	uint64_t minute_us; /* sum of the harm */
};

/* All zeros: none yet. Times are of the trace clock. */
struct harm {
	/* The one with most harm, and when that began: of a late frame the time at which it would
	 * not have been late, of a freeze the frame before. */
	uint64_t worst_ns, worst_from_ns;
	/* The 60 seconds with most harm: their harm, and when the first of them with harm began. */
	uint64_t minute_ns, minute_from_ns;
	struct recent recent; /* its last seconds; all zeros on another clock */
};

/* Adds harm of @ns (more than 0) that ended at @time_ns, to the seconds in which it was. Times must
 * not go back on one clock; with another one, the last seconds begin again. */
void harm_add(struct harm *harm, uint64_t time_ns, uint64_t ns);

/* Adds a frame time of @interval_ns that ended at @present_ns. */
void recent_add(struct recent *recent, uint64_t present_ns, uint64_t interval_ns);

/* Frames per second of frame time in the last complete second before @now_ns; negative: none. */
double recent_fps(const struct recent *recent, uint64_t now_ns);

/* Frames in the last RECENT_SECONDS complete seconds before @now_ns. */
uint64_t recent_frames(const struct recent *recent, uint64_t now_ns);

#endif

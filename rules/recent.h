/* SPDX-License-Identifier: Apache-2.0 */
/* The frame times of the last seconds of the trace clock: who draws now, and how fast.
 *
 * Only whole seconds tell: the one that goes on has too little of them.
 */
#ifndef JANKD_RULES_RECENT_H
#define JANKD_RULES_RECENT_H

#include <stdint.h>

/* Seconds that are over, and the one that is not. */
#define RECENT_SECONDS 10
#define RECENT_SLOTS (RECENT_SECONDS + 1)

struct recent_second {
	uint64_t frames;
	uint64_t time_ns; /* their frame times' sum */
};

/* All zeros: no frame. */
struct recent {
	uint64_t number;			    /* of the last second with a frame */
	struct recent_second seconds[RECENT_SLOTS]; /* by the rest of their number */
};

/* A frame time of @interval_ns ended at @present_ns. */
void recent_add(struct recent *recent, uint64_t present_ns, uint64_t interval_ns);

/* Frames / Time in the last second that is over at @now_ns; negative: there was no frame. */
double recent_fps(const struct recent *recent, uint64_t now_ns);

/* Frames in the last RECENT_SECONDS that are over at @now_ns. */
uint64_t recent_frames(const struct recent *recent, uint64_t now_ns);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The current frame rate: from the frame times of the last complete seconds of the trace clock. */
#ifndef JANKD_RULES_COUNT_RECENT_H
#define JANKD_RULES_COUNT_RECENT_H

#include <stdint.h>

/* Number of complete seconds, and the same with the current one. */
#define RECENT_SECONDS 10
#define RECENT_SLOTS (RECENT_SECONDS + 1)

struct recent_second {
	uint64_t frames;
	uint64_t time_ns; /* sum of their frame times */
};

/* All zeros: no frame. */
struct recent {
	uint64_t number;			    /* of the last second with a frame */
	struct recent_second seconds[RECENT_SLOTS]; /* indexed by number modulo RECENT_SLOTS */
};

/* Adds a frame time of @interval_ns that ended at @present_ns. */
void recent_add(struct recent *recent, uint64_t present_ns, uint64_t interval_ns);

/* Frames per second of frame time in the last complete second before @now_ns; negative: none. */
double recent_fps(const struct recent *recent, uint64_t now_ns);

/* Frames in the last RECENT_SECONDS complete seconds before @now_ns. */
uint64_t recent_frames(const struct recent *recent, uint64_t now_ns);

#endif

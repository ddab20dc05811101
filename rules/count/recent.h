/* SPDX-License-Identifier: Apache-2.0 */
/* The last minute of a Surface, in whole seconds of the trace clock: its current frame rate, and
 * what late frames and stalls cost in it. */
#ifndef JANKD_RULES_COUNT_RECENT_H
#define JANKD_RULES_COUNT_RECENT_H

#include <stdint.h>

/* Complete seconds in which frames are recent. */
#define RECENT_SECONDS 10

/* With the current one: seconds whose frames are known, and whose harm is. */
#define RECENT_SLOTS (RECENT_SECONDS + 1)
#define RECENT_HARM_SLOTS 60

struct recent_second {
	uint32_t frames;
	uint64_t time_ns; /* sum of their frame times */
};

/* All zeros: no frame. */
struct recent {
	uint64_t number; /* of the last second */
	/* Indexed by number modulo their size. */
	struct recent_second seconds[RECENT_SLOTS];
	uint32_t harm_us[RECENT_HARM_SLOTS]; /* see harm.h */
};

/* The second of @time_ns becomes the last one. */
void recent_advance(struct recent *recent, uint64_t time_ns);

/* Adds a frame time of @interval_ns that ended at @present_ns. */
void recent_add(struct recent *recent, uint64_t present_ns, uint64_t interval_ns);

/* Frames per second of frame time in the last complete second before @now_ns; negative: none. */
double recent_fps(const struct recent *recent, uint64_t now_ns);

/* Frames in the last RECENT_SECONDS complete seconds before @now_ns. */
uint64_t recent_frames(const struct recent *recent, uint64_t now_ns);

#endif

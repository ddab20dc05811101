/* SPDX-License-Identifier: Apache-2.0 */
/* The stretches in which a Surface draws continuously: a second or more without a gap of more than
 * 4 cadences. The verdict judges the frame rate in them, so a pause between two animations is no
 * low frame rate. */
#ifndef JANKD_RULES_COUNT_DRAWING_H
#define JANKD_RULES_COUNT_DRAWING_H

#include <stdbool.h>
#include <stdint.h>

/* Frame times, and their sum. All zeros: none. */
struct drawing {
	uint64_t frames, time_ns;	    /* of the stretches that are over */
	uint64_t open_frames, open_time_ns; /* since the last gap */
};

/* The next frame came @interval_ns after the last one. */
static inline void drawing_add(struct drawing *drawing, uint64_t interval_ns)
{
	drawing->open_frames++;
	drawing->open_time_ns += interval_ns;
}

/* Sums, with the open stretch if it is long enough. */
static inline struct drawing drawing_sum(const struct drawing *drawing)
{
	bool counts = drawing->open_time_ns >= UINT64_C(1000000000);

	return (struct drawing){
		.frames = drawing->frames + (counts ? drawing->open_frames : 0),
		.time_ns = drawing->time_ns + (counts ? drawing->open_time_ns : 0),
	};
}

/* There is a gap between two frames. */
static inline void drawing_gap(struct drawing *drawing)
{
	*drawing = drawing_sum(drawing);
}

#endif

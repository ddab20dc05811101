/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/drawing.h"

#define STRETCH_LEAST_NS UINT64_C(1000000000)

void drawing_add(struct drawing *drawing, uint64_t interval_ns)
{
	drawing->open_frames++;
	drawing->open_time_ns += interval_ns;
}

struct drawing drawing_sum(const struct drawing *drawing)
{
	struct drawing sum = { .frames = drawing->frames, .time_ns = drawing->time_ns };

	if (drawing->open_time_ns >= STRETCH_LEAST_NS) {
		sum.frames += drawing->open_frames;
		sum.time_ns += drawing->open_time_ns;
	}
	return sum;
}

void drawing_gap(struct drawing *drawing)
{
	*drawing = drawing_sum(drawing);
}

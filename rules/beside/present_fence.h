/* SPDX-License-Identifier: Apache-2.0 */
/* Frames from present fences instead of from a trace: 'dumpsys SurfaceFlinger --latency'.
 *
 * A present fence signals when the display begins to show a frame, so its time is a vsync, and the
 * period is known: vsyncs between two frames are their distance in periods. */
#ifndef JANKD_RULES_BESIDE_PRESENT_FENCE_H
#define JANKD_RULES_BESIDE_PRESENT_FENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/vsync/vsync.h"
#include "rules/base/row.h"

/* All times in ns of one clock; 0: unknown. */
struct present_fence {
	struct span layer;			  /* whole name */
	uint64_t desired_ns, actual_ns, ready_ns; /* see parser/latency_dump.h */
	uint64_t period_ns;			  /* of the display then */
	uint32_t gaps; /* so far, before this frame: frames of the layer may be missing there */
	bool is_loss;  /* frames before this one were lost */
};

/* All zeros: no frame yet. */
struct present_lattice {
	uint64_t last_ns, period_ns;
	uint64_t from_ns; /* begin of that period; 0: the start */
	int64_t position; /* of the last frame, in units of 1/VSYNC_ONE vsync */
	int64_t uncertainty;
	uint32_t switches; /* of the period */
};

/* Places a present. Presents must come in the order of time. */
void present_lattice_place(struct present_lattice *lattice, uint64_t present_ns, uint64_t period_ns,
			   struct vsync_stamp *stamp);

/* Whose fault a frame was that came later than its cadence, by FrameTimeline's rules with the three
 * times alone. The buffer was complete more than 2 ms after the time for which it was made: app, as
 * nothing tells the app from its GPU. Complete in time, and presented whole vsyncs late:
 * SurfaceFlinger; late by a part of a vsync: the display. Presented in time: the app made the frame
 * for a later vsync. */
enum cause present_fence_cause(uint64_t desired_ns, uint64_t actual_ns, uint64_t ready_ns,
			       uint64_t period_ns);

#endif

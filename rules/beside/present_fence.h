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
#include "parser/surfaceflinger_dump.h"
#include "rules/base/row.h"
#include "rules/vsync/vsync.h"

/* All times in ns of one clock; 0: unknown. */
struct present_fence {
	struct span layer;			  /* whole name */
	uint64_t desired_ns, actual_ns, ready_ns; /* see parser/surfaceflinger_dump.h */
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

/* --- the rings of dumpsys --- */

/* Joins successive polls of one layer's ring of frames (parser/surfaceflinger_dump.h).
 *
 *     poll 1   0 0 0 a b c          c: the last frame that was taken
 *     poll 2   0 b c d e P          d and e are new; P has no present time yet and is taken later
 *     poll 3   h i j k l m          c is not in it, and the ring is full: frames were overwritten
 *     poll 4   0 0 0 0 0 n          the ring was cleared, or it is a new layer of that name
 *
 * A layer presents its frames in order, one at most in a present, so the present times of a layer
 * grow: a row with a later one than the last frame is new. */

/* What may be missing before the first new frame of a poll. */
enum latency_gap {
	LATENCY_GAP_NONE,
	LATENCY_GAP_OVERRUN, /* frames were overwritten before they were read: a loss */
	LATENCY_GAP_RESTART, /* the ring was cleared, or belongs to another layer of that name */
};

/* All zeros, with ->last_ns set: frames up to then are not wanted. */
struct latency_ring {
	int64_t last_ns;      /* present time of the last frame taken */
	int64_t ready_ns;     /* when that frame was ready */
	bool has_last;	      /* a frame was taken */
	enum latency_gap gap; /* since then */
	uint64_t overruns, restarts;
};

/* True: the last frame taken is in @rows, so they are of this layer. Layers of one name may present
 * frames at the same time, but they are not ready at the same time. */
bool latency_ring_is_same(const struct latency_ring *ring, const struct latency_row *rows,
			  unsigned int n);

/* The number of frames in @rows that are new. */
unsigned int latency_ring_news(const struct latency_ring *ring, const struct latency_row *rows,
			       unsigned int n);

/**
 * latency_ring_join() - find the new frames of a poll
 * @rows: of the poll, oldest first; @n: LATENCY_ROWS at most
 * @frames: set to the new frames in order, each once
 * @gap: set to what may be missing before the first of them; only valid if there is one
 *
 * Returns the number of new frames. */
unsigned int latency_ring_join(struct latency_ring *ring, const struct latency_row *rows,
			       unsigned int n, struct latency_row frames[static LATENCY_ROWS],
			       enum latency_gap *gap);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Present fences beside a trace: rows of latency.csv, and a comparison with the frames of the
 * trace. Nothing here changes what the trace gives.
 *
 *     trace    |  a   b   c   d   |  e   f        SurfaceFlinger presents
 *     fences   |    a   b   c   d |    e   f      the display shows the frame: some ms later
 *              ^                  ^
 *              second n           second n + 1
 *
 * For each layer the frames in each whole second of the trace clock are counted, by the fences and
 * by the trace. The two times of a frame differ by a delay that is the same for the frames around a
 * second's border, but is not known. So the counts agree if there is a delay of at most 80 ms with
 * which they differ by one frame at most.
 *
 * A second is not compared if one of the counts is not complete: the trace lost events, a ring was
 * overwritten before it was read, or the layer was gone before it could be read a last time.
 */
#ifndef JANKD_RULES_FENCE_CHECK_H
#define JANKD_RULES_FENCE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/events.h"
#include "rules/frame_series.h"
#include "rules/present_fence.h"
#include "rules/rate_limit.h"
#include "rules/surface.h"

#define FENCE_CHECK_LAYERS 48  /* at a time: those with the latest frames */
#define FENCE_CHECK_SECONDS 32 /* that wait to be compared: a poll of all layers takes some */

/* Parts of the end of a second in which the delay may lie. */
#define FENCE_CHECK_PARTS 10
#define FENCE_CHECK_PART_NS UINT64_C(8000000)

struct fence_check_counts {
	uint64_t compared;	  /* seconds of layers with frames */
	uint64_t disagreed;	  /* of those */
	uint64_t unknown;	  /* seconds that could not be compared */
	uint64_t events_left_out; /* disagreements without an event of their own */
};

/* The frames of one layer in one second. */
struct fence_second {
	uint64_t number; /* of the second: its begin in s */
	uint16_t trace, fences;
	bool is_unknown;
	uint8_t tail[FENCE_CHECK_PARTS]; /* those of the trace in the last parts, latest first */
};

struct fence_layer {
	uint64_t hash;
	size_t length;	      /* of the whole name; 0: unused entry */
	char name[NAME_SIZE]; /* may be cut */
	bool excluded;
	uint64_t last_use;
	struct frame_series series; /* of the fences, for the intervals of rows */
	uint32_t gaps;		    /* of its last fence */
	uint64_t known_ns;	    /* all fences up to then are known */
	uint64_t from;		    /* earlier seconds are not compared */
	uint64_t latest;	    /* latest second with a frame */
	struct fence_second seconds[FENCE_CHECK_SECONDS];
};

struct fence_check {
	struct fence_check_counts counts;
	struct rate_limit limit; /* of events */
	struct present_lattice lattice;
	bool without_trace; /* the trace has no frames of layers: nothing is compared */
	bool has_begun;	    /* ->from is set */
	bool has_evicted;
	uint64_t from, next;	/* seconds: the first that is compared; the next one */
	uint64_t first_ns;	/* first frame of the trace; 0: none */
	uint64_t hole_from_ns;	/* begin of a hole of the trace without an end; 0: none */
	uint64_t hole_after_ns; /* it ends with the first frame after this time */
	uint64_t lost[FENCE_CHECK_SECONDS]; /* seconds in which the trace lost events */
	uint64_t uses;
	struct fence_layer layers[FENCE_CHECK_LAYERS];
};

/* A frame of the trace, when it is counted. @is_sure: false: events near it may be missing. */
void fence_check_frame(struct fence_check *check, struct name_key layer, uint64_t present_ns,
		       bool is_sure);

/* The trace may lack events from @from_ns on, until the first frame after @now_ns. */
void fence_check_hole(struct fence_check *check, uint64_t from_ns, uint64_t now_ns);

/* The fence of a frame, in the order of time. @excluded: the layer is not counted. Sets the
 * interval since the layer's frame before. */
struct interval fence_check_fence(struct fence_check *check, const struct present_fence *fence,
				  bool excluded);

/* All fences of the layer of that name up to @until_ns were given. */
void fence_check_known(struct fence_check *check, struct span layer, uint64_t until_ns);

/* Fences and frames up to @until_ns were given: compares, and writes events. The first call only
 * says when the fences begin. */
void fence_check_until(struct fence_check *check, uint64_t until_ns, uint64_t now_ns,
		       struct event_writer *events);

/* Later times are those of another clock. */
void fence_check_new_clock(struct fence_check *check);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Whose fault a late frame was, from the times of its own way: queued, GPU done, latched,
 * presented.
 *
 *     slots       | e        |          | k        |       vsyncs at which SurfaceFlinger may
 * compose previous  P                                          presented one cadence before slot e
 *     frame            Q . . . . . . . . . C   P           queued, commit, present in slot k
 *
 * A frame that keeps the cadence is queued before slot e begins, is latched and presented in it.
 * The first step that did not come in time is the cause. A step whose time is unknown gives no
 * cause, and neither does one whose event may be lost.
 */
#ifndef JANKD_RULES_CAUSE_H
#define JANKD_RULES_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

enum cause {
	CAUSE_NONE, /* the frame was in time, as far as is known */
	CAUSE_APP,
	CAUSE_GPU,
	CAUSE_SF_CPU,
	CAUSE_SF_GPU,
	CAUSE_SCHEDULING,
	CAUSE_DISPLAY,
	CAUSE_STUFFING,
	CAUSE_PREDICTION,
	CAUSE_DROPPED,
	CAUSE_UNKNOWN,
	CAUSES, /* their number */
};

/* As in the files; "" for CAUSE_NONE. */
extern const char *const cause_names[CAUSES];

/* A composition: when SurfaceFlinger begins with it, presents, and is done. ns of the trace clock;
 * 0: unknown. */
struct composition_times {
	uint64_t commit_ns, present_ns, end_ns;
};

/* Times in ns of the trace clock; 0: unknown. */
struct cause_facts {
	uint64_t period_ns;
	uint64_t slot_ns; /* begin of the slot in which the frame was presented */
	uint64_t late_ns; /* whole vsyncs between slot e and that slot; 0: it kept the cadence */
	uint64_t queued_ns;
	uint64_t gpu_done_ns;
	uint64_t latched_before_ns;	 /* when the layer's previous frame was latched */
	struct composition_times own;	 /* the one with the frame */
	struct composition_times before; /* the one before that */
	bool lost;			 /* events may be missing since the previous frame */
};

enum cause cause_of(const struct cause_facts *facts);

#endif

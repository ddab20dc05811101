/* SPDX-License-Identifier: Apache-2.0 */
/* Whose fault a late frame was, from the times of its own way: queued, GPU done, latched,
 * presented. There are two ways to know that it was late.
 *
 * By the plan, Android 12+, as SurfaceFlinger's FrameTimeline decides: an app's frame answers a
 * vsync, which plans its deadline and its present; so does its composition.
 *
 *     app        |tick      deadline|        |expected                       |presented
 *     composition                                     |commit        planned|
 *
 * It is late if it is presented more than 2 ms after the expected time. If the layer's previous
 * frame was latched after the deadline, it waited behind that one: stuffing, and the deadline is a
 * period after that latch. Ready after the deadline: app, or gpu; by the cadence the app may be
 * late before that, and answer a later vsync, so that is the app's, too. Else a composition that
 * ended after its own plan: surfaceflinger-cpu or -gpu, or stuffing if the one before was shown no
 * earlier; one that the display did not show in time: display. Else it was composed for a later
 * vsync: scheduling; or, if the delay is no whole number of vsyncs, the vsyncs moved: prediction.
 *
 * A frame that is presented more than 2 ms before the expected time does no harm, but
 * FrameTimeline judges it: scheduling or prediction by the same test; unknown if it was not ready
 * at its deadline.
 *
 * By the cadence, all versions:
 *
 *     slots       | e        |          | k        |       vsyncs at which SurfaceFlinger may
 * compose previous  P                                          presented one cadence before slot e
 *     frame            Q . . . . . . . . . C   P           queued, commit, present in slot k
 *
 * A frame that keeps the cadence is queued before slot e begins, is latched and presented in it.
 * The first step that did not come in time is the cause. A step whose time is unknown gives no
 * cause, and neither does one whose event may be lost. Where slot e begins, the usual commits tell:
 * SurfaceFlinger composes on demand, so in slot e it may not have composed at all. A frame that was
 * begun for a later vsync may be queued before slot e, too: then the GPU is not late, but the app.
 *
 * SurfaceFlinger may latch a buffer that the GPU has not drawn yet. If the GPU ends after the latch
 * or the deadline in frames that are in time, too, it is to blame in two cases: it ended later than
 * it does in those, or SurfaceFlinger found the buffer undrawn and composed without it. One that
 * ends after the vsync that was to show its frame is always to blame for the display's miss.
 *
 * If the frame is on its plan, and the previous frame was planned more than a cadence before, only
 * the app was late: it drew nothing for the vsyncs between. If it was planned a cadence before,
 * SurfaceFlinger presented late, but in time for its plan: that is nobody's fault. Neither is it
 * anybody's if the previous frame was shown before the vsync that it was drawn for.
 */
#ifndef JANKD_RULES_WHY_CAUSE_H
#define JANKD_RULES_WHY_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/base/row.h"
#include "rules/frames/layer.h"
#include "rules/why/composition.h"

/* Times in ns of the trace clock; 0: unknown. */
struct cause_facts {
	uint64_t period_ns;
	/* The plan. */
	uint64_t expected_ns, deadline_ns;
	/* The cadence. */
	uint64_t slot_ns; /* begin of the slot in which the frame was presented */
	uint64_t late_ns; /* whole vsyncs between slot e and that slot; 0: it kept the cadence */
	uint64_t cadence_ns;
	uint64_t usual_ns; /* when SurfaceFlinger usually begins to compose in slot e */
	uint64_t queued_ns;
	uint64_t gpu_done_ns;
	uint64_t replaced_ns;	   /* an earlier buffer of the layer was queued then, and dropped */
	uint64_t woken_ns;	   /* the vsync that its app may have followed */
	int64_t gpu_ns;		   /* how long the GPU took; ROW_UNKNOWN: unknown */
	struct frame_way last;	   /* of the layer's previous frame */
	uint64_t undrawn_ns;	   /* in time the GPU ends so long after the latch */
	uint64_t duration_ns;	   /* usual time from a commit to the planned present */
	uint64_t undrawn_at_ns;	   /* the last commit that could have latched it, but for the GPU */
	uint64_t first_commit_ns;  /* the first one that could be in slot e, or later */
	struct composition own;	   /* the one with the frame */
	struct composition before; /* the one before that */
	bool first_blocked;	   /* in that one SurfaceFlinger waited for the display */
	bool blocked; /* a composition was shown late, from slot e on, and SurfaceFlinger waited */
	bool blocked_by_gpu; /* its own GPU work was late, not the display */
	bool expired; /* SurfaceFlinger had forgotten its plan; Android 12, 13: it judges nothing */
	bool lost;    /* events may be missing since the previous frame */
};

/* By the plan: how long after the expected time the frame was shown, whatever its deadline; below
 * 0: before it. 0: it was in time, or that is unknown. */
int64_t cause_off_ns(const struct cause_facts *facts);

enum cause cause_of(const struct cause_facts *facts);

/* The same of a stall of @length_ns that is one because a buffer was queued, and not latched. The
 * app had done its part. */
enum cause cause_of_queued(const struct cause_facts *facts, uint64_t length_ns);

#endif

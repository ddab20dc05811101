/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/why/cause.h"

#include "rules/base/interval.h"

/* FrameTimeline's own tolerance of a present. */
#define PRESENT_NS INT64_C(2000000)

/* The begin of a slot is known to about this part of a period. */
#define SLOT_TOLERANCE(period_ns) ((period_ns) / 8)

/* True: @difference_ns is a whole number of vsyncs. */
static bool is_whole(uint64_t difference_ns, uint64_t period_ns)
{
	uint64_t rest_ns = difference_ns % period_ns;

	return rest_ns <= PRESENT_NS || rest_ns + PRESENT_NS >= period_ns;
}

/* --- by the plan --- */

/* How long after its plan the composition was done; 0: it was in time. */
static uint64_t overrun_ns(const struct composition *c)
{
	return since(c->planned_ns, later(c->end_ns, c->gpu_done_ns));
}

/* When the composition was shown, as far as the marks of SurfaceFlinger tell. */
static uint64_t shown_at(const struct composition *c, uint64_t period_ns)
{
	uint64_t late_ns = overrun_ns(c);

	if (late_ns > 0)
		return c->planned_ns + (late_ns + period_ns - 1) / period_ns * period_ns;
	return c->planned_ns + (c->missed ? period_ns : 0);
}

static bool is_planned(const struct cause_facts *f)
{
	return f->expected_ns > 0 && f->own.planned_ns > 0 && f->period_ns > 0;
}

int64_t cause_off_ns(const struct cause_facts *f)
{
	uint64_t shown_ns = is_planned(f) ? shown_at(&f->own, f->period_ns) : f->expected_ns;
	bool is_early = shown_ns < f->expected_ns;
	uint64_t ns = is_early ? f->expected_ns - shown_ns : shown_ns - f->expected_ns;

	if (ns <= PRESENT_NS)
		return 0;
	if (ns > INT64_MAX)
		ns = INT64_MAX;
	return is_early ? -(int64_t)ns : (int64_t)ns;
}

/* What made the composition itself late; CAUSE_NONE: it kept its plan. */
static enum cause composition_cause(const struct cause_facts *f)
{
	const struct composition *own = &f->own, *before = &f->before;
	/* The first plan of an adjusted one was before its commit. */
	uint64_t plan_ns = own->adjusted ? own->commit_ns : own->planned_ns;
	uint64_t begin_ns = plan_ns - f->duration_ns;

	if (overrun_ns(own) == 0 && !own->adjusted) {
		if (!own->missed)
			return CAUSE_NONE;
		if (f->gpu_done_ns > own->planned_ns)
			return CAUSE_GPU;
		return own->missed_by_gpu ? CAUSE_SF_GPU : CAUSE_DISPLAY;
	}
	if (before->planned_ns > 0 && shown_at(before, f->period_ns) >= plan_ns)
		return CAUSE_STUFFING;
	/* It was idle when it should have begun, and took no longer than it had then. */
	if (f->duration_ns > 0 && plan_ns > f->duration_ns && before->end_ns > 0 &&
	    before->end_ns <= begin_ns && own->commit_ns > begin_ns + f->period_ns / 4 &&
	    later(own->end_ns, own->gpu_done_ns) - own->commit_ns <= f->duration_ns)
		return CAUSE_SCHEDULING;
	return own->client ? CAUSE_SF_GPU : CAUSE_SF_CPU;
}

static enum cause cause_by_plan(const struct cause_facts *f, uint64_t late_ns)
{
	/* The slot of the deadline was that of the layer's frame before. */
	bool stuffed = f->last.latched_ns + SLOT_TOLERANCE(f->period_ns) >= f->deadline_ns;
	uint64_t deadline_ns = stuffed ? f->last.latched_ns + f->period_ns : f->deadline_ns;
	uint64_t tolerance_ns = SLOT_TOLERANCE(f->period_ns);
	/* If SurfaceFlinger tried to latch it after the deadline, the GPU kept it from that. */
	bool tried = f->undrawn_at_ns + tolerance_ns >= deadline_ns;
	enum cause composition = composition_cause(f);

	if (f->queued_ns == 0 || f->lost)
		return CAUSE_UNKNOWN;
	if (f->queued_ns > deadline_ns)
		return CAUSE_APP;
	/* Else the GPU may end as long after it as in frames that are in time. */
	if (f->gpu_done_ns >
	    deadline_ns + (tried || f->undrawn_ns == 0 ? 0 : f->undrawn_ns + tolerance_ns))
		return CAUSE_GPU;
	if (composition != CAUSE_NONE)
		return composition;
	if (stuffed)
		return CAUSE_STUFFING;
	return is_whole(late_ns, f->period_ns) ? CAUSE_SCHEDULING : CAUSE_PREDICTION;
}

/* --- by the cadence --- */

/* When SurfaceFlinger usually begins to compose in slot e; else its vsync. */
static uint64_t slot_begin(const struct cause_facts *f)
{
	return f->usual_ns > 0 ? f->usual_ns : f->slot_ns - f->late_ns;
}

/* True: SurfaceFlinger could have latched a buffer in slot e, or later, but before its own. */
static bool composed_before(const struct cause_facts *f)
{
	return f->first_commit_ns > 0 &&
	       (f->own.commit_ns == 0 || f->first_commit_ns < f->own.commit_ns);
}

/* True: the first commit is one of slot e. If nothing was queued in time, it is one of a later
 * slot: SurfaceFlinger had nothing to do. */
static bool composed_in_time(const struct cause_facts *f)
{
	return composed_before(f) &&
	       f->first_commit_ns + SLOT_TOLERANCE(f->period_ns) < slot_begin(f) + f->period_ns;
}

/* A buffer that was queued until then could be latched in slot e. A commit of that slot shows it
 * best, then the usual ones, then the frame's own, which begins as long after its slot. */
static uint64_t latch_time(const struct cause_facts *f)
{
	uint64_t tolerance_ns = SLOT_TOLERANCE(f->period_ns), commit_ns = f->own.commit_ns;

	if (composed_in_time(f))
		return f->first_commit_ns;
	if (f->usual_ns > 0)
		return f->usual_ns;
	if (commit_ns + tolerance_ns < f->slot_ns || commit_ns > f->slot_ns + tolerance_ns)
		return f->slot_ns - f->late_ns + tolerance_ns;
	return commit_ns - f->late_ns;
}

/* True: the app drew nothing for the vsyncs by which the frame is late. At the first of them it did
 * not wait for its GPU or a buffer: the frame before was in time, and drawn before that. The GPU
 * took its usual time, less than a period. */
static bool began_late(const struct cause_facts *f)
{
	uint64_t tolerance_ns = SLOT_TOLERANCE(f->period_ns);
	uint64_t skipped_ns = f->last.woken_ns + f->cadence_ns;

	return f->last.done_ns + tolerance_ns <= skipped_ns &&
	       f->woken_ns + tolerance_ns > skipped_ns + f->late_ns && f->replaced_ns == 0 &&
	       f->gpu_ns < (int64_t)f->period_ns && f->gpu_ns / 5 * 4 <= f->last.gpu_ns;
}

static enum cause cause_by_cadence(const struct cause_facts *f)
{
	uint64_t tolerance_ns = SLOT_TOLERANCE(f->period_ns), latch_ns = latch_time(f);
	uint64_t latest_ns = slot_begin(f) + tolerance_ns;
	const struct composition *too_long = f->before.end_ns > latest_ns ? &f->before : &f->own;
	bool tried =
		(composed_in_time(f) && !f->first_blocked) || (f->undrawn_at_ns > 0 && !f->blocked);

	/* Else the cadence is that of another refresh rate. */
	if (f->lost || f->queued_ns == 0 || !is_whole(f->late_ns, f->period_ns))
		return CAUSE_UNKNOWN;
	if (f->queued_ns > latch_ns)
		return f->replaced_ns > 0 && f->replaced_ns <= latch_ns ? CAUSE_DROPPED : CAUSE_APP;
	/* Its fence had not signaled. If SurfaceFlinger did not try to latch it, the time of the
	 * latch is known less well, and a fence that is no later than usual did no harm. It did not
	 * try either where it waited for the display. */
	if (f->gpu_done_ns > latch_ns + (tried ? 0 : f->undrawn_ns + tolerance_ns))
		return began_late(f) ? CAUSE_APP : CAUSE_GPU;
	if (f->before.commit_ns == 0)
		return CAUSE_UNKNOWN;
	if (f->blocked)
		return f->blocked_by_gpu ? CAUSE_SF_GPU : CAUSE_DISPLAY;
	/* It composed without the buffer, which was ready: the reason is unknown. */
	if (composed_before(f) || f->own.commit_ns == 0 || f->before.end_ns == 0)
		return CAUSE_UNKNOWN;
	if (too_long == &f->own && f->own.commit_ns > latest_ns)
		return CAUSE_SCHEDULING;
	/* The composition before took too long, or its own began in time and took too long. One
	 * that was in time for its own plan did not. */
	if (too_long->planned_ns > 0 && overrun_ns(too_long) == 0 && !too_long->adjusted)
		return CAUSE_UNKNOWN;
	return too_long->client ? CAUSE_SF_GPU : CAUSE_SF_CPU;
}

enum cause cause_of(const struct cause_facts *f)
{
	int64_t off = cause_off_ns(f);
	uint64_t cadence_ns = f->cadence_ns + PRESENT_NS;
	bool left_cadence = f->late_ns > 0;
	/* SurfaceFlinger composed without it, as it waited behind another one of its layer. */
	bool stuffed = !f->lost && f->queued_ns > 0 && f->queued_ns < f->last.latched_ns &&
		       composed_before(f);
	enum cause cause;

	if (f->expired && (left_cadence || off > 0))
		return CAUSE_UNKNOWN;
	if (off > 0) {
		cause = cause_by_plan(f, (uint64_t)off);
		/* By the cadence the app was late first, whatever a later plan and its GPU are. */
		return cause == CAUSE_GPU && left_cadence && is_whole(f->late_ns, f->period_ns) &&
				       f->queued_ns > latch_time(f)
			       ? CAUSE_APP
			       : cause;
	}
	if (!left_cadence && off < 0) {
		if (f->lost || f->queued_ns == 0 || f->queued_ns > f->deadline_ns ||
		    f->gpu_done_ns > f->deadline_ns)
			return CAUSE_UNKNOWN;
		return is_whole((uint64_t)-off, f->period_ns) ? CAUSE_SCHEDULING : CAUSE_PREDICTION;
	}
	cause = left_cadence ? cause_by_cadence(f) : CAUSE_NONE;
	/* Nothing tells when the frame was expected, but its composition was late. */
	if (!is_planned(f) && (cause == CAUSE_NONE || cause == CAUSE_UNKNOWN) &&
	    f->own.planned_ns > 0 && f->period_ns > 0 && composition_cause(f) != CAUSE_NONE)
		return composition_cause(f);
	if (!is_planned(f) || !left_cadence || off != 0)
		return stuffed && cause == CAUSE_UNKNOWN ? CAUSE_STUFFING : cause;
	/* It is on its plan, but left the cadence. */
	if (f->lost || f->queued_ns == 0 || cause == CAUSE_DROPPED || cause == CAUSE_DISPLAY)
		return cause;
	if (f->last.planned_ns > 0 && f->own.planned_ns > f->last.planned_ns + cadence_ns &&
	    f->expected_ns > f->last.expected_ns + cadence_ns)
		return CAUSE_APP;
	return cause == CAUSE_SCHEDULING ? cause : CAUSE_UNKNOWN;
}

enum cause cause_of_queued(const struct cause_facts *f, uint64_t length_ns)
{
	bool drawn_late = f->queued_ns > 0 && f->gpu_done_ns > f->queued_ns &&
			  2 * (f->gpu_done_ns - f->queued_ns) >= length_ns;

	return drawn_late && !f->lost ? CAUSE_GPU : CAUSE_UNKNOWN;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cause.h"

const char *const cause_names[CAUSES] = {
	[CAUSE_NONE] = "",
	[CAUSE_APP] = "app",
	[CAUSE_GPU] = "gpu",
	[CAUSE_SF_CPU] = "surfaceflinger-cpu",
	[CAUSE_SF_GPU] = "surfaceflinger-gpu",
	[CAUSE_SCHEDULING] = "scheduling",
	[CAUSE_DISPLAY] = "display",
	[CAUSE_STUFFING] = "stuffing",
	[CAUSE_PREDICTION] = "prediction",
	[CAUSE_DROPPED] = "dropped",
	[CAUSE_UNKNOWN] = "unknown",
};

/* FrameTimeline's own tolerance of a present. */
#define PRESENT_NS UINT64_C(2000000)

/* The begin of a slot is known to about this part of a period. */
#define SLOT_TOLERANCE(period_ns) ((period_ns) / 8)

static enum cause of_surfaceflinger(const struct composition_times *composition)
{
	return composition->client ? CAUSE_SF_GPU : CAUSE_SF_CPU;
}

/* --- by the plan --- */

/* How long after its plan the composition was done; 0: it was in time. */
static uint64_t overrun_ns(const struct composition_times *c)
{
	uint64_t done_ns = c->end_ns > c->gpu_done_ns ? c->end_ns : c->gpu_done_ns;

	return done_ns > c->planned_ns ? done_ns - c->planned_ns : 0;
}

/* When the composition was shown, as far as the marks of SurfaceFlinger tell. */
static uint64_t shown_at(const struct composition_times *c, uint64_t period_ns)
{
	uint64_t late_ns = overrun_ns(c);

	if (late_ns > 0)
		return c->planned_ns + (late_ns + period_ns - 1) / period_ns * period_ns;
	return c->planned_ns + (c->missed ? period_ns : 0);
}

/* What made the composition itself late; CAUSE_NONE: it kept its plan. */
static enum cause composition_cause(const struct cause_facts *f)
{
	const struct composition_times *own = &f->own, *before = &f->before;
	/* The first plan of an adjusted one was before its commit. */
	uint64_t first_plan_ns = own->adjusted ? own->commit_ns : own->planned_ns;

	if (overrun_ns(own) > 0 || own->adjusted) {
		if (before->planned_ns > 0 && shown_at(before, f->period_ns) >= first_plan_ns)
			return CAUSE_STUFFING;
		return of_surfaceflinger(own);
	}
	if (own->missed)
		return own->missed_by_gpu ? CAUSE_SF_GPU : CAUSE_DISPLAY;
	return CAUSE_NONE;
}

bool cause_is_late(const struct cause_facts *f)
{
	return f->expected_ns > 0 && f->own.planned_ns > 0 && f->period_ns > 0 &&
	       shown_at(&f->own, f->period_ns) > f->expected_ns + PRESENT_NS;
}

/* True: that is known, and it was. Sets the cause. */
static bool is_late_by_plan(const struct cause_facts *f, enum cause *cause)
{
	uint64_t deadline_ns = f->deadline_ns, rest_ns;
	bool stuffed = f->latched_before_ns >= f->deadline_ns;
	enum cause composition;

	if (!cause_is_late(f))
		return false;
	if (stuffed)
		deadline_ns = f->latched_before_ns + f->period_ns;
	rest_ns = (shown_at(&f->own, f->period_ns) - f->expected_ns) % f->period_ns;
	composition = composition_cause(f);
	if (f->queued_ns == 0 || f->lost)
		*cause = CAUSE_UNKNOWN;
	else if (f->queued_ns > deadline_ns)
		*cause = CAUSE_APP;
	else if (f->gpu_done_ns > deadline_ns)
		*cause = CAUSE_GPU;
	else if (composition != CAUSE_NONE)
		*cause = composition;
	else if (stuffed)
		*cause = CAUSE_STUFFING;
	else if (rest_ns <= PRESENT_NS || rest_ns + PRESENT_NS >= f->period_ns)
		*cause = CAUSE_SCHEDULING;
	else
		*cause = CAUSE_PREDICTION;
	return true;
}

/* --- by the cadence --- */

/* SurfaceFlinger composed in slot e or after it, without the buffer, which was ready. It does not
 * latch before the fence has signaled; other reasons are unknown. */
static enum cause not_latched(const struct cause_facts *f)
{
	return f->gpu_done_ns > f->first_commit_ns ? CAUSE_GPU : CAUSE_UNKNOWN;
}

/* The buffer was ready, but SurfaceFlinger did not compose before slot k. */
static enum cause not_composed(const struct cause_facts *f, uint64_t deadline_ns)
{
	uint64_t tolerance_ns = SLOT_TOLERANCE(f->period_ns);

	if (f->own.commit_ns == 0 || f->before.end_ns == 0)
		return CAUSE_UNKNOWN;
	/* The composition before took too long, or its own began in time and took too long. */
	if (f->before.end_ns > deadline_ns + tolerance_ns)
		return of_surfaceflinger(&f->before);
	if (f->own.commit_ns + tolerance_ns < f->slot_ns)
		return of_surfaceflinger(&f->own);
	return CAUSE_SCHEDULING;
}

/* True: SurfaceFlinger could have latched a buffer in slot e, or later, but before its own. */
static bool composed_before(const struct cause_facts *f)
{
	return f->first_commit_ns > 0 &&
	       (f->own.commit_ns == 0 || f->first_commit_ns < f->own.commit_ns);
}

/* A buffer that was queued until then could be latched in slot e. A commit shows it better than the
 * lattice, that of slot e or the frame's own, which begins as long after its slot. */
static uint64_t latch_time(const struct cause_facts *f)
{
	uint64_t slot_ns = f->slot_ns - f->late_ns, tolerance_ns = SLOT_TOLERANCE(f->period_ns);
	uint64_t commit_ns = f->own.commit_ns;

	if (composed_before(f))
		return f->first_commit_ns;
	if (commit_ns + tolerance_ns < f->slot_ns || commit_ns > f->slot_ns + tolerance_ns)
		return slot_ns + tolerance_ns;
	return commit_ns - f->late_ns;
}

static enum cause cause_of_late(const struct cause_facts *f)
{
	uint64_t deadline_ns = f->slot_ns - f->late_ns;
	uint64_t latch_ns = latch_time(f);

	if (f->lost || f->queued_ns == 0)
		return CAUSE_UNKNOWN;
	if (f->queued_ns > latch_ns)
		return f->replaced_ns > 0 && f->replaced_ns <= latch_ns ? CAUSE_DROPPED : CAUSE_APP;
	if (f->gpu_done_ns > latch_ns)
		return CAUSE_GPU;
	if (f->before.commit_ns == 0)
		return CAUSE_UNKNOWN;
	if (f->blocked)
		return f->blocked_by_gpu ? CAUSE_SF_GPU : CAUSE_DISPLAY;
	return composed_before(f) ? not_latched(f) : not_composed(f, deadline_ns);
}

enum cause cause_of(const struct cause_facts *f)
{
	bool planned = f->expected_ns > 0 && f->own.planned_ns > 0 && f->period_ns > 0;
	/* The app was ahead: the frame waited behind another one of its layer. */
	bool stuffed = !f->lost && f->queued_ns > 0 && f->queued_ns < f->latched_before_ns;
	enum cause cause = CAUSE_NONE;

	if (planned && is_late_by_plan(f, &cause))
		return cause;
	if (f->late_ns > 0)
		cause = cause_of_late(f);
	/* Nothing tells when the frame was expected, but its composition was late. */
	if (!planned && (cause == CAUSE_NONE || cause == CAUSE_UNKNOWN) && f->own.planned_ns > 0 &&
	    f->period_ns > 0 && composition_cause(f) != CAUSE_NONE)
		return composition_cause(f);
	return stuffed && (cause == CAUSE_UNKNOWN || (cause == CAUSE_NONE && !planned))
		       ? CAUSE_STUFFING
		       : cause;
}

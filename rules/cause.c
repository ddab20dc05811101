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

/* The begin of a slot is known to about this part of a period. */
#define SLOT_TOLERANCE(period_ns) ((period_ns) / 8)

/* The buffer was ready when slot e began, and SurfaceFlinger composed in that slot or after it,
 * without the buffer. A fence that has not signaled yet keeps it from latching; other reasons are
 * unknown. */
static enum cause not_latched(const struct cause_facts *f)
{
	return f->gpu_done_ns > f->before.commit_ns ? CAUSE_GPU : CAUSE_UNKNOWN;
}

/* The buffer was ready, but SurfaceFlinger did not compose before slot k. */
static enum cause not_composed(const struct cause_facts *f, uint64_t deadline_ns)
{
	if (f->own.commit_ns == 0 || f->before.end_ns == 0)
		return CAUSE_UNKNOWN;
	/* The composition before took too long, or its own began in time and took too long. */
	if (f->before.end_ns > deadline_ns + SLOT_TOLERANCE(f->period_ns) ||
	    f->own.commit_ns + SLOT_TOLERANCE(f->period_ns) < f->slot_ns)
		return CAUSE_SF_CPU;
	return CAUSE_SCHEDULING;
}

static enum cause cause_of_late(const struct cause_facts *f)
{
	uint64_t deadline_ns = f->slot_ns - f->late_ns;
	uint64_t tolerance_ns = SLOT_TOLERANCE(f->period_ns);

	if (f->lost || f->queued_ns == 0)
		return CAUSE_UNKNOWN;
	if (f->queued_ns > deadline_ns + tolerance_ns)
		return CAUSE_APP;
	if (f->gpu_done_ns > deadline_ns + tolerance_ns)
		return CAUSE_GPU;
	/* So near to the deadline the order of the two is not known. */
	if (f->queued_ns + tolerance_ns > deadline_ns)
		return CAUSE_UNKNOWN;
	if (f->before.commit_ns == 0)
		return CAUSE_UNKNOWN;
	if (f->before.commit_ns + tolerance_ns >= deadline_ns)
		return not_latched(f);
	return not_composed(f, deadline_ns);
}

enum cause cause_of(const struct cause_facts *f)
{
	/* The app was ahead: the frame waited behind another one of its layer. */
	bool stuffed = !f->lost && f->queued_ns > 0 && f->queued_ns < f->latched_before_ns;
	enum cause cause = f->late_ns > 0 ? cause_of_late(f) : CAUSE_NONE;

	return stuffed && (cause == CAUSE_NONE || cause == CAUSE_UNKNOWN) ? CAUSE_STUFFING : cause;
}

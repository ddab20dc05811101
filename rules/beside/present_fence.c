/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/beside/present_fence.h"

#include "rules/base/interval.h"

/* FrameTimeline.cpp: a frame may be late by this. */
#define LATE_NS UINT64_C(2000000)

/* SurfaceFlinger prints the nominal period. Those of displays differ from it by up to this part. */
#define PERIOD_ERROR 500

/* Periods in @ns, rounded; one at least. */
static uint64_t whole_periods(uint64_t ns, uint64_t period_ns)
{
	return later((ns + period_ns / 2) / period_ns, 1);
}

void present_lattice_place(struct present_lattice *lattice, uint64_t present_ns, uint64_t period_ns,
			   struct vsync_stamp *stamp)
{
	/* More than a day is no interval, and must not overflow. */
	const uint64_t most_ns = UINT64_C(86400000000000);
	uint64_t ns = lattice->last_ns ? since(lattice->last_ns, present_ns) : 0;
	int64_t passed;

	*stamp = (struct vsync_stamp){ .time_ns = present_ns };
	if (period_ns == 0)
		return;
	if (lattice->period_ns && vsync_is_switch(lattice->period_ns, period_ns)) {
		/* The period changed somewhere after the last present. If that moment decides how
		 * many vsyncs there were, their number is unknown. */
		if (ns > 0 && whole_periods(ns, period_ns) != whole_periods(ns, lattice->period_ns))
			lattice->uncertainty += VSYNC_ONE;
		lattice->from_ns = present_ns;
		lattice->switches++;
	}
	passed = (int64_t)((ns < most_ns ? ns : most_ns) * (uint64_t)VSYNC_ONE / period_ns);
	lattice->position += passed;
	lattice->uncertainty += passed / PERIOD_ERROR;
	lattice->last_ns = present_ns;
	lattice->period_ns = period_ns;
	stamp->vsync_ns = present_ns;
	stamp->from_ns = lattice->from_ns;
	stamp->period_ns = period_ns;
	stamp->position = lattice->position;
	stamp->uncertainty = lattice->uncertainty;
	stamp->switches = lattice->switches;
	stamp->locked = true;
}

enum cause present_fence_cause(uint64_t desired_ns, uint64_t actual_ns, uint64_t ready_ns,
			       uint64_t period_ns)
{
	uint64_t rest;

	if (desired_ns == 0 || ready_ns == 0 || period_ns == 0)
		return CAUSE_UNKNOWN;
	if (ready_ns > desired_ns + LATE_NS || actual_ns <= desired_ns + LATE_NS)
		return CAUSE_APP;
	rest = (actual_ns - desired_ns) % period_ns;
	return rest < LATE_NS || rest + LATE_NS > period_ns ? CAUSE_SF_CPU : CAUSE_DISPLAY;
}

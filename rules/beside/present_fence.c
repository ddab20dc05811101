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

/* --- the rings of dumpsys --- */

/* True: the row is that of a frame that was presented. */
static bool is_presented(const struct latency_row *row)
{
	return row->actual_ns > 0 && row->actual_ns != LATENCY_PENDING;
}

bool latency_ring_is_same(const struct latency_ring *ring, const struct latency_row *rows,
			  unsigned int n)
{
	for (unsigned int i = n; i > 0; i--)
		if (rows[i - 1].actual_ns == ring->last_ns &&
		    rows[i - 1].ready_ns == ring->ready_ns)
			return true;
	return false;
}

unsigned int latency_ring_news(const struct latency_ring *ring, const struct latency_row *rows,
			       unsigned int n)
{
	unsigned int news = 0;

	for (unsigned int i = 0; i < n; i++)
		news += is_presented(&rows[i]) && rows[i].actual_ns > ring->last_ns;
	return news;
}

unsigned int latency_ring_join(struct latency_ring *ring, const struct latency_row *rows,
			       unsigned int n, struct latency_row frames[static LATENCY_ROWS],
			       enum latency_gap *gap)
{
	bool has_last = false, is_full = n >= LATENCY_ROWS;
	unsigned int found = 0;

	for (unsigned int i = 0; i < n; i++) {
		/* All frames after the last one are in the rows, too. */
		has_last |= rows[i].actual_ns == ring->last_ns;
		is_full &= rows[i].desired_ns || rows[i].actual_ns || rows[i].ready_ns;
	}
	/* An overrun is worse than a restart: the ring may have been cleared and overwritten. */
	if (!has_last && is_full && is_presented(&rows[0]) && rows[0].actual_ns > ring->last_ns) {
		ring->overruns += ring->gap != LATENCY_GAP_OVERRUN;
		ring->gap = LATENCY_GAP_OVERRUN;
	} else if (!has_last && ring->has_last && ring->gap == LATENCY_GAP_NONE) {
		ring->restarts++;
		ring->gap = LATENCY_GAP_RESTART;
	}
	*gap = ring->gap;
	for (unsigned int i = 0; i < n && found < LATENCY_ROWS; i++) {
		if (!is_presented(&rows[i]) || rows[i].actual_ns <= ring->last_ns)
			continue;
		frames[found++] = rows[i];
		ring->last_ns = rows[i].actual_ns;
		ring->ready_ns = rows[i].ready_ns;
	}
	if (found > 0) {
		ring->has_last = true;
		ring->gap = LATENCY_GAP_NONE;
	}
	return found;
}

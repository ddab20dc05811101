/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/beside/latency_ring.h"

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

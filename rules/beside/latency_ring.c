/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/beside/latency_ring.h"

/* True: the row is that of a frame that was presented. */
static bool is_presented(const struct latency_row *row)
{
	return row->actual_ns > 0 && row->actual_ns != LATENCY_PENDING;
}

static bool is_used(const struct latency_row *row)
{
	return row->desired_ns != 0 || row->actual_ns != 0 || row->ready_ns != 0;
}

/* True: the last frame is in the rows, so all frames after it are. */
static bool has_last(const struct latency_ring *ring, const struct latency_row *rows,
		     unsigned int n)
{
	for (unsigned int i = n; i > 0; i--)
		if (rows[i - 1].actual_ns == ring->last_ns)
			return true;
	return false;
}

static bool is_full(const struct latency_row *rows, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (!is_used(&rows[i]))
			return false;
	return n >= LATENCY_ROWS;
}

/* An overrun is worse than a restart: the ring may have been cleared and overwritten. */
static void find_gap(struct latency_ring *ring, const struct latency_row *rows, unsigned int n)
{
	if (has_last(ring, rows, n))
		return;
	if (is_full(rows, n) && is_presented(&rows[0]) && rows[0].actual_ns > ring->last_ns) {
		ring->overruns += ring->gap != LATENCY_GAP_OVERRUN;
		ring->gap = LATENCY_GAP_OVERRUN;
	} else if (ring->has_last && ring->gap == LATENCY_GAP_NONE) {
		ring->restarts++;
		ring->gap = LATENCY_GAP_RESTART;
	}
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
	unsigned int found = 0;

	find_gap(ring, rows, n);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* The last ticks and presents, and the period that explains them.
 *
 * A tick is a wake-up of a thread: it may come late, sometimes by most of a period, but never
 * early. Lateness cannot add ticks: with the right period, and from the right edge on,
 *
 *     edge     :       :       :       :       :       :
 *     ticks    |       |           |   |       |      |       late ones
 *     slots    <- 0 -> <- 1 -> <- 2 -> <- 3 -> <- 4 ->
 *
 * no counter ticks twice in one slot. With twice the right period there are two ticks in a slot as
 * soon as every vsync is used: a collision. With half the right period there never are, and it
 * explains late ticks as well. So the longest period without collisions counts, provided that
 * enough ticks are at the edge, or all presents (which have an edge of their own), or all vsyncs
 * that SurfaceFlinger predicts.
 */
#ifndef JANKD_RULES_VSYNC_VSYNC_LOG_H
#define JANKD_RULES_VSYNC_VSYNC_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/base/interval.h"

#define VSYNC_LOG_SIZE 1024
#define VSYNC_LOG_BLOCK 64		  /* so many are skipped at once */
#define VSYNC_SOURCES 8			  /* counters that tick; the first kinds of events */
#define VSYNC_PRESENTS VSYNC_SOURCES	  /* presents, each at its start */
#define VSYNC_TARGETS (VSYNC_SOURCES + 1) /* vsyncs that SurfaceFlinger predicts */
#define VSYNC_KINDS (VSYNC_SOURCES + 2)
#define VSYNC_WINDOW_SIZE 128 /* events of one kind */

/* Rates from 1 to 500 Hz. A fit alone never results in a display slower than 46 Hz or faster than
 * 250 Hz. */
#define VSYNC_PERIOD_MIN_NS UINT64_C(2000000)
#define VSYNC_PERIOD_MAX_NS UINT64_C(1000000000)
#define VSYNC_PERIOD_USUAL_MIN_NS UINT64_C(4000000)
#define VSYNC_PERIOD_USUAL_MAX_NS UINT64_C(21700000)

struct vsync_log {
	uint64_t n; /* so far; the arrays hold the last ones */
	uint64_t time_ns[VSYNC_LOG_SIZE];
	uint64_t latest_ns[VSYNC_LOG_SIZE / VSYNC_LOG_BLOCK]; /* of each block */
	uint8_t kind[VSYNC_LOG_SIZE];
};

/* Events of a range of time; those of each kind are in the order of time. */
struct vsync_window {
	uint64_t from_ns;
	unsigned int n[VSYNC_KINDS];
	int64_t at_ns[VSYNC_KINDS][VSYNC_WINDOW_SIZE]; /* relative to from_ns */
};

/* How well a period explains the events of one kind, or of all counters. */
struct vsync_score {
	unsigned int n;
	unsigned int near;	 /* at the edge */
	unsigned int odd;	 /* half a period after the edge */
	unsigned int collisions; /* events that are the second one in their slot */
	unsigned int adjacent;	 /* about one period after the previous event */
	int64_t edge_ns;	 /* one of its edges, relative to from_ns; of one kind only */
};

/* How well a period explains all kinds. */
struct vsync_fit {
	uint64_t period_ns; /* 0: none was found */
	uint64_t error_ns;
	struct vsync_score ticks, presents, targets;
};

static inline uint64_t vsync_distance(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns;
}

/* True: they differ by @permille of @a_ns at most. */
static inline bool vsync_is_near(uint64_t a_ns, uint64_t b_ns, unsigned int permille)
{
	return vsync_distance(a_ns, b_ns) * 1000 <= a_ns * permille;
}

void vsync_log_add(struct vsync_log *log, unsigned int kind, uint64_t time_ns);

/* Time of the last event; 0: none. */
static inline uint64_t vsync_log_end(const struct vsync_log *log)
{
	return log->n ? log->time_ns[(log->n - 1) % VSYNC_LOG_SIZE] : 0;
}

/* Copies the events between @from_ns and @to_ns that are still in the log. */
void vsync_window_fill(struct vsync_window *window, const struct vsync_log *log, uint64_t from_ns,
		       uint64_t to_ns);

/* How well @period_ns explains the events of @kind. */
struct vsync_score vsync_score_kind(const struct vsync_window *window, unsigned int kind,
				    uint64_t period_ns);

/* The period near @period_ns that fits best, exact to *@error_ns. */
uint64_t vsync_refine(const struct vsync_window *window, uint64_t period_ns, uint64_t *error_ns);

/* How well the period explains all events. */
struct vsync_fit vsync_fit_of(const struct vsync_window *window, uint64_t period_ns);

/* True: it may be the period. Collisions are evidence against it; late ticks are not. */
bool vsync_fit_holds(const struct vsync_fit *fit);

/* True: enough events are one period apart. With a fraction of the right period none are. */
static inline bool vsync_fit_is_used(const struct vsync_fit *fit)
{
	unsigned int adjacent = fit->ticks.adjacent + fit->presents.adjacent;

	return adjacent >= 3 && adjacent * 10 >= fit->ticks.n + fit->presents.n;
}

/* True: nearly all ticks are at the edge, without collisions. */
bool vsync_fit_is_clear(const struct vsync_fit *fit);

/* True: presents are spread over the period, and the ticks are not at an edge: it explains nothing.
 * Late ticks alone are no evidence. */
bool vsync_fit_is_refuted(const struct vsync_fit *fit);

/* The longest period that holds and that has events one period apart. @anyway: if there is none,
 * the one that explains the most events. */
struct vsync_fit vsync_fit_find(const struct vsync_window *window, bool anyway);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The last ticks and presents, and which period explains them.
 *
 * A tick is a wake-up of a thread, so it comes late, now and then by most of a period, and never
 * early. What lateness cannot do is add ticks: with the right period, and from the right edge on,
 *
 *     edge     :       :       :       :       :       :
 *     ticks    |       |           |   |       |      |       late ones
 *     slots    <- 0 -> <- 1 -> <- 2 -> <- 3 -> <- 4 ->
 *
 * no counter ticks twice in one slot. Twice the period breaks that where somebody draws in every
 * vsync. Half the period keeps it, and explains late ticks besides: hence the longest period that
 * keeps it counts, if enough ticks are at the edge, or all presents, which have an edge of their
 * own, or all vsyncs that SurfaceFlinger foretells.
 */
#ifndef JANKD_RULES_VSYNC_LOG_H
#define JANKD_RULES_VSYNC_LOG_H

#include <stdbool.h>
#include <stdint.h>

#define VSYNC_LOG_SIZE 1024
#define VSYNC_SOURCES 8			  /* counters that tick; the first kinds of events */
#define VSYNC_PRESENTS VSYNC_SOURCES	  /* and what else there is: begins of presents */
#define VSYNC_TARGETS (VSYNC_SOURCES + 1) /* vsyncs that SurfaceFlinger foretells */
#define VSYNC_KINDS (VSYNC_SOURCES + 2)
#define VSYNC_WINDOW_SIZE 128 /* events of one kind */

/* Rates from 1 to 500 Hz. A fit alone takes no display for slower than 46 Hz, and goes to none that
 * is faster than 250. */
#define VSYNC_PERIOD_MIN_NS UINT64_C(2000000)
#define VSYNC_PERIOD_MAX_NS UINT64_C(1000000000)
#define VSYNC_PERIOD_USUAL_MIN_NS UINT64_C(4000000)
#define VSYNC_PERIOD_USUAL_MAX_NS UINT64_C(21700000)

struct vsync_log {
	uint64_t n; /* ever; the ring holds the last of them */
	struct vsync_event {
		uint64_t time_ns : 60;
		uint64_t kind : 4;
	} events[VSYNC_LOG_SIZE];
};

/* Events of a segment of time, each kind in the order of time. */
struct vsync_window {
	uint64_t from_ns;
	unsigned int n[VSYNC_KINDS];
	int64_t at_ns[VSYNC_KINDS][VSYNC_WINDOW_SIZE]; /* behind from_ns */
};

/* How a period explains the events of one kind, or of all counters. */
struct vsync_score {
	unsigned int n;
	unsigned int near;	 /* at the edge */
	unsigned int odd;	 /* half a period behind it */
	unsigned int collisions; /* the second one of a slot */
	unsigned int adjacent;	 /* one period behind the one before */
	int64_t edge_ns;	 /* one of its edges, behind from_ns; of one kind */
};

/* What a period makes of all kinds. */
struct vsync_fit {
	uint64_t period_ns; /* 0: none was found */
	uint64_t error_ns;
	struct vsync_score ticks, presents, targets;
};

static inline uint64_t vsync_distance(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns;
}

/* Is @b_ns as @a_ns, to @permille? */
static inline bool vsync_is_near(uint64_t a_ns, uint64_t b_ns, unsigned int permille)
{
	return vsync_distance(a_ns, b_ns) * 1000 <= a_ns * permille;
}

static inline uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

static inline uint64_t back_from(uint64_t now_ns, uint64_t by_ns)
{
	return now_ns > by_ns ? now_ns - by_ns : 0;
}

void vsync_log_add(struct vsync_log *log, unsigned int kind, uint64_t time_ns);

/* Collects what was between @from_ns and @to_ns, as far as it is kept. */
void vsync_window_fill(struct vsync_window *window, const struct vsync_log *log, uint64_t from_ns,
		       uint64_t to_ns);

/* Events of all counters in it. */
unsigned int vsync_window_ticks(const struct vsync_window *window);

/* How @period_ns explains the events of @kind. */
struct vsync_score vsync_score_kind(const struct vsync_window *window, unsigned int kind,
				    uint64_t period_ns);

/* The period near @period_ns that fits best; right to *@error_ns. */
uint64_t vsync_refine(const struct vsync_window *window, uint64_t period_ns, uint64_t *error_ns);

/* How the period explains all of it. */
struct vsync_fit vsync_fit_of(const struct vsync_window *window, uint64_t period_ns);

/* Are hardly any in a slot that is taken? */
bool vsync_fit_has_room(const struct vsync_fit *fit);

/* May it be the period? Lateness is no reason against it; two ticks in one slot are. */
bool vsync_fit_holds(const struct vsync_fit *fit);

/* Are events one period apart? Those of several never are. */
bool vsync_fit_is_used(const struct vsync_fit *fit);

/* Do nearly all ticks stand at the edge, and none too many? */
bool vsync_fit_is_clear(const struct vsync_fit *fit);

/* Do presents begin half a period beside the edge, and nowhere else? */
bool vsync_fit_has_odd_presents(const struct vsync_fit *fit);

/* The longest period that holds, and that events are apart: one that none are is but a part of
 * several. @anyway: or, where there is none, that which explains most. */
struct vsync_fit vsync_fit_find(const struct vsync_window *window, bool anyway);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The distance of a frame from the one before, and what it is longer than.
 *
 * Where its vsyncs are known an interval is a whole number of them, and at 60 Hz 3, 5, 6 and 30 are
 * 50, 83.333, 100 and 500 ms to the last digit of the learnt period. So that this digit decides
 * nothing, such an interval is compared with a tolerance of 0.5 %: it is 'at least T' from 0.995 T
 * on, and 'more than T' above 1.005 T alone. At 240 Hz a vsync is 0.8 % of 500 ms: no other number
 * of them is that near. An interval whose vsyncs are not known is compared as it is.
 */
#ifndef JANKD_RULES_INTERVAL_H
#define JANKD_RULES_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/row.h"

#define STATS_WAIT_NS UINT64_C(500000000) /* so long is no frame time but a wait */
#define STATS_DROP_NS UINT64_C(42000000)  /* a drop of -T 1 and 3: slower than film */

struct interval {
	int64_t ns;	/* ROW_UNKNOWN of a first frame, and across a hole */
	int64_t vsyncs; /* ROW_UNKNOWN where the lattice is not locked */
};

/* @whole: @value is of whole vsyncs. */
static inline bool threshold_reached(uint64_t value, uint64_t limit, bool whole)
{
	return value >= limit - (whole ? limit / 200 : 0);
}

static inline bool threshold_passed(uint64_t value, uint64_t limit, bool whole)
{
	return value > limit + (whole ? limit / 200 : 0);
}

static inline bool interval_is_whole(struct interval interval)
{
	return interval.vsyncs >= 0;
}

/* The three below: of an interval whose length is known. */
static inline bool interval_is_at_least(struct interval interval, uint64_t limit_ns)
{
	return threshold_reached((uint64_t)interval.ns, limit_ns, interval_is_whole(interval));
}

static inline bool interval_is_more_than(struct interval interval, uint64_t limit_ns)
{
	return threshold_passed((uint64_t)interval.ns, limit_ns, interval_is_whole(interval));
}

static inline bool interval_is_wait(struct interval interval)
{
	return interval_is_at_least(interval, STATS_WAIT_NS);
}

/* Is its length known, and no wait? */
static inline bool interval_is_frame_time(struct interval interval)
{
	return interval.ns >= 0 && !interval_is_wait(interval);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The time between two frames of a layer, and its comparison with thresholds.
 *
 * If the vsyncs of an interval are known, it is a whole number of them. At 60 Hz, 3, 5, 6 and 30
 * vsyncs are 50, 83.333, 100 and 500 ms, except for the last digits of the measured period. These
 * digits must not decide, so such an interval is compared with a tolerance of 0.5 %: it is 'at
 * least T' from 0.995 T on, and 'more than T' only above 1.005 T. At 240 Hz one vsync is 0.8 % of
 * 500 ms, so no other number of vsyncs is within the tolerance. An interval with unknown vsyncs is
 * compared without tolerance.
 */
#ifndef JANKD_RULES_BASE_INTERVAL_H
#define JANKD_RULES_BASE_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/base/row.h"

#define STATS_WAIT_NS UINT64_C(500000000)   /* an interval of this length or more is a wait */
#define STATS_FROZEN_NS UINT64_C(700000000) /* one that is longer is frozen */
#define STATS_DROP_NS UINT64_C(42000000)    /* a drop for -T 1 and 3: slower than film */

/* What a wait was, see stall.h. */
enum wait_kind {
	WAIT_IDLE,
	WAIT_STALL,
	WAIT_STALL_QUEUED, /* one because a buffer waited in the queue */
	WAIT_STALL_LATE,   /* one because a doFrame came late, as far as all ticks are known */
	WAIT_UNKNOWN,	   /* events are missing that may have shown a stall */
};

static inline bool wait_is_stall(enum wait_kind kind)
{
	return kind >= WAIT_STALL && kind <= WAIT_STALL_LATE;
}

/* The later one of two times, or the longer one. */
static inline uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

/* 0 if @to_ns is before @from_ns. */
static inline uint64_t since(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* That time earlier; 0 if there was none. */
static inline uint64_t back_from(uint64_t now_ns, uint64_t by_ns)
{
	return now_ns > by_ns ? now_ns - by_ns : 0;
}

struct interval {
	int64_t ns;	/* ROW_UNKNOWN for a first frame, and across a hole */
	int64_t vsyncs; /* ROW_UNKNOWN if the lattice is not locked */
	uint8_t step;	/* vsyncs in a render period, see vsync.h; 0 is as 1 */
};

/* Vsyncs in a render period: SurfaceFlinger cannot compose more often. */
static inline int64_t interval_step(struct interval interval)
{
	return interval.step > 1 ? interval.step : 1;
}

/* Vsyncs beyond the render period, or ROW_UNKNOWN. */
static inline int64_t interval_missed(struct interval interval)
{
	int64_t missed = interval.vsyncs - interval_step(interval);

	if (interval.vsyncs == ROW_UNKNOWN)
		return ROW_UNKNOWN;
	return missed > 0 ? missed : 0;
}

/* True: @value is at least (reached) or more than (passed) @limit. @whole: it is a whole number of
 * vsyncs. */
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

/* This function and the next two require an interval of known length. */
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

/* True: the length is known, and it is no wait. */
static inline bool interval_is_frame_time(struct interval interval)
{
	return interval.ns >= 0 && !interval_is_wait(interval);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/late.h"

#include <errno.h>
#include <stdlib.h>

#include "rules/memory.h"

#define INTERVALS_LEAST 8
#define CADENCE_MAX_NS UINT64_C(100000000)
#define GAP_CADENCES 4

/* Deviation of presents from their vsyncs, if the vsyncs are unknown. */
#define JITTER_NS UINT32_C(2000000)

int late_state_init(struct late_state *state, unsigned int max)
{
	state->series = memory_new(max, sizeof(*state->series));
	state->max = state->series ? (int)max : 0;
	return state->series ? 0 : -ENOMEM;
}

void late_state_free(struct late_state *state)
{
	free(state->series);
	state->series = NULL;
}

static unsigned int kept(const struct late_series *series)
{
	return series->n < LATE_INTERVALS ? series->n : LATE_INTERVALS;
}

/* True: equal numbers of vsyncs, or about the same length if the vsyncs are unknown. The period may
 * have become more precise in between. */
static bool is_same(struct late_interval a, struct late_interval b)
{
	uint32_t longer_ns = a.ns > b.ns ? a.ns : b.ns;
	uint32_t off_ns = longer_ns - (a.ns > b.ns ? b.ns : a.ns);

	return off_ns <= (a.plain || b.plain ? JITTER_NS : longer_ns / 100);
}

/* The shortest interval; 0: there is none. *@all_same: each is the same as each other one. */
static uint32_t shortest_ns(const struct late_series *series, bool *all_same)
{
	struct late_interval least = { INT32_MAX, 0 }, most = { 0, 0 };
	unsigned int plain = 0;

	for (unsigned int i = 0; i < kept(series); i++) {
		struct late_interval one = series->intervals[i];

		least.ns = one.ns < least.ns ? one.ns : least.ns;
		most.ns = one.ns > most.ns ? one.ns : most.ns;
		plain += one.plain;
	}
	least.plain = plain > 0;
	*all_same = (plain == 0 || plain == kept(series)) && is_same(least, most);
	return kept(series) > 0 ? least.ns : 0;
}

static uint32_t cadence_ns(const struct late_series *series)
{
	unsigned int most = 0;
	bool all_same;
	uint32_t ns = shortest_ns(series, &all_same);

	if (all_same)
		return ns;
	for (unsigned int i = 0; i < kept(series); i++) {
		struct late_interval one = series->intervals[i];
		unsigned int n = 0;

		for (unsigned int k = 0; k < kept(series); k++)
			n += is_same(one, series->intervals[k]);
		if (n > most || (n == most && one.ns < ns)) {
			most = n;
			ns = one.ns;
		}
	}
	return ns;
}

static bool draws_continuously(const struct late_series *series, uint32_t cadence_ns)
{
	unsigned int gaps = 0;

	for (unsigned int i = 0; i < kept(series); i++)
		gaps += series->intervals[i].ns > GAP_CADENCES * (uint64_t)cadence_ns;
	return 4 * gaps <= kept(series);
}

static bool is_reported(const struct late_state *state, const struct late_series *series,
			struct interval interval, uint64_t cadence, enum wait_kind wait)
{
	if (state->limit_ns == 0 || !interval_is_at_least(interval, state->limit_ns))
		return false;
	if (interval_is_wait(interval))
		return wait == WAIT_STALL;
	if (series->n < INTERVALS_LEAST)
		return false;
	return (uint64_t)interval.ns > cadence &&
	       threshold_reached((uint64_t)interval.ns - cadence, state->limit_ns,
				 interval_is_whole(interval)) &&
	       !threshold_passed(cadence, CADENCE_MAX_NS, true) &&
	       draws_continuously(series, (uint32_t)cadence);
}

/* The same for a frame time of whole vsyncs. */
static uint64_t harm_ns(const struct late_series *series, struct interval interval,
			uint64_t cadence)
{
	uint64_t ns = (uint64_t)interval.ns;
	bool known = series->n > 0 && interval_is_whole(interval);

	/* The period may have become more precise since the cadence was found. */
	return known && ns > cadence + cadence / 100 ? ns - cadence : 0;
}

static void keep(struct late_series *series, struct interval interval)
{
	struct late_interval *place = &series->intervals[series->n % LATE_INTERVALS];

	place->ns = (uint32_t)interval.ns & INT32_MAX;
	place->plain = !interval_is_whole(interval);
	series->n++;
	if (series->n == 2 * LATE_INTERVALS)
		series->n = LATE_INTERVALS;
}

/* True: a frame time that is neither late nor a gap, as it is not longer than the shortest one. */
static bool is_short(const struct late_state *state, const struct late_series *series,
		     struct interval interval)
{
	bool all_same;
	uint64_t longest_ns = shortest_ns(series, &all_same);

	if (state->limit_ns == 0 && interval_is_whole(interval))
		longest_ns += longest_ns / 100; /* as in harm_ns() */
	else if (state->limit_ns == 0)
		longest_ns *= GAP_CADENCES;
	return (uint64_t)interval.ns <= longest_ns && interval_is_frame_time(interval);
}

struct lateness late_follow(struct late_state *state, int place, uint64_t owner,
			    struct interval interval, enum wait_kind wait)
{
	struct late_series *series = &state->series[place];
	struct lateness late = { .gap = true };
	uint64_t cadence;

	if (series->owner != owner)
		*series = (struct late_series){ .owner = owner };
	if (interval.ns < 0)
		return late;
	/* Most frames are neither late nor a gap, whatever the cadence is. */
	if (is_short(state, series, interval)) {
		keep(series, interval);
		late.gap = false;
		return late;
	}
	cadence = cadence_ns(series);
	late.reported = is_reported(state, series, interval, cadence, wait);
	if (!interval_is_frame_time(interval)) {
		late.harm_ns = wait == WAIT_STALL ? (uint64_t)interval.ns : 0;
		series->n = 0;
		return late;
	}
	late.gap = series->n > 0 && (uint64_t)interval.ns > GAP_CADENCES * cadence;
	late.harm_ns = harm_ns(series, interval, cadence);
	keep(series, interval);
	return late;
}

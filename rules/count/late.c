/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/late.h"

#include "rules/count/verdict.h"

#define INTERVALS_LEAST 8
#define CADENCE_MAX_NS UINT64_C(100000000)
#define GAP_CADENCES 4

/* 25.25 and 23.76 frames per second. */
#define FILM_SHORTEST_NS UINT64_C(39603960)
#define FILM_LONGEST_NS UINT64_C(42087542)

/* Deviation of presents from their vsyncs, if the vsyncs are unknown. */
#define JITTER_NS UINT32_C(2000000)

static unsigned int kept(const struct late_series *series)
{
	return series->n < LATE_INTERVALS ? series->n : LATE_INTERVALS;
}

/* The interval with the cadence so far: the one that most are the same as, of several the shortest.
 * The same are equal numbers of vsyncs, or about the same length if the vsyncs are unknown. 0 if
 * there is none. */
static unsigned int find_cadence(const struct late_series *series)
{
	const struct late_interval *all = series->intervals;
	unsigned int most = 0, found = 0;

	for (unsigned int i = 0; i < kept(series); i++) {
		unsigned int same = 0, equal = 0;

		/* Most are equal to an earlier one, and so is their number. */
		while (all[equal].ns != all[i].ns || all[equal].plain != all[i].plain)
			equal++;
		if (equal < i)
			continue;
		for (unsigned int j = 0; j < kept(series); j++) {
			uint32_t off_ns = all[i].ns > all[j].ns ? all[i].ns - all[j].ns
								: all[j].ns - all[i].ns;
			uint32_t longer_ns = all[i].ns > all[j].ns ? all[i].ns : all[j].ns;

			/* The period may have become more precise in between. */
			same += off_ns <=
				(all[i].plain || all[j].plain ? JITTER_NS : longer_ns / 100);
		}
		if (same > most || (same == most && all[i].ns < all[found].ns)) {
			most = same;
			found = i;
		}
	}
	return found;
}

/* A film of 24 or 25 frames per second (1 % is for rates such as 23.976) is shown with 2 and 3
 * vsyncs of 60 Hz in turn. True: the interval, with those before it that differ by one vsync at
 * most, is such a film's. Its presents are at the vsyncs nearest to even times; those of a game
 * that misses some vsyncs are not. After another interval the times begin anew, but if few frames
 * have followed, what was no film before it is none. */
static bool is_film(const struct late_series *series, struct interval interval)
{
	uint64_t vsyncs[LATE_INTERVALS + 1] = { (uint64_t)interval.vsyncs };
	uint64_t all = vsyncs[0], all_ns = (uint64_t)interval.ns, so_far = 0, period_ns;
	uint64_t least = all, most = all, n = 1, even = 1, even_all = all;
	bool is_even = true;

	for (unsigned int i = 1; i <= kept(series); i++) {
		unsigned int at = (series->n - i) % LATE_INTERVALS;
		uint64_t one = series->vsyncs[at];

		if (series->intervals[at].plain || one > GAP_CADENCES * least)
			break;
		is_even &= one + 1 >= most && one <= least + 1;
		/* These are enough to decide alone: 5 of a game of 30 may be 2, 3, 2, 2, 2. */
		if (!is_even && even >= 6)
			break;
		if (one + 1 < most || one > least + 1)
			continue;
		least = one < least ? one : least;
		most = one > most ? one : most;
		vsyncs[n++] = one;
		all += one;
		all_ns += series->intervals[at].ns;
		even += is_even;
		even_all += is_even ? one : 0;
	}
	period_ns = all_ns / all;
	if (most == least || all_ns + period_ns < n * FILM_SHORTEST_NS ||
	    all_ns > n * FILM_LONGEST_NS + period_ns)
		return false;
	for (uint64_t i = 1; i <= even; i++) {
		so_far += even * vsyncs[i - 1];
		if (so_far >= i * even_all + even || i * even_all >= so_far + even)
			return false;
	}
	return true;
}

/* The length of an interval in time: the time of the cadence so far, rounded up to whole vsyncs of
 * the display as it is now, and a render period at least. 0 if there is no cadence. */
static uint64_t in_time_ns(const struct late_series *series, struct interval interval)
{
	const struct late_interval *cadence = &series->intervals[series->cadence_at];
	uint64_t ns = cadence->ns, vsyncs, period_ns, now_ns;

	if (series->n == 0)
		return 0;
	if (interval.vsyncs <= 0 || interval.ns < interval.vsyncs)
		return ns;
	period_ns = (uint64_t)(interval.ns / interval.vsyncs);
	/* A cadence of about so long, before the period was known, has the nearest whole vsyncs. */
	if (cadence->plain)
		vsyncs = (ns + period_ns / 2) / period_ns;
	else
		vsyncs = (ns - ns / 100 + period_ns - 1) / period_ns;
	now_ns = later(vsyncs, (uint64_t)interval_step(interval)) * period_ns;
	/* The period may have become more precise since the cadence was found. */
	return cadence->plain || now_ns > ns + ns / 100 ? now_ns : ns;
}

struct lateness late_follow(struct late_series *series, const char *surface, uint64_t limit_ns,
			    struct interval interval, enum wait_kind wait)
{
	struct lateness late = { .gap = true };
	unsigned int at = series->n % LATE_INTERVALS, cadence_at = series->cadence_at, gaps = 0;
	struct late_interval *place = &series->intervals[at], one;
	uint64_t cadence, ns = (uint64_t)interval.ns;
	bool is_other, is_late;

	if (interval.ns < 0)
		return late;
	is_late = limit_ns > 0 && interval_is_at_least(interval, limit_ns);
	if (!interval_is_frame_time(interval)) {
		late.reported = is_late && wait_is_stall(wait);
		late.harm_ns = wait_is_stall(wait) ? ns : 0;
		series->n = 0;
		return late;
	}
	cadence = in_time_ns(series, interval);
	if (is_late && series->n >= INTERVALS_LEAST && ns > cadence) {
		for (unsigned int i = 0; i < kept(series); i++)
			gaps += series->intervals[i].ns > GAP_CADENCES * cadence;
		late.reported =
			4 * gaps <= kept(series) &&
			threshold_reached(ns - cadence, limit_ns, interval_is_whole(interval)) &&
			!threshold_passed(cadence, CADENCE_MAX_NS, true);
	}
	late.gap = series->n > 0 && ns > GAP_CADENCES * cadence;
	if (series->n > 0 && interval.vsyncs > 0 && ns > cadence + cadence / 100 &&
	    (series->intervals[cadence_at].plain || interval.vsyncs > series->vsyncs[cadence_at]) &&
	    !(verdict_is_view(surface) && is_film(series, interval)))
		late.harm_ns = ns - cadence;
	one = (struct late_interval){ (uint32_t)interval.ns & INT32_MAX,
				      !interval_is_whole(interval) };
	is_other = series->n < LATE_INTERVALS || place->ns != one.ns || place->plain != one.plain;
	*place = one;
	series->vsyncs[at] = (uint8_t)(interval.vsyncs > UINT8_MAX ? UINT8_MAX : interval.vsyncs);
	if (++series->n == 2 * LATE_INTERVALS)
		series->n = LATE_INTERVALS;
	if (is_other)
		series->cadence_at = find_cadence(series);
	return late;
}

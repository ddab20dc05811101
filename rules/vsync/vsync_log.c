/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/vsync/vsync_log.h"

#include <string.h>

#include "rules/base/table.h"

/* Bins that a period is divided into, and the width of an edge in bins. */
#define BINS 32
#define EDGE_BINS 4

/* After a silence of this many periods the phase may be different. */
#define RUN_PERIODS 48

/* At most one event of this many may be a collision: with a period that holds, or with the one that
 * explains the most events. */
#define HOLDS_PART 24
#define MOST_PART 8

/* Counters with fewer ticks do not count, and fewer presents refute no period. */
#define TICKS_LEAST 3
#define PRESENTS_LEAST 12

#define DISTANCE_MAX_NS INT64_C(300000000)
#define CLUSTERS 48
#define PERIODS 256 /* distances that are measured, at most */
#define PERIODS_FIRST 128
#define CANDIDATES 12
#define DISTANCES_BACK 40 /* the last distances of each kind are candidates */

void vsync_log_add(struct vsync_log *log, unsigned int kind, uint64_t time_ns)
{
	uint64_t at = log->n++ % VSYNC_LOG_SIZE;
	uint64_t *latest_ns = &log->latest_ns[at / VSYNC_LOG_BLOCK];

	*latest_ns = at % VSYNC_LOG_BLOCK == 0 ? time_ns : later(*latest_ns, time_ns);
	log->time_ns[at] = time_ns;
	log->kind[at] = (uint8_t)kind;
}

void vsync_window_fill(struct vsync_window *window, const struct vsync_log *log, uint64_t from_ns,
		       uint64_t to_ns)
{
	unsigned int kept = log->n < VSYNC_LOG_SIZE ? (unsigned int)log->n : VSYNC_LOG_SIZE;

	window->from_ns = from_ns;
	memset(window->n, 0, sizeof(window->n));
	/* Each kind from the newest event on, and from the end of its array. */
	for (unsigned int back = 1; back <= kept; back++) {
		uint64_t at = (log->n - back) % VSYNC_LOG_SIZE, time_ns = log->time_ns[at];
		int64_t *kind = window->at_ns[log->kind[at]], at_ns = (int64_t)(time_ns - from_ns);
		unsigned int place = VSYNC_WINDOW_SIZE - window->n[log->kind[at]];

		/* The block of the newest event has some of the oldest ones, too. */
		if (at % VSYNC_LOG_BLOCK == VSYNC_LOG_BLOCK - 1 &&
		    back <= VSYNC_LOG_SIZE - VSYNC_LOG_BLOCK &&
		    log->latest_ns[at / VSYNC_LOG_BLOCK] < from_ns) {
			back += VSYNC_LOG_BLOCK - 1;
			continue;
		}
		if (time_ns < from_ns || time_ns > to_ns || place == 0)
			continue;
		/* Events come in order, except for those of other CPUs and for targets. */
		for (; place < VSYNC_WINDOW_SIZE && kind[place] < at_ns; place++)
			kind[place - 1] = kind[place];
		kind[place - 1] = at_ns;
		window->n[log->kind[at]]++;
	}
	for (unsigned int kind = 0; kind < VSYNC_KINDS; kind++)
		memmove(window->at_ns[kind],
			&window->at_ns[kind][VSYNC_WINDOW_SIZE - window->n[kind]],
			window->n[kind] * sizeof(window->at_ns[kind][0]));
}

/* --- how well a period explains events --- */

/* Where an event is: in a slot of the period from the first event on, and so long after its begin.
 */
struct place {
	int64_t slot, off_ns;
};

/* Number of events that are in the same slot as the one before; if it is more than @most, any such
 * number. Slots begin @edge_ns after those of @places: from a bit of a period before to one after.
 */
static unsigned int count_collisions(const struct place *places, unsigned int n, int64_t edge_ns,
				     int64_t period_ns, unsigned int most)
{
	unsigned int collisions = 0;
	int64_t before = INT64_MIN;

	for (unsigned int i = 0; i < n && collisions <= most; i++) {
		int64_t off_ns = places[i].off_ns - edge_ns;
		int64_t slot = places[i].slot - (off_ns < 0) + (off_ns >= period_ns);

		collisions += slot == before;
		before = slot;
	}
	return collisions;
}

/* Scores events between two silences. Of the places with many events, the edge is the one with the
 * fewest collisions, then the one with the most events. */
static void score_run(const int64_t *at, unsigned int n, int64_t period_ns,
		      struct vsync_score *score)
{
	struct place places[VSYNC_WINDOW_SIZE];
	/* sums[i]: events in an edge that begins at bin i. */
	unsigned int bins[BINS] = { 0 }, sums[BINS] = { 0 };
	unsigned int best = UINT32_MAX, best_near = 0, best_bin = 0, most = 0;

	for (unsigned int i = 0; i < n; i++) {
		/* In floating point: it is exact for some seconds in nanoseconds, and quicker. */
		int64_t slot = (int64_t)((double)(at[i] - at[0]) / (double)period_ns);
		int64_t off_ns = at[i] - at[0] - slot * period_ns;
		int64_t more_ns = i > 0 ? at[i] - at[i - 1] - period_ns : period_ns;

		places[i] = (struct place){ slot, off_ns };
		bins[off_ns * BINS / period_ns]++;
		score->adjacent += more_ns * 8 < period_ns && -more_ns * 8 < period_ns;
	}
	for (unsigned int bin = 0; bin < EDGE_BINS; bin++)
		sums[0] += bins[bin];
	for (unsigned int bin = 1; bin < BINS; bin++) {
		sums[bin] = sums[bin - 1] - bins[bin - 1] + bins[(bin + EDGE_BINS - 1) % BINS];
		most = sums[bin] > sums[most] ? bin : most;
	}
	/* Begins with the place of most events: without collisions there, none is better. */
	for (unsigned int i = 0; i < BINS && best > 0; i++) {
		unsigned int bin = i == 0 ? most : i <= most ? i - 1 : i;
		unsigned int near = sums[bin];
		unsigned int collisions;

		if (near < 2 || near * 8 < n || near < sums[(bin + 1) % BINS] ||
		    near < sums[(bin + BINS - 1) % BINS])
			continue;
		collisions = count_collisions(places, n, ((int64_t)bin - 1) * period_ns / BINS,
					      period_ns, best);
		if (collisions > best || (collisions == best && near <= best_near))
			continue;
		best = collisions;
		best_near = near;
		best_bin = bin;
	}
	score->n += n;
	if (best == UINT32_MAX) {
		score->collisions += count_collisions(places, n, 0, period_ns, n);
		return;
	}
	score->near += best_near;
	score->odd += sums[(best_bin + BINS / 2) % BINS];
	score->collisions += best;
	score->edge_ns = at[0] + (int64_t)best_bin * period_ns / BINS;
}

/* Adds the events of @kind to @score. */
static void score_kind(const struct vsync_window *window, unsigned int kind, uint64_t period_ns,
		       struct vsync_score *score)
{
	const int64_t *at = window->at_ns[kind];
	unsigned int begin = 0;

	for (unsigned int i = 1; i <= window->n[kind]; i++) {
		if (i < window->n[kind] && at[i] - at[i - 1] <= RUN_PERIODS * (int64_t)period_ns)
			continue;
		score_run(&at[begin], i - begin, (int64_t)period_ns, score);
		begin = i;
	}
}

struct vsync_score vsync_score_kind(const struct vsync_window *window, unsigned int kind,
				    uint64_t period_ns)
{
	struct vsync_score score = { 0 };

	score_kind(window, kind, period_ns, &score);
	return score;
}

struct vsync_fit vsync_fit_of(const struct vsync_window *window, uint64_t period_ns)
{
	struct vsync_fit fit = {
		.period_ns = period_ns,
		.presents = vsync_score_kind(window, VSYNC_PRESENTS, period_ns),
		.targets = vsync_score_kind(window, VSYNC_TARGETS, period_ns),
	};

	for (unsigned int kind = 0; kind < VSYNC_SOURCES; kind++)
		if (window->n[kind] >= TICKS_LEAST)
			score_kind(window, kind, period_ns, &fit.ticks);
	return fit;
}

/* True: @part is at least @percent of @n, and @n is not too small. */
static bool is_most(unsigned int part, unsigned int n, unsigned int percent)
{
	return n >= 6 && part * 100 >= n * percent;
}

/* True: presents begin half a period after the edge, and nowhere else. */
static bool has_odd_presents(const struct vsync_fit *fit)
{
	const struct vsync_score *p = &fit->presents;

	return p->odd >= 3 && p->odd * 30 >= p->n && p->odd * 10 >= (p->n - p->near) * 7;
}

/* True: there are hardly any collisions. */
static bool has_few_collisions(const struct vsync_fit *fit)
{
	return fit->ticks.collisions * HOLDS_PART <= fit->ticks.n &&
	       fit->presents.collisions * HOLDS_PART <= fit->presents.n;
}

bool vsync_fit_is_clear(const struct vsync_fit *fit)
{
	return has_few_collisions(fit) && is_most(fit->ticks.near, fit->ticks.n, 90);
}

bool vsync_fit_holds(const struct vsync_fit *fit)
{
	if (!has_few_collisions(fit) || has_odd_presents(fit))
		return false;
	return is_most(fit->ticks.near, fit->ticks.n, 90) ||
	       (is_most(fit->ticks.near, fit->ticks.n, 20) &&
		(is_most(fit->presents.near, fit->presents.n, 90) ||
		 is_most(fit->targets.near, fit->targets.n, 90)));
}

bool vsync_fit_is_refuted(const struct vsync_fit *fit)
{
	const struct vsync_score *p = &fit->presents;

	return p->n >= PRESENTS_LEAST && (p->near * 2 < p->n || has_odd_presents(fit)) &&
	       !vsync_fit_is_clear(fit);
}

/* --- the period --- */

/* Shell's method: there are 256 values at most, and most are nearly the same. */
static void sort(uint64_t *values, unsigned int n)
{
	for (unsigned int gap = 13; gap > 0; gap /= 3)
		for (unsigned int i = gap; i < n; i++) {
			uint64_t value = values[i];
			unsigned int at = i;

			for (; at >= gap && values[at - gap] > value; at -= gap)
				values[at] = values[at - gap];
			values[at] = value;
		}
}

/* Measures the period by pairs of events of the kinds [@begin, @end) that are about @span periods
 * apart. Writes up to @most values to @periods; returns their number. */
static unsigned int measure(const struct vsync_window *window, unsigned int begin, unsigned int end,
			    uint64_t period_ns, unsigned int span, unsigned int most,
			    uint64_t *periods)
{
	int64_t wanted_ns = (int64_t)(period_ns * span - period_ns / 2);
	unsigned int n = 0, events = 0, step;

	for (unsigned int kind = begin; kind < end; kind++)
		events += window->n[kind];
	step = events / most + 1;
	for (unsigned int kind = begin; kind < end; kind++) {
		const int64_t *at = window->at_ns[kind];

		for (unsigned int i = 0, j = 0; i < window->n[kind] && n < most; i += step) {
			uint64_t length_ns, k;

			while (j < window->n[kind] && at[j] - at[i] < wanted_ns)
				j++;
			if (j == window->n[kind])
				break;
			length_ns = (uint64_t)(at[j] - at[i]);
			k = (uint64_t)((double)(length_ns + period_ns / 2) / (double)period_ns);
			if (k <= 2 * span &&
			    vsync_distance(length_ns, k * period_ns) * 8 <= period_ns)
				periods[n++] = (uint64_t)((double)length_ns / (double)k);
		}
	}
	return n;
}

static uint64_t refine_by(const struct vsync_window *window, unsigned int begin, unsigned int end,
			  uint64_t period_ns, uint64_t *error_ns)
{
	static const unsigned int spans[] = { 2, 6, 16, 40 };
	const unsigned int last = ARRAY_SIZE(spans) - 1;

	*error_ns = period_ns / 20;
	/* Each stage has to be precise enough only for the next one. If only each fifth vsync is
	 * used, as of a film, no two events are as near to each other as in the first. */
	for (unsigned int stage = 0; stage <= last; stage++) {
		uint64_t periods[PERIODS];
		unsigned int n = measure(window, begin, end, period_ns, spans[stage],
					 stage < last ? PERIODS_FIRST : PERIODS, periods);

		if (n == 0 && stage == 0)
			continue;
		if (n < 4)
			break;
		sort(periods, n);
		period_ns = periods[n / 2];
		/* A few values may agree by chance, or all of them may be late. */
		*error_ns = (periods[n - 1 - n / 5] - periods[n / 5]) * (n < 16 ? 3 : 1) +
			    period_ns / (100 * spans[stage]);
	}
	return period_ns;
}

uint64_t vsync_refine(const struct vsync_window *window, uint64_t period_ns, uint64_t *error_ns)
{
	uint64_t better_ns =
		refine_by(window, VSYNC_TARGETS, VSYNC_TARGETS + 1, period_ns, error_ns);

	if (*error_ns * 500 <= better_ns)
		return better_ns;
	return refine_by(window, 0, VSYNC_TARGETS, period_ns, error_ns);
}

struct cluster {
	uint64_t length_ns;
	unsigned int n;
};

/* Collects distances between ticks and between presents, and their halves and thirds. */
static unsigned int collect(const struct vsync_window *window, struct cluster *clusters)
{
	unsigned int count = 0;

	for (unsigned int kind = 0; kind <= VSYNC_PRESENTS; kind++) {
		unsigned int n = window->n[kind];

		for (unsigned int i = n > DISTANCES_BACK ? n - DISTANCES_BACK : 1; i < n; i++) {
			int64_t length_ns = window->at_ns[kind][i] - window->at_ns[kind][i - 1];

			if (length_ns < (int64_t)VSYNC_PERIOD_MIN_NS || length_ns > DISTANCE_MAX_NS)
				continue;
			for (uint64_t parts = 1; parts <= 3; parts++) {
				uint64_t part_ns = (uint64_t)length_ns / parts;
				unsigned int at = 0;

				while (at < count &&
				       !vsync_is_near(clusters[at].length_ns, part_ns, 20))
					at++;
				if (at == CLUSTERS)
					continue;
				if (at == count)
					clusters[count++] = (struct cluster){ part_ns, 0 };
				clusters[at].n++;
			}
		}
	}
	return count;
}

static void order(struct cluster *clusters, unsigned int count, bool by_length)
{
	for (unsigned int i = 1; i < count; i++) {
		struct cluster cluster = clusters[i];
		unsigned int at = i;

		for (; at > 0 && (by_length ? cluster.length_ns > clusters[at - 1].length_ns
					    : cluster.n > clusters[at - 1].n);
		     at--)
			clusters[at] = clusters[at - 1];
		clusters[at] = cluster;
	}
}

/* If no period holds: the longest of those that explain about as much as the best one. */
static bool is_better(const struct vsync_fit *fit, const struct vsync_fit *best)
{
	unsigned int near = fit->ticks.near + 2 * fit->presents.near;
	unsigned int best_near = best->ticks.near + 2 * best->presents.near;

	if (fit->ticks.collisions * MOST_PART > fit->ticks.n || fit->ticks.near * 2 < fit->ticks.n)
		return false;
	if (best->period_ns == 0)
		return true;
	return fit->period_ns > best->period_ns ? near * 10 >= best_near * 9
						: near * 9 > best_near * 10;
}

struct vsync_fit vsync_fit_find(const struct vsync_window *window, bool anyway)
{
	struct cluster clusters[CLUSTERS];
	unsigned int count = collect(window, clusters);
	struct vsync_fit best = { 0 }, most = { 0 };

	order(clusters, count, false);
	count = count < CANDIDATES ? count : CANDIDATES;
	order(clusters, count, true);
	for (unsigned int i = 0; i < count; i++) {
		uint64_t error_ns, period_ns;
		struct vsync_fit fit;

		/* None of the remaining candidates leads to a longer period. */
		if (clusters[i].length_ns * 8 < best.period_ns * 7)
			break;
		period_ns = vsync_refine(window, clusters[i].length_ns, &error_ns);
		if (period_ns < VSYNC_PERIOD_USUAL_MIN_NS || period_ns > VSYNC_PERIOD_MAX_NS ||
		    period_ns <= best.period_ns)
			continue;
		fit = vsync_fit_of(window, period_ns);
		fit.error_ns = error_ns;
		if (vsync_fit_holds(&fit) && vsync_fit_is_used(&fit))
			best = fit;
		else if (anyway && fit.ticks.n >= 6 && is_better(&fit, &most))
			most = fit;
	}
	return best.period_ns ? best : most;
}

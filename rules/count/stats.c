/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/stats.h"

#include "rules/base/table.h"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

#define REFRESH_USUAL_HZ 60.0

/* Upper bounds, in missed vsyncs, of all levels of Matrix but the last. */
static const int64_t matrix_bounds[] = { 2, 8, 23, 41 };
enum { MATRIX_HIGH = 3, MATRIX_FROZEN = 4 };

/* Adds to a number that may be unknown. */
static void add(int64_t *sum, int64_t n)
{
	if (*sum == ROW_UNKNOWN || n == ROW_UNKNOWN)
		*sum = ROW_UNKNOWN;
	else
		*sum += n;
}

/* @missed: vsyncs */
static void count_matrix(struct frame_stats *stats, int64_t missed)
{
	unsigned int level = 0;

	while (level < MATRIX_FROZEN && missed > matrix_bounds[level])
		level++;
	add(&stats->matrix[level], 1);
}

/* If two are equally long, the one of whole vsyncs counts. */
static void update_max(struct frame_stats *stats, uint64_t max_ns, bool whole)
{
	if (max_ns < stats->max_ns)
		return;
	stats->max_is_whole = whole || (max_ns == stats->max_ns && stats->max_is_whole);
	stats->max_ns = max_ns;
}

/* Counts a frame time by the definitions of 2019. */
static void count_2019(struct frame_stats *stats, struct interval interval)
{
	stats->frames++;
	stats->time_ns += (uint64_t)interval.ns;
	update_max(stats, (uint64_t)interval.ns, interval_is_whole(interval));
	if (interval_is_at_least(interval, 100 * MS))
		stats->a++;
	else if (interval_is_at_least(interval, 50 * MS))
		stats->b++;
	else if (interval_is_at_least(interval, STATS_DROP_NS))
		stats->c++;
}

void frame_stats_add(struct frame_stats *stats, struct jank_history *history,
		     struct interval interval, uint64_t period_ns, enum wait_kind kind)
{
	uint64_t ns = (uint64_t)interval.ns, *before = history->before_ns;
	double step = (double)interval_step(interval);
	int64_t missed = interval_missed(interval);
	/* Render periods in the interval. One of less than a render period counts as one. */
	double periods = 1 + (double)missed / step;

	if (missed == ROW_UNKNOWN)
		periods = (double)ns *
			  (period_ns > 0 ? 1 / (double)period_ns : REFRESH_USUAL_HZ / 1e9) / step;
	if (interval_is_wait(interval)) {
		history->n = 0;
		stats->waits++;
		stats->wait_ns += ns;
		if (kind == WAIT_UNKNOWN)
			stats->stalls = stats->slow = stats->frozen = stats->matrix[MATRIX_HIGH] =
				stats->matrix[MATRIX_FROZEN] = ROW_UNKNOWN;
		if (!wait_is_stall(kind))
			return;
		add(&stats->stalls, 1);
		stats->stall_ns += ns;
		stats->longest_stall_ns = later(stats->longest_stall_ns, ns);
		/* A stall is longer than any limit of a jank. Its vsyncs decide on the level of the
		 * matrix only; if they are unknown, its time does. */
		stats->jank++;
		stats->big_jank++;
		stats->jank_ns += ns;
		add(&stats->slow, 1);
		add(&stats->frozen, interval_is_more_than(interval, STATS_FROZEN_NS));
		if (missed == ROW_UNKNOWN)
			interval.vsyncs = (int64_t)(periods * step + 0.5);
		count_matrix(stats, interval_missed(interval));
		return;
	}
	count_2019(stats, interval);
	if (history->n == 3 && threshold_passed(3 * ns, 2 * (before[0] + before[1] + before[2]),
						interval_is_whole(interval))) {
		if (interval_is_more_than(interval, 83333 * US)) {
			stats->jank++;
			stats->jank_ns += ns;
		} else if (interval_is_more_than(interval, 41667 * US)) {
			stats->small_jank++;
		}
		stats->big_jank += interval_is_more_than(interval, 125 * MS);
	}
	before[0] = before[1];
	before[1] = before[2];
	before[2] = ns;
	history->n += history->n < 3;
	stats->periods += periods;
	if (missed == ROW_UNKNOWN) {
		stats->unknown++;
		return;
	}
	count_matrix(stats, missed);
	add(&stats->d, missed > 0);
	add(&stats->missed, missed);
	add(&stats->slow, missed > 1);
}

double frame_stats_lost_rate(const struct frame_stats *stats)
{
	uint64_t time_ns = stats->time_ns + stats->stall_ns;
	bool is_known = stats->stalls != ROW_UNKNOWN && frame_stats_by_vsyncs(stats, 0) == 0;

	return is_known && time_ns > 0
		       ? 1000.0 * (double)(stats->late_ns + stats->stall_ns) / (double)time_ns
		       : -1;
}

void frame_stats_add_gpu(struct frame_stats *stats, int64_t gpu_ns)
{
	if (gpu_ns == ROW_UNKNOWN)
		return;
	stats->gpu_frames++;
	stats->gpu_ns += (uint64_t)gpu_ns;
	stats->gpu_max_ns = later(stats->gpu_max_ns, (uint64_t)gpu_ns);
}

void frame_stats_add_2019(struct frame_stats *stats, uint64_t interval_ns)
{
	struct interval interval = { (int64_t)interval_ns, ROW_UNKNOWN, 0 };

	if (interval_is_wait(interval)) {
		stats->waits++;
		stats->wait_ns += interval_ns;
		return;
	}
	count_2019(stats, interval);
}

void frame_stats_merge(struct frame_stats *sum, const struct frame_stats *row)
{
	double slowest = row->slowest_hz, fastest = row->fastest_hz;

	/* The render rate of a row; the row may be a sum, which has rates. */
	if (fastest <= 0 && row->unknown == 0 && row->periods > 0 && row->time_ns > 0)
		slowest = fastest = row->periods * 1e9 / (double)row->time_ns;
	if (fastest > 0 && (sum->slowest_hz <= 0 || slowest < sum->slowest_hz))
		sum->slowest_hz = slowest;
	if (fastest > sum->fastest_hz)
		sum->fastest_hz = fastest;
	for (unsigned int i = 0; i < ARRAY_SIZE(sum->sums); i++)
		sum->sums[i] += row->sums[i];
	for (unsigned int i = 0; i < ARRAY_SIZE(sum->unsure); i++)
		add(&sum->unsure[i], row->unsure[i]);
	update_max(sum, row->max_ns, row->max_is_whole);
	sum->longest_stall_ns = later(sum->longest_stall_ns, row->longest_stall_ns);
	sum->gpu_max_ns = later(sum->gpu_max_ns, row->gpu_max_ns);
	sum->periods += row->periods;
}

double frame_stats_score(const struct frame_stats *stats, double fps, double target_fps,
			 uint64_t kpi_ns)
{
	double n = (double)stats->frames;
	double rate;
	double worst = 1;

	if (stats->frames == 0 || fps < 0)
		return -1;
	rate = target_fps > 0 ? fps / target_fps : n / stats->periods;
	if (rate > 1)
		rate = 1;
	if (threshold_passed(stats->max_ns, kpi_ns, stats->max_is_whole))
		worst = (double)kpi_ns / (double)stats->max_ns;
	return 60 * rate + 20 * worst + 10 * (1 - (double)stats->a / n) +
	       7 * (1 - (double)stats->b / n) + 3 * (1 - (double)stats->c / n);
}

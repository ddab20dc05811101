/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/stats.h"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

/* Upper bounds, in missed vsyncs, of Matrix's levels but the last. */
static const int64_t matrix_bounds[] = { 2, 8, 23, 41 };
enum { MATRIX_FROZEN = 4 };

/* Adds to a number that may have become unknown. */
static void add(int64_t *sum, int64_t n)
{
	if (*sum == ROW_UNKNOWN || n == ROW_UNKNOWN)
		*sum = ROW_UNKNOWN;
	else
		*sum += n;
}

static void count_dialect_2019(struct frame_stats *stats, uint64_t interval_ns)
{
	stats->a += interval_ns >= 100 * MS;
	stats->b += interval_ns >= 50 * MS && interval_ns < 100 * MS;
	stats->c += interval_ns >= STATS_DROP_NS && interval_ns < 50 * MS;
}

static void count_jank(struct frame_stats *stats, struct jank_history *history,
		       uint64_t interval_ns)
{
	const uint64_t *before = history->before_ns;
	uint64_t sum = before[0] + before[1] + before[2];

	if (history->n == 3 && 3 * interval_ns > 2 * sum) {
		if (interval_ns > 83333 * US) {
			stats->jank++;
			stats->jank_ns += interval_ns;
		} else if (interval_ns > 41667 * US) {
			stats->small_jank++;
		}
		stats->big_jank += interval_ns > 125 * MS;
	}
	history->before_ns[0] = before[1];
	history->before_ns[1] = before[2];
	history->before_ns[2] = interval_ns;
	if (history->n < 3)
		history->n++;
}

static void count_vsyncs(struct frame_stats *stats, int64_t vsyncs)
{
	int64_t missed = vsyncs > 0 ? vsyncs - 1 : 0;
	unsigned int level = 0;

	if (vsyncs == ROW_UNKNOWN) {
		stats->d = stats->missed = stats->slow = ROW_UNKNOWN;
		for (level = 0; level <= MATRIX_FROZEN; level++)
			stats->matrix[level] = ROW_UNKNOWN;
		return;
	}
	add(&stats->d, missed > 0);
	add(&stats->missed, missed);
	add(&stats->slow, missed > 1);
	while (level < MATRIX_FROZEN && missed > matrix_bounds[level])
		level++;
	add(&stats->matrix[level], 1);
}

static void count_wait(struct frame_stats *stats, struct jank_history *history,
		       uint64_t interval_ns, int64_t vsyncs)
{
	stats->waits++;
	stats->wait_ns += interval_ns;
	history->n = 0;
	if (vsyncs == ROW_UNKNOWN)
		stats->matrix[MATRIX_FROZEN] = ROW_UNKNOWN;
	else if (vsyncs - 1 > matrix_bounds[MATRIX_FROZEN - 1])
		add(&stats->matrix[MATRIX_FROZEN], 1);
}

void frame_stats_add(struct frame_stats *stats, struct jank_history *history, uint64_t interval_ns,
		     int64_t vsyncs)
{
	stats->frozen += interval_ns > 700 * MS;
	if (interval_ns >= STATS_WAIT_NS) {
		count_wait(stats, history, interval_ns, vsyncs);
		return;
	}
	stats->frames++;
	stats->time_ns += interval_ns;
	if (interval_ns > stats->max_ns)
		stats->max_ns = interval_ns;
	count_dialect_2019(stats, interval_ns);
	count_jank(stats, history, interval_ns);
	count_vsyncs(stats, vsyncs);
}

void frame_stats_merge(struct frame_stats *sum, const struct frame_stats *row)
{
	sum->frames += row->frames;
	sum->time_ns += row->time_ns;
	if (row->max_ns > sum->max_ns)
		sum->max_ns = row->max_ns;
	sum->waits += row->waits;
	sum->wait_ns += row->wait_ns;
	sum->a += row->a;
	sum->b += row->b;
	sum->c += row->c;
	add(&sum->d, row->d);
	add(&sum->missed, row->missed);
	sum->small_jank += row->small_jank;
	sum->jank += row->jank;
	sum->big_jank += row->big_jank;
	sum->jank_ns += row->jank_ns;
	for (unsigned int i = 0; i <= MATRIX_FROZEN; i++)
		add(&sum->matrix[i], row->matrix[i]);
	add(&sum->slow, row->slow);
	sum->frozen += row->frozen;
	sum->tx += row->tx;
	add(&sum->lost, row->lost);
}

double frame_stats_fps(const struct frame_stats *stats)
{
	if (stats->frames == 0 || stats->time_ns == 0)
		return -1;
	return (double)stats->frames * 1e9 / (double)stats->time_ns;
}

double frame_stats_score(const struct frame_stats *stats, double fps, double target_fps,
			 uint64_t kpi_ns)
{
	double n = (double)stats->frames;
	double rate = fps / target_fps;
	double worst = (double)kpi_ns / (double)stats->max_ns;

	if (stats->frames == 0 || fps < 0)
		return -1;
	if (rate > 1)
		rate = 1;
	if (worst > 1)
		worst = 1;
	return 60 * rate + 20 * worst + 10 * (1 - (double)stats->a / n) +
	       7 * (1 - (double)stats->b / n) + 3 * (1 - (double)stats->c / n);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* From intervals to the counts of every definition of jank.
 *
 * Sources: A to D and the score are those of the program of 2019; jank, big jank and stutter are
 * PerfDog's (more than two or three frames of a film, and more than twice the mean of the three
 * frame times before); small jank is HMperf's; the levels of the matrix are Tencent Matrix's
 * (Constants.java); slow and frozen are those of Android vitals.
 */
#ifndef JANKD_RULES_COUNT_STATS_H
#define JANKD_RULES_COUNT_STATS_H

#include <stdint.h>

#include "rules/base/interval.h"
#include "rules/base/row.h"

#define FRAME_STATS_EMPTY ((struct frame_stats){ .score = -1 })

/* The three previous frame times, with which jank compares. All zeros: none yet. */
struct jank_history {
	uint64_t before_ns[3];
	unsigned int n;
};

/**
 * frame_stats_add() - count one interval
 * @stats: of a row, initialised with FRAME_STATS_EMPTY
 * @history: of the series
 * @interval: between two frames of the series; its length is known
 * @period_ns: of the display; 0: unknown. Used if the interval's vsyncs are unknown
 * @kind: what the interval was, if it is a wait
 */
void frame_stats_add(struct frame_stats *stats, struct jank_history *history,
		     struct interval interval, uint64_t period_ns, enum wait_kind kind);

/* A frame that was added has more vsyncs than the cadence so far, and lost that time. */
static inline void frame_stats_add_late(struct frame_stats *stats, uint64_t late_ns)
{
	stats->late++;
	stats->late_ns += late_ns;
}

/* @count, one of d, missed, late, slow and matrix of @stats; ROW_UNKNOWN if all vsyncs are unknown.
 */
static inline int64_t frame_stats_by_vsyncs(const struct frame_stats *stats, int64_t count)
{
	return stats->frames > 0 && stats->unknown >= stats->frames ? ROW_UNKNOWN : count;
}

/* Milliseconds that the user lost in each second of drawing, by late frames and stalls; negative if
 * that is unknown. */
double frame_stats_lost_rate(const struct frame_stats *stats);

/* The longest frame time or stall in ns; ROW_UNKNOWN if there is none, or stalls are unknown. */
static inline int64_t frame_stats_longest(const struct frame_stats *stats)
{
	uint64_t longest_ns = later(stats->max_ns, stats->longest_stall_ns);

	return stats->stalls != ROW_UNKNOWN && longest_ns > 0 ? (int64_t)longest_ns : ROW_UNKNOWN;
}

/* Time in janks and stalls as a share of frame time and stalls, in percent; negative without both.
 */
static inline double frame_stats_stutter(const struct frame_stats *stats)
{
	uint64_t time_ns = stats->time_ns + stats->stall_ns;

	return time_ns > 0 ? 100.0 * (double)stats->jank_ns / (double)time_ns : -1;
}

/* @janks of 10 minutes of frame time and stalls; negative without both. */
static inline double frame_stats_in_10_minutes(const struct frame_stats *stats, uint64_t janks)
{
	uint64_t time_ns = stats->time_ns + stats->stall_ns;

	return time_ns > 0 ? (double)janks * 600e9 / (double)time_ns : -1;
}

/* Adds the GPU time of a frame of the row; nothing if it is ROW_UNKNOWN. */
void frame_stats_add_gpu(struct frame_stats *stats, int64_t gpu_ns);

/* The mean and the longest GPU time in ns; ROW_UNKNOWN if no frame has one. */
static inline int64_t frame_stats_gpu_mean(const struct frame_stats *stats)
{
	return stats->gpu_frames ? (int64_t)(stats->gpu_ns / stats->gpu_frames) : ROW_UNKNOWN;
}

static inline int64_t frame_stats_gpu_max(const struct frame_stats *stats)
{
	return stats->gpu_frames ? (int64_t)stats->gpu_max_ns : ROW_UNKNOWN;
}

/* frame_stats_add() by the method of 2019: without tolerance, and with its definitions only. */
void frame_stats_add_2019(struct frame_stats *stats, uint64_t interval_ns);

/* Adds the counts of @row to @sum, except for the score. */
void frame_stats_merge(struct frame_stats *sum, const struct frame_stats *row);

/* Frames per second of frame time, in Hz; negative without frames. */
static inline double frame_stats_fps(const struct frame_stats *stats)
{
	if (stats->frames == 0 || stats->time_ns == 0)
		return -1;
	return (double)stats->frames * 1e9 / (double)stats->time_ns;
}

/* The score of 2019, 0 to 100, for @target_fps (Hz) and @kpi_ns; negative without frames. If
 * @target_fps is 0, the target is the render rate: then FPS / target is frames / (frames + missed
 * vsyncs / step), also across switches of the rate. */
double frame_stats_score(const struct frame_stats *stats, double fps, double target_fps,
			 uint64_t kpi_ns);

#endif

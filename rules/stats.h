/* SPDX-License-Identifier: Apache-2.0 */
/* One interval after another to the counts of every jank dialect.
 *
 * Sources: A to D and the score are the 2019 program's; jank, big jank and stutter PerfDog's (two
 * and three film frames, and twice the mean of the three frames before); small jank HMperf's; the
 * matrix levels Tencent Matrix's (Constants.java); slow and frozen Android vitals'.
 */
#ifndef JANKD_RULES_STATS_H
#define JANKD_RULES_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/interval.h"
#include "rules/row.h"
#include "rules/percentiles.h"

#define FRAME_STATS_EMPTY ((struct frame_stats){ .score = -1 })

/* The three intervals before, which jank is measured against. All zeros: none yet. */
struct jank_history {
	uint64_t before_ns[3];
	unsigned int n;
};

/**
 * frame_stats_add() - count one interval
 * @stats: of a row, begun with FRAME_STATS_EMPTY
 * @history: of the series
 * @interval: between two frames of the series; its length is known
 * @period_ns: the display's, 0 where it is not known; of use where the interval's vsyncs are not
 */
void frame_stats_add(struct frame_stats *stats, struct jank_history *history,
		     struct interval interval, uint64_t period_ns);

/* The same as the program of 2019 did it: plain comparisons, and no dialect but its own. */
void frame_stats_add_2019(struct frame_stats *stats, uint64_t interval_ns);

/* Adds the counts of @row to @sum (not the score). */
void frame_stats_merge(struct frame_stats *sum, const struct frame_stats *row);

/* The most frequent number of vsyncs in @vsyncs, which has those of all intervals that are counted
 * in @stats; ROW_UNKNOWN where there is none, or one is not known. *@off: intervals of another. */
int64_t frame_stats_cadence(const struct frame_stats *stats, const struct chunk_store *store,
			    const struct histogram *vsyncs, int64_t *off);

/* frames / Time in Hz; negative without frames. */
double frame_stats_fps(const struct frame_stats *stats);

/* The 2019 program's score, 0 to 100, against @target_fps and @kpi_ns; negative without frames.
 * Where @target_fps is 0, it is the display's refresh rate in all of stats->time_ns: FPS / target
 * is frames / (frames + missed vsyncs) then, over switches of that rate, too. */
double frame_stats_score(const struct frame_stats *stats, double fps, double target_fps,
			 uint64_t kpi_ns);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a Surface over a session or a section of it, by the names of their columns.
 *
 * The first ones are the columns of summary.csv, with its names, units and decimals, in its order;
 * jankd-metrics(7) defines them. The others are of this program.
 */
#ifndef JANKD_TOOLS_REPORT_METRICS_H
#define JANKD_TOOLS_REPORT_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "rules/count/grade.h"
#include "rules/count/stats.h"

enum metric {
	METRIC_FRAMES,
	METRIC_TIME,
	METRIC_FPS,
	METRIC_P50,
	METRIC_P90,
	METRIC_P95,
	METRIC_P99,
	METRIC_P999,
	METRIC_MAX,
	METRIC_LOW1_MEAN,
	METRIC_LOW01_MEAN,
	METRIC_WAITING,
	METRIC_WAITS,
	METRIC_A,
	METRIC_B,
	METRIC_C,
	METRIC_D,
	METRIC_SCORE,
	METRIC_MISSED,
	METRIC_SMALL_JANK,
	METRIC_JANK,
	METRIC_BIG_JANK,
	METRIC_STUTTER,
	METRIC_MATRIX, /* five of them: best to frozen */
	METRIC_SLOW = METRIC_MATRIX + 5,
	METRIC_FROZEN,
	METRIC_GPU_P50,
	METRIC_GPU_P99,
	METRIC_GPU_BOUND,
	METRIC_LOST,
	METRIC_STALLS,
	METRIC_STALL_TIME,
	METRIC_CADENCE,
	METRIC_OFF_CADENCE,
	METRIC_JANK_10MIN,
	METRIC_BIG_JANK_10MIN,
	METRIC_LOW1_TIME,
	METRIC_LOW01_TIME,
	METRIC_LATE,
	METRIC_LATE_TIME,
	METRIC_LOST_RATE,
	METRIC_LONGEST,
	METRIC_UNKNOWN,
	METRIC_MISSED_1000, /* from here on not in summary.csv */
	METRIC_FREEZES_10MIN,
	METRIC_FREEZES, /* stalls, with those that no frame ended */
	METRIC_HARM,
	METRIC_GRADE, /* 0 BAD to 3 GOOD; the others are unknown */
	METRICS,      /* their number */
};

/* How freezes are in a metric. FPS, percentiles and lows leave them out. `slow` and the matrix
 * leave those out that no frame ended: they count by vsyncs, which are unknown without that frame.
 * So they are FREEZES_NOT, and `freezes > 0` is added to a condition of them, as to one of FPS. */
enum metric_freezes {
	FREEZES_NOT,
	FREEZES_NUMBER,
	FREEZES_TIME,
	FREEZES_DERIVED, /* from those, or from the facts of the grade */
};

struct metric_info {
	const char *name; /* as the column */
	unsigned int decimals;
	bool is_sum;	       /* of two sessions: the sum of both */
	const char *open_name; /* in OpenMetrics, without "jank_"; NULL: not there */
	double open_scale;     /* to the base unit of OpenMetrics */
	enum metric_freezes freezes;
};

extern const struct metric_info metrics[METRICS];

/* Bytes of a printed number with its NUL. */
#define METRIC_TEXT_SIZE 40

/* An unknown number is NAN. */
struct numbers {
	double of[METRICS];
};

/* All unknown. */
void numbers_clear(struct numbers *numbers);

/* A grade as a number of METRIC_GRADE. */
double metric_grade(enum grade grade);

/* Prints a number as in the files; "" if it is unknown. */
void metric_print(char text[METRIC_TEXT_SIZE], enum metric metric, double value);

/* What is a sum, from @stats; -T and so on: see jankd-metrics(7). Percentiles stay as they are. */
void numbers_set_stats(struct numbers *numbers, const struct frame_stats *stats);

/* Percentiles and lows of @n frame times in ns, which are sorted, and whose sum is @time_ns. */
void numbers_set_times(struct numbers *numbers, const uint32_t *times_ns, size_t n,
		       uint64_t time_ns);

/* Those that follow from others. */
void numbers_derive(struct numbers *numbers);

/* Those of the freezes that no frame ended alone: columns of the files leave them out. */
void numbers_set_endless(struct numbers *numbers, const struct grade_facts *facts);

/* The grade, freezes, which are stalls with those that no frame ended, and the time lost. */
void numbers_set_grade(struct numbers *numbers, const struct grade_facts *facts, enum grade grade);

#endif

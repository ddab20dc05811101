/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* name, decimals, is a sum, name and scale in OpenMetrics, freezes in it */
const struct metric_info metrics[METRICS] = {
	[METRIC_FRAMES] = { "frames", 0, true, "frames", 1 },
	[METRIC_TIME] = { "Time(S)", 6, true, "frame_time_seconds", 1 },
	[METRIC_FPS] = { "FPS", 2, false, "fps", 1 },
	[METRIC_P50] = { "p50(ms)", 3, false, "p50_seconds", 1e-3 },
	[METRIC_P90] = { "p90(ms)", 3, false, "p90_seconds", 1e-3 },
	[METRIC_P95] = { "p95(ms)", 3, false, "p95_seconds", 1e-3 },
	[METRIC_P99] = { "p99(ms)", 3, false, "p99_seconds", 1e-3 },
	[METRIC_P999] = { "p99.9(ms)", 3, false, "p999_seconds", 1e-3 },
	[METRIC_MAX] = { "max time(ms)", 3, false, "max_seconds", 1e-3 },
	[METRIC_LOW1_MEAN] = { "low 1% mean(fps)", 2, false, "low1_mean_fps", 1 },
	[METRIC_LOW01_MEAN] = { "low 0.1% mean(fps)", 2, false, "low01_mean_fps", 1 },
	[METRIC_WAITING] = { "waiting time(S)", 6, true, "waiting_seconds", 1 },
	[METRIC_WAITS] = { "wait times", 0, true, "waits", 1 },
	[METRIC_A] = { "A", 0, true, NULL, 1 },
	[METRIC_B] = { "B", 0, true, NULL, 1 },
	[METRIC_C] = { "C", 0, true, NULL, 1 },
	[METRIC_D] = { "D", 0, true, NULL, 1 },
	[METRIC_SCORE] = { "score", 2, false, "score", 1 },
	[METRIC_MISSED] = { "missed vsyncs", 0, true, "missed_vsyncs", 1 },
	[METRIC_SMALL_JANK] = { "small jank", 0, true, "small_janks", 1 },
	[METRIC_JANK] = { "jank", 0, true, "janks", 1, FREEZES_NUMBER },
	[METRIC_BIG_JANK] = { "big jank", 0, true, "big_janks", 1, FREEZES_NUMBER },
	[METRIC_STUTTER] = { "stutter(%)", 3, false, "stutter_ratio", 1e-2, FREEZES_DERIVED },
	[METRIC_MATRIX + 0] = { "matrix best", 0, true, NULL, 1 },
	[METRIC_MATRIX + 1] = { "matrix normal", 0, true, NULL, 1 },
	[METRIC_MATRIX + 2] = { "matrix middle", 0, true, NULL, 1 },
	[METRIC_MATRIX + 3] = { "matrix high", 0, true, NULL, 1 },
	[METRIC_MATRIX + 4] = { "matrix frozen", 0, true, NULL, 1 },
	[METRIC_SLOW] = { "slow", 0, true, "slow_frames", 1 },
	[METRIC_FROZEN] = { "frozen", 0, true, "frozen_frames", 1, FREEZES_NUMBER },
	[METRIC_GPU_P50] = { "gpu p50(ms)", 3, false, "gpu_p50_seconds", 1e-3 },
	[METRIC_GPU_P99] = { "gpu p99(ms)", 3, false, "gpu_p99_seconds", 1e-3 },
	[METRIC_GPU_BOUND] = { "gpu bound", 0, true, "gpu_bound_frames", 1 },
	[METRIC_LOST] = { "lost events", 0, true, "lost_events", 1 },
	[METRIC_STALLS] = { "stalls", 0, true, "stalls", 1, FREEZES_NUMBER },
	[METRIC_STALL_TIME] = { "stall time(S)", 6, true, "stall_seconds", 1, FREEZES_TIME },
	[METRIC_CADENCE] = { "cadence(vsyncs)", 0, false, "cadence_vsyncs", 1 },
	[METRIC_OFF_CADENCE] = { "off cadence", 0, true, "off_cadence_frames", 1 },
	[METRIC_JANK_10MIN] = { "jank(/10min)", 2, false, NULL, 1, FREEZES_DERIVED },
	[METRIC_BIG_JANK_10MIN] = { "big jank(/10min)", 2, false, NULL, 1, FREEZES_DERIVED },
	[METRIC_LOW1_TIME] = { "low 1% time(fps)", 2, false, "low1_time_fps", 1 },
	[METRIC_LOW01_TIME] = { "low 0.1% time(fps)", 2, false, "low01_time_fps", 1 },
	[METRIC_LATE] = { "late frames", 0, true, "late_frames", 1 },
	[METRIC_LATE_TIME] = { "late time(S)", 6, true, "late_seconds", 1 },
	[METRIC_LOST_RATE] = { "lost(ms/s)", 3, false, "lost_ratio", 1e-3, FREEZES_DERIVED },
	[METRIC_LONGEST] = { "longest(ms)", 3, false, "longest_seconds", 1e-3, FREEZES_DERIVED },
	[METRIC_UNKNOWN] = { "unknown vsyncs", 0, true, "unknown_vsyncs_frames", 1 },
	[METRIC_MISSED_1000] = { "missed vsyncs(/1000 frames)", 2, false, NULL, 1 },
	[METRIC_FREEZES_10MIN] = { "freezes(/10min)", 2, false, NULL, 1, FREEZES_DERIVED },
	[METRIC_FREEZES] = { "freezes", 0, true, "freezes", 1, FREEZES_DERIVED },
	[METRIC_HARM] = { "time lost(ms)", 3, true, "lost_seconds", 1e-3, FREEZES_DERIVED },
	[METRIC_GRADE] = { "grade", 0, false, NULL, 1, FREEZES_DERIVED },
};

void numbers_clear(struct numbers *numbers)
{
	for (unsigned int i = 0; i < METRICS; i++)
		numbers->of[i] = NAN;
}

/* Those that can be compared, from worst to best. */
static const enum grade grades[] = { GRADE_BAD, GRADE_POOR, GRADE_FAIR, GRADE_GOOD };

double metric_grade(enum grade grade)
{
	for (unsigned int i = 0; i < sizeof(grades) / sizeof(grades[0]); i++)
		if (grades[i] == grade)
			return i;
	return NAN;
}

void metric_print(char text[METRIC_TEXT_SIZE], enum metric metric, double value)
{
	text[0] = '\0';
	if (metric == METRIC_GRADE && value >= 0 && value <= 3) {
		strcpy(text, grade_names[grades[(unsigned int)value]]);
		return;
	}
	if (isfinite(value))
		snprintf(text, METRIC_TEXT_SIZE, "%.*f", (int)metrics[metric].decimals,
			 value < -1e17	? -1e17
			 : value > 1e17 ? 1e17
					: value);
}

static double known(int64_t value)
{
	return value < 0 ? NAN : (double)value;
}

/* Times are truncated to microseconds, as in the files. */
static double seconds(uint64_t ns)
{
	return (double)(ns / 1000) / 1e6;
}

static double milliseconds(uint64_t ns)
{
	return (double)(ns / 1000) / 1e3;
}

static double rate(double value)
{
	return value < 0 ? NAN : value;
}

void numbers_set_stats(struct numbers *numbers, const struct frame_stats *stats)
{
	double *of = numbers->of;

	of[METRIC_FRAMES] = (double)stats->frames;
	of[METRIC_TIME] = seconds(stats->time_ns);
	of[METRIC_FPS] = rate(frame_stats_fps(stats));
	of[METRIC_MAX] = stats->frames > 0 ? milliseconds(stats->max_ns) : NAN;
	of[METRIC_WAITING] = seconds(stats->wait_ns);
	of[METRIC_WAITS] = (double)stats->waits;
	of[METRIC_A] = (double)stats->a;
	of[METRIC_B] = (double)stats->b;
	of[METRIC_C] = (double)stats->c;
	of[METRIC_D] = known(frame_stats_by_vsyncs(stats, stats->d));
	of[METRIC_MISSED] = known(frame_stats_by_vsyncs(stats, stats->missed));
	of[METRIC_SMALL_JANK] = (double)stats->small_jank;
	of[METRIC_JANK] = (double)stats->jank;
	of[METRIC_BIG_JANK] = (double)stats->big_jank;
	of[METRIC_STUTTER] = rate(frame_stats_stutter(stats));
	for (unsigned int i = 0; i < 5; i++)
		of[METRIC_MATRIX + i] = known(frame_stats_by_vsyncs(stats, stats->matrix[i]));
	of[METRIC_SLOW] = known(frame_stats_by_vsyncs(stats, stats->slow));
	of[METRIC_FROZEN] = known(stats->frozen);
	of[METRIC_STALLS] = known(stats->stalls);
	of[METRIC_STALL_TIME] = stats->stalls < 0 ? NAN : seconds(stats->stall_ns);
	of[METRIC_JANK_10MIN] = rate(frame_stats_in_10_minutes(stats, stats->jank));
	of[METRIC_BIG_JANK_10MIN] = rate(frame_stats_in_10_minutes(stats, stats->big_jank));
	if (frame_stats_by_vsyncs(stats, 0) == 0) {
		of[METRIC_LATE] = (double)stats->late;
		of[METRIC_LATE_TIME] = seconds(stats->late_ns);
	}
	of[METRIC_LOST_RATE] = rate(frame_stats_lost_rate(stats));
	if (frame_stats_longest(stats) >= 0)
		of[METRIC_LONGEST] = milliseconds((uint64_t)frame_stats_longest(stats));
	of[METRIC_UNKNOWN] = (double)stats->unknown;
}

/* 1000 / mean of the slowest ceil(@permille / 1000 * n). */
static double low_mean(const uint32_t *times_ns, size_t n, unsigned int permille)
{
	size_t slowest = (n * permille + 999) / 1000;
	double sum = 0;

	for (size_t i = n - slowest; i < n; i++)
		sum += times_ns[i];
	return sum > 0 ? 1e9 * (double)slowest / sum : NAN;
}

/* 1000 / the last of the slowest that add up to that share of the time. */
static double low_time(const uint32_t *times_ns, size_t n, unsigned int permille, uint64_t time_ns)
{
	uint64_t sum = 0;
	size_t at = n;

	while (at > 0 && sum * 1000 < time_ns * permille)
		sum += times_ns[--at];
	return at < n && times_ns[at] > 0 ? 1e9 / times_ns[at] : NAN;
}

void numbers_set_times(struct numbers *numbers, const uint32_t *times_ns, size_t n,
		       uint64_t time_ns)
{
	static const struct {
		enum metric metric;
		unsigned int permille;
	} ranks[] = { { METRIC_P50, 500 },
		      { METRIC_P90, 900 },
		      { METRIC_P95, 950 },
		      { METRIC_P99, 990 },
		      { METRIC_P999, 999 } };
	double *of = numbers->of;

	if (n == 0)
		return;
	/* The value at rank ceil(permille / 1000 * n). */
	for (unsigned int i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		of[ranks[i].metric] =
			milliseconds(times_ns[(n * ranks[i].permille + 999) / 1000 - 1]);
	of[METRIC_LOW1_MEAN] = low_mean(times_ns, n, 10);
	of[METRIC_LOW01_MEAN] = low_mean(times_ns, n, 1);
	of[METRIC_LOW1_TIME] = low_time(times_ns, n, 10, time_ns);
	of[METRIC_LOW01_TIME] = low_time(times_ns, n, 1, time_ns);
}

void numbers_derive(struct numbers *numbers)
{
	double *of = numbers->of;
	double known = of[METRIC_FRAMES] - (isnan(of[METRIC_UNKNOWN]) ? 0 : of[METRIC_UNKNOWN]);
	double time = of[METRIC_TIME] + (isnan(of[METRIC_STALL_TIME]) ? 0 : of[METRIC_STALL_TIME]);

	if (known > 0)
		of[METRIC_MISSED_1000] = 1000 * of[METRIC_MISSED] / known;
	if (isnan(of[METRIC_LONGEST]) && of[METRIC_STALLS] == 0)
		of[METRIC_LONGEST] = of[METRIC_MAX];
	if (time > 0 && isnan(of[METRIC_LOST_RATE]))
		of[METRIC_LOST_RATE] = 1000 * (of[METRIC_LATE_TIME] + of[METRIC_STALL_TIME]) / time;
}

void numbers_set_endless(struct numbers *numbers, const struct grade_facts *facts)
{
	double *of = numbers->of;

	numbers_clear(numbers);
	for (enum metric i = 0; i < METRICS; i++)
		if (metrics[i].freezes == FREEZES_NUMBER)
			of[i] = (double)facts->endless;
		else if (metrics[i].freezes == FREEZES_TIME)
			of[i] = seconds(facts->endless_ns);
	of[METRIC_FROZEN] = (double)facts->endless_long;
	of[METRIC_LONGEST] = milliseconds(facts->longest_freeze_ns);
	of[METRIC_STUTTER] = 100;
}

void numbers_set_grade(struct numbers *numbers, const struct grade_facts *facts, enum grade grade)
{
	double *of = numbers->of;
	uint64_t drawing_ns = grade_drawing_ns(facts);

	of[METRIC_GRADE] = metric_grade(grade);
	of[METRIC_FREEZES] = of[METRIC_FREEZES_10MIN] = of[METRIC_HARM] = NAN;
	/* A sum of Surfaces may have the known ones. */
	if (isnan(of[METRIC_STALLS]) || facts->more_freezes)
		return;
	of[METRIC_FREEZES] = (double)facts->freezes;
	if (!isnan(of[METRIC_LATE]))
		of[METRIC_HARM] = milliseconds(grade_lost_ns(facts));
	if (drawing_ns > 0)
		of[METRIC_FREEZES_10MIN] = 600e9 * (double)facts->freezes / (double)drawing_ns;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The counts of each jank dialect, 1 ns to either side of a threshold. */
#include "tests/unit/unit.h"

#include "rules/count/stats.h"
#include "tests/unit/numbers.h"

/* A series in progress. */
struct series {
	struct frame_stats stats;
	struct jank_history history;
};

static struct series series;
static uint8_t step; /* vsyncs in a render period */

static int begin(void **state)
{
	series = (struct series){ .stats = FRAME_STATS_EMPTY };
	step = 0;
	return 0;
}

FIXTURE(begin, NULL)

static void add(uint64_t ns, int64_t vsyncs)
{
	const struct interval interval = { (int64_t)ns, vsyncs, step };

	frame_stats_add(&series.stats, &series.history, interval, 0, WAIT_IDLE);
}

static void interval(uint64_t ns)
{
	add(ns, ROW_UNKNOWN);
}

static double score(double target_fps)
{
	return frame_stats_score(&series.stats, frame_stats_fps(&series.stats), target_fps,
				 100 * MS);
}

static void assert_janks(uint64_t small, uint64_t jank, uint64_t big)
{
	assert_fields(&series.stats, small_jank == small, jank == jank, big_jank == big);
}

/* Thresholds are exact; with whole vsyncs they have a tolerance of 0.5 %, as the period is inexact
 * in its last digits. */
TEST(test_thresholds_of_2019)
{
	static const struct {
		uint64_t ns;
		int64_t vsyncs;
		uint64_t a, b, c, waits;
	} rows[] = {
		{ 42 * MS - 1, ROW_UNKNOWN, 0, 0, 0, 0 },  { 42 * MS, ROW_UNKNOWN, 0, 0, 1, 0 },
		{ 50 * MS - 1, ROW_UNKNOWN, 0, 0, 1, 0 },  { 50 * MS, ROW_UNKNOWN, 0, 1, 0, 0 },
		{ 100 * MS - 1, ROW_UNKNOWN, 0, 1, 0, 0 }, { 100 * MS, ROW_UNKNOWN, 1, 0, 0, 0 },
		{ 500 * MS - 1, ROW_UNKNOWN, 1, 0, 0, 0 }, { 500 * MS, ROW_UNKNOWN, 0, 0, 0, 1 },
		{ 41790000 - 1, 5, 0, 0, 0, 0 },	   { 41790000, 5, 0, 0, 1, 0 },
		{ 49750000 - 1, 6, 0, 0, 1, 0 },	   { 49750000, 6, 0, 1, 0, 0 },
		{ 99500000 - 1, 12, 0, 1, 0, 0 },	   { 99500000, 12, 1, 0, 0, 0 },
		{ 497500000 - 1, 60, 1, 0, 0, 0 },	   { 497500000, 60, 0, 0, 0, 1 },
	};
	struct frame_stats exact = FRAME_STATS_EMPTY;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		begin(NULL);
		add(rows[i].ns, rows[i].vsyncs);
		assert_fields(&series.stats, a == rows[i].a, b == rows[i].b, c == rows[i].c,
			      waits == rows[i].waits);
		frame_stats_add_2019(&exact, rows[i].ns);
	}
	/* The reader of 2019 does not know vsyncs. */
	expect_stats(exact, "frames 15 waits 1 wait_ns 500ms a 4 b 4 c 4");
	assert_true(frame_stats_score(&exact, 60, 60, exact.max_ns - 1) <
		    frame_stats_score(&exact, 60, 60, exact.max_ns));
}

TEST(test_jank_is_longer_than_its_limit_and_twice_the_three_frames_before)
{
	static const struct {
		uint64_t before_ns[3], ns;
		uint64_t small, jank, big;
		int64_t vsyncs; /* 0: unknown */
	} rows[] = {
		{ { V60, V60, V60 }, 41667000, 0, 0, 0, 0 },
		{ { V60, V60, V60 }, 41667001, 1, 0, 0, 0 },
		{ { V60, V60, V60 }, 83333000, 1, 0, 0, 0 },
		{ { V60, V60, V60 }, 83333001, 0, 1, 0, 0 },
		{ { V60, V60, V60 }, 125000000, 0, 1, 0, 0 },
		{ { V60, V60, V60 }, 125000001, 0, 1, 1, 0 },
		{ { 50 * MS, 50 * MS, 50 * MS }, 100 * MS, 0, 0, 0, 0 },
		{ { 50 * MS, 50 * MS, 50 * MS }, 100 * MS + 1, 0, 1, 0, 0 },
		/* The mean is not a whole number of nanoseconds. */
		{ { 50 * MS, 50 * MS, 50 * MS + 1 }, 100 * MS, 0, 0, 0, 0 },
		{ { 50 * MS, 50 * MS, 50 * MS + 1 }, 100 * MS + 1, 0, 1, 0, 0 },
		/* Whole vsyncs have the tolerance. */
		{ { V60, V60, V60 }, 41875335, 0, 0, 0, 5 },
		{ { V60, V60, V60 }, 41875336, 1, 0, 0, 5 },
		{ { V60, V60, V60 }, 83749665, 1, 0, 0, 10 },
		{ { V60, V60, V60 }, 83749666, 0, 1, 0, 10 },
		{ { V60, V60, V60 }, 125625000, 0, 1, 0, 15 },
		{ { V60, V60, V60 }, 125625001, 0, 1, 1, 15 },
		/* There are only two. */
		{ { 0, V60, V60 }, 300 * MS, 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		begin(NULL);
		for (int k = rows[i].before_ns[0] ? 0 : 1; k < 3; k++)
			interval(rows[i].before_ns[k]);
		add(rows[i].ns, rows[i].vsyncs ? rows[i].vsyncs : ROW_UNKNOWN);
		assert_janks(rows[i].small, rows[i].jank, rows[i].big);
		assert_int_equal(series.stats.jank_ns, rows[i].jank ? rows[i].ns : 0);
	}
}

TEST(test_matrix_levels)
{
	static const int64_t first_missed[] = { 0, 3, 9, 24, 42, 100 };

	for (int64_t missed = 0, level = 0; missed < 100; missed++) {
		level += missed == first_missed[level + 1];
		begin(NULL);
		add(100 * MS, missed + 1);
		for (int64_t i = 0; i < 5; i++)
			assert_int_equal(series.stats.matrix[i], i == level);
		assert_int_equal(series.stats.missed, missed);
	}
}

static void add_wait(uint64_t ns, int64_t vsyncs, enum wait_kind kind)
{
	const struct interval wait = { (int64_t)ns, vsyncs, step };

	frame_stats_add(&series.stats, &series.history, wait, V120, kind);
}

TEST(test_stall_is_a_big_jank_and_a_wait)
{
	for (int i = 0; i < 4; i++)
		add(500 * MS / 2, 15);
	add_wait(1000 * MS, 60, WAIT_STALL);
	add_wait(600 * MS, 36, WAIT_STALL);
	expect_stats(series.stats, "waits 2 wait_ns 1600ms stalls 2 stall_ns 1600ms frames 4 "
				   "slow 6 frozen 1 matrix3 1 matrix4 1 d 4 a 4 longest_ns 1000ms");
	/* One of the four frames lost 100 ms of the 2.6 s. */
	frame_stats_add_late(&series.stats, 100 * MS);
	assert_float_equal(frame_stats_lost_rate(&series.stats), 1000 * 1.7 / 2.6, 1e-9);
	assert_janks(0, 2, 2);
	assert_int_equal(series.stats.missed, 4 * 14);
	/* 1.6 s of 1.0 + 1.6 s */
	assert_float_equal(frame_stats_stutter(&series.stats), 100 * 1.6 / 2.6, 1e-9);
	assert_float_equal(frame_stats_in_10_minutes(&series.stats, 2), 2 * 600 / 2.6, 1e-9);
}

/* At 120 Hz 600 ms are 72 vsyncs. */
TEST(test_stall_without_known_vsyncs_has_the_level_of_its_time)
{
	add_wait(600 * MS, ROW_UNKNOWN, WAIT_STALL);
	expect_stats(series.stats, "matrix3 0 matrix4 1 frozen 0 slow 1 missed 0 unknown 0");
	assert_float_equal(frame_stats_stutter(&series.stats), 100, 1e-9);
}

TEST(test_wait_of_unknown_kind_makes_the_counts_of_stalls_unknown)
{
	struct frame_stats sum = FRAME_STATS_EMPTY;

	add(V60, 1);
	add_wait(900 * MS, 54, WAIT_UNKNOWN);
	add_wait(900 * MS, 54, WAIT_STALL);
	frame_stats_merge(&sum, &series.stats);
	expect_stats(sum, "waits 2 stalls ? frozen ? slow ? matrix0 1 matrix3 ? matrix4 ? jank 1 "
			  "longest_ns ?");
	assert_true(frame_stats_lost_rate(&sum) < 0);
}

/* An interval within one vsync misses none. */
TEST(test_missed_and_slow_are_counted_by_vsyncs)
{
	for (int64_t vsyncs = 0; vsyncs <= 4; vsyncs++)
		add(V60, vsyncs);
	expect_stats(series.stats, "d 3 slow 2 missed 6 matrix0 4");
	/* It counts as one for the target. */
	assert_float_equal(score(0), 60 * 5 / 11.0 + 40, 1e-9);
}

TEST(test_unknown_vsyncs_are_counted_and_empty_nothing_that_is_known)
{
	struct frame_stats sum = FRAME_STATS_EMPTY;

	add(V60, ROW_UNKNOWN);
	expect_stats(series.stats,
		     "frames 1 unknown 1 d ? missed ? slow ? matrix0 ? late_frames ?");
	assert_true(frame_stats_lost_rate(&series.stats) < 0);
	frame_stats_merge(&sum, &series.stats);
	begin(NULL);
	add(V60, 1);
	add(3 * V60, 3);
	frame_stats_merge(&sum, &series.stats);
	expect_stats(sum, "frames 3 unknown 1 d 1 missed 2 slow 1 matrix0 2 matrix4 0 "
			  "late_frames 0 longest_ns 50000001");
}

TEST(test_score_needs_frames_and_has_bounds)
{
	interval(600 * MS);
	expect_stats(series.stats, "frames 0 waits 1 wait_ns 600ms time_ns 0 max_ns 0");
	assert_true(frame_stats_fps(&series.stats) < 0);
	assert_true(score(60) < 0);
	begin(NULL);
	interval(V60 / 4);
	assert_float_equal(score(60), 100, 1e-9);
	begin(NULL);
	interval(499 * MS);
	assert_true(score(60) > 0);
	assert_true(score(60) < 20);
	/* The longest interval equals the limit: it costs nothing, with its tolerance. */
	begin(NULL);
	add(100500000, 6);
	interval(V60);
	assert_float_equal(frame_stats_score(&series.stats, 60, 60, 100 * MS), 95, 1e-9);
	begin(NULL);
	add(V60, 1);
	interval(100 * MS);
	assert_float_equal(frame_stats_score(&series.stats, 60, 60, 100 * MS), 95, 1e-9);
	assert_true(frame_stats_score(&series.stats, 60, 60, 100 * MS - 1) < 95);
}

/* Perfect frames at 60 Hz and then at 120 Hz are perfect together: the target is the display's rate
 * in the intervals of the row. */
TEST(test_the_target_follows_the_refresh_rate)
{
	for (int i = 0; i < 60; i++)
		add(V60, 1);
	for (int i = 0; i < 120; i++)
		add(V120, 1);
	assert_float_equal(score(0), 100, 1e-9);
	/* 90 intervals of two vsyncs: 270 of 360 vsyncs have a frame. */
	for (int i = 0; i < 90; i++)
		add(2 * V120, 2);
	assert_float_equal(score(0), 60 * 270.0 / 360 + 40, 1e-9);
	assert_int_equal(series.stats.missed, 90);
}

/* SurfaceFlinger composes for every third vsync of 120 Hz: 40 frames a second are all. */
TEST(test_vsyncs_are_missed_beyond_the_render_period)
{
	step = 3;
	for (int64_t vsyncs = 0; vsyncs <= 6; vsyncs++)
		add((uint64_t)vsyncs * V120, vsyncs);
	expect_stats(series.stats, "frames 7 d 3 missed 6 slow 2 matrix0 6");
	assert_float_equal(score(0), 60 * 7 / (7 + 6 / 3.0) + 39, 1e-9);
	begin(NULL);
	step = 3;
	add(25 * MS, ROW_UNKNOWN);
	add(3 * V120, 3);
	expect_stats(series.stats, "frames 2 unknown 1 d 0 missed 0");
	/* 25 ms of 60 Hz are one and a half periods, every third of which has a frame. */
	assert_float_equal(score(0), 100, 1e-9);
}

/* If vsyncs are unknown, the rate is weighted by time; if the rate is unknown, too, it is 60. */
TEST(test_target_without_vsyncs_is_weighted_by_time)
{
	const struct interval plain = { 25 * MS, ROW_UNKNOWN, 0 };

	frame_stats_add(&series.stats, &series.history, plain, V120, WAIT_IDLE);
	assert_float_equal(score(0), 60 / 3.0 + 40, 0.0001);
	frame_stats_add(&series.stats, &series.history, plain, 0, WAIT_IDLE);
	assert_float_equal(score(0), 60 * 2 / 4.5 + 40, 0.0001);
	add(V120, 1);
	assert_float_equal(score(0), 60 * 3 / 5.5 + 40, 0.0001);
}

TEST(test_merged_rows_have_the_counts_of_all)
{
	struct frame_stats sum = FRAME_STATS_EMPTY;

	add(20 * MS, 1);
	add(20 * MS, 2);
	add(20 * MS, 2);
	add(45 * MS, 2);
	add(130 * MS, 2);
	add(600 * MS, 36);
	frame_stats_merge(&sum, &series.stats);
	begin(NULL);
	add(60 * MS, 3);
	frame_stats_merge(&sum, &series.stats);
	expect_stats(sum,
		     "frames 6 waits 1 wait_ns 600ms small_jank 1 jank 1 big_jank 1 jank_ns 130ms "
		     "a 1 b 1 c 1 d 5 missed 6 time_ns 295ms max_ns 130ms");
	assert_float_equal(frame_stats_score(&sum, 30, 60, 130 * MS), 30 + 20 + 20 * 5.0 / 6, 1e-9);
	interval(V60);
	frame_stats_merge(&sum, &series.stats);
	expect_stats(sum, "frames 8 missed 8 unknown 1");
}

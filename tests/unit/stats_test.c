/* SPDX-License-Identifier: Apache-2.0 */
/* The counts of every jank dialect: known series, and each threshold 1 ns to either side. */
#include "tests/unit/unit.h"

#include <string.h>

#include "rules/percentiles.h"
#include "rules/stats.h"
#include "tests/unit/numbers.h"

/* A series in progress, with what a row and a session store of it. */
struct series {
	struct frame_stats stats;
	struct jank_history history;
	struct histogram histogram;
};

static struct series series;
static struct chunk_store store;

static int set_up(void **state)
{
	memset(&series, 0, sizeof(series));
	return chunks_init(&store, 100);
}

static int tear_down(void **state)
{
	chunks_free(&store);
	return 0;
}

FIXTURE(set_up, tear_down)

static void begin(void)
{
	histogram_clear(&store, &series.histogram);
	memset(&series, 0, sizeof(series));
	series.stats = FRAME_STATS_EMPTY;
}

static void add(uint64_t ns, int64_t vsyncs)
{
	const struct interval interval = { (int64_t)ns, vsyncs };

	frame_stats_add(&series.stats, &series.history, interval, 0);
}

static void interval(uint64_t ns)
{
	add(ns, ROW_UNKNOWN);
	histogram_add(&store, &series.histogram, (uint32_t)ns);
}

/* 999 frames of 8 ms and one of 200. */
static void play_one_long_frame(void)
{
	begin();
	for (int i = 0; i < 1000; i++)
		interval(i == 500 ? 200 * MS : 8 * MS);
}

/* 1000 frames at 60 Hz, some of two, three and seven vsyncs. */
static void play_multiples(void)
{
	begin();
	for (int i = 0; i < 1000; i++) {
		if (i == 300 || i == 700)
			interval(7 * V60);
		else if (i % 125 == 60)
			interval(3 * V60);
		else if (i % 25 == 10)
			interval(2 * V60);
		else
			interval(V60);
	}
}

/* 1200 frames at 120 Hz with one of 50 ms and four of 90 ms in a row. */
static void play_burst(void)
{
	begin();
	for (int i = 0; i < 1200; i++) {
		if (i == 400)
			interval(50 * MS);
		else if (i >= 800 && i <= 803)
			interval(90 * MS);
		else
			interval(V120);
	}
}

static double fps(void)
{
	return frame_stats_fps(&series.stats);
}

static double score(double target_fps)
{
	return frame_stats_score(&series.stats, fps(), target_fps, 100 * MS);
}

static double low_fps(unsigned int permille)
{
	return 1e9 / histogram_slowest_mean(&store, &series.histogram, permille);
}

static double low_time_fps(unsigned int permille)
{
	return 1e9 / (double)histogram_slowest_time(&store, &series.histogram, permille,
						    series.stats.time_ns);
}

static double stutter(void)
{
	return 100.0 * (double)series.stats.jank_ns / (double)series.stats.time_ns;
}

static void assert_counts_2019(uint64_t a, uint64_t b, uint64_t c)
{
	assert_int_equal(series.stats.a, a);
	assert_int_equal(series.stats.b, b);
	assert_int_equal(series.stats.c, c);
}

static void assert_janks(uint64_t small, uint64_t jank, uint64_t big)
{
	assert_int_equal(series.stats.small_jank, small);
	assert_int_equal(series.stats.jank, jank);
	assert_int_equal(series.stats.big_jank, big);
}

TEST(test_every_dialect_counts_known_series)
{
	static const struct {
		void (*play)(void);
		double fps, low10, low1, low_time10, low_time1, stutter, score;
		uint64_t small, jank, big, a, b, c;
	} rows[] = {
		{ play_one_long_frame, 122.070, 36.765, 5, 5, 5, 2.441, 89.99, 0, 1, 1, 1, 0, 0 },
		{ play_multiples, 56.604, 15.789, 8.571, 8.571, 8.571, 1.321, 93.67, 8, 2, 0, 2, 8,
		  0 },
		{ play_burst, 115.737, 25.623, 11.111, 11.111, 11.111, 1.736, 99.97, 1, 2, 0, 0, 5,
		  0 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		rows[i].play();
		assert_float_equal(fps(), rows[i].fps, 0.001);
		assert_float_equal(low_fps(10), rows[i].low10, 0.001);
		assert_float_equal(low_fps(1), rows[i].low1, 0.001);
		assert_float_equal(low_time_fps(10), rows[i].low_time10, 0.001);
		assert_float_equal(low_time_fps(1), rows[i].low_time1, 0.001);
		assert_float_equal(stutter(), rows[i].stutter, 0.001);
		assert_float_equal(score(60), rows[i].score, 0.005);
		assert_janks(rows[i].small, rows[i].jank, rows[i].big);
		assert_counts_2019(rows[i].a, rows[i].b, rows[i].c);
	}
	/* The last one, on a display of 120 Hz. */
	assert_true(score(120) < 98);
}

/* Returns the counts of a single interval. */
static const struct frame_stats *one(uint64_t ns)
{
	begin();
	interval(ns);
	return &series.stats;
}

TEST(test_thresholds_of_2019)
{
	static const struct {
		uint64_t from_ns, a, b, c; /* from that time on, up to the next row */
	} rows[] = { { 0, 0, 0, 0 },	    { 42 * MS, 0, 0, 1 },  { 50 * MS, 0, 1, 0 },
		     { 100 * MS, 1, 0, 0 }, { 500 * MS, 0, 0, 0 }, { SECOND, 0, 0, 0 } };

	for (size_t i = 0; i + 1 < COUNT_OF(rows); i++) {
		one(rows[i].from_ns);
		assert_counts_2019(rows[i].a, rows[i].b, rows[i].c);
		one(rows[i + 1].from_ns - 1);
		assert_counts_2019(rows[i].a, rows[i].b, rows[i].c);
	}
}

TEST(test_half_a_second_is_a_wait)
{
	expect_stats(*one(500 * MS - 1), "frames 1 waits 0");
	expect_stats(*one(500 * MS), "frames 0 waits 1 wait_ns 500ms time_ns 0 max_ns 0");
	assert_true(fps() < 0);
}

TEST(test_jank_is_longer_than_its_limit_and_twice_the_three_frames_before)
{
	static const struct {
		uint64_t before_ns[3], ns;
		uint64_t small, jank, big;
	} rows[] = {
		{ { V60, V60, V60 }, 41667000, 0, 0, 0 },
		{ { V60, V60, V60 }, 41667001, 1, 0, 0 },
		{ { V60, V60, V60 }, 83333000, 1, 0, 0 },
		{ { V60, V60, V60 }, 83333001, 0, 1, 0 },
		{ { V60, V60, V60 }, 125000000, 0, 1, 0 },
		{ { V60, V60, V60 }, 125000001, 0, 1, 1 },
		{ { 50 * MS, 50 * MS, 50 * MS }, 100 * MS, 0, 0, 0 },
		{ { 50 * MS, 50 * MS, 50 * MS }, 100 * MS + 1, 0, 1, 0 },
		/* The mean is not a whole number of nanoseconds. */
		{ { 50 * MS, 50 * MS, 50 * MS + 1 }, 100 * MS, 0, 0, 0 },
		{ { 50 * MS, 50 * MS, 50 * MS + 1 }, 100 * MS + 1, 0, 1, 0 },
		/* There are only two. */
		{ { 0, V60, V60 }, 300 * MS, 0, 0, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		begin();
		for (int k = rows[i].before_ns[0] ? 0 : 1; k < 3; k++)
			interval(rows[i].before_ns[k]);
		interval(rows[i].ns);
		assert_janks(rows[i].small, rows[i].jank, rows[i].big);
		assert_int_equal(series.stats.jank_ns, rows[i].jank ? rows[i].ns : 0);
	}
}

TEST(test_a_steady_slow_rate_is_no_jank)
{
	begin();
	for (int i = 0; i < 100; i++)
		interval(200 * MS);
	assert_janks(0, 0, 0);
	assert_counts_2019(100, 0, 0);
}

TEST(test_wait_clears_the_history_of_jank)
{
	begin();
	for (int i = 0; i < 3; i++)
		interval(V60);
	interval(600 * MS);
	interval(200 * MS);
	assert_janks(0, 0, 0);
	assert_int_equal(series.history.n, 1);
}

TEST(test_matrix_levels)
{
	static const int64_t first_missed[] = { 0, 3, 9, 24, 42, 100 };

	for (int64_t missed = 0, level = 0; missed < 100; missed++) {
		level += missed == first_missed[level + 1];
		begin();
		add(100 * MS, missed + 1);
		for (int64_t i = 0; i < 5; i++)
			assert_int_equal(series.stats.matrix[i], i == level);
		assert_int_equal(series.stats.missed, missed);
	}
}

static void add_wait(uint64_t ns, int64_t vsyncs, enum wait_kind kind)
{
	const struct interval wait = { (int64_t)ns, vsyncs };

	frame_stats_add_wait(&series.stats, &series.history, wait, kind);
}

TEST(test_stall_is_a_big_jank_and_a_wait)
{
	begin();
	for (int i = 0; i < 4; i++)
		add(500 * MS / 2, 15);
	add_wait(1000 * MS, 60, WAIT_STALL);
	add_wait(600 * MS, 36, WAIT_STALL);
	expect_stats(series.stats, "waits 2 wait_ns 1600ms stalls 2 stall_ns 1600ms frames 4 "
				   "slow 6 frozen 1 matrix3 1 matrix4 1 d 4 a 4");
	assert_janks(0, 2, 2);
	assert_int_equal(series.stats.missed, 4 * 14);
	/* 1.6 s of 1.0 + 1.6 s */
	assert_float_equal(frame_stats_stutter(&series.stats), 100 * 1.6 / 2.6, 1e-9);
	assert_float_equal(frame_stats_in_10_minutes(&series.stats, 2), 2 * 600 / 2.6, 1e-9);
}

TEST(test_stall_without_known_vsyncs_has_no_level_of_the_matrix)
{
	begin();
	add_wait(900 * MS, ROW_UNKNOWN, WAIT_STALL);
	expect_stats(series.stats, "matrix4 ? frozen 1 slow 1 missed 0");
	assert_float_equal(frame_stats_stutter(&series.stats), 100, 1e-9);
}

TEST(test_wait_of_unknown_kind_makes_the_counts_of_stalls_unknown)
{
	struct frame_stats sum = FRAME_STATS_EMPTY;

	begin();
	add(V60, 1);
	add_wait(900 * MS, 54, WAIT_UNKNOWN);
	add_wait(900 * MS, 54, WAIT_STALL);
	frame_stats_merge(&sum, &series.stats);
	expect_stats(sum, "waits 2 stalls ? frozen ? slow ? matrix0 1 matrix3 ? matrix4 ? jank 1");
}

/* A wait in which the layer was idle. */
TEST(test_wait_is_counted_only_as_wait)
{
	begin();
	for (int i = 0; i < 3; i++)
		add(V60, 1);
	assert_int_equal(series.stats.frozen, 0);
	add(800 * MS, 48);
	expect_stats(series.stats, "waits 1 wait_ns 800ms frames 3 matrix0 3 matrix3 0 matrix4 0 "
				   "frozen 0 stalls 0 slow 0 missed 0 d 0");
	assert_janks(0, 0, 0);
	assert_janks(0, 0, 0);
}

TEST(test_missed_and_slow_are_counted_by_vsyncs)
{
	begin();
	for (int64_t vsyncs = 1; vsyncs <= 4; vsyncs++)
		add(V60 * (uint64_t)vsyncs, vsyncs);
	expect_stats(series.stats, "d 3 slow 2");
	assert_int_equal(series.stats.missed, 0 + 1 + 2 + 3);
}

TEST(test_interval_within_one_vsync_misses_none)
{
	begin();
	add(2 * MS, 0);
	expect_stats(series.stats, "missed 0 d 0 matrix0 1");
}

TEST(test_one_unknown_vsync_count_makes_the_sums_unknown)
{
	begin();
	add(V60, 1);
	add(V60, ROW_UNKNOWN);
	add(V60, 3);
	expect_stats(series.stats, "frames 3 d ? missed ? slow ? matrix0 ? matrix4 ?");
}

TEST(test_score_needs_frames)
{
	begin();
	assert_true(fps() < 0);
	assert_true(score(60) < 0);
	interval(600 * MS);
	assert_true(score(60) < 0);
}

TEST(test_score_has_bounds)
{
	begin();
	interval(V60 / 4);
	assert_float_equal(score(60), 100, 1e-9);
	begin();
	interval(499 * MS);
	assert_true(score(60) > 0);
	assert_true(score(60) < 20);
}

/* Perfect frames at 60 Hz and then at 120 Hz are perfect together: the target is the display's rate
 * in the intervals of the row. */
TEST(test_the_target_follows_the_refresh_rate)
{
	begin();
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

/* If vsyncs are unknown, the rate is weighted by time; if the rate is unknown, too, it is 60. */
TEST(test_target_without_vsyncs_is_weighted_by_time)
{
	const struct interval plain = { 25 * MS, ROW_UNKNOWN };

	begin();
	frame_stats_add(&series.stats, &series.history, plain, V120);
	assert_float_equal(score(0), 60 / 3.0 + 40, 0.0001);
	frame_stats_add(&series.stats, &series.history, plain, 0);
	assert_float_equal(score(0), 60 * 2 / 4.5 + 40, 0.0001);
	add(V120, 1);
	assert_float_equal(score(0), 60 * 3 / 5.5 + 40, 0.0001);
}

TEST(test_merged_rows_have_the_counts_of_all)
{
	struct frame_stats sum = FRAME_STATS_EMPTY;
	struct frame_stats first;

	play_multiples();
	first = series.stats;
	play_burst();
	frame_stats_merge(&sum, &first);
	frame_stats_merge(&sum, &series.stats);
	expect_stats(sum, "frames 2200 jank 4 b 13 missed ?");
	assert_int_equal(sum.time_ns, first.time_ns + series.stats.time_ns);
	assert_int_equal(sum.max_ns, 7 * V60);
}

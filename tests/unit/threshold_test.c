/* SPDX-License-Identifier: Apache-2.0 */
/* The classes of whole vsyncs are those of the display's exact rate, though the measured period is
 * inexact in its last digits.
 *
 * The expected class is calculated in integers from vsyncs and rate: vsyncs / rate is at least T
 * where vsyncs * 1000 * 1000 >= 995 * T * rate, with T in ms.
 */
#include "tests/unit/unit.h"

#include "rules/stats.h"

/* Thresholds in us. */
enum { DROP = 42000, LEVEL_B = 50000, LEVEL_A = 100000, WAIT = 500000 };
enum { SMALL = 41667, JANK = 83333, BIG = 125000 };

/* A rate in units of 1/1001 Hz: both 60 and 59.94 Hz are whole numbers. */
struct rate {
	int64_t hz_1001;
	int64_t ppm; /* error of the measured period */
};

static int64_t learnt_ns(struct rate rate)
{
	return (1001 * INT64_C(1000) * (1000000 + rate.ppm) + rate.hz_1001 / 2) / rate.hz_1001;
}

/* 1000 * (vsyncs in us - limit * permille / 1000), times the rate: what counts is its sign. */
static int64_t beyond(struct rate rate, int64_t vsyncs, int64_t limit_us, int64_t permille)
{
	return vsyncs * 1001 * INT64_C(1000000) * 1000 - permille * limit_us * rate.hz_1001;
}

static bool at_least(struct rate rate, int64_t vsyncs, int64_t limit_us)
{
	return beyond(rate, vsyncs, limit_us, 995) >= 0;
}

static bool more_than(struct rate rate, int64_t vsyncs, int64_t limit_us)
{
	return beyond(rate, vsyncs, limit_us, 1005) > 0;
}

/* Counts @vsyncs after three intervals of @before. */
static struct frame_stats count(struct rate rate, int64_t before, int64_t vsyncs)
{
	struct frame_stats ignored = FRAME_STATS_EMPTY, stats = FRAME_STATS_EMPTY;
	struct jank_history history = { .n = 0 };
	const struct interval three = { before * learnt_ns(rate), before };
	const struct interval one = { vsyncs * learnt_ns(rate), vsyncs };

	for (int i = 0; i < 3; i++)
		frame_stats_add(&ignored, &history, three, 0);
	frame_stats_add(&stats, &history, one, 0);
	return stats;
}

static void check(struct rate rate, int64_t before, int64_t vsyncs)
{
	struct frame_stats got = count(rate, before, vsyncs);
	bool wait = at_least(rate, vsyncs, WAIT), is_a = at_least(rate, vsyncs, LEVEL_A);
	bool is_b = at_least(rate, vsyncs, LEVEL_B), is_c = at_least(rate, vsyncs, DROP);
	bool late = !wait && 1000 * vsyncs > 2010 * before;
	bool small = late && more_than(rate, vsyncs, SMALL);
	bool jank = late && more_than(rate, vsyncs, JANK),
	     big = late && more_than(rate, vsyncs, BIG);

	if (got.waits != wait || got.a != (is_a && !wait) || got.b != (is_b && !is_a) ||
	    got.c != (is_c && !is_b) || got.small_jank != (small && !jank) || got.jank != jank ||
	    got.big_jank != big || got.d != (!wait && vsyncs > 1) ||
	    got.missed != (wait ? 0 : vsyncs - 1))
		fail_msg("%lld/1001 Hz %+lld ppm: %lld vsyncs after %lld", (long long)rate.hz_1001,
			 (long long)rate.ppm, (long long)vsyncs, (long long)before);
}

static void check_rate(struct rate rate)
{
	int64_t most = rate.hz_1001 * 6 / 10 / 1001;

	for (int64_t vsyncs = 1; vsyncs <= most; vsyncs++)
		for (int64_t before = 1; before <= 8; before++)
			check(rate, before, vsyncs);
}

TEST(test_classes_are_exact_at_real_display_rates)
{
	static const int64_t whole[] = { 48, 50,  60,  72,  75,	 80,  90,
					 96, 100, 120, 144, 165, 180, 240 };
	static const int64_t of_video[] = { 48, 60, 72, 90, 120, 144, 240 };

	for (int64_t ppm = -1000; ppm <= 1000; ppm += 40) {
		for (size_t i = 0; i < COUNT_OF(whole); i++)
			check_rate((struct rate){ whole[i] * 1001, ppm });
		for (size_t i = 0; i < COUNT_OF(of_video); i++)
			check_rate((struct rate){ of_video[i] * 1000, ppm });
	}
}

/* The longest interval of the row equals the limit of the score: it costs nothing. */
TEST(test_the_score_has_the_tolerance)
{
	for (int64_t ppm = -1000; ppm <= 1000; ppm += 40) {
		const struct frame_stats stats = count((struct rate){ 60 * 1001, ppm }, 6, 6);

		assert_float_equal(frame_stats_score(&stats, 60, 60, 100 * MS), 90, 0.0001);
	}
}

TEST(test_thresholds_of_2019_have_no_tolerance)
{
	struct frame_stats stats = FRAME_STATS_EMPTY;

	frame_stats_add_2019(&stats, 100 * MS - 1);
	frame_stats_add_2019(&stats, 50 * MS - 1);
	frame_stats_add_2019(&stats, 42 * MS - 1);
	frame_stats_add_2019(&stats, 500 * MS - 1);
	frame_stats_add_2019(&stats, 500 * MS);
	assert_int_equal(stats.a, 1);
	assert_int_equal(stats.b, 1);
	assert_int_equal(stats.c, 1);
	assert_int_equal(stats.waits, 1);
	assert_int_equal(stats.frames, 4);
	assert_true(frame_stats_score(&stats, 60, 60, 500 * MS - 2) <
		    frame_stats_score(&stats, 60, 60, 500 * MS - 1));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* When a frame is expected: from the number of its vsync, the ticks, and durations. */
#include "tests/unit/unit.h"

#include "rules/vsync/expected.h"

static struct expected expected;

/* Ticks for apps at 1 to 10 vsyncs; SurfaceFlinger composes in the middle, with number 100 * n. */
static int set_up(void **state)
{
	memset(&expected, 0, sizeof(expected));
	for (unsigned int n = 1; n <= 10; n++) {
		expected_tick(&expected, RULE_APP_TICK, n * V60);
		expected_composition(&expected, 100 * n, n * V60 + V60 / 2);
	}
	return 0;
}

FIXTURE(set_up, NULL)

static uint64_t tick_of(int64_t number, uint64_t time_ns)
{
	return expected_frame(&expected, 7, 7, number, time_ns).tick_ns;
}

TEST(test_a_frame_answers_the_last_tick_that_can_have_its_number)
{
	assert_int_equal(tick_of(1001, 10 * V60 + V60 * 3 / 4), 10 * V60);
	/* 600 was seen in the middle of vsync 6, so 550 was announced before that. */
	assert_int_equal(tick_of(550, 10 * V60 + V60 * 3 / 4), 6 * V60);
	/* An earlier frame of the app shows more: 520 was announced before its doFrame. */
	set_up(NULL);
	assert_int_equal(tick_of(530, 5 * V60 + V60 * 3 / 4), 5 * V60);
	assert_int_equal(tick_of(520, 10 * V60 + V60 * 3 / 4), 5 * V60);
	/* Nothing is known before the first tick. */
	assert_int_equal(tick_of(50, V60 / 2), 0);
}

TEST(test_a_tick_that_comes_behind_its_frame_is_unknown)
{
	assert_int_equal(tick_of(1001, 10 * V60 + MS), 10 * V60);
	assert_int_equal(tick_of(1002, 11 * V60 + MS), 0);
	expected_tick(&expected, RULE_APP_TICK, 11 * V60 + 8 * MS);
	assert_int_equal(tick_of(1003, 12 * V60 + MS), 0);
	expected_tick(&expected, RULE_APP_TICK, 12 * V60 + 8 * MS);
	expected_tick(&expected, RULE_APP_TICK, 13 * V60);
	assert_int_equal(tick_of(1004, 13 * V60 + 5 * MS), 13 * V60);
	/* A late doFrame took a number that no tick has: the next tick is that of its frame. */
	assert_int_equal(tick_of(1005, 13 * V60 + 9 * MS), 0);
	expected_tick(&expected, RULE_APP_TICK, 14 * V60);
	assert_int_equal(tick_of(1006, 14 * V60 + MS), 14 * V60);
	/* Another Choreographer of the app answers the same tick. */
	assert_int_equal(expected_frame(&expected, 7, 8, 1007, 14 * V60 + MS).tick_ns, 14 * V60);
}

TEST(test_a_number_keeps_its_tick)
{
	assert_int_equal(tick_of(1001, 10 * V60 + MS), 10 * V60);
	expected_tick(&expected, RULE_APP_TICK, 11 * V60);
	assert_int_equal(tick_of(1001, 11 * V60 + MS), 10 * V60);
	/* Numbers of another app do not count: one that no tick can have had, and the same one. */
	set_up(NULL);
	expected_frame(&expected, 8, 8, 100000, V60 + MS);
	expected_frame(&expected, 8, 8, 1001, V60 + MS);
	assert_int_equal(tick_of(1001, 10 * V60 + MS), 10 * V60);
}

static void expect(const struct frame_vsync *vsync, uint64_t period_ns, uint64_t present_ns,
		   uint64_t deadline_ns)
{
	const struct expectation expectation = expected_at(&expected, vsync, period_ns);

	assert_fields(&expectation, present_ns == present_ns, deadline_ns == deadline_ns);
}

TEST(test_durations_in_the_trace)
{
	struct frame_vsync first = expected_frame(&expected, 7, 7, 1001, 10 * V60 + MS), vsync;
	struct frame_vsync before_ticks = expected_frame(&expected, 7, 7, 50, V60 / 2);

	expected_duration(&expected, RULE_APP_TIME, 20000000);
	vsync = expected_frame(&expected, 7, 8, 1002, 10 * V60 + MS);
	expect(&vsync, V60, 0, 0);
	expected_duration(&expected, RULE_SF_TIME, 15000000);
	vsync = expected_frame(&expected, 7, 9, 1003, 10 * V60 + MS);
	/* Those at that time are valid. */
	expected_duration(&expected, RULE_SF_TIME, 10000000);
	expected_duration(&expected, RULE_SF_TIME, 0);
	expected_duration(&expected, RULE_SF_TIME, INT64_MAX);
	expect(&vsync, V60, 10 * V60 + 35 * MS, 10 * V60 + 20 * MS);
	vsync = expected_frame(&expected, 7, 9, 1003, 10 * V60 + 2 * MS);
	expect(&vsync, V60, 10 * V60 + 35 * MS, 10 * V60 + 20 * MS);
	expect(&vsync, 0, 0, 0);
	/* A frame before the trace, or before SurfaceFlinger was known, has none of its own. */
	expect(&first, V60, 10 * V60 + 30 * MS, 10 * V60 + 20 * MS);
	expect(&before_ticks, V60, 0, 0);
	assert_int_equal(expected.used_learnt, 0);
}

TEST(test_surfaceflinger_forgets_a_number_after_500_more)
{
	assert_false(expected_is_expired(&expected, 500));
	assert_true(expected_is_expired(&expected, 499));
	assert_true(expected_is_expired(&expected, 0));
	assert_false(expected_is_expired(&expected, -1));
	/* An app can write any number. */
	expected_frame(&expected, 7, 7, 100000, 10 * V60 + MS);
	assert_false(expected_is_expired(&expected, 500));
	/* Nothing is known after a loss. */
	expected_forget(&expected);
	assert_false(expected_is_expired(&expected, 499));
	assert_int_equal(tick_of(1001, 10 * V60 + MS), 0);
	expected_tick(&expected, RULE_APP_TICK, 11 * V60);
	assert_int_equal(tick_of(1101, 11 * V60 + MS), 11 * V60);
}

TEST(test_given_durations_are_valid_for_their_period)
{
	struct frame_vsync vsync = expected_frame(&expected, 7, 7, 1001, 10 * V60 + MS);

	expected.given = (struct work_durations){ .app_ns = 16 * MS, .sf_ns = 11 * MS };
	expect(&vsync, V60 / 2, 10 * V60 + 27 * MS, 10 * V60 + 16 * MS);
	expected.given.period_ns = V60;
	expect(&vsync, V60, 10 * V60 + 27 * MS, 10 * V60 + 16 * MS);
	expect(&vsync, V60 / 2, 0, 0);
}

TEST(test_the_least_time_to_the_planned_present_of_four_frames_is_learnt)
{
	struct frame_vsync vsync = expected_frame(&expected, 7, 7, 1001, 10 * V60 + MS);

	/* The first one has the plan of another frame. */
	for (unsigned int i = 0; i < 9; i++) {
		uint64_t late_ns = i > 0 && i < 5 ? V60 : 0;

		expected_learn(&expected, &vsync, vsync.tick_ns + 2 * V60 + late_ns, V60);
		expect(&vsync, V60, i < 4 ? 0 : i < 8 ? 13 * V60 : 12 * V60, 0);
	}
	assert_int_equal(expected.used_learnt, 5);
	expected_learn(&expected, &vsync, vsync.tick_ns + V60, V60);
	/* A frame that is too late, or has no tick, or another period tells nothing. */
	expected_learn(&expected, &vsync, vsync.tick_ns + 6 * V60, V60);
	expected_learn(&expected, &vsync, vsync.tick_ns - 1, V60);
	expect(&vsync, V60, 12 * V60, 0);
	expect(&vsync, V60 / 2, 0, 0);
}

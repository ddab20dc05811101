/* SPDX-License-Identifier: Apache-2.0 */
/* A clock that goes back, even a little, is reported and no interval spans the step; a single line
 * of any time has no effect. */
#include "tests/unit/one_phone.h"

FIXTURE(default_options, stop_phone)

/* Frames without an interval; two of one time are no frames. */
static size_t without_interval(void)
{
	for (size_t i = 0; i < phone.log.n_frames; i++)
		assert_true(phone.log.frames[i].interval_ns != 0);
	return unknown_intervals(NULL);
}

/* --- steps --- */

/* SurfaceFlinger then runs on CPU @cpu. */
static void play_step(enum phone_age age, uint64_t back_ns, int32_t cpu)
{
	uint64_t again_ns = BEGIN + 100 * V60 - back_ns;

	start(age);
	draw("a0-99");
	phone.cpu = cpu;
	phone_run(&phone, a, again_ns, V60, 100);
	phone_end(&phone);
	expect("rows 200 clock_steps 1 event.tracing 1");
	if (back_ns == 2 * SECOND)
		assert_non_null(strstr(event_text(TRACE_EVENT_TRACING), "back by 1.98"));
	assert_int_equal(without_interval(), 2);
	assert_string_equal(vsyncs_of(a), "? 1x99 ? 1x99");
	assert_int_equal(phone.log.frames[100].present_ns, again_ns);
	assert_true(counters()->first_ns < counters()->last_ns);
	for (size_t i = 0; i < phone.log.n_fps; i++) {
		assert_true(phone.log.fps[i].end_ns >= phone.log.fps[i].start_ns);
		assert_int_equal(phone.log.fps[i].stats.waits, 0);
	}
	assert_int_equal(summary_of(SURFACE_A).first_ns, again_ns);
	assert_true(summary_of(SURFACE_A).last_ns >= again_ns);
}

TEST(test_clock_steps_of_any_size_are_detected)
{
	static const uint64_t backs[] = { 25 * MS,  60 * MS,	300 * MS, 600 * MS,
					  950 * MS, 2 * SECOND, BEGIN / 2 };

	for (enum phone_age age = PHONE_9; age <= PHONE_14; age++) {
		for (size_t i = 0; i < COUNT_OF(backs); i++)
			play_step(age, backs[i], 1);
		/* That CPU wrote nothing for longer than the step. */
		play_step(age, 300 * MS, 2);
	}
}

/* --- CPUs whose clocks differ --- */

/* SurfaceFlinger runs on another CPU for each frame. */
static void play_cpus(uint64_t behind_ns)
{
	start(PHONE_9);
	for (unsigned int i = 0; i < 200; i++) {
		phone.cpu = (int32_t)(i % 2);
		phone_frame(&phone, BEGIN + i * V60 - (i % 2 ? behind_ns : 0), a);
	}
	phone_end(&phone);
	expect("rows 200 clock_steps 0");
}

TEST(test_small_difference_between_cpus_is_no_step)
{
	play_cpus(200000);
	assert_int_equal(without_interval(), 1);
	expect("event.tracing 0");
}

/* No two presents have the same time, and no interval is computed from such times. */
TEST(test_large_difference_between_cpus_is_reported)
{
	play_cpus(20 * MS);
	assert_non_null(
		strstr(event_text(TRACE_EVENT_TRACING), "a present is 3.333 ms earlier than"));
	assert_int_equal(without_interval(), 200);
	assert_int_equal(events_of(TRACE_EVENT_TRACING), 1);
	for (size_t i = 1; i < phone.log.n_frames; i++)
		assert_true(phone.log.frames[i].present_ns > phone.log.frames[i - 1].present_ns);
}

/* --- forged lines --- */

/* As many as there can be in one marker. */
#define LINES 24

static void play_forged(int64_t away_ns, int32_t cpu, bool as_surfaceflinger, unsigned int n)
{
	start(PHONE_9);
	draw("a0-99");
	phone.cpu = cpu;
	phone.now_ns = BEGIN + 100 * V60 + (uint64_t)away_ns;
	for (unsigned int i = 0; i < n; i++) {
		if (as_surfaceflinger)
			phone_begin(&phone, "postFramebuffer");
		else
			phone_write(&phone, TRACE_COUNTER, 900, "x", 0);
	}
	phone.cpu = 1;
	play("a100-199");
	expect("rows 200 clock_steps 0");
	if (away_ns > 0 || away_ns <= -(int64_t)SECOND)
		assert_int_equal(counters()->late + counters()->ahead, n);
	assert_int_equal(without_interval(), 1);
	assert_string_equal(vsyncs_of(a), "? 1x199");
}

TEST(test_lines_of_any_time_have_no_effect)
{
	static const int64_t aways_ms[] = { -900, -300, 60, 300, 900, 3000, -3000, 100000 };
	const int64_t to_zero_ns = -(int64_t)(BEGIN + 100 * V60);

	for (unsigned int n = 0; n < 4; n++) {
		for (size_t i = 0; i < COUNT_OF(aways_ms); i++) {
			play_forged(aways_ms[i] * (int64_t)MS, n / 2, n % 2, 1);
			/* From the past by less than a second, two are a step. */
			if (aways_ms[i] > 0 || aways_ms[i] <= -1000)
				play_forged(aways_ms[i] * (int64_t)MS, n / 2, n % 2, LINES);
		}
		play_forged(to_zero_ns, n / 2, n % 2, 1);
		play_forged(to_zero_ns - 1, n / 2, n % 2, LINES); /* the largest time */
	}
}

/* A phone that is silent and then draws a frame: that counts, at its time. */
TEST_ON(every_phone, test_silence_is_no_forged_time)
{
	draw("a0-99 a160");
	pipeline_silent(phone.pipeline, SECOND);
	assert_int_equal(frames_of(a), 100); /* the last one waits for its vsyncs */
	pipeline_silent(phone.pipeline, 3 * SECOND);
	assert_int_equal(frames_of(a), 101);
	play("a220 a280-282");
	expect("rows 105 late 0 ahead 0");
	assert_string_equal(vsyncs_of(a), "? 1x99 61 60x2 1x2");
}

/* The phone is silent after a block of lines from the past: the first record then counts, too. */
TEST_ON(every_phone, test_silence_after_forged_lines_drops_nothing)
{
	draw("a0-99");
	for (unsigned int i = 0; i < LINES; i++) {
		phone.now_ns = BEGIN - 3 * SECOND;
		phone_write(&phone, TRACE_COUNTER, 900, "x", 0);
	}
	play("a160-199");
	expect("rows 140 clock_steps 0 late 24 ahead 0");
	assert_string_equal(vsyncs_of(a), "? 1x99 61 1x39");
}

/* A line that is lost is in the past of a forged one. */
TEST_ON(phone_9, test_loss_beside_a_forged_line_has_its_own_time)
{
	draw("a0-99");
	phone.now_ns += 3600 * SECOND;
	phone_write(&phone, TRACE_COUNTER, 900, "x", 0);
	phone_lost(&phone, 7, 3);
	play("a100-199");
	expect("rows 200 ahead 1 lost_events 3");
	assert_int_equal(unknown_intervals(a), 1);
}

/* --- duplicates --- */

TEST(test_duplicate_lines_are_no_clock_step)
{
	for (unsigned int n = 1; n <= 91; n += 10) {
		options.recorded = true;
		start(PHONE_14);
		draw("a0-99");
		phone.n_commits -= n; /* duplicates have the same frame numbers */
		phone_run(&phone, a, BEGIN + (100 - n) * V60, V60, 100);
		phone_end(&phone);
		assert_int_equal(phone.log.n_frames, 200 - n);
		assert_int_equal(without_interval(), 1);
		expect("clock_steps 0 event.tracing 1");
		assert_true(counters()->repeated >= 8 * n);
	}
}

/* The same times with other lines: the clock went back. */
TEST(test_repeated_times_of_other_lines_are_a_clock_step)
{
	options.recorded = true;
	start(PHONE_9);
	draw("a0-99");
	phone_run(&phone, "com.other/com.other.Main#0", BEGIN + 40 * V60 + 1000, V60, 100);
	phone_end(&phone);
	expect("rows 200 clock_steps 1 repeated 0");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* No row spans a mark, no matter how the mark was made or when the frames are counted. */
#include "tests/unit/unit.h"

#include <errno.h>

#include "rules/marks.h"
#include "tests/unit/one_phone.h"

FIXTURE(on_phone_14, stop_phone)

/* An app writes a mark into the trace. */
static void app_marks(uint64_t time_ns)
{
	phone.now_ns = time_ns;
	phone_write(&phone, TRACE_INSTANT, 77, "jankd:here", 0);
}

static uint64_t too_soon(void)
{
	return counters()->marks_too_soon;
}

/* An interval that spans the mark belongs to the row after it. */
TEST(test_a_mark_of_an_app_closes_the_row)
{
	draw("a0-9");
	app_marks(BEGIN + 10 * V60);
	play("a12-21");
	assert_int_equal(phone.log.n_fps, 2);
	assert_int_equal(row_of(SURFACE_A, 0)->end_ns, BEGIN + 9 * V60);
	expect_row(SURFACE_A, 0, "frames 9 missed 0");
	assert_int_equal(row_of(SURFACE_A, 1)->start_ns, BEGIN + 9 * V60);
	expect_row(SURFACE_A, 1, "frames 10 missed 2");
	assert_int_equal(too_soon(), 0);
}

TEST(test_wait_across_a_mark_is_in_the_row_after_it)
{
	draw("a0-9");
	app_marks(BEGIN + 300 * MS);
	play("a129-138");
	assert_int_equal(row_of(SURFACE_A, 0)->stats.waits, 0);
	expect_row(SURFACE_A, 1, "waits 1 frames 9");
}

TEST(test_a_mark_closes_every_row)
{
	draw("ab0-4");
	phone_frame(&phone, BEGIN + 4 * V60 + 4 * MS, "com.c/com.c.Main#0");
	draw("ab5-19");
	app_marks(BEGIN + 20 * V60);
	play("ab21");
	assert_int_equal(phone.log.n_fps, 4);
	assert_int_equal(row_of(SURFACE_A, 0)->stats.frames, 19);
	assert_int_equal(row_of(SURFACE_B, 0)->stats.frames, 19);
	assert_int_equal(row_of(SURFACE_B, 1)->stats.frames, 1);
}

/* At most one mark of apps per second closes rows; the others are counted as events. */
TEST(test_marks_of_apps_close_rows_once_a_second)
{
	static const uint64_t ends[] = { 8, 60, 68, 120, 128, 149 };

	for (unsigned int i = 0; i < 150; i++) {
		phone_frame(&phone, BEGIN + i * V60, a);
		if (i % 15 == 8)
			app_marks(BEGIN + i * V60 + 8 * MS);
	}
	phone_end(&phone);
	/* At 8, 68 and 128 vsyncs, besides checks and the end. */
	for (size_t i = 0; i < COUNT_OF(ends); i++)
		assert_int_equal(row_of(SURFACE_A, i)->end_ns, BEGIN + ends[i] * V60);
	expect("fps_rows 6 event.mark 10");
	assert_int_equal(too_soon(), 7);
}

/* The mark has the current time; records from before it are read later. */
TEST(test_mark_ahead_of_the_records_closes_rows_at_its_time)
{
	static const uint64_t ends[] = { 19, 24, 29, 39 };

	draw("a0-9");
	assert_int_equal(pipeline_mark(phone.pipeline, BEGIN + 24 * V60 + MS), 0);
	assert_int_equal(pipeline_mark(phone.pipeline, BEGIN + 29 * V60 + MS), 0);
	assert_int_equal(pipeline_mark(phone.pipeline, BEGIN + 19 * V60 + MS), 0);
	play("a10-39");
	assert_int_equal(phone.log.n_fps, 4);
	for (size_t i = 0; i < COUNT_OF(ends); i++)
		assert_int_equal(row_of(SURFACE_A, i)->end_ns, BEGIN + ends[i] * V60);
}

/* The row is written even if no event follows. */
TEST(test_mark_before_a_pause_closes_the_row)
{
	draw("a0-199");
	assert_int_equal(pipeline_mark(phone.pipeline, BEGIN + 200 * V60), 0);
	pipeline_silent(phone.pipeline, 300 * MS);
	assert_null(row_log_fps(&phone.log, SURFACE_A, 3));
	pipeline_silent(phone.pipeline, 500 * MS);
	assert_int_equal(row_of(SURFACE_A, 3)->end_ns, BEGIN + 199 * V60);
}

/* A mark is the first event after a pause: its time is certain only after the next record. */
TEST(test_mark_after_a_pause_closes_the_row)
{
	draw("a0-9");
	app_marks(BEGIN + 3 * SECOND);
	play("a181-190");
	assert_int_equal(phone.log.n_fps, 2);
	assert_int_equal(row_of(SURFACE_A, 1)->stats.waits, 1);
}

TEST(test_mark_far_ahead_is_ignored)
{
	draw("a0-9");
	app_marks(BEGIN + 3000 * SECOND);
	play("a10-19");
	assert_int_equal(phone.log.n_fps, 1);
	assert_int_equal(too_soon(), 0);
}

TEST(test_mark_before_a_clock_step_does_not_limit_later_ones)
{
	draw("a0-9");
	app_marks(BEGIN + 10 * V60);
	phone_run(&phone, a, BEGIN - 50 * SECOND, V60, 10);
	app_marks(BEGIN - 50 * SECOND + 10 * V60);
	phone_run(&phone, a, BEGIN - 50 * SECOND + 11 * V60, V60, 10);
	phone_end(&phone);
	assert_int_equal(phone.log.n_fps, 3);
	assert_int_equal(too_soon(), 0);
}

TEST(test_too_many_waiting_marks_are_refused)
{
	draw("a0-9");
	for (unsigned int i = 0; i < MARKS_MAX; i++)
		assert_int_equal(pipeline_mark(phone.pipeline, BEGIN + 300 * MS + i), 0);
	assert_int_equal(pipeline_mark(phone.pipeline, BEGIN + SECOND), -ENOSPC);
	app_marks(BEGIN + SECOND / 2);
	assert_int_equal(too_soon(), 1);
	phone_run(&phone, a, BEGIN + SECOND, V60, 60);
	assert_int_equal(pipeline_mark(phone.pipeline, BEGIN + 2 * SECOND), 0);
}

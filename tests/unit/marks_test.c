/* SPDX-License-Identifier: Apache-2.0 */
/* No row spans a mark, no matter how the mark was made or when the frames are counted. */
#include "rules/stream/marks.h"
#include "tests/unit/one_phone.h"

FIXTURE(on_phone_14, stop_phone)

/* An app writes a mark into the trace. */
static void app_marks(uint64_t time_ns)
{
	phone.now_ns = time_ns;
	phone_write(&phone, TRACE_INSTANT, 77, "jankd:here", 0);
}

/* An interval that spans the mark belongs to the row after it, and so does a wait. A mark may be
 * the first event after a pause: its time is certain only after the next record. */
TEST(test_a_mark_of_an_app_closes_the_row)
{
	play("a0-9 at 10 0 mark a12-19 a101-105 at 130 0 mark a229-238 at 400 0 mark a401-410 "
	     "at 180000 0 mark a411-420");
	expect("marks_too_soon 0");
	assert_int_equal(row_of(SURFACE_A, 0)->end_ns, BEGIN + 9 * V60);
	expect_row(SURFACE_A, 0, "frames 9 missed 0 waits 0");
	assert_int_equal(row_of(SURFACE_A, 1)->start_ns, BEGIN + 9 * V60);
	expect_row(SURFACE_A, 1, "frames 12 missed 2 waits 1");
	expect_row(SURFACE_A, 2, "frames 9 missed 0 waits 1");
	expect_row(SURFACE_A, 3, "frames 19 missed 0 waits 1");
	assert_null(any_row_of(SURFACE_A, 4));
}

TEST(test_a_mark_closes_every_row)
{
	draw("ab0-4");
	phone_frame(&phone, BEGIN + 4 * V60 + 4 * MS, "com.c/com.c.Main#0");
	play("ab5-19 at 20 0 mark ab21");
	expect("fps_rows 4");
	expect_row(SURFACE_A, 0, "frames 19");
	expect_row(SURFACE_B, 0, "frames 19");
	expect_row(SURFACE_B, 1, "frames 1");
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
	expect("fps_rows 6 event.mark 10 marks_too_soon 7");
}

/* The mark has the current time; records from before it are read later. */
TEST(test_mark_ahead_of_the_records_closes_rows_at_its_time)
{
	static const uint64_t ends[] = { 19, 24, 29, 39 };

	draw("a0-9");
	pipeline_mark(phone.pipeline, BEGIN + 24 * V60);
	pipeline_mark(phone.pipeline, BEGIN + 29 * V60 + MS);
	pipeline_mark(phone.pipeline, BEGIN + 19 * V60 + MS);
	play("a10-39");
	expect("fps_rows 4");
	for (size_t i = 0; i < COUNT_OF(ends); i++)
		assert_int_equal(row_of(SURFACE_A, i)->end_ns, BEGIN + ends[i] * V60);
}

/* The row is written even if no event follows. */
TEST(test_mark_before_a_pause_closes_the_row)
{
	draw("a0-199");
	pipeline_mark(phone.pipeline, BEGIN + 200 * V60);
	pipeline_silent(phone.pipeline, 300 * MS);
	assert_null(any_row_of(SURFACE_A, 3));
	pipeline_silent(phone.pipeline, 500 * MS);
	assert_int_equal(row_of(SURFACE_A, 3)->end_ns, BEGIN + 199 * V60);
}

TEST(test_mark_before_a_clock_step_does_not_limit_later_ones)
{
	draw("a0-9 at 10 0 mark");
	phone_run(&phone, a, BEGIN - 50 * SECOND, V60, 10);
	app_marks(BEGIN - 50 * SECOND + 10 * V60);
	phone_run(&phone, a, BEGIN - 50 * SECOND + 11 * V60, V60, 10);
	phone_end(&phone);
	expect("fps_rows 3 marks_too_soon 0");
}

/* The one that is apart from the others closes a row. */
TEST(test_too_many_waiting_marks_are_merged)
{
	draw("a0-9");
	pipeline_mark(phone.pipeline, BEGIN + 90 * V60 + MS);
	for (unsigned int i = 0; i < MARKS_MAX; i++)
		pipeline_mark(phone.pipeline, BEGIN + 300 * MS + i);
	phone_run(&phone, a, BEGIN + SECOND, V60, 60);
	phone_end(&phone);
	expect("marks_too_soon 1 fps_rows 3");
}

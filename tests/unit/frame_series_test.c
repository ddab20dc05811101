/* SPDX-License-Identifier: Apache-2.0 */
/* Rows: when they open and close, and their values, tested through the pipeline at exact times.
 *
 * Without ticks there is no lattice, and intervals are the plain differences of presents. */
#include "tests/unit/one_phone.h"

FIXTURE(default_options, stop_phone)

static uint64_t run(const char *layer, uint64_t from_ns, uint64_t step_ns, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		phone_show(&phone, from_ns + i * step_ns, layer);
	return from_ns + (n - 1) * step_ns;
}

/* For each layer: frames + waits + 1 = its rows in frames.csv. */
static void assert_sums(const char *layer, const char *surface)
{
	assert_int_equal(sum_of(surface).frames + sum_of(surface).waits + 1, frames_of(layer));
}

TEST(test_check_closes_rows_that_have_enough_frames)
{
	static const struct {
		uint64_t delay_ns;
		unsigned int min_frames;
		uint64_t step_ns;
		unsigned int n, rows, frames; /* of the trace; rows of as many frames */
	} cases[] = {
		{ SECOND, 20, V60, 121, 2, 60 },    { 500 * MS, 20, 20 * MS, 51, 2, 25 },
		{ SECOND, 20, 50 * MS, 41, 1, 40 }, { SECOND, 19, 50 * MS, 41, 2, 20 },
		{ SECOND, 20, V60, 3, 1, 2 }, /* closed by the end of the trace */
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		options.delay_ns = cases[i].delay_ns;
		options.min_frames = cases[i].min_frames;
		start(PHONE_9);
		run(a, BEGIN, cases[i].step_ns, cases[i].n);
		assert_true(phone.log.n_fps < cases[i].rows);
		phone_end(&phone);
		assert_int_equal(phone.log.n_fps, cases[i].rows);
		for (unsigned int k = 0; k < cases[i].rows; k++) {
			const struct fps_row *row = row_of(SURFACE_A, k);
			const uint64_t time_ns = cases[i].frames * cases[i].step_ns;

			assert_fields(row, start_ns == BEGIN + k * time_ns,
				      end_ns == BEGIN + (k + 1) * time_ns);
			assert_fields(&row->stats, frames == cases[i].frames, time_ns == time_ns);
			assert_float_equal(row->fps, 1e9 / (double)cases[i].step_ns, 0.001);
			assert_string_equal(row->app, "com.a");
		}
		assert_sums(a, SURFACE_A);
	}
}

/* A check comes at the delay, not a nanosecond before. */
TEST_ON(phone_9, test_check_is_exactly_at_the_delay)
{
	run(a, BEGIN, 20 * MS, 50);
	phone_show(&phone, BEGIN + SECOND - 1, a);
	phone_show(&phone, BEGIN + SECOND, a);
	phone_show(&phone, BEGIN + SECOND + 20 * MS, a);
	phone_end(&phone);
	assert_int_equal(row_of(SURFACE_A, 0)->end_ns, BEGIN + SECOND);
	expect_row(SURFACE_A, 0, "frames 51");
	expect_row(SURFACE_A, 1, "frames 1");
}

static void no_summary(void *context, const struct summary_row *row)
{
	fail_msg("a row of %s", row->surface);
}

TEST_ON(phone_9, test_single_frame_gives_no_row)
{
	pipeline_summary(phone.pipeline, NULL, no_summary);
	assert_fields(counters(), sf_tid == TRACE_ID_UNKNOWN, refresh_mhz == ROW_UNKNOWN);
	phone_show(&phone, BEGIN, a);
	phone_end(&phone);
	expect("fps_rows 0 rows 1");
	expect_frame(a, 0, "interval_ns ? vsyncs ?");
	/* One with one frame and one wait has a row. */
	start(PHONE_9);
	run(a, BEGIN, V60, 2);
	run(a, BEGIN + SECOND, V60, 1);
	phone_end(&phone);
	expect_row(SURFACE_A, 0, "frames 1 waits 1");
}

/* The row of a layer without frames for 5 s is closed while the trace continues. The pause is a
 * wait, in the next row. */
TEST_ON(phone_9, test_idle_series_continues_with_a_wait)
{
	run(a, BEGIN, V60, 10);
	run(b, BEGIN + SECOND, 50 * MS, 40);
	assert_null(any_row_of(SURFACE_A, 0));
	run(b, BEGIN + 3 * SECOND, 50 * MS, 120);
	assert_fields(row_of(SURFACE_A, 0), stats.frames == 9, end_ns == BEGIN + 9 * V60);
	run(a, BEGIN + 20 * SECOND, V60, 10);
	phone_end(&phone);
	expect_row(SURFACE_A, 1, "waits 1 frames 9");
	assert_fields(row_of(SURFACE_A, 1), stats.wait_ns == 20 * SECOND - 9 * V60,
		      start_ns == BEGIN + 9 * V60);
	assert_sums(a, SURFACE_A);
	assert_sums(b, SURFACE_B);
}

/* The three frames before a jank may be in the previous row. */
TEST_ON(phone_9, test_history_of_jank_continues_across_rows)
{
	run(a, BEGIN, 20 * MS, 51);
	phone_show(&phone, BEGIN + SECOND + 150 * MS, a);
	phone_end(&phone);
	assert_int_equal(row_of(SURFACE_A, 0)->stats.frames, 50);
	expect_row(SURFACE_A, 1, "frames 1 jank 1 big_jank 1");
}

TEST_ON(phone_9, test_without_a_lattice_vsyncs_are_unknown)
{
	run(a, BEGIN, V60, 10);
	phone_end(&phone);
	expect_row(SURFACE_A, 0, "d ? missed ? refresh_mhz ? cadence ? off_cadence ? unknown 9");
	expect_summary(SURFACE_A, "cadence ? off_cadence ? late_frames ?");
	assert_float_equal(summary_of(SURFACE_A).low1_time_fps, 60, 0.01);
	expect_frame(a, 5, "vsyncs ? vsync_ns ? interval_ns 16666667");
}

/* A period that is wrong by 1 %: frames are too few to refute it. It is given, or reported when a
 * display of 24 Hz changes to 120 Hz. */
TEST(test_intervals_add_up)
{
	for (unsigned int frames = 0; frames <= 72; frames += 72) {
		unsigned int unknown = 0;
		int64_t off_ns = 0, most_ns = (int64_t)(frames > 0 ? 25 * MS : 33 * MS);

		options.vsync_ns = frames > 0 ? 0 : 16500000;
		start(PHONE_9);
		phone_write(&phone, TRACE_COUNTER, 0, frames ? "VSP-period" : "x", 41666667);
		run(a, BEGIN, 41666667, frames);
		phone_write(&phone, TRACE_COUNTER, 0, frames ? "VSP-period" : "x", 8416667);
		run(a, BEGIN + frames * 41666667, 200 * MS, 60);
		phone_end(&phone);
		for (size_t i = frames + 1; i < frames + 60; i++) {
			const struct frame_row *row = frame_of(a, i);

			unknown += row->vsyncs < 0;
			off_ns += row->interval_ns - (int64_t)(200 * MS);
			off_ns = row->vsyncs < 0 ? 0 : off_ns;
			assert_in_range(off_ns + most_ns, 0, 2 * most_ns);
			assert_true(frames == 0 || row->vsyncs == 24);
		}
		assert_in_range(unknown, frames == 0, 10);
	}
}

/* Drops by time with types 1 and 3, by vsyncs with 2 and 4; 3 and 4 give only drops. */
TEST(test_the_type_selects_rows_and_drops)
{
	static const size_t n_drops[] = { 0, 1, 2, 1, 2 }, n_fps[] = { 1, 1, 1, 0, 0 };

	options.vsync_ns = V60;
	for (options.type = 0; options.type <= 4; options.type++) {
		start(PHONE_9);
		run(a, BEGIN, V60, 3);
		phone_show(&phone, BEGIN + 4 * V60, a);
		phone_show(&phone, BEGIN + 7 * V60, a);
		phone_end(&phone);
		assert_fields(&phone.log, n_drops == n_drops[options.type],
			      n_fps == n_fps[options.type]);
		if (n_drops[options.type] < 2)
			continue;
		assert_fields(&phone.log.drops[0], missed == 1, interval_ns == 2 * V60,
			      start_ns == BEGIN + 2 * V60, end_ns == BEGIN + 4 * V60);
		assert_string_equal(phone.log.drops[0].surface, SURFACE_A);
		assert_string_equal(phone.log.drops[0].layer, a);
	}
}

TEST(test_drops_by_time_are_42_ms_and_no_wait)
{
	options.type = 1;
	start(PHONE_9);
	run(a, BEGIN, 20 * MS, 3);
	phone_show(&phone, BEGIN + 82 * MS - 1, a);
	phone_show(&phone, BEGIN + 124 * MS - 1, a);
	phone_show(&phone, BEGIN + 900 * MS, a);
	phone_end(&phone);
	assert_int_equal(phone.log.n_drops, 1);
	assert_fields(&phone.log.drops[0], interval_ns == 42 * MS, start_ns == ROW_UNKNOWN,
		      end_ns == ROW_UNKNOWN, missed == ROW_UNKNOWN);
}

/* A summary that is written during the trace includes all that was counted, also the open row: all
 * but the frames of the last 0.6 s, which are still waiting. */
TEST_ON(phone_9, test_intermediate_summary_includes_open_rows)
{
	run(a, BEGIN, V60, 600);
	assert_in_range(summary_of(SURFACE_A).stats.frames, 599 - 40, 599);
	assert_float_equal(summary_of(SURFACE_A).fps, 60, 0.01);
	phone_end(&phone);
	assert_int_equal(summary_of(SURFACE_A).stats.frames, 599);
}

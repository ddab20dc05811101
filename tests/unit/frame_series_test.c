/* SPDX-License-Identifier: Apache-2.0 */
/* Rows: when they open and close, and their values, tested through the pipeline at exact times.
 *
 * Without ticks there is no lattice, and intervals are the plain differences of presents.
 */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/unit/phone.h"

#define V60 UINT64_C(16666667)
#define BEGIN (100 * SECOND)

static const char a[] = "com.a/com.a.Main#0";
static const char b[] = "com.b/com.b.Main#0";
#define SURFACE_A "com.a/com.a.Main"
#define SURFACE_B "com.b/com.b.Main"

static struct phone phone;
static struct pipeline_options options;

static int set_up(void **state)
{
	options = PIPELINE_OPTIONS_DEFAULT;
	return 0;
}

static int tear_down(void **state)
{
	phone_stop(&phone);
	return 0;
}

FIXTURE(set_up, tear_down)

static void start(void)
{
	phone_start(&phone, PHONE_9, &options);
}

/* A present with a frame of @layer, without a tick: the refresh rate is unknown. */
static void frame(uint64_t present_ns, const char *layer)
{
	phone.now_ns = present_ns - MS;
	phone_begin(&phone, "handleMessageInvalidate");
	phone_latch(&phone, layer);
	phone_end_slices(&phone, 1);
	phone_compose(&phone, present_ns, 1);
}

static uint64_t run(const char *layer, uint64_t from_ns, uint64_t step_ns, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		frame(from_ns + i * step_ns, layer);
	return from_ns + (n - 1) * step_ns;
}

static const struct fps_row *row(const char *surface, size_t n)
{
	const struct fps_row *found = row_log_fps(&phone.log, surface, n);

	if (!found)
		fail_msg("no row %zu of %s", n, surface);
	return found;
}

/* For each layer: frames + waits + 1 = its rows in frames.csv. */
static void assert_sums(const char *layer, const char *surface)
{
	uint64_t sum = 1;

	for (size_t i = 0; i < phone.log.n_fps; i++)
		if (strcmp(phone.log.fps[i].surface, surface) == 0)
			sum += phone.log.fps[i].stats.frames + phone.log.fps[i].stats.waits;
	assert_int_equal(sum, row_log_count_frames(&phone.log, layer));
}

TEST(test_check_closes_rows_after_the_delay)
{
	start();
	run(a, BEGIN, V60, 121);
	phone_end(&phone);
	assert_int_equal(phone.log.n_fps, 2);
	assert_int_equal(row(SURFACE_A, 0)->start_ns, BEGIN);
	assert_int_equal(row(SURFACE_A, 0)->end_ns, BEGIN + 60 * V60);
	assert_int_equal(row(SURFACE_A, 0)->stats.frames, 60);
	assert_int_equal(row(SURFACE_A, 0)->stats.time_ns, 60 * V60);
	assert_int_equal(row(SURFACE_A, 1)->start_ns, BEGIN + 60 * V60);
	assert_int_equal(row(SURFACE_A, 1)->end_ns, BEGIN + 120 * V60);
	assert_float_equal(row(SURFACE_A, 0)->fps, 60, 0.001);
	assert_string_equal(row(SURFACE_A, 0)->app, "com.a");
	assert_sums(a, SURFACE_A);
}

/* A check comes at the delay, not a nanosecond before. */
TEST(test_check_is_exactly_at_the_delay)
{
	start();
	run(a, BEGIN, 20 * MS, 50);
	frame(BEGIN + SECOND - 1, a);
	frame(BEGIN + SECOND, a);
	frame(BEGIN + SECOND + 20 * MS, a);
	phone_end(&phone);
	assert_int_equal(row(SURFACE_A, 0)->end_ns, BEGIN + SECOND);
	assert_int_equal(row(SURFACE_A, 0)->stats.frames, 51);
	assert_int_equal(row(SURFACE_A, 1)->stats.frames, 1);
}

TEST(test_delay_option_sets_the_length_of_rows)
{
	options.delay_ns = 500 * MS;
	start();
	run(a, BEGIN, 20 * MS, 51);
	phone_end(&phone);
	assert_int_equal(phone.log.n_fps, 2);
	assert_int_equal(row(SURFACE_A, 0)->stats.frames, 25);
}

/* A row needs more frames than -f: 20 are too few. */
TEST(test_row_with_too_few_frames_stays_open)
{
	start();
	run(a, BEGIN, 50 * MS, 41);
	phone_end(&phone);
	assert_int_equal(phone.log.n_fps, 1);
	assert_int_equal(row(SURFACE_A, 0)->stats.frames, 40);
	assert_int_equal(row(SURFACE_A, 0)->end_ns, BEGIN + 2 * SECOND);
}

TEST(test_row_with_just_enough_frames_is_closed)
{
	options.min_frames = 19;
	start();
	run(a, BEGIN, 50 * MS, 41);
	phone_end(&phone);
	assert_int_equal(phone.log.n_fps, 2);
	assert_int_equal(row(SURFACE_A, 0)->stats.frames, 20);
}

/* Checks are counted from presents of any layer. */
TEST(test_check_closes_rows_of_all_series)
{
	const char *const both[] = { a, b, NULL };

	options.delay_ns = 100 * MS;
	options.min_frames = 4;
	start();
	for (unsigned int i = 0; i <= 5; i++)
		phone_frames(&phone, BEGIN + i * 20 * MS, both);
	frame(BEGIN + 120 * MS, a);
	phone_end(&phone);
	assert_int_equal(row(SURFACE_A, 0)->stats.frames, 5);
	assert_int_equal(row(SURFACE_B, 0)->stats.frames, 5);
	assert_int_equal(row(SURFACE_A, 1)->stats.frames, 1);
	assert_null(row_log_fps(&phone.log, SURFACE_B, 1));
}

TEST(test_end_of_the_trace_closes_open_rows)
{
	start();
	run(a, BEGIN, V60, 3);
	assert_int_equal(phone.log.n_fps, 0);
	phone_end(&phone);
	assert_int_equal(phone.log.n_fps, 1);
	assert_int_equal(row(SURFACE_A, 0)->stats.frames, 2);
}

TEST(test_single_frame_gives_no_row)
{
	start();
	frame(BEGIN, a);
	phone_end(&phone);
	assert_int_equal(phone.log.n_fps, 0);
	assert_int_equal(phone.log.n_frames, 1);
	assert_int_equal(phone.log.frames[0].interval_ns, ROW_UNKNOWN);
	assert_int_equal(phone.log.frames[0].vsyncs, ROW_UNKNOWN);
}

/* The row of a layer without frames for 5 s is closed while the trace continues. */
TEST(test_row_of_an_idle_series_is_closed)
{
	start();
	run(a, BEGIN, V60, 10);
	run(b, BEGIN + SECOND, 50 * MS, 40);
	assert_null(row_log_fps(&phone.log, SURFACE_A, 0));
	run(b, BEGIN + 3 * SECOND, 50 * MS, 120);
	assert_int_equal(row(SURFACE_A, 0)->stats.frames, 9);
	assert_int_equal(row(SURFACE_A, 0)->end_ns, BEGIN + 9 * V60);
	phone_end(&phone);
}

/* The pause is a wait, in the next row. */
TEST(test_idle_series_continues_with_a_wait)
{
	start();
	run(a, BEGIN, V60, 10);
	run(b, BEGIN + SECOND, 50 * MS, 160);
	run(a, BEGIN + 20 * SECOND, V60, 10);
	phone_end(&phone);
	assert_int_equal(row(SURFACE_A, 1)->stats.waits, 1);
	assert_int_equal(row(SURFACE_A, 1)->stats.wait_ns, 20 * SECOND - 9 * V60);
	assert_int_equal(row(SURFACE_A, 1)->start_ns, BEGIN + 9 * V60);
	assert_sums(a, SURFACE_A);
	assert_sums(b, SURFACE_B);
}

TEST(test_wait_is_no_frame_time)
{
	start();
	frame(BEGIN, a);
	frame(BEGIN + 20 * MS, a);
	frame(BEGIN + 20 * MS + 500 * MS - 1, a);
	frame(BEGIN + 20 * MS + 1000 * MS - 1, a);
	frame(BEGIN + 40 * MS + 1000 * MS - 1, a);
	phone_end(&phone);
	assert_int_equal(row(SURFACE_A, 0)->stats.frames, 3);
	assert_int_equal(row(SURFACE_A, 0)->stats.waits, 1);
	assert_int_equal(row(SURFACE_A, 0)->stats.wait_ns, 500 * MS);
	assert_int_equal(row(SURFACE_A, 0)->stats.time_ns, 540 * MS - 1);
	assert_int_equal(row(SURFACE_A, 0)->stats.max_ns, 500 * MS - 1);
	assert_int_equal(row(SURFACE_A, 0)->stats.a, 1);
	assert_sums(a, SURFACE_A);
}

TEST(test_percentiles_of_a_row_are_frame_times)
{
	options.delay_ns = 100 * SECOND;
	start();
	for (unsigned int i = 0, at = 0; i <= 100; at += ++i)
		frame(BEGIN + at * MS, a);
	phone_end(&phone);
	assert_int_equal(row(SURFACE_A, 0)->stats.frames, 100);
	assert_int_equal(row(SURFACE_A, 0)->p50_ns, 50 * MS);
	assert_int_equal(row(SURFACE_A, 0)->p90_ns, 90 * MS);
	assert_int_equal(row(SURFACE_A, 0)->p99_ns, 99 * MS);
}

/* The three frames before a jank may be in the previous row. */
TEST(test_history_of_jank_continues_across_rows)
{
	start();
	run(a, BEGIN, 20 * MS, 51);
	frame(BEGIN + SECOND + 150 * MS, a);
	phone_end(&phone);
	assert_int_equal(row(SURFACE_A, 0)->stats.frames, 50);
	assert_int_equal(row(SURFACE_A, 1)->stats.frames, 1);
	assert_int_equal(row(SURFACE_A, 1)->stats.jank, 1);
	assert_int_equal(row(SURFACE_A, 1)->stats.big_jank, 1);
}

TEST(test_wait_clears_the_history_of_jank)
{
	start();
	run(a, BEGIN, 20 * MS, 10);
	frame(BEGIN + SECOND, a);
	frame(BEGIN + SECOND + 150 * MS, a);
	phone_end(&phone);
	assert_int_equal(row(SURFACE_A, 0)->stats.waits, 1);
	assert_int_equal(row(SURFACE_A, 0)->stats.jank, 0);
}

TEST(test_without_a_lattice_vsyncs_are_unknown)
{
	start();
	run(a, BEGIN, V60, 10);
	phone_end(&phone);
	assert_int_equal(row(SURFACE_A, 0)->stats.d, ROW_UNKNOWN);
	assert_int_equal(row(SURFACE_A, 0)->stats.missed, ROW_UNKNOWN);
	assert_int_equal(row(SURFACE_A, 0)->refresh_mhz, ROW_UNKNOWN);
	assert_int_equal(phone.log.frames[5].vsyncs, ROW_UNKNOWN);
	assert_int_equal(phone.log.frames[5].vsync_ns, ROW_UNKNOWN);
	assert_int_equal(phone.log.frames[5].interval_ns, V60);
}

TEST(test_given_period_gives_whole_vsyncs)
{
	options.vsync_ns = V60;
	start();
	frame(BEGIN, a);
	frame(BEGIN + V60 + MS, a);
	frame(BEGIN + 4 * V60 - MS, a);
	phone_end(&phone);
	assert_int_equal(phone.log.frames[1].vsyncs, 1);
	assert_int_equal(phone.log.frames[1].interval_ns, V60);
	assert_int_equal(phone.log.frames[2].vsyncs, 3);
	assert_int_equal(row(SURFACE_A, 0)->stats.missed, 2);
	assert_int_equal(row(SURFACE_A, 0)->stats.d, 1);
	assert_int_equal(row(SURFACE_A, 0)->refresh_mhz, 60000);
}

/* With ticks the first frames, too, have numbers of vsyncs: they wait for the lattice. */
TEST(test_first_frames_wait_for_the_lattice)
{
	start();
	phone_run(&phone, a, BEGIN, V60, 120);
	phone_end(&phone);
	assert_int_equal(phone.log.frames[1].vsyncs, 1);
	assert_int_equal(row(SURFACE_A, 0)->stats.d, 0);
	assert_in_range(row(SURFACE_A, 0)->refresh_mhz, 59900, 60100);
	assert_int_equal(row_log_count_events(&phone.log, TRACE_EVENT_REFRESH), 1);
	assert_sums(a, SURFACE_A);
}

static struct summary_row summaries[8];
static char summary_names[8][64];
static size_t n_summaries;

static void store_summary(void *context, const struct summary_row *summary)
{
	strncpy(summary_names[n_summaries], summary->surface, 63);
	summaries[n_summaries++] = *summary;
}

static void collect_summary(void)
{
	n_summaries = 0;
	pipeline_summary(phone.pipeline, NULL, store_summary);
}

/* Vsyncs 2, 2, 3, 2, 1, a wait, 2: the summary has the same over both layers of the Surface. */
TEST(test_cadence_is_the_most_frequent_number_of_vsyncs)
{
	static const unsigned int numbers[] = { 2, 2, 3, 2, 1, 60, 2 };
	uint64_t at_ns = BEGIN;

	options.vsync_ns = V60;
	start();
	frame(at_ns, a);
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		frame(at_ns += numbers[i] * V60, a);
	run("com.a/com.a.Main#1", at_ns + V60, V60, 7);
	phone_end(&phone);
	assert_int_equal(row(SURFACE_A, 0)->cadence, 2);
	assert_int_equal(row(SURFACE_A, 0)->off_cadence, 2);
	assert_int_equal(row(SURFACE_A, 1)->cadence, 1);
	assert_int_equal(row(SURFACE_A, 1)->off_cadence, 0);
	collect_summary();
	assert_int_equal(summaries[0].cadence, 1);
	assert_int_equal(summaries[0].off_cadence, 5);
	assert_float_equal(summaries[0].low1_time_fps, 20, 0.01);
}

TEST(test_a_row_without_vsyncs_has_no_cadence)
{
	start();
	run(a, BEGIN, V60, 10);
	phone_end(&phone);
	assert_int_equal(row(SURFACE_A, 0)->cadence, ROW_UNKNOWN);
	assert_int_equal(row(SURFACE_A, 0)->off_cadence, ROW_UNKNOWN);
	collect_summary();
	assert_int_equal(summaries[0].cadence, ROW_UNKNOWN);
	assert_int_equal(summaries[0].off_cadence, ROW_UNKNOWN);
	assert_float_equal(summaries[0].low1_time_fps, 60, 0.01);
}

TEST(test_type_1_gives_drops_by_time)
{
	options.type = 1;
	start();
	run(a, BEGIN, 20 * MS, 3);
	frame(BEGIN + 82 * MS - 1, a);
	frame(BEGIN + 124 * MS - 1, a);
	frame(BEGIN + 900 * MS, a);
	phone_end(&phone);
	assert_int_equal(phone.log.n_drops, 1);
	assert_int_equal(phone.log.drops[0].interval_ns, 42 * MS);
	assert_int_equal(phone.log.drops[0].start_ns, ROW_UNKNOWN);
	assert_int_equal(phone.log.drops[0].end_ns, ROW_UNKNOWN);
	assert_int_equal(phone.log.drops[0].missed, ROW_UNKNOWN);
	assert_string_equal(phone.log.drops[0].surface, SURFACE_A);
	assert_string_equal(phone.log.drops[0].layer, a);
	assert_int_equal(phone.log.n_fps, 1);
}

TEST(test_type_2_gives_drops_by_vsyncs)
{
	options.type = 2;
	options.vsync_ns = V60;
	start();
	run(a, BEGIN, V60, 3);
	frame(BEGIN + 4 * V60, a);
	phone_end(&phone);
	assert_int_equal(phone.log.n_drops, 1);
	assert_int_equal(phone.log.drops[0].missed, 1);
	assert_int_equal(phone.log.drops[0].interval_ns, 2 * V60);
	assert_int_equal(phone.log.drops[0].start_ns, phone.log.frames[2].vsync_ns);
	assert_int_equal(phone.log.drops[0].end_ns, phone.log.frames[3].vsync_ns);
}

/* Each counter once, in the order of the trace. A name may be the end of another one. */
TEST(test_drop_lists_the_counters_of_its_interval)
{
	options.type = 2;
	options.vsync_ns = V60;
	start();
	run(a, BEGIN, V60, 3);
	phone.now_ns = BEGIN + 3 * V60;
	phone_write(&phone, TRACE_COUNTER, 0, "GPU completion", 1);
	phone_write(&phone, TRACE_COUNTER, 0, "completion", 1);
	phone_write(&phone, TRACE_COUNTER, 0, "GPU completion", 0);
	phone_write(&phone, TRACE_COUNTER, 0, "GPU", 0);
	frame(BEGIN + 4 * V60, a);
	phone_end(&phone);
	assert_int_equal(phone.log.n_drops, 1);
	assert_string_equal(phone.log.drops[0].info,
			    "GPU completion; completion; GPU; com.a/com.a.Main#0");
}

TEST(test_types_3_and_4_give_only_drops)
{
	for (unsigned int type = 3; type <= 4; type++) {
		options.type = type;
		options.vsync_ns = V60;
		start();
		run(a, BEGIN, V60, 3);
		frame(BEGIN + 6 * V60, a);
		phone_end(&phone);
		assert_int_equal(phone.log.n_drops, 1);
		assert_int_equal(phone.log.n_fps, 0);
		if (type == 3)
			phone_stop(&phone);
	}
}

TEST(test_type_0_gives_no_drops)
{
	start();
	run(a, BEGIN, V60, 3);
	frame(BEGIN + 300 * MS, a);
	phone_end(&phone);
	assert_int_equal(phone.log.n_drops, 0);
}

TEST(test_exclude_and_include_select_surfaces)
{
	static const char *const include[] = { "com.*", "StatusBar", NULL };
	static const char *const exclude[] = { "*com.b.*", NULL };

	options.include = include;
	options.exclude = exclude;
	start();
	run(a, BEGIN, V60, 3);
	run(b, BEGIN + SECOND, V60, 3);
	run("StatusBar2#0", BEGIN + 2 * SECOND, V60, 3);
	phone_end(&phone);
	assert_int_equal(phone.log.n_fps, 1);
	assert_non_null(row_log_fps(&phone.log, SURFACE_A, 0));
	assert_int_equal(phone.log.n_frames, 3);
}

TEST(test_the_summary_joins_layers_of_one_surface)
{
	start();
	run("com.a/com.a.Main#0", BEGIN, V60, 31);
	run("com.b/com.b.Main#0", BEGIN + SECOND, V60, 2);
	run("com.a/com.a.Main#1", BEGIN + 2 * SECOND, 2 * V60, 11);
	phone_end(&phone);
	collect_summary();
	assert_int_equal(n_summaries, 2);
	assert_string_equal(summary_names[0], SURFACE_A);
	assert_string_equal(summary_names[1], SURFACE_B);
	assert_int_equal(summaries[0].stats.frames, 40);
	assert_int_equal(summaries[0].stats.waits, 0);
	assert_int_equal(summaries[0].stats.time_ns, 30 * V60 + 20 * V60);
	assert_int_equal(summaries[0].first_ns, BEGIN);
	assert_int_equal(summaries[0].last_ns, BEGIN + 2 * SECOND + 20 * V60);
	assert_in_range(summaries[0].p50_ns, V60 - 100000, V60 + 100000);
	assert_in_range(summaries[0].p999_ns, 2 * V60 - 100000, 2 * V60 + 100000);
	assert_float_equal(summaries[0].low1_fps, 30, 0.01);
	assert_float_equal(summaries[0].fps, 48, 0.01);
	assert_float_equal(summaries[0].stats.score, 60 * 48.0 / 60 + 40, 0.01);
}

/* A summary that is written during the trace includes all that was counted, also the open row: all
 * but the frames of the last 0.6 s, which are still waiting. */
TEST(test_intermediate_summary_includes_open_rows)
{
	start();
	run(a, BEGIN, V60, 600);
	collect_summary();
	assert_int_equal(n_summaries, 1);
	assert_in_range(summaries[0].stats.frames, 599 - 40, 599);
	assert_float_equal(summaries[0].fps, 60, 0.01);
	phone_end(&phone);
	collect_summary();
	assert_int_equal(summaries[0].stats.frames, 599);
}

TEST(test_the_score_follows_the_target)
{
	options.target_fps = 120;
	start();
	run(a, BEGIN, V60, 61);
	phone_end(&phone);
	assert_float_equal(row(SURFACE_A, 0)->stats.score, 70, 0.001);
}

TEST(test_an_empty_trace_has_no_rows)
{
	start();
	phone_end(&phone);
	collect_summary();
	assert_int_equal(phone.log.n_fps + phone.log.n_frames + n_summaries, 0);
	assert_int_equal(pipeline_counters(phone.pipeline)->sf_tid, TRACE_ID_UNKNOWN);
	assert_int_equal(pipeline_counters(phone.pipeline)->refresh_mhz, ROW_UNKNOWN);
}

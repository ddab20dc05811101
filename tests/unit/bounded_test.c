/* SPDX-License-Identifier: Apache-2.0 */
/* Full tables and hostile traces: the entry that was idle longest is evicted, what does not fit is
 * counted, and what fits has its frames. */
#include "tests/unit/one_phone.h"

#define SURFACES 16

FIXTURE(on_phone_9, stop_phone)

static void start_small(enum phone_age age)
{
	options.max_surfaces = SURFACES;
	start(age);
}

/* @n frames of app number @app; returns when the next one is due. */
static uint64_t run(unsigned int app, uint64_t from_ns, unsigned int n)
{
	return phone_run(&phone, formatted("com.app%u/com.app.Main#%u", app, app), from_ns, V60,
			 n) +
	       V60;
}

static uint64_t before_ns; /* the first frame of the summary before this one */

/* Summaries are in the order of their first frames, and none lacks its percentiles. */
static void check_summary(void *context, const struct summary_row *row)
{
	*(size_t *)context += 1;
	assert_true(row->first_ns > before_ns);
	before_ns = row->first_ns;
	assert_true(row->stats.frames == 0 || row->p50_ns >= 0);
}

static size_t check_summaries(void)
{
	size_t n = 0;

	before_ns = 0;
	pipeline_summary(phone.pipeline, &n, check_summary);
	return n;
}

/* Without ticks all intervals are different. No row and no summary lacks its percentiles. */
TEST(test_frame_times_without_vsyncs_have_space)
{
	uint64_t now_ns = BEGIN, random = 1;

	for (unsigned int i = 0; i < 40000; i++) {
		random = random * UINT64_C(6364136223846793005) + 1;
		now_ns += MS + (random >> 33) % (480 * MS);
		phone_show(&phone, now_ns, formatted("com.app%u/com.app.Main#0", i / 4000));
	}
	phone_end(&phone);
	assert_int_equal(counters()->percentiles_refused, 0);
	assert_int_equal(check_summaries(), 10);
	for (size_t i = 0; i < phone.log.n_fps; i++)
		assert_true(phone.log.fps[i].stats.frames == 0 || phone.log.fps[i].p50_ns >= 0);
}

/* Surfaces beyond the table are in one row, each with all of its frames; and a layer that left the
 * table begins anew. */
TEST(test_surfaces_beyond_the_table_are_in_others)
{
	uint64_t now_ns = BEGIN;

	start_small(PHONE_9);
	for (unsigned int app = 0; app < SURFACES + 5; app++)
		now_ns = run(app, now_ns, 4);
	now_ns = run(3, now_ns, 20);
	now_ns = run(SURFACES + 4, now_ns, 20);
	phone_end(&phone);
	assert_int_equal(check_summaries(), SURFACES + 1);
	assert_int_equal(summary_of("com.app3/com.app.Main").stats.frames, 3 + 19);
	assert_int_equal(summary_of("(others)").stats.frames, 5 * 3 + 20);
	assert_int_equal(summary_of("(others)").last_ns, now_ns - V60);
	expect("surfaces_others 5 frames_others 40 layers_evicted 6");
	assert_int_equal(unknown_intervals("com.app3/com.app.Main#3"), 2);
	assert_true(is_reported("5 surfaces in the row (others)"));
}

/* A thread with an open slice is evicted for a newer one. */
TEST(test_max_threads_bounds_the_table_of_threads)
{
	options.max_threads = 16;
	start(PHONE_9);
	phone_frame(&phone, BEGIN, a);
	for (int32_t tid = 1000; tid < 1100; tid++)
		phone_write(&phone, TRACE_SLICE_BEGIN, tid, "queueBuffer", 0);
	assert_in_range(counters()->threads_evicted, 100 - 16, 100);
	play("a1-9");
	assert_int_equal(frames_of(a), 10);
}

/* What gives its place in a full table, and was in use, is counted and reported. */
TEST(test_every_full_table_is_counted)
{
	struct trace_record record = { .name = SPAN_LITERAL("Choreographer#doFrame 12") };
	char name[32];

	draw("a0-59");
	for (int32_t i = 0; i < 200; i++) {
		record.time_ns = phone.now_ns += 100000;
		record.tid = record.tgid = record.pid = 3000 + i;
		for (record.kind = TRACE_SLICE_BEGIN; record.kind <= (i < 80); record.kind++)
			phone_record(&phone, &record);
		snprintf(name, sizeof(name), "HW_VSYNC_%d", i);
		phone_write(&phone, TRACE_COUNTER, 407, name, i % 2);
	}
	for (int32_t cpu = 2; cpu < 40; cpu++)
		phone_lost(&phone, cpu, 5);
	play("a120-179");
	assert_in_range(counters()->holes_evicted, 10, 40);
	assert_in_range(counters()->slices_refused, 120 - 64, 200);
	assert_in_range(counters()->processes_evicted, 60, 80);
	assert_in_range(counters()->displays_evicted, 100, 200);
	assert_true(is_reported("136 callbacks missing in doframe.csv"));
	assert_true(is_reported("slices that may have shown a freeze"));
	assert_true(is_reported("entries of processes, ticks, displays or holes"));
}

TEST(test_queued_layers_do_not_evict_latched_ones)
{
	for (unsigned int i = 0; i < 20000; i++) {
		phone_queue(&phone, BEGIN + i * MS - 8 * MS, formatted("noise%u", i), 1);
		if (i % 16 == 0)
			phone_frame(&phone, BEGIN + i * MS, a);
	}
	phone_end(&phone);
	expect("a 1250 rows 1250 layers_evicted 0");
}

/* More layers with queued frames than the table holds: no frame is missing. */
TEST(test_full_table_of_waiting_layers_counts_frames_early)
{
	start_small(PHONE_9);
	phone_run(&phone, a, BEGIN - 10 * SECOND, V60, 300);
	for (unsigned int i = 0; i < 3000; i++)
		run(i % 60, BEGIN + i * V60, 1);
	phone_end(&phone);
	expect("rows 3300 frames 3300 frames_refused 0 surfaces_others 45");
	assert_in_range(counters()->frames_counted_early, 1000, 3000);
	assert_true(is_reported("frames counted early"));
	assert_in_range(events_of(TRACE_EVENT_LOST), 1, 10);
	for (size_t i = 1; i < phone.log.n_frames; i++)
		assert_true(phone.log.frames[i].present_ns >= phone.log.frames[i - 1].present_ns);
	/* The series of an evicted layer begins anew. */
	for (size_t i = 361; i < phone.log.n_frames; i++)
		assert_int_equal(phone.log.frames[i].vsyncs, -1);
}

/* Layers that are not counted take no space, and are not reported as missing. */
TEST(test_excluded_layers_do_not_fill_the_table)
{
	static const char *const exclude[] = { "com.app*", NULL };
	char names[40][32];
	const char *layers[COUNT_OF(names) + 2] = { NULL };

	for (unsigned int i = 0; i < COUNT_OF(names); i++) {
		snprintf(names[i], sizeof(names[i]), "com.app%u/a#%u", i, i);
		layers[i] = names[i];
	}
	layers[COUNT_OF(names)] = a;
	options.exclude = exclude;
	start_small(PHONE_9);
	for (unsigned int i = 0; i < 100; i++)
		phone_frames(&phone, BEGIN + i * V60, layers);
	phone_end(&phone);
	expect("a 100 rows 100 frames_refused 0");
	assert_int_equal(counters()->layers_refused, 0);
}

/* More layers latched for one present than fit: missing ones are counted once, though counter and
 * instant report the same latch. */
TEST(test_missing_frames_of_a_present_are_counted_once)
{
	char names[64][32];
	const char *layers[COUNT_OF(names) + 1] = { NULL };

	for (unsigned int i = 0; i < COUNT_OF(names); i++) {
		snprintf(names[i], sizeof(names[i]), "com.app%u/a#%u", i, i);
		layers[i] = names[i];
	}
	for (enum phone_age age = PHONE_9; age <= PHONE_14; age++) {
		start_small(age);
		draw("a0-99");
		for (unsigned int i = 0; i < 20; i++)
			phone_frames(&phone, BEGIN + (100 + i) * V60, layers);
		phone_end(&phone);
		assert_int_equal(phone.log.n_frames, 100 + 20 * 16);
		assert_int_equal(counters()->frames_refused, 20 * 48);
		assert_true(counters()->layers_refused > 0);
		assert_true(is_reported("960 frames missing"));
		/* Also of the first, when SurfaceFlinger is not known yet. */
		start_small(age);
		phone_frames(&phone, BEGIN, layers);
		phone_end(&phone);
		expect("rows 16 frames_refused 48");
	}
}

/* Presents much faster than any display: the number of waiting frames is bounded; none is lost. */
TEST(test_very_fast_presents_are_all_counted)
{
	phone_run(&phone, a, BEGIN, 5000000, 20000);
	phone_run(&phone, a, BEGIN + 200 * SECOND, 5000, 20000);
	phone_end(&phone);
	expect("rows 40000 presents 40000");
}

TEST(test_extreme_values_and_times_change_no_later_frame)
{
	struct trace_record record = { .kind = TRACE_COUNTER, .tid = 1, .tgid = 1, .pid = 406 };
	static const int64_t values[] = { INT64_MIN, INT64_MAX, -1, 0, 1 };
	static const char *const names[] = { "VSP-period", "VSP-period 1", "ActiveModeFPS_HWC",
					     "VSYNC-sf",   "HW_VSYNC_0",   "TX - a" };
	static const uint64_t times[] = { 0, UINT64_MAX, 1, UINT64_MAX - 1, SECOND };

	for (unsigned int i = 0; i < 1000; i++) {
		record.time_ns = times[i % COUNT_OF(times)];
		record.name = i % 2 ? SPAN_LITERAL("VSYNC-sf") : SPAN_LITERAL("VSYNC-app");
		phone_record(&phone, &record);
	}
	for (size_t n = 0; n < COUNT_OF(names); n++) {
		for (size_t i = 0; i < COUNT_OF(values); i++) {
			phone.now_ns = BEGIN - SECOND + (n * 5 + i) * MS;
			phone_write(&phone, TRACE_COUNTER, 0, names[n], values[i]);
		}
	}
	play("a0-99");
	assert_string_equal(vsyncs_of(a), "? 1x99");
	assert_true(counters()->clock_steps > 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile and very busy traces: tables are bounded, and counters count what did not fit. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/phone.h"

#define V60 UINT64_C(16666667)
#define BEGIN (100 * SECOND)

static const char a[] = "com.a/com.a.Main#0";

static struct phone phone;

static int set_up(void **state)
{
	phone_start(&phone, PHONE_9, NULL);
	return 0;
}

static int tear_down(void **state)
{
	phone_stop(&phone);
	return 0;
}

FIXTURE(set_up, tear_down)

static const struct pipeline_counters *counters(void)
{
	return pipeline_counters(phone.pipeline);
}

static bool is_reported(const char *text)
{
	for (size_t i = 0; i < phone.log.n_events; i++)
		if (phone.log.events[i].kind == TRACE_EVENT_LOST &&
		    strstr(phone.log.events[i].text, text))
			return true;
	return false;
}

static void frame_of_number(unsigned int i, uint64_t present_ns)
{
	char name[64];

	snprintf(name, sizeof(name), "com.app%u/com.app.Main#%u", i, i);
	phone_frame(&phone, present_ns, name);
}

TEST(test_layers_beyond_the_table_are_evicted)
{
	for (unsigned int i = 0; i < 3000; i++)
		frame_of_number(i, BEGIN + i * V60);
	phone_end(&phone);
	assert_int_equal(phone.log.n_frames, 3000);
	assert_true(counters()->layers_evicted > 0);
	assert_true(counters()->surfaces_evicted > 0);
}

/* A layer with a frame in every vsync is never evicted. */
TEST(test_busy_layer_is_never_evicted)
{
	for (unsigned int i = 0; i < 2000; i++) {
		phone_frame(&phone, BEGIN + 2 * i * V60, a);
		frame_of_number(i, BEGIN + (2 * i + 1) * V60);
	}
	phone_end(&phone);
	assert_int_equal(row_log_count_frames(&phone.log, a), 2000);
	for (size_t i = 0; i < phone.log.n_frames; i++)
		if (i > 0 && strcmp(phone.log.frames[i].layer, a) == 0)
			assert_true(phone.log.frames[i].interval_ns > 0);
}

/* Layers that are queued but never latched do not evict layers that are latched. */
TEST(test_queued_layers_do_not_evict_latched_ones)
{
	char name[64];

	for (unsigned int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "noise%u", i);
		phone_queue(&phone, BEGIN + i * MS - 8 * MS, name, 1);
		if (i % 16 == 0)
			phone_frame(&phone, BEGIN + i * MS, a);
	}
	phone_end(&phone);
	assert_int_equal(row_log_count_frames(&phone.log, a), 1250);
	assert_int_equal(phone.log.n_frames, 1250);
	assert_int_equal(counters()->layers_evicted, 0);
}

/* More layers than a present can have. */
TEST(test_layers_beyond_the_limit_of_a_present_are_counted)
{
	char name[64];

	phone_frame(&phone, BEGIN, a);
	phone.now_ns = BEGIN + V60 - MS;
	phone_begin(&phone, "handleMessageInvalidate");
	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "layer#%u", i);
		phone_latch(&phone, name);
	}
	phone_end_slices(&phone, 1);
	phone_compose(&phone, BEGIN + V60, 1);
	phone_run(&phone, a, BEGIN + 2 * V60, V60, 60);
	phone_end(&phone);
	assert_int_equal(row_log_count_frames(&phone.log, a), 61);
	assert_true(phone.log.n_frames > 200);
	assert_true(phone.log.n_frames < 1061);
	assert_int_equal(phone.log.n_frames + counters()->layers_refused, 1061);
	assert_int_equal(phone.log.n_frames + counters()->frames_refused, 1061);
	assert_true(is_reported("frames missing"));
}

/* More layers with queued frames than the table holds: no frame is missing. */
TEST(test_full_table_of_waiting_layers_counts_frames_early)
{
	struct pipeline_options options = PIPELINE_OPTIONS_DEFAULT;

	options.max_surfaces = 16;
	phone_stop(&phone);
	phone_start(&phone, PHONE_9, &options);
	phone_run(&phone, a, BEGIN - 10 * SECOND, V60, 300);
	for (unsigned int i = 0; i < 3000; i++)
		frame_of_number(i % 60, BEGIN + i * V60);
	phone_end(&phone);
	assert_int_equal(phone.log.n_frames, 3300);
	assert_int_equal(counters()->frames, 3300);
	assert_int_equal(counters()->frames_refused, 0);
	assert_in_range(counters()->frames_counted_early, 1000, 3000);
	assert_int_equal(counters()->surfaces_others, 0);
	assert_true(is_reported("frames counted early"));
	assert_in_range(row_log_count_events(&phone.log, TRACE_EVENT_LOST), 1, 10);
	for (size_t i = 1; i < phone.log.n_frames; i++)
		assert_true(phone.log.frames[i].present_ns >= phone.log.frames[i - 1].present_ns);
	/* The series of an evicted layer continues when it returns. */
	for (size_t i = 361; i < phone.log.n_frames; i++)
		assert_int_equal(phone.log.frames[i].vsyncs, 60);
}

/* More layers latched for one present than fit: missing ones are counted once, though counter and
 * instant report the same latch. */
TEST(test_missing_frames_of_a_present_are_counted_once)
{
	static const enum phone_age ages[] = { PHONE_9, PHONE_13, PHONE_14 };
	struct pipeline_options options = PIPELINE_OPTIONS_DEFAULT;
	char names[64][32];
	const char *layers[COUNT_OF(names) + 1] = { NULL };

	options.max_surfaces = 16;
	for (unsigned int i = 0; i < COUNT_OF(names); i++) {
		snprintf(names[i], sizeof(names[i]), "com.app%u/a#%u", i, i);
		layers[i] = names[i];
	}
	for (size_t age = 0; age < COUNT_OF(ages); age++) {
		phone_stop(&phone);
		phone_start(&phone, ages[age], &options);
		phone_run(&phone, a, BEGIN, V60, 100);
		for (unsigned int i = 0; i < 20; i++)
			phone_frames(&phone, BEGIN + (100 + i) * V60, layers);
		phone_end(&phone);
		assert_int_equal(phone.log.n_frames, 100 + 20 * 16);
		assert_int_equal(counters()->frames_refused, 20 * 48);
		assert_true(is_reported("960 frames missing"));
	}
}

/* All layers of a full table may be latched at the same time. */
TEST(test_all_layers_of_a_full_table_can_be_latched)
{
	struct pipeline_options options = PIPELINE_OPTIONS_DEFAULT;
	static char names[900][32];
	static const char *layers[COUNT_OF(names) + 1];

	options.max_surfaces = 1000;
	phone_stop(&phone);
	phone_start(&phone, PHONE_9, &options);
	for (unsigned int i = 0; i < COUNT_OF(names); i++) {
		snprintf(names[i], sizeof(names[i]), "com.app%u/a#%u", i, i);
		layers[i] = names[i];
	}
	for (unsigned int i = 0; i < 4; i++)
		phone_frames(&phone, BEGIN + i * V60, layers);
	phone_end(&phone);
	assert_int_equal(phone.log.n_frames, 4 * COUNT_OF(names));
	assert_int_equal(counters()->frames_refused, 0);
}

TEST(test_threads_beyond_the_table_are_evicted)
{
	for (int32_t tid = 1000; tid < 21000; tid++)
		phone_write(&phone, TRACE_SLICE_BEGIN, tid, "queueBuffer", 0);
	phone_run(&phone, a, BEGIN, V60, 10);
	phone_end(&phone);
	assert_int_equal(row_log_count_frames(&phone.log, a), 10);
	assert_true(counters()->threads_evicted > 0);
}

TEST(test_very_long_names_stay_distinct)
{
	char name[4000];

	memset(name, 'n', sizeof(name));
	memcpy(name, "com.a/", 6);
	name[sizeof(name) - 1] = '\0';
	phone_run(&phone, name, BEGIN, V60, 10);
	name[sizeof(name) - 2] = 'm';
	phone_run(&phone, name, BEGIN + SECOND, V60, 10);
	phone_end(&phone);
	assert_int_equal(phone.log.n_frames, 20);
	assert_true(strlen(phone.log.frames[0].layer) < sizeof(name));
	assert_int_equal(phone.log.frames[10].interval_ns, ROW_UNKNOWN);
}

TEST(test_names_of_any_bytes_are_kept)
{
	phone_run(&phone, "\xff\xfe\x01=1+1,\"\r", BEGIN, V60, 10);
	phone_end(&phone);
	assert_int_equal(phone.log.n_frames, 10);
	assert_string_equal(phone.log.frames[0].layer, "\xff\xfe\x01=1+1,\"\r");
}

/* Presents much faster than any display: the number of waiting frames is bounded, and none is lost.
 */
TEST(test_very_fast_presents_are_all_counted)
{
	phone_run(&phone, a, BEGIN, 5000000, 20000);
	phone_run(&phone, a, BEGIN + 200 * SECOND, 5000, 20000);
	phone_end(&phone);
	assert_int_equal(phone.log.n_frames, 40000);
	assert_int_equal(counters()->presents, 40000);
}

TEST(test_extreme_counter_values_change_no_vsyncs)
{
	static const int64_t values[] = { INT64_MIN, INT64_MAX, -1, 0, 1 };
	static const char *const names[] = { "VSP-period", "VSP-period 1", "ActiveModeFPS_HWC",
					     "VSYNC-sf",   "HW_VSYNC_0",   "TX - a" };

	for (size_t n = 0; n < COUNT_OF(names); n++) {
		for (size_t i = 0; i < COUNT_OF(values); i++) {
			phone.now_ns = BEGIN + (n * 5 + i) * MS;
			phone_write(&phone, TRACE_COUNTER, 0, names[n], values[i]);
		}
	}
	phone_run(&phone, a, BEGIN + SECOND, V60, 100);
	phone_end(&phone);
	assert_int_equal(phone.log.n_frames, 100);
	assert_int_equal(phone.log.frames[50].vsyncs, 1);
}

TEST(test_extreme_times_lose_no_later_frame)
{
	struct trace_record record = { .kind = TRACE_COUNTER, .tid = 1, .tgid = 1, .pid = 406 };
	static const uint64_t times[] = { 0, UINT64_MAX, 1, UINT64_MAX - 1, SECOND };

	for (unsigned int i = 0; i < 1000; i++) {
		record.time_ns = times[i % COUNT_OF(times)];
		record.name = i % 2 ? SPAN_LITERAL("VSYNC-sf") : SPAN_LITERAL("VSYNC-app");
		phone_record(&phone, &record);
	}
	phone_run(&phone, a, BEGIN, V60, 100);
	phone_end(&phone);
	assert_int_equal(phone.log.n_frames, 100);
	assert_true(counters()->clock_steps > 0);
}

/* events.csv does not grow with a flood of events; the counters include all of them. */
TEST(test_flood_of_events_is_bounded_in_events_csv)
{
	phone_run(&phone, a, BEGIN, V60, 10);
	for (unsigned int i = 0; i < 20000; i++)
		phone_lost(&phone, 1, 2);
	phone_run(&phone, a, BEGIN + SECOND, V60, 10);
	phone_end(&phone);
	assert_int_equal(counters()->lost_events, 40000);
	assert_in_range(row_log_count_events(&phone.log, TRACE_EVENT_LOST), 1, 1000);
}

/* The clock goes back and forth: each step is counted, and no row ends before it begins. */
TEST(test_repeated_clock_steps_are_counted)
{
	for (unsigned int i = 0; i < 500; i++)
		phone_run(&phone, a, i % 2 ? BEGIN : BEGIN + 5 * SECOND, V60, 3);
	phone_end(&phone);
	assert_int_equal(phone.log.n_frames, 1500);
	assert_in_range(counters()->clock_steps, 249, 500);
	for (size_t i = 0; i < phone.log.n_fps; i++)
		assert_true(phone.log.fps[i].end_ns >= phone.log.fps[i].start_ns);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Detection of latches with poor evidence: names that were cut, counters of other writers, a flood
 * of latches by threads that never present. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/phone.h"

#define V60 UINT64_C(16666667)
#define BEGIN (100 * SECOND)

static const char a[] = "com.a/com.a.Main#0";
static const char b[] = "com.b/com.b.Main#0";

static struct phone phone;

static int tear_down(void **state)
{
	phone_stop(&phone);
	return 0;
}

FIXTURE(NULL, tear_down)

static size_t frames_of(const char *layer)
{
	return row_log_count_frames(&phone.log, layer);
}

/* A marker of another process with the names of SurfaceFlinger. */
static void forge(enum trace_kind kind, const char *name, int64_t value)
{
	struct trace_record record = { .kind = kind, .tid = 900, .value = value };

	record.tgid = phone.sf_tgid == TRACE_ID_UNKNOWN ? TRACE_ID_UNKNOWN : 900;
	record.pid = phone.sf_pid;
	record.time_ns = phone.now_ns;
	record.comm = SPAN_LITERAL("surfaceflinger");
	record.name = span_of(name);
	phone_record(&phone, &record);
}

static void forge_latch(const char *layer)
{
	char name[100];

	forge(TRACE_SLICE_BEGIN, "acquireBuffer", 0);
	forge(TRACE_COUNTER, layer, 0);
	forge(TRACE_SLICE_END, "", 0);
	forge(TRACE_SLICE_BEGIN, "latchBuffer", 0);
	snprintf(name, sizeof(name), "BufferTX - %s", layer);
	forge(TRACE_COUNTER, name, 0);
	forge(TRACE_SLICE_END, "", 0);
}

/* The producer and SurfaceFlinger count the same queue from two threads: their writes can be
 * swapped, and then the counter does not decrease at the latch. */
TEST(test_latch_written_before_its_queue_is_detected)
{
	phone_start(&phone, PHONE_13, NULL);
	phone_frame(&phone, BEGIN, a);
	for (unsigned int i = 1; i <= 10; i++) {
		phone.now_ns = BEGIN + i * V60 - MS;
		phone_begin(&phone, "commit 1");
		phone_latch(&phone, a);
		phone_end_slices(&phone, 1);
		phone_queue(&phone, phone.now_ns, a, i % 2);
		phone_compose(&phone, BEGIN + i * V60, 1);
	}
	phone_end(&phone);
	assert_int_equal(frames_of(a), 11);
}

/* Counters that another process writes with the name of a layer do not remove a frame. */
static void play_forged_values(void)
{
	phone.sf_tgid = TRACE_ID_UNKNOWN;
	for (unsigned int i = 0; i < 20; i++) {
		phone_queue(&phone, BEGIN + i * V60 - 3 * MS, a, 1);
		forge_latch(a);
		phone.now_ns = BEGIN + i * V60 - MS;
		phone_begin(&phone, "commit 1");
		phone_latch(&phone, a);
		phone_end_slices(&phone, 1);
		phone_compose(&phone, BEGIN + i * V60, 1);
	}
	phone_end(&phone);
	assert_int_equal(frames_of(a), 20);
	assert_int_equal(phone.log.n_frames, 20);
}

TEST(test_forged_counters_remove_no_frame)
{
	for (enum phone_age age = PHONE_9; age <= PHONE_14; age++) {
		phone_start(&phone, age, NULL);
		play_forged_values();
		if (age != PHONE_14)
			phone_stop(&phone);
	}
}

static void flood(unsigned int from)
{
	char name[64];

	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "flood%u", from + i);
		forge_latch(name);
	}
}

/* Latches without a present do not keep layers in the table forever. */
TEST(test_latches_without_present_do_not_fill_the_table)
{
	phone_start(&phone, PHONE_9, NULL);
	phone.now_ns = BEGIN - SECOND;
	flood(0);
	phone_run(&phone, a, BEGIN, V60, 10);
	flood(1000);
	phone_run(&phone, b, BEGIN + 10 * V60, V60, 10);
	phone_end(&phone);
	assert_int_equal(frames_of(a), 10);
	assert_int_equal(frames_of(b), 10);
	assert_int_equal(phone.log.n_frames, 20);
}

/* Instants of two layers that are equal because their names were cut. */
TEST(test_layers_with_equal_cut_instants_stay_distinct)
{
	char one[600];
	char other[600];
	const char *const all[] = { a, one, other, NULL };

	for (size_t length = 220; length < 300; length++) {
		memset(one, 'n', length);
		memcpy(one, "com.c - 1234567/", 16);
		memcpy(&one[length], "#10", 4);
		memcpy(other, one, length);
		memcpy(&other[length], "#11", 4);
		phone_start(&phone, PHONE_14, NULL);
		for (unsigned int i = 0; i < 20; i++)
			phone_frames(&phone, BEGIN + i * V60, &all[i % 2]);
		phone_end(&phone);
		assert_int_equal(frames_of(a), 10);
		assert_int_equal(frames_of(one), 20);
		assert_int_equal(frames_of(other), 20);
		assert_int_equal(phone.log.n_frames, 50);
		if (length < 299)
			phone_stop(&phone);
	}
}

/* A name that was cut inside its number looks like the instant of another layer. */
TEST(test_instant_cut_inside_a_number_matches_its_layer)
{
	char name[400];

	memset(name, 'n', sizeof(name));
	memcpy(&name[230], " - 123456789012345678901234567890", 33);
	memcpy(&name[300], "#10", 4);
	phone_start(&phone, PHONE_14, NULL);
	phone_run(&phone, name, BEGIN, V60, 20);
	phone_end(&phone);
	assert_int_equal(frames_of(name), 20);
	assert_int_equal(phone.log.n_frames, 20);
}

/* A SurfaceFlinger of that version that writes no instants: the counter is a latch from the first
 * one on. */
TEST(test_counter_is_a_latch_without_instants)
{
	phone_start(&phone, PHONE_14, NULL);
	for (unsigned int i = 0; i < 10; i++) {
		phone_queue(&phone, BEGIN + i * V60 - 3 * MS, a, 1);
		phone.now_ns = BEGIN + i * V60 - MS;
		phone_begin(&phone, "commit 1");
		phone_write(&phone, TRACE_COUNTER, 0, "BufferTX - com.a/com.a.Main#0", 0);
		phone_end_slices(&phone, 1);
		phone_compose(&phone, BEGIN + i * V60, 1);
	}
	phone_end(&phone);
	assert_int_equal(frames_of(a), 10);
}

/* The end of acquireBuffer was lost without a report: the next counter is not a layer. */
TEST(test_counter_of_a_transaction_is_no_layer)
{
	phone_start(&phone, PHONE_9, NULL);
	phone_run(&phone, a, BEGIN, V60, 5);
	phone.now_ns = BEGIN + 5 * V60 - MS;
	phone_begin(&phone, "acquireBuffer");
	phone_write(&phone, TRACE_COUNTER, 0, "TX - com.a/com.a.Main#0", 0);
	phone_run(&phone, a, BEGIN + 5 * V60, V60, 5);
	phone_end(&phone);
	assert_int_equal(frames_of(a), 10);
	assert_int_equal(phone.log.n_frames, 10);
}

/* Another SurfaceFlinger starts soon after the last event of the old one: its first frame counts.
 */
static void play_quick_restart(enum phone_age age)
{
	phone_start(&phone, age, NULL);
	phone_run(&phone, a, BEGIN, V60, 20);
	phone.sf_tid = phone.sf_tgid = phone.sf_pid = 2406;
	phone_frame(&phone, BEGIN + 25 * V60, b);
	phone_run(&phone, a, BEGIN + 26 * V60, V60, 100);
	phone_end(&phone);
	assert_int_equal(pipeline_counters(phone.pipeline)->sf_tid, 2406);
	assert_int_equal(frames_of(b), 1);
	assert_int_equal(frames_of(a), 20 + 100);
	assert_int_equal(pipeline_counters(phone.pipeline)->foreign_presents, 0);
}

TEST(test_first_frame_after_a_quick_restart_counts)
{
	play_quick_restart(PHONE_9);
	phone_stop(&phone);
	play_quick_restart(PHONE_14);
}

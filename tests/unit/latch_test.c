/* SPDX-License-Identifier: Apache-2.0 */
/* Detection of latches with poor evidence: names that were cut or have bars, markers of other
 * writers, a flood of latches by threads that never present. */
#include "tests/unit/one_phone.h"

FIXTURE(default_options, stop_phone)

/* A marker of another process with the names of SurfaceFlinger; with the tid of its thread, too, if
 * the writer of each marker is known. */
static void forge(enum trace_kind kind, const char *name, int64_t value)
{
	struct trace_record record = { .kind = kind, .tid = 900, .value = value };

	if (phone.sf_writer != TRACE_WRITER_UNKNOWN) {
		record.writer = TRACE_WRITER_OTHER;
		record.tid = phone.sf_tid;
	}
	record.tgid = phone.sf_tgid == TRACE_ID_UNKNOWN ? TRACE_ID_UNKNOWN : 900;
	record.pid = phone.sf_pid;
	record.time_ns = phone.now_ns;
	record.comm = SPAN_LITERAL("surfaceflinger");
	record.name = span_of(name);
	phone_record(&phone, &record);
}

static void forge_latch(const char *layer)
{
	forge(TRACE_SLICE_BEGIN, "acquireBuffer", 0);
	forge(TRACE_COUNTER, layer, 0);
	forge(TRACE_SLICE_END, "", 0);
	forge(TRACE_SLICE_BEGIN, "latchBuffer", 0);
	forge(TRACE_COUNTER, formatted("BufferTX - %s", layer), 0);
	forge(TRACE_SLICE_END, "", 0);
}

/* The producer and SurfaceFlinger count the same queue from two threads: their writes can be
 * swapped, and then the counter does not decrease at the latch. */
TEST_ON(phone_13, test_latch_written_before_its_queue_is_detected)
{
	draw("a0");
	for (unsigned int i = 1; i <= 10; i++) {
		phone_commit(&phone, BEGIN + i * V60 - MS, a);
		phone_queue(&phone, phone.now_ns, a, i % 2);
		phone_compose(&phone, BEGIN + i * V60, 1);
	}
	phone_end(&phone);
	assert_int_equal(frames_of(a), 11);
}

TEST_ON(every_phone, test_forged_counters_remove_no_frame)
{
	phone.sf_tgid = TRACE_ID_UNKNOWN;
	for (unsigned int i = 0; i < 20; i++) {
		phone_queue(&phone, BEGIN + i * V60 - 3 * MS, a, 1);
		forge_latch(a);
		phone_show(&phone, BEGIN + i * V60, a);
	}
	phone_end(&phone);
	expect("a 20 rows 20");
}

static const char *const presents[] = {
	[PHONE_9] = "postFramebuffer",
	[PHONE_13] = "postFramebuffer",
	[PHONE_14] = "presentFrameAndReleaseLayers for x",
};

/* Ticks, a whole composition, latches, ends of slices that SurfaceFlinger began. */
static void forge_frame(void)
{
	const int64_t value = (int64_t)(phone.now_ns / V60) % 2;

	forge(TRACE_COUNTER, "VSYNC-sf", value);
	forge(TRACE_COUNTER, "VSP-period", value);
	forge(TRACE_SLICE_BEGIN, "commit 7", 0);
	forge(TRACE_INSTANT, "latchBuffer com.a/com.a.Main#0 - 7", 0);
	forge_latch(a);
	forge(TRACE_SLICE_BEGIN, presents[phone.age], 0);
	for (int i = 0; i < 9; i++)
		forge(TRACE_SLICE_END, "", 0);
}

/* The writer of each marker is known. */
TEST_ON(every_phone, test_forged_markers_change_no_row)
{
	phone.sf_writer = TRACE_WRITER_SURFACEFLINGER;
	for (unsigned int i = 0; i < 100; i++) {
		phone_frame(&phone, BEGIN + i * V60, a);
		phone.now_ns = BEGIN + i * V60 + V60 / 2;
		forge_frame();
	}
	phone_end(&phone);
	expect("a 100 rows 100 presents 100 surfaceflinger_restarts 0 foreign_presents 100 "
	       "foreign_ticks 200 foreign_latches 200 event.tracing 0 event.surfaceflinger 2");
	assert_string_equal(vsyncs_of(a), "? 1x99");
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(phone.log.frames[i].present_ns, BEGIN + i * V60);
}

/* Buffer markers of apps are not forged ones; one with a name of SurfaceFlinger's is. */
TEST_ON(phone_9, test_markers_of_apps_are_not_forged)
{
	phone.sf_writer = TRACE_WRITER_SURFACEFLINGER;
	draw("a0");
	forge(TRACE_SLICE_BEGIN, "acquireBuffer", 0);
	forge(TRACE_COUNTER, "SurfaceTexture-0-1-2", 0);
	forge(TRACE_SLICE_END, "", 0);
	forge(TRACE_COUNTER, "HW_VSYNC_ON_0", 0);
	forge(TRACE_SLICE_BEGIN, "Choreographer#doFrame", 0);
	expect("foreign_ticks 0 foreign_latches 0 event.surfaceflinger 1");
	forge(TRACE_COUNTER, "VSYNC-sf", 1);
	phone_end(&phone);
	expect("foreign_ticks 1 foreign_latches 0 event.surfaceflinger 2");
}

static void flood(unsigned int from)
{
	for (unsigned int i = 0; i < 1000; i++)
		forge_latch(formatted("flood%u", from + i));
}

TEST_ON(phone_9, test_latches_without_present_do_not_fill_the_table)
{
	phone.now_ns = BEGIN - SECOND;
	flood(0);
	draw("a0-9");
	flood(1000);
	play("b10-19");
	expect("a 10 b 10 rows 20");
}

TEST(test_layers_with_equal_cut_instants_stay_distinct)
{
	char one[600], other[600];
	const char *const all[] = { a, one, other, NULL };

	for (size_t length = 220; length < 301; length++) {
		memset(one, 'n', length);
		memcpy(one, "com.c - 1234567/", 16);
		/* Cut inside its number a name looks like the instant of another layer. */
		if (length == 300)
			memcpy(&one[230], " - 123456789012345678901234567890", 33);
		memcpy(&one[length], "#10", 4);
		memcpy(other, one, length);
		memcpy(&other[length], "#11", 4);
		start(PHONE_14);
		for (unsigned int i = 0; i < 20; i++)
			phone_frames(&phone, BEGIN + i * V60, &all[i % 2]);
		phone_end(&phone);
		expect("a 10 rows 50");
		assert_int_equal(frames_of(one), 20);
		assert_int_equal(frames_of(other), 20);
	}
}

/* The end of acquireBuffer was lost without a report: the next counter is not a layer. */
TEST_ON(phone_9, test_counter_of_a_transaction_is_no_layer)
{
	draw("a0-4 at 5 -1 begin acquireBuffer");
	phone_write(&phone, TRACE_COUNTER, 0, "TX - com.a/com.a.Main#0", 0);
	play("a5-9");
	expect("a 10 rows 10");
}

/* HarmonyOS: '|' in the counters' names, and both kinds of latch markers. */
static void harmony_frame(uint64_t present_ns, const char *hash, const char *title, unsigned int i,
			  bool counter_first)
{
	const char *counter = formatted("BufferTX - %s|%s", hash, title);
	const char *instant = formatted("latchBuffer %s%s - %u", hash, title, i);

	phone.now_ns = present_ns - 5 * MS;
	phone_write(&phone, TRACE_COUNTER, 500, counter, 1);
	phone_tick(&phone, present_ns - 2 * MS);
	phone.now_ns = present_ns - MS;
	phone_begin(&phone, "commit 1234");
	phone_begin(&phone, "latchBuffer");
	for (int n = 0; n < 2; n++)
		phone_write(&phone, n == counter_first ? TRACE_INSTANT : TRACE_COUNTER, 0,
			    n == counter_first ? instant : counter, 0);
	phone_end_slices(&phone, 2);
	phone_compose(&phone, present_ns, 1);
}

static void play_harmony(const char *hash, const char *title, bool counter_first)
{
	start(PHONE_14);
	for (unsigned int i = 0; i < 30; i++)
		harmony_frame(BEGIN + i * V60, hash, title, i, counter_first);
	phone_end(&phone);
	assert_int_equal(phone.log.n_frames, 30);
	assert_int_equal(frames_of(formatted("%s%s", hash, title)), 30);
	for (unsigned int i = 0; i < 30; i++) {
		assert_int_equal(phone.log.frames[i].frame_number, i);
		assert_int_equal(phone.log.frames[i].queued_ns, BEGIN + i * V60 - 5 * MS);
	}
	assert_string_equal(phone.log.frames[0].app, "com.x");
}

TEST(test_bars_in_counter_names_are_parsed)
{
	for (int i = 0; i < 2; i++) {
		play_harmony("", "com.x/com.x.Main#1203", i);
		assert_string_equal(phone.log.frames[0].surface, "com.x/com.x.Main");
		play_harmony("10aa7df ", "SurfaceView[com.x/com.x.Main](BLAST)#1248", i);
		assert_string_equal(phone.log.frames[0].surface,
				    "SurfaceView[com.x/com.x.Main](BLAST)");
	}
}

TEST_ON(phone_14, test_bars_in_titles_are_kept)
{
	static const char *const titles[] = { "|com.x|y#3", "com.x | y#4", "|#5" };

	for (size_t t = 0; t < COUNT_OF(titles); t++)
		phone_run(&phone, titles[t], BEGIN + t * SECOND, V60, 30);
	phone_end(&phone);
	for (size_t t = 0; t < COUNT_OF(titles); t++)
		assert_int_equal(frames_of(titles[t]), 30);
	assert_int_equal(phone.log.n_frames, 90);
	assert_string_equal(phone.log.frames[0].surface, "|com.x|y");
}

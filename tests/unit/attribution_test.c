/* SPDX-License-Identifier: Apache-2.0 */
/* Which layers had a frame in which present: three generations of SurfaceFlinger. */
#include "tests/unit/one_phone.h"

FIXTURE(default_options, stop_phone)

TEST_ON(every_phone, test_a_buffer_of_a_layer_in_a_present_is_a_frame)
{
	draw("a0-18 ab19 a20 ab21 a22 ab23-28 b29");
	/* Two latches before a present are one frame, a present without a latch is none, nor is one
	 * to a second display. */
	draw("at 30 -1 commit latch a queue a latch a end 1 compose 30 compose 31 compose 32");
	phone_queue(&phone, BEGIN + 33 * V60 - 3 * MS, a, 1);
	phone_commit(&phone, BEGIN + 33 * V60 - MS, a);
	phone_compose(&phone, BEGIN + 33 * V60, 2);
	/* The next buffer may be queued between latch and present, under the same name. */
	draw("at 34 -9 queue a at 34 -2 commit latch a end 1 at 34 -1 queue b compose 34");
	/* Slice ends were lost without a report: each composition resets the stack. */
	for (unsigned int i = 35; i < 235; i++) {
		phone.now_ns = BEGIN + i * V60 - 5 * MS;
		phone_begin(&phone, "some slice whose end was lost");
		phone_frame(&phone, BEGIN + i * V60, a);
	}
	phone_end(&phone);
	expect("a 232 b 9 rows 241 presents 235 ticks 230 sf_tid 406 dropped_frames 0");
	assert_string_equal(vsyncs_of(a), "? 1x28 2 3 1x201");
	assert_string_equal(vsyncs_of(b), "? 2x2 1x6");
	for (size_t i = 0; i < 19; i++) {
		assert_int_equal(phone.log.frames[i].present_ns, BEGIN + i * V60);
		assert_int_equal(phone.log.frames[i].latched_ns, BEGIN + i * V60 - MS);
		assert_int_equal(phone.log.frames[i].queued_ns, BEGIN + i * V60 - 3 * MS);
	}
	assert_int_equal(frame_of(a, 30)->present_ns, BEGIN + 33 * V60);
}

/* SurfaceFlinger acquires the buffers of displays, too: they are not layers. */
TEST_ON(phone_9, test_buffers_of_displays_are_no_layers)
{
	const char *const layers[] = {
		a,	     "FramebufferSurface",     "FramebufferSurface#0",
		"VDS: cast", "SurfaceTexture-0-198-2", NULL
	};

	phone_frames(&phone, BEGIN, layers);
	phone_end(&phone);
	expect("rows 2 a 1");
	assert_string_equal(frame_of(layers[4], 0)->surface, "SurfaceTexture");
}

/* A process of the host has the pid that SurfaceFlinger has in its container, and presents first.
 * Its ticks are not the display's. */
TEST_ON(every_phone, test_host_process_with_surfaceflingers_pid_is_ignored)
{
	phone.sf_comm = "<...>";
	phone.sf_pid = 83;
	phone.sf_tid = phone.sf_tgid = 83;
	phone_run(&phone, b, BEGIN, V60 * 2 / 3, 100);
	phone_write(&phone, TRACE_COUNTER, 0, "VSP-period", 8333333);
	phone.sf_comm = "surfaceflinger";
	phone.sf_tid = 5123;
	phone.sf_tgid = 5100;
	phone_run(&phone, a, BEGIN + 2 * SECOND, V60, 100);
	phone_end(&phone);
	expect("a 100 sf_tid 5123 sf_pid 83");
	for (size_t i = 101; i < phone.log.n_frames; i++)
		assert_int_equal(phone.log.frames[i].vsyncs, 1);
	assert_in_range(counters()->refresh_mhz, 59900, 60100);
}

/* Its number passes to one of another process. A line without a tgid is no evidence of that. */
TEST_ON(phone_9, test_a_thread_of_another_process_has_no_open_slices)
{
	static const struct {
		const char *name;
		int32_t pid, tgid;
		uint64_t dropped;
	} lines[] = {
		{ "Choreographer#doFrame", 83, 1000, 0 },
		{ "queueBuffer", 83, TRACE_ID_UNKNOWN, 0 },
		{ "queueBuffer", 83, 1000, 0 },
		{ "queueBuffer", 84, 2000, 3 },
	};

	draw("a0-9");
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		phone_record(&phone, &(struct trace_record){ .kind = TRACE_SLICE_BEGIN,
							     .time_ns = phone.now_ns,
							     .tid = 1000,
							     .pid = lines[i].pid,
							     .tgid = lines[i].tgid,
							     .name = span_of(lines[i].name) });
		assert_int_equal(counters()->slices_unbalanced, lines[i].dropped);
	}
}

/* Loss in the middle of a latch: only the start of its slice is in the trace. */
TEST_ON(phone_9, test_loss_inside_a_latch_gives_no_false_latch)
{
	draw("a0-9");
	draw("at 10 -1 begin handleMessageInvalidate begin latchBuffer begin acquireBuffer "
	     "lost 1 7");
	/* Written outside of that slice: without the loss it would be a latch. */
	phone_write(&phone, TRACE_COUNTER, 0, "Heap size (KB)", 12);
	draw("a11-200");
	phone_lost(&phone, 1, TRACE_LOST_UNKNOWN);
	play("a201-220");
	expect("rows 220 a 220 lost_events 7 lost_unknown 1 event.lost 2");
	expect_row(SURFACE_A, 0, "lost 7");
	expect_row(SURFACE_A, 3, "lost ?");
	expect_frame(a, 10, "lost 7");
	expect_frame(a, 11, "lost 0");
	expect_frame(a, 200, "lost ?");
}

/* The counter of a replaced buffer decreases inside setBuffer: that buffer was never shown. A slice
 * whose end was lost, without a report, does not enclose the next composition. */
TEST_ON(phone_13, test_a_replaced_buffer_is_no_frame)
{
	draw("a0 at 0 2 queue a at 0 3 queue a 2 at 1 -2 commit begin setBuffer count a 1 end 2 "
	     "compose 1 a2");
	expect("dropped_frames 1");
	play("at 3 -1 begin latchBuffer compose 3 at 3 1 queue a queue a 2 begin setBuffer "
	     "count a 1 end 1 compose 4");
	expect("a 2 dropped_frames 2");
	assert_int_equal(phone.log.frames[1].present_ns, BEGIN + 2 * V60);
}

/* Up to Android 11 the counter does not change if a buffer replaces the one before it, and falls by
 * more than one if SurfaceFlinger takes a newer one. If events were lost, it may mean something
 * else. */
TEST_ON(phone_9, test_overtaken_buffers_are_counted)
{
	draw("a0 at 0 2 queue a at 0 3 queue a at 0 4 queue a at 1 -2 commit latch a end 1 compose "
	     "1");
	expect("dropped_frames 2");
	draw("at 1 2 queue a queue a 2 queue a 3 at 2 -2 commit latch a end 1 compose 2");
	expect("dropped_frames 4");
	play("at 2 2 queue a lost 2 9 at 3 2 queue a at 4 -2 commit latch a end 1 compose 4");
	expect("a 4 dropped_frames 4");
}

TEST_ON(phone_9, test_transactions_are_counted)
{
	for (unsigned int i = 0; i < 10; i++) {
		phone.now_ns = BEGIN + i * V60 - 2 * MS;
		if (i >= 5) {
			phone_write(&phone, TRACE_COUNTER, 501, "TX - com.a/com.a.Main#0", 1);
			phone_write(&phone, TRACE_COUNTER, 0, "TX - com.a/com.a.Main#0", 0);
		}
		phone_frame(&phone, BEGIN + i * V60, a);
	}
	phone_end(&phone);
	expect_stats(phone.log.fps[0].stats, "frames 9 tx 5");
}

/* Writes a commit and a composition with these names, and a frame in them at @present_ns. A commit
 * of another thread changes nothing. */
static void write_composition(const char *commit, const char *composite, uint64_t present_ns)
{
	phone_tick(&phone, present_ns - 2 * MS);
	phone_begin(&phone, commit);
	phone_latch(&phone, a);
	phone_end_slices(&phone, 1);
	phone_begin(&phone, composite);
	phone_write(&phone, TRACE_SLICE_BEGIN, 999, "commit 666", 0);
	phone.now_ns = present_ns;
	phone_begin(&phone, "postFramebuffer");
	phone_end_slices(&phone, 2);
}

TEST(test_frames_have_the_vsync_id_of_their_composition)
{
	static const struct {
		const char *commit, *composite;
		int64_t vsync_id;
	} cases[] = {
		{ "commit 1253180", "composite 1253180", 1253180 },
		{ "commit 1253181 vsyncIn 12.34ms (adjusted)", "composite 1253181", 1253181 },
		{ "onMessageInvalidate 7 vsyncIn 3.21ms", "onMessageRefresh", 7 },
		{ "handleMessageInvalidate", "handleMessageRefresh", -1 },
		{ "commit 1234567890123456789", "composite 1234567890123456789", -1 },
		{ "commit 12x", "composite 12x", -1 },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		start(PHONE_13);
		for (unsigned int k = 0; k < 3; k++)
			write_composition(cases[i].commit, cases[i].composite, BEGIN + k * V60);
		phone_end(&phone);
		expect("rows 3");
		assert_int_equal(phone.log.frames[1].vsync_id, cases[i].vsync_id);
	}
}

/* After a loss the commit of Android 12 is unknown: its vsync id may be that of another one. */
TEST_ON(phone_13, test_vsync_id_does_not_survive_a_loss)
{
	phone_run(&phone, a, BEGIN - 10 * V60, V60, 5);
	write_composition("onMessageInvalidate 7 vsyncIn 3.21ms", "onMessageRefresh", BEGIN);
	phone_lost(&phone, 1, 5);
	write_composition("other", "onMessageRefresh", BEGIN + V60);
	phone_end(&phone);
	expect("rows 7");
	expect_frame(a, 5, "vsync_id 7");
	expect_frame(a, 6, "vsync_id ?");
}

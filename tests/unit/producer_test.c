/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU times of frames: a fence belongs to one frame at most, to the right one, and what does
 * not fit is unknown. */
#include "tests/unit/one_phone.h"

#define US UINT64_C(1000)
#define LATE_WRITER 3000 /* on another CPU */

/* An app that queues buffers of one layer. */
struct app {
	int32_t pid;
	const char *layer;
	const char *queue; /* its BLAST queue */
	unsigned int fences, releases, frames;
};

static struct app app_a, app_b;

static int set_up(void **state)
{
	app_a = (struct app){ .pid = 1000, .layer = a, .queue = "VRI[Main]#1" };
	app_b = (struct app){ .pid = 2000, .layer = b, .queue = "VRI[Main]#2" };
	return default_options(state);
}

FIXTURE(set_up, stop_phone)

static void write_of(int32_t pid, int32_t tid, enum trace_kind kind, uint64_t time_ns,
		     const char *name, int64_t value)
{
	struct trace_record record = { .kind = kind, .tid = tid, .pid = pid, .tgid = pid };

	phone.now_ns = time_ns;
	record.cpu = pid == LATE_WRITER ? 3 : 2;
	record.time_ns = time_ns;
	record.value = value;
	record.comm = SPAN_LITERAL("RenderThread");
	record.name = span_of(name);
	phone_record(&phone, &record);
}

static void slice_of(int32_t pid, int32_t tid, uint64_t time_ns, const char *name)
{
	write_of(pid, tid, TRACE_SLICE_BEGIN, time_ns, name, 0);
	write_of(pid, tid, TRACE_SLICE_END, time_ns + 1, "", 0);
}

/* The app's thread queues a buffer; SurfaceFlinger gets it in that time. */
static void begin_queue(struct app *app, uint64_t time_ns)
{
	write_of(app->pid, app->pid + 1, TRACE_SLICE_BEGIN, time_ns - 100 * US, "queueBuffer", 0);
}

/* @gpu_ns < 0: the fence has signalled. */
static void end_queue(struct app *app, uint64_t time_ns, int64_t gpu_ns)
{
	unsigned int fence = app->fences++;

	slice_of(app->pid, app->pid + 1, time_ns + 100 * US,
		 formatted(gpu_ns < 0 ? "GPU completion fence %u has signaled"
				      : "Trace GPU completion fence %u",
			   fence));
	write_of(app->pid, app->pid + 1, TRACE_SLICE_END, time_ns + 110 * US, "", 0);
}

static void wait_for_gpu(struct app *app, uint64_t from_ns, uint64_t to_ns)
{
	write_of(app->pid, app->pid + 2, TRACE_SLICE_BEGIN, from_ns,
		 formatted("waiting for GPU completion %u", app->fences - 1), 0);
	write_of(app->pid, app->pid + 2, TRACE_SLICE_BEGIN, from_ns, "waitForever", 0);
	write_of(app->pid, app->pid + 2, TRACE_SLICE_END, to_ns, "", 0);
	write_of(app->pid, app->pid + 2, TRACE_SLICE_END, to_ns, "", 0);
}

static void queue_without_wait(struct app *app, uint64_t time_ns, int64_t gpu_ns)
{
	begin_queue(app, time_ns);
	phone_queue(&phone, time_ns, app->layer, 1);
	end_queue(app, time_ns, gpu_ns);
}

/* A buffer that SurfaceFlinger gets at @time_ns; the GPU needs @gpu_ns from the mark on. */
static void queue_buffer(struct app *app, uint64_t time_ns, uint64_t gpu_ns)
{
	uint64_t mark_ns = time_ns + 100 * US;

	queue_without_wait(app, time_ns, (int64_t)gpu_ns);
	wait_for_gpu(app, mark_ns + 20 * US, mark_ns + gpu_ns);
}

static void latch_and_present(const struct app *app, uint64_t present_ns)
{
	phone_tick(&phone, present_ns - 2000 * US);
	if (app) {
		phone_show(&phone, present_ns, app->layer);
		return;
	}
	phone_commit(&phone, present_ns - 1000 * US, NULL);
}

static void frame(struct app *app, uint64_t present_ns, uint64_t gpu_ns)
{
	queue_buffer(app, present_ns - 10000 * US, gpu_ns);
	latch_and_present(app, present_ns);
}

static void assert_counts(uint64_t joined, uint64_t own, uint64_t without_frame, uint64_t ambiguous)
{
	const struct fence_counts counts = counters()->fences;

	assert_fields(&counts, joined == joined, own == own, without_frame == without_frame,
		      ambiguous == ambiguous, marks == joined + own + without_frame + ambiguous);
}

/* Both threads are in queueBuffer when SurfaceFlinger gets the two buffers. */
static void queue_at_once(uint64_t present_ns, uint64_t gpu_a_ns, uint64_t gpu_b_ns)
{
	uint64_t queued_ns = present_ns - 10000 * US, mark_ns = queued_ns + 100 * US;

	begin_queue(&app_a, queued_ns);
	begin_queue(&app_b, queued_ns + US);
	phone_queue(&phone, queued_ns + 2 * US, b, 1);
	phone_queue(&phone, queued_ns + 3 * US, a, 1);
	end_queue(&app_b, queued_ns, (int64_t)gpu_b_ns);
	end_queue(&app_a, queued_ns, (int64_t)gpu_a_ns);
	wait_for_gpu(&app_a, mark_ns + 20 * US, mark_ns + gpu_a_ns);
	wait_for_gpu(&app_b, mark_ns + 20 * US, mark_ns + gpu_b_ns);
}

static void present_both(uint64_t present_ns, const char *one, const char *other)
{
	phone_tick(&phone, present_ns - 2000 * US);
	phone.now_ns = present_ns - 1000 * US;
	phone_begin(&phone, "handleMessageInvalidate");
	phone_latch(&phone, one);
	phone_latch(&phone, other);
	phone_end_slices(&phone, 1);
	phone_compose(&phone, present_ns, 1);
}

/* The GPU ends two vsyncs after the latch of a frame that was in time, and 20 ms after one before
 * the clock steps back: both tell nothing of a later one, which keeps back the latch. */
TEST_ON(phone_9, test_such_an_end_of_the_gpu_excuses_no_later_one)
{
	for (unsigned int i = 0; i < 150; i++) {
		uint64_t present_ns = (i < 101 ? BEGIN : BEGIN - 50 * SECOND) + i * V60;

		if (i == 68 || i == 122) {
			queue_buffer(&app_a, present_ns - 10000 * US, 15000 * US);
			latch_and_present(&app_a, present_ns + V60);
			i++;
		} else if (i == 60 || i == 100) {
			queue_without_wait(&app_a, present_ns - 10000 * US, 0);
			latch_and_present(&app_a, present_ns);
			wait_for_gpu(&app_a, present_ns,
				     present_ns + (i == 60 ? 2 * V60 : 19000 * US));
			i += i == 60 ? 2 : 0;
		} else {
			frame(&app_a, present_ns, 3000 * US);
		}
	}
	phone_end(&phone);
	assert_int_equal(frame_of(a, 60)->cause, CAUSE_NONE);
	for (size_t late = 66; late <= 119; late += 119 - 66) {
		expect_frame(a, late, "vsyncs 2");
		assert_int_equal(frame_of(a, late)->cause, CAUSE_GPU);
	}
}

/* If the producers are known, from frames before; else they are ambiguous. */
TEST(test_buffers_queued_at_once_get_their_own_fences)
{
	for (unsigned int known = 0; known <= 1; known++) {
		set_up(NULL);
		start(PHONE_9);
		if (known) {
			frame(&app_a, BEGIN - 2 * V60, 300 * US);
			frame(&app_b, BEGIN - V60, 900 * US);
		}
		for (unsigned int i = 0; i < 40; i++) {
			queue_at_once(BEGIN + i * V60, 300 * US, 900 * US);
			present_both(BEGIN + i * V60, a, b);
		}
		phone_end(&phone);
		for (unsigned int i = 0; i < 40; i++) {
			const int64_t at_ns = (int64_t)(BEGIN + i * V60);

			assert_int_equal(frame_of(a, i + known)->gpu_done_ns,
					 known ? at_ns - 9600000 : ROW_UNKNOWN);
			assert_int_equal(frame_of(b, i + known)->gpu_done_ns,
					 known ? at_ns - 9000000 : ROW_UNKNOWN);
		}
		assert_counts(known ? 82 : 0, 0, 0, known ? 0 : 80);
	}
}

/* The producer of b writes no marks, so at first its buffers seem to be those of a's thread. */
TEST_ON(phone_9, test_another_layer_never_keeps_the_fences_of_an_app)
{
	for (unsigned int i = 0; i < 60; i++) {
		uint64_t present_ns = BEGIN + i * V60, queued_ns = present_ns - 10000 * US;

		begin_queue(&app_a, queued_ns);
		if (i % 2 == 0)
			phone_queue(&phone, queued_ns - 50 * US, b, 1);
		phone_queue(&phone, queued_ns, a, 1);
		end_queue(&app_a, queued_ns, 300 * US);
		wait_for_gpu(&app_a, queued_ns + 120 * US, queued_ns + 400 * US);
		if (i % 2 == 1)
			phone_queue(&phone, queued_ns + 200 * US, b, 1);
		present_both(present_ns, a, b);
	}
	phone_end(&phone);
	for (unsigned int i = 0; i < 60; i++)
		assert_int_equal(frame_of(b, i)->gpu_done_ns, ROW_UNKNOWN);
	for (unsigned int i = 10; i < 60; i++)
		assert_true(frame_of(a, i)->gpu_done_ns == ROW_UNKNOWN ||
			    frame_of(a, i)->gpu_done_ns == (int64_t)(BEGIN + i * V60 - 9600 * US));
	assert_true(counters()->fences.joined <= 60);
}

/* A BLAST queue: the number of the buffer is in both processes, from 14 on. */
static void send_blast_buffer(struct app *app, uint64_t queued_ns, uint64_t gpu_ns,
			      const char *vsync)
{
	int32_t tid = app->pid + 1;

	begin_queue(app, queued_ns);
	write_of(app->pid, tid, TRACE_SLICE_BEGIN, queued_ns - 90 * US, "queueBuffer", 0);
	write_of(app->pid, tid, TRACE_COUNTER, queued_ns - 80 * US,
		 formatted("QueuedBuffer - %sBLAST#1", app->queue), 2);
	/* phone_latch() writes the number of the last tick, which comes after this. */
	slice_of(app->pid, tid, queued_ns - 70 * US,
		 formatted("acquireNextBufferLocked - %s(f:0,a:3)frame=%u", app->queue,
			   phone.n_commits + 1));
	if (vsync)
		write_of(app->pid, tid, TRACE_INSTANT, queued_ns - 60 * US, vsync, 0);
	write_of(app->pid, tid, TRACE_SLICE_END, queued_ns + 10 * US, "", 0);
	end_queue(app, queued_ns, (int64_t)gpu_ns);
}

static void queue_blast_buffer(struct app *app, uint64_t present_ns, uint64_t gpu_ns,
			       const char *vsync)
{
	uint64_t queued_ns = present_ns - 10000 * US;

	send_blast_buffer(app, queued_ns, gpu_ns, vsync);
	phone_queue(&phone, queued_ns + 300 * US, app->layer, 1);
	wait_for_gpu(app, queued_ns + 400 * US, queued_ns + 100 * US + gpu_ns);
}

/* SurfaceFlinger is stopped, and gets a buffer soon after the next one was sent. */
TEST_ON(phone_13, test_a_buffer_on_its_way_never_has_the_fence_of_the_next_one)
{
	for (unsigned int i = 0; i < 60; i++) {
		uint64_t present_ns = BEGIN + i * V60, queued_ns = present_ns - 10000 * US;

		if (i == 30) {
			send_blast_buffer(&app_a, queued_ns, 1000 * US, NULL);
			wait_for_gpu(&app_a, queued_ns + 400 * US, queued_ns + 1100 * US);
			continue;
		}
		if (i != 32)
			queue_blast_buffer(&app_a, present_ns, 1000 * US, NULL);
		latch_and_present(&app_a, present_ns);
		if (i == 31)
			phone_queue(&phone, present_ns + 1000 * US, a, 1);
	}
	phone_end(&phone);
	assert_int_equal(frame_of(a, 29)->gpu_done_ns, BEGIN + 29 * V60 - 8900 * US);
	assert_int_equal(frame_of(a, 30)->gpu_done_ns, ROW_UNKNOWN);
	assert_int_equal(frame_of(a, 31)->gpu_done_ns, ROW_UNKNOWN);
	assert_int_equal(frame_of(a, 32)->gpu_done_ns, BEGIN + 33 * V60 - 8900 * US);
}

/* The oldest ones are passed, so the newest one is found, which overtook them: it is not sure. */
TEST_ON(phone_13, test_a_buffer_of_another_layers_queue_is_not_sure)
{
	uint64_t present_ns = BEGIN + 31 * V60;

	for (unsigned int i = 0; i < 30; i++) {
		queue_blast_buffer(&app_a, BEGIN + i * V60, 1000 * US, NULL);
		latch_and_present(&app_a, BEGIN + i * V60);
	}
	for (unsigned int i = 0; i < 4; i++) {
		send_blast_buffer(&app_a, present_ns - (14 - i) * MS, 500 * US, NULL);
		wait_for_gpu(&app_a, present_ns - (14 - i) * MS + 100 * US,
			     present_ns - (14 - i) * MS + 600 * US);
	}
	phone_queue(&phone, present_ns - 10 * MS, b, 1);
	latch_and_present(&app_b, present_ns);
	phone_end(&phone);
	assert_int_equal(frame_of(b, 0)->gpu_done_ns, ROW_UNKNOWN);
}

/* Records of several CPUs come out of order: the mark hides no buffer that may be the layer's. */
TEST_ON(phone_13, test_a_mark_that_comes_late_makes_nothing_sure)
{
	for (unsigned int i = 0; i < 400; i++) {
		uint64_t present_ns = BEGIN + i * V60, queued_ns = present_ns - 10000 * US;

		send_blast_buffer(&app_a, queued_ns, 1000 * US, NULL);
		slice_of(LATE_WRITER, LATE_WRITER + 1, queued_ns - 20000 * US,
			 "Trace GPU completion fence 1");
		send_blast_buffer(&app_b, queued_ns + 200 * US, 5000 * US, NULL);
		phone_queue(&phone, queued_ns + 400 * US, "Alpha#1", 1);
		phone_queue(&phone, queued_ns + 402 * US, "Beta#2", 1);
		wait_for_gpu(&app_a, queued_ns + 500 * US, queued_ns + 1100 * US);
		wait_for_gpu(&app_b, queued_ns + 500 * US, queued_ns + 5300 * US);
		present_both(present_ns, "Alpha#1", "Beta#2");
	}
	phone_end(&phone);
	for (unsigned int i = 0; i < 400; i++) {
		int64_t done_ns = frame_of("Alpha#1", i)->gpu_done_ns;

		assert_true(done_ns == ROW_UNKNOWN ||
			    done_ns == (int64_t)(BEGIN + i * V60 - 8900 * US));
	}
}

/* The first buffer of a queue waits for the transaction that shows its window. SurfaceFlinger gets
 * it together with the first one of another queue, and from then on both queue in each vsync: all
 * buffers that arrive at once have the same number. */
TEST(test_a_first_buffer_that_waited_is_not_another_queues)
{
	for (unsigned int times = 0; times < 4; times++) {
		uint64_t waited_ns = times < 2 ? 12000 * US : 200000 * US;
		uint64_t queued_ns = BEGIN - 10000 * US;

		set_up(NULL);
		start(PHONE_13);
		send_blast_buffer(&app_a, queued_ns - waited_ns, 1000 * US, NULL);
		wait_for_gpu(&app_a, queued_ns - waited_ns + 400 * US,
			     queued_ns - waited_ns + 1100 * US);
		for (unsigned int i = 0; i < 60; i++, queued_ns += V60) {
			if (i > 0)
				send_blast_buffer(&app_a, queued_ns, 1000 * US, NULL);
			send_blast_buffer(&app_b, queued_ns, 5000 * US, NULL);
			phone_queue(&phone, queued_ns + 300 * US, times % 2 ? a : b, 1);
			phone_queue(&phone, queued_ns + 302 * US, times % 2 ? b : a, 1);
			if (i > 0)
				wait_for_gpu(&app_a, queued_ns + 400 * US, queued_ns + 1100 * US);
			wait_for_gpu(&app_b, queued_ns + 400 * US, queued_ns + 5100 * US);
			present_both(queued_ns + 10000 * US, a, b);
		}
		phone_end(&phone);
		for (unsigned int i = 0; i < 60; i++) {
			const int64_t done_ns = (int64_t)(BEGIN + i * V60 - 8900 * US);
			const int64_t of_a_ns = frame_of(a, i)->gpu_done_ns;
			const int64_t of_b_ns = frame_of(b, i)->gpu_done_ns;

			assert_true(of_a_ns == ROW_UNKNOWN ||
				    of_a_ns == done_ns - (i ? 0 : (int64_t)waited_ns));
			assert_true(of_b_ns == ROW_UNKNOWN || of_b_ns == done_ns + 4000000);
		}
	}
}

/* SurfaceFlinger plans: the app wakes up 12 ms before @present_ns, the display shows it one vsync
 * after that. The frame answers @number, of which those of the tick are 100 * @i + 50. */
static void planned_frame(uint64_t present_ns, unsigned int i, unsigned int number)
{
	phone.now_ns = present_ns - 12000 * US;
	phone_write(&phone, TRACE_COUNTER, 0, "VSYNC-app", i % 2);
	queue_blast_buffer(
		&app_a, present_ns, 1000 * US,
		formatted("Transaction::setFrameTimelineInfo frameNumber: %u vsyncId: %u", i + 1,
			  number));
	phone_tick(&phone, present_ns - 2000 * US);
	phone.now_ns = present_ns - 1000 * US;
	phone_begin(&phone, formatted("commit %u vsyncIn 17.66ms", 100 * i + 80));
	phone_latch(&phone, a);
	phone_end_slices(&phone, 1);
	phone_compose(&phone, present_ns, 1);
}

/* From 15 on the vsync of a frame is there without marks of views. One comes behind that of a
 * greater number. */
TEST_ON(phone_14, test_a_buffer_names_the_vsync_that_its_frame_answers)
{
	for (unsigned int i = 0; i < 60; i++)
		planned_frame(BEGIN + i * V60, i, i == 50 ? 4940 : 100 * i + 50);
	phone_end(&phone);
	for (unsigned int i = 0; i < 60; i++)
		assert_int_equal(frame_of(a, i)->cause, i == 50 ? CAUSE_STUFFING : CAUSE_NONE);
}

/* The app was idle for a second; the next frame answers an old vsync. */
TEST_ON(phone_14, test_a_wait_that_is_no_stall_has_no_cause)
{
	for (unsigned int i = 0; i < 60; i++)
		planned_frame(BEGIN + (i < 50 ? i : i + 60) * V60, i,
			      i == 50 ? 4960 : 100 * i + 50);
	phone_end(&phone);
	assert_int_equal(sum_of(SURFACE_A).waits, 1);
	for (unsigned int i = 0; i < 60; i++)
		assert_int_equal(frame_of(a, i)->cause, CAUSE_NONE);
}

TEST_ON(phone_14, test_surfaceflingers_own_fences_are_counted_apart)
{
	for (unsigned int i = 0; i < 40; i++) {
		queue_blast_buffer(&app_a, BEGIN + i * V60, 1000 * US, NULL);
		latch_and_present(&app_a, BEGIN + i * V60);
		phone.now_ns += 10 * US;
		phone_begin(&phone, "GPU completion fence 5 has signaled");
		phone_end_slices(&phone, 1);
	}
	phone_end(&phone);
	assert_counts(40, 40, 0, 0);
}

TEST_ON(phone_9, test_a_lost_end_leaves_the_time_unknown)
{
	for (unsigned int i = 0; i < 40; i++) {
		uint64_t present_ns = BEGIN + i * V60, queued_ns = present_ns - 10000 * US;

		if (i != 20) {
			frame(&app_a, present_ns, 300 * US);
			continue;
		}
		queue_without_wait(&app_a, queued_ns, 300);
		phone.now_ns = queued_ns + 200 * US;
		phone_lost(&phone, 2, 10);
		wait_for_gpu(&app_a, queued_ns + 300 * US, queued_ns + 400 * US);
		latch_and_present(&app_a, present_ns);
	}
	phone_end(&phone);
	assert_int_equal(frame_of(a, 20)->gpu_done_ns, ROW_UNKNOWN);
	assert_int_equal(frame_of(a, 19)->gpu_done_ns, BEGIN + 19 * V60 - 9600 * US);
	assert_int_equal(frame_of(a, 21)->gpu_done_ns, BEGIN + 21 * V60 - 9600 * US);
}

/* Another process writes the names of a's fences, the app writes names that are none, and some
 * buffers are dropped. */
TEST_ON(phone_9, test_dropped_buffers_and_other_processes_do_not_change_the_times)
{
	static const char *const none[] = {
		"GPU completion fence 3 has signale", "GPU completion fence has signaled",
		"Trace GPU completion fence 3x",      "Trace GPU completion fence ",
		"waiting for GPU completion 3x",      "waiting for GPU completion "
	};
	struct app hostile = { .pid = 3000, .layer = a };

	for (unsigned int i = 0; i < 40; i++) {
		uint64_t present_ns = BEGIN + i * V60, queued_ns = present_ns - 10000 * US;

		if (i % 4 == 3)
			queue_buffer(&app_a, present_ns - 14000 * US, 5000 * US);
		slice_of(app_a.pid, app_a.pid + 1, queued_ns - 1000 * US, none[i % COUNT_OF(none)]);
		hostile.fences = app_a.fences + 1;
		frame(&app_a, present_ns, 300 * US);
		wait_for_gpu(&hostile, queued_ns + 500 * US, queued_ns + 5000 * US);
		end_queue(&hostile, queued_ns + 6000 * US, 1);
	}
	phone_end(&phone);
	for (unsigned int i = 0; i < 40; i++)
		assert_int_equal(frame_of(a, i)->gpu_done_ns, BEGIN + i * V60 - 9600 * US);
	assert_counts(40, 0, 40 + 10, 0);
}

/* The buffer is queued before a commit; the GPU finishes after it, or (@in_time) before it. */
static void run_with_late_frames(uint64_t present_ns, bool in_time)
{
	for (unsigned int i = 0; i < 60; i++, present_ns += V60) {
		if (i % 10 != 9) {
			frame(&app_a, present_ns, 300 * US);
			continue;
		}
		queue_without_wait(&app_a, present_ns - 10000 * US, 1);
		if (in_time)
			wait_for_gpu(&app_a, present_ns - 9800 * US, present_ns - 5000 * US);
		latch_and_present(NULL, present_ns);
		if (!in_time)
			wait_for_gpu(&app_a, present_ns, present_ns + 3000 * US);
		present_ns += V60;
		latch_and_present(&app_a, present_ns);
	}
}

TEST_ON(phone_9, test_frames_late_by_the_gpu_are_counted)
{
	run_with_late_frames(BEGIN, false);
	phone_end(&phone);
	assert_counts(60, 0, 0, 0);
	expect_summary(SURFACE_A, "d 6 gpu_bound 6");
	assert_int_equal(summary_of(SURFACE_A).gpu_p99_ns, 12900 * US);
	/* Those that the GPU finished in time are not bound by it. */
	set_up(NULL);
	start(PHONE_9);
	run_with_late_frames(BEGIN, true);
	phone_end(&phone);
	expect_summary(SURFACE_A, "d 6 gpu_bound 0");
	/* Most frames of the session had two vsyncs, those before these have one. */
	set_up(NULL);
	start(PHONE_9);
	for (unsigned int i = 0; i < 100; i++) {
		latch_and_present(NULL, BEGIN + 2 * i * V60 - V60);
		frame(&app_a, BEGIN + 2 * i * V60, 300 * US);
	}
	run_with_late_frames(BEGIN + 199 * V60, false);
	phone_end(&phone);
	expect_summary(SURFACE_A, "cadence 2 late_frames 6 gpu_bound 6");
}

static void release(struct app *app, uint64_t time_ns, uint64_t wait_ns)
{
	unsigned int fence = app->releases++;

	slice_of(app->pid, app->pid + 1, time_ns,
		 formatted(wait_ns ? "Trace HWC release fence %u"
				   : "HWC release fence %u has signaled",
			   fence));
	if (!wait_ns)
		return;
	write_of(app->pid, app->pid + 3, TRACE_SLICE_BEGIN, time_ns + 10 * US,
		 formatted("waiting for HWC release %u", fence), 0);
	write_of(app->pid, app->pid + 3, TRACE_SLICE_END, time_ns + wait_ns, "", 0);
}

TEST_ON(phone_9, test_waits_for_buffers_are_of_the_next_frame_of_the_thread)
{
	uint64_t present_ns = BEGIN;

	app_b.pid = app_a.pid + 64;
	for (unsigned int i = 0; i < 60; i++) {
		bool late = i % 10 == 9;

		present_ns += late ? 2 * V60 : V60;
		release(&app_a, present_ns - 15000 * US, late ? 4000 * US : 0);
		/* Another thread does not disturb it, whatever its number is. */
		release(&app_b, present_ns - 10500 * US, 0);
		frame(&app_a, present_ns, 300 * US);
	}
	phone_end(&phone);
	assert_int_equal(summary_of(SURFACE_A).release_p99_ns, 4000 * US);
	expect_summary(SURFACE_A, "late 6 late_released 6");
}

/* More threads than there is space for wait for a buffer, then another one queues its own. */
TEST_ON(phone_9, test_a_place_in_the_table_keeps_nothing_of_its_last_thread)
{
	options.max_threads = 16;
	start(PHONE_9);
	for (unsigned int i = 0; i < 60; i++) {
		uint64_t present_ns = BEGIN + i * V60;

		for (app_b.pid = 3000; app_b.pid < 3400; app_b.pid += 10) {
			slice_of(app_b.pid, app_b.pid + 1, present_ns - 16000 * US, "queueBuffer");
			release(&app_b, present_ns - 15000 * US, 4000 * US);
		}
		frame(&app_a, present_ns, 300 * US);
	}
	phone_end(&phone);
	assert_int_equal(summary_of(SURFACE_A).release_p99_ns, ROW_UNKNOWN);
}

TEST(test_a_surface_without_vsyncs_of_its_app_paces_itself)
{
	static const struct {
		bool ticks, own, other, paces_itself;
	} cases[] = {
		{ false, false, false, true }, /* nothing tells when the app should draw */
		{ true, false, false, false }, /* it follows the ticks */
		{ true, false, true, true },   /* a doFrame of another process */
		{ true, true, true, false },   /* its own doFrame for each frame */
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		set_up(NULL);
		start(PHONE_9);
		for (unsigned int n = 0; n < 60; n++) {
			uint64_t present_ns = BEGIN + n * V60;

			phone.now_ns = present_ns - 12000 * US;
			if (cases[i].ticks)
				phone_write(&phone, TRACE_COUNTER, 407, "VSYNC-app", n % 2);
			if (cases[i].own)
				slice_of(app_a.pid, app_a.pid, present_ns - 11500 * US,
					 "Choreographer#doFrame 5");
			if (cases[i].other)
				slice_of(app_b.pid, app_b.pid, present_ns - 11400 * US,
					 "Choreographer#doFrame 5");
			frame(&app_a, present_ns, 300 * US);
		}
		phone_end(&phone);
		assert_int_equal(summary_of(SURFACE_A).paces_itself, cases[i].paces_itself);
		if (i == 0)
			expect_summary(SURFACE_A, "paced 59 paced_itself 59");
	}
}

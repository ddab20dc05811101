/* SPDX-License-Identifier: Apache-2.0 */
/* Events missing from a trace are never jank, and always reported. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/phone.h"

#define V60 UINT64_C(16666667)
#define BEGIN (100 * SECOND)

static const char a[] = "com.a/com.a.Main#0";
static const char b[] = "com.b/com.b.Main#0";
#define SURFACE_A "com.a/com.a.Main"

static struct phone phone;
static struct pipeline_options options;

static int set_up(void **state)
{
	options = PIPELINE_OPTIONS_DEFAULT;
	options.type = 2;
	return 0;
}

static int tear_down(void **state)
{
	phone_stop(&phone);
	return 0;
}

FIXTURE(set_up, tear_down)

static void start(enum phone_age age)
{
	phone_start(&phone, age, &options);
}

static void on_every_phone(void (*play)(void))
{
	for (enum phone_age age = PHONE_9; age <= PHONE_14; age++) {
		if (age > PHONE_9)
			phone_stop(&phone);
		start(age);
		play();
	}
}

static const struct pipeline_counters *counters(void)
{
	return pipeline_counters(phone.pipeline);
}

static const struct frame_row *frame_of(const char *layer, size_t n)
{
	for (size_t i = 0; i < phone.log.n_frames; i++)
		if (strcmp(phone.log.frames[i].layer, layer) == 0 && n-- == 0)
			return &phone.log.frames[i];
	fail_msg("there is no such frame of %s", layer);
	return NULL;
}

static size_t unknown_intervals(void)
{
	size_t n = 0;

	for (size_t i = 0; i < phone.log.n_frames; i++)
		n += phone.log.frames[i].interval_ns < 0;
	return n;
}

/* Sums over the rows of a surface. */
static struct frame_stats sums(void)
{
	struct frame_stats sum = { 0 };

	for (size_t i = 0; i < phone.log.n_fps; i++) {
		const struct frame_stats *row = &phone.log.fps[i].stats;

		sum.frames += row->frames;
		sum.waits += row->waits;
		sum.a += row->a;
		sum.b += row->b;
		sum.d += row->d;
		sum.missed += row->missed;
		sum.jank += row->jank + row->small_jank;
		sum.lost += row->lost;
		assert_int_not_equal(row->lost, ROW_UNKNOWN);
	}
	return sum;
}

static void expect_no_jank(void)
{
	struct frame_stats sum = sums();

	assert_int_equal(sum.a + sum.b, 0);
	assert_int_equal(sum.d, 0);
	assert_int_equal(sum.missed, 0);
	assert_int_equal(sum.jank, 0);
	assert_int_equal(sum.waits, 0);
	assert_int_equal(phone.log.n_drops, 0);
}

/* --- a loss between two frames --- */

static void play_gap(void)
{
	phone_run(&phone, a, BEGIN, V60, 30);
	phone_lost(&phone, 1, 77);
	phone_run(&phone, a, BEGIN + 37 * V60, V60, 30);
	phone_end(&phone);
	assert_int_equal(phone.log.n_frames, 60);
	assert_int_equal(frame_of(a, 30)->interval_ns, ROW_UNKNOWN);
	assert_int_equal(frame_of(a, 30)->vsyncs, ROW_UNKNOWN);
	assert_int_equal(frame_of(a, 30)->lost, 77);
	assert_int_equal(frame_of(a, 31)->vsyncs, 1);
	assert_int_equal(unknown_intervals(), 2);
	assert_int_equal(sums().frames, 58);
	assert_int_equal(sums().lost, 77);
	expect_no_jank();
}

TEST(test_a_gap_with_loss_is_no_jank)
{
	on_every_phone(play_gap);
}

/* Longer than any frame time: frames may have been lost, so it is not a wait. */
TEST(test_a_long_gap_with_loss_is_no_wait)
{
	start(PHONE_9);
	phone_run(&phone, a, BEGIN, V60, 30);
	phone_lost(&phone, 1, 77);
	phone_run(&phone, a, BEGIN + 3 * SECOND, V60, 30);
	phone_end(&phone);
	assert_int_equal(unknown_intervals(), 2);
	expect_no_jank();
}

/* Between two presents that are one vsync apart no frame can be missing. */
TEST(test_interval_of_one_vsync_is_known_across_a_loss)
{
	start(PHONE_14);
	phone_run(&phone, a, BEGIN, V60, 30);
	phone_lost(&phone, 1, 77);
	phone.n_commits--; /* no frame was lost */
	phone_run(&phone, a, BEGIN + 30 * V60, V60, 30);
	phone_end(&phone);
	assert_int_equal(frame_of(a, 30)->vsyncs, 1);
	assert_int_equal(frame_of(a, 30)->lost, 77);
	assert_int_equal(sums().frames, 59);
	expect_no_jank();
}

TEST(test_jank_after_a_loss_is_counted)
{
	start(PHONE_9);
	phone_run(&phone, a, BEGIN, V60, 30);
	phone_lost(&phone, 1, 77);
	phone_run(&phone, a, BEGIN + 37 * V60, V60, 30);
	phone_run(&phone, a, BEGIN + 73 * V60, V60, 30);
	phone_end(&phone);
	assert_int_equal(sums().d, 1);
	assert_int_equal(sums().jank, 1);
	assert_int_equal(sums().missed, 6);
	assert_int_equal(phone.log.n_drops, 1);
}

/* The frames that jank is compared with are dropped, as after a wait. */
TEST(test_loss_clears_the_history_of_jank)
{
	start(PHONE_9);
	phone_run(&phone, a, BEGIN, V60, 30);
	phone_lost(&phone, 1, 77);
	phone_frame(&phone, BEGIN + 37 * V60, a);
	phone_run(&phone, a, BEGIN + 44 * V60, V60, 30);
	phone_end(&phone);
	assert_int_equal(sums().d, 1);
	assert_int_equal(sums().jank, 0);
}

/* --- where the hole is --- */

/* The kernel reports the loss of CPU 2 before the next event of that CPU. Frames on CPU 1 wait
 * until then: frames that were lost between them do not count as missed vsyncs. */
TEST(test_intervals_before_the_report_of_a_loss_are_unknown)
{
	start(PHONE_14);
	phone_run(&phone, a, BEGIN, V60, 20);
	phone.cpu = 2;
	phone_frame(&phone, BEGIN + 20 * V60, a);
	phone.cpu = 1;
	phone_frame(&phone, BEGIN + 21 * V60, a);
	phone.n_commits += 2;
	phone_frame(&phone, BEGIN + 24 * V60, a); /* the two frames before it were on CPU 2 */
	phone.n_commits += 2;
	phone_frame(&phone, BEGIN + 27 * V60, a);
	phone.cpu = 2;
	phone_lost(&phone, 2, 900);
	phone_frame(&phone, BEGIN + 29 * V60, a);
	phone_run(&phone, a, BEGIN + 30 * V60, V60, 30);
	phone_end(&phone);
	assert_int_equal(frame_of(a, 20)->lost, 0);
	assert_int_equal(frame_of(a, 21)->lost, 900);
	assert_int_equal(frame_of(a, 21)->vsyncs, 1);
	for (size_t i = 22; i < 25; i++) {
		assert_int_equal(frame_of(a, i)->lost, 0);
		assert_int_equal(frame_of(a, i)->vsyncs, ROW_UNKNOWN);
	}
	assert_int_equal(sums().lost, 900);
	expect_no_jank();
}

/* A CPU without any event so far may have lost events at any time. */
TEST(test_loss_of_a_silent_cpu_makes_earlier_intervals_unknown)
{
	start(PHONE_9);
	phone_run(&phone, a, BEGIN, V60, 20);
	phone_run(&phone, a, BEGIN + 21 * V60, V60, 4);
	phone_lost(&phone, 5, 900);
	phone_run(&phone, a, BEGIN + 25 * V60, V60, 4);
	phone_end(&phone);
	assert_int_equal(frame_of(a, 20)->vsyncs, ROW_UNKNOWN);
	expect_no_jank();
}

TEST(test_intervals_before_the_hole_stay_known)
{
	start(PHONE_9);
	phone_run(&phone, a, BEGIN, V60, 20);
	phone_run(&phone, a, BEGIN + 22 * V60, V60, 20);
	phone_lost(&phone, 1, 900);
	phone_run(&phone, a, BEGIN + 45 * V60, V60, 4);
	phone_end(&phone);
	assert_int_equal(frame_of(a, 20)->vsyncs, 3);
	assert_int_equal(sums().d, 1);
}

/* --- open rows, waiting frames, counters --- */

/* The present after this latch was lost: the next present belongs to another frame. */
static void play_stale_latch(void)
{
	phone_run(&phone, a, BEGIN, V60, 20);
	phone_run(&phone, b, BEGIN + 20 * V60, V60, 1);
	phone.now_ns = BEGIN + 21 * V60 - MS;
	phone_begin(&phone, phone.age == PHONE_9 ? "handleMessageInvalidate" : "commit 1234");
	phone_latch(&phone, a);
	phone_lost(&phone, 1, 50);
	phone_run(&phone, b, BEGIN + 23 * V60, V60, 20);
	phone_end(&phone);
	assert_int_equal(row_log_count_frames(&phone.log, a), 20);
	assert_int_equal(row_log_count_frames(&phone.log, b), 21);
}

TEST(test_latch_without_its_present_is_stale)
{
	on_every_phone(play_stale_latch);
}

/* The same, but the loss is not reported yet: another present gets the latch. */
TEST(test_latch_attributed_to_another_present_is_stale)
{
	start(PHONE_14);
	phone.cpu = 2;
	phone_run(&phone, a, BEGIN, V60, 39);
	phone.cpu = 1;
	phone.now_ns = BEGIN + 40 * V60 - MS;
	phone_begin(&phone, "commit 1234");
	phone_latch(&phone, a);
	phone_end_slices(&phone, 1);
	phone_compose(&phone, BEGIN + 41 * V60, 1);
	phone_run(&phone, a, BEGIN + 42 * V60, 2 * V60, 10);
	phone_lost(&phone, 2, 50);
	phone.cpu = 2;
	phone_run(&phone, a, BEGIN + 62 * V60, 2 * V60, 20);
	phone_end(&phone);
	assert_int_equal(row_log_count_frames(&phone.log, a), 39 + 30);
	assert_int_equal(counters()->stale_frames, 1);
	for (size_t i = 39; i < phone.log.n_frames; i++)
		assert_true(phone.log.frames[i].vsyncs != 1);
}

/* A latch in a hole that waits long for its present may still be a frame: SurfaceFlinger was
 * delayed, and presents it and the next one within a vsync. That vsync is not an interval of one
 * frame. */
TEST(test_latch_with_a_late_present_in_a_hole_is_stale)
{
	const uint64_t held_up = BEGIN + 21 * V60 - 2 * MS;

	start(PHONE_14);
	phone_run(&phone, a, BEGIN, V60, 21);
	phone.now_ns = held_up - 14 * MS;
	phone_begin(&phone, "commit 1234");
	phone_latch(&phone, a);
	phone.n_commits++;
	phone_end_slices(&phone, 1);
	phone_compose(&phone, held_up, 1);
	phone_frame(&phone, BEGIN + 21 * V60, a);
	phone_lost(&phone, 2, 50);
	phone.n_commits--; /* no other frame was lost */
	phone_run(&phone, a, BEGIN + 22 * V60, V60, 20);
	phone_end(&phone);
	assert_int_equal(counters()->stale_frames, 1);
	assert_int_equal(frame_of(a, 21)->present_ns, BEGIN + 21 * V60);
	assert_int_equal(frame_of(a, 21)->vsyncs, ROW_UNKNOWN);
	assert_int_equal(frame_of(a, 22)->vsyncs, 1);
	assert_int_equal(unknown_intervals(), 2);
}

/* SurfaceFlinger was delayed: a frame was three quarters of a vsync late, the next one, which was
 * lost, on time. The distance from the late one to the third is closer to one vsync than to two. */
TEST(test_intervals_of_a_late_frame_in_a_hole_are_unknown)
{
	start(PHONE_14);
	phone_run(&phone, a, BEGIN, V60, 21);
	phone_frame(&phone, BEGIN + 21 * V60 + 12 * MS, a);
	phone.n_commits++;
	phone_run(&phone, a, BEGIN + 23 * V60, V60, 5);
	phone_lost(&phone, 2, 50);
	phone.n_commits--; /* no frame was lost */
	phone_run(&phone, a, BEGIN + 28 * V60, V60, 10);
	phone_end(&phone);
	assert_int_equal(frame_of(a, 21)->vsyncs, 2); /* its number proves that none is missing */
	assert_int_equal(frame_of(a, 22)->vsyncs, ROW_UNKNOWN);
	for (size_t i = 24; i <= 30; i++)
		assert_int_equal(frame_of(a, i)->vsyncs, 1);
}

/* A frame that is a whole vsync late looks as if it were on time: the buffer numbers decide. */
TEST(test_buffer_numbers_show_missing_frames_in_a_hole)
{
	start(PHONE_14);
	phone_run(&phone, a, BEGIN, V60, 22);
	phone.n_commits++;
	phone_run(&phone, a, BEGIN + 22 * V60, V60, 3);
	phone_lost(&phone, 2, 50);
	phone.n_commits--; /* no frame was lost here */
	phone_run(&phone, a, BEGIN + 25 * V60, V60, 10);
	phone_end(&phone);
	assert_int_equal(frame_of(a, 21)->vsyncs, 1);
	assert_int_equal(frame_of(a, 22)->vsyncs, ROW_UNKNOWN);
	assert_int_equal(frame_of(a, 23)->vsyncs, 1);
}

/* The buffer count increased during a loss: the latch is found although the next value is not
 * lower. */
TEST(test_loss_clears_the_buffer_counts)
{
	start(PHONE_14);
	phone_tick(&phone, BEGIN);
	for (unsigned int i = 1; i < 20; i++) {
		uint64_t present_ns = BEGIN + i * V60;

		phone_tick(&phone, present_ns - 2 * MS);
		phone.now_ns = present_ns - MS;
		phone_begin(&phone, "commit 1234");
		phone_write(&phone, TRACE_COUNTER, 0, "BufferTX - com.c/com.c.Main#9", 7);
		phone_end_slices(&phone, 1);
		phone_compose(&phone, present_ns, 1);
		phone_lost(&phone, 1, 50);
	}
	phone_end(&phone);
	assert_int_equal(row_log_count_frames(&phone.log, "com.c/com.c.Main#9"), 19);
	assert_int_equal(counters()->lost_events, 19 * 50);
}

/* The queue time from before the loss may be that of another buffer. */
TEST(test_loss_clears_the_queue_times)
{
	start(PHONE_9);
	phone_run(&phone, a, BEGIN, V60, 20);
	phone_queue(&phone, BEGIN + 20 * V60 - 5 * MS, a, 1);
	phone_lost(&phone, 1, 50);
	phone.now_ns = BEGIN + 22 * V60 - MS;
	phone_begin(&phone, "handleMessageInvalidate");
	phone_latch(&phone, a);
	phone_end_slices(&phone, 1);
	phone_compose(&phone, BEGIN + 22 * V60, 1);
	phone_end(&phone);
	assert_int_equal(frame_of(a, 20)->queued_ns, ROW_UNKNOWN);
	assert_true(frame_of(a, 19)->queued_ns > 0);
}

/* --- holes without a record --- */

TEST(test_a_hole_is_no_jank)
{
	start(PHONE_13);
	phone_run(&phone, a, BEGIN, V60, 60);
	pipeline_hole(phone.pipeline, phone.now_ns);
	phone_run(&phone, a, BEGIN + 75 * V60, V60, 60);
	phone_end(&phone);
	assert_int_equal(unknown_intervals(), 2);
	assert_int_equal(frame_of(a, 60)->lost, ROW_UNKNOWN);
	assert_int_equal(counters()->holes, 1);
	assert_int_equal(counters()->lost_unknown, 1);
	assert_int_equal(phone.log.n_drops, 0);
	for (size_t i = 0; i < phone.log.n_fps; i++)
		assert_int_equal(phone.log.fps[i].stats.d, 0);
	assert_int_equal(row_log_count_events(&phone.log, TRACE_EVENT_LOST), 0);
}

/* The hole is detected late: frames may be missing since its start. */
TEST(test_hole_detected_late_covers_earlier_frames)
{
	start(PHONE_9);
	phone_run(&phone, a, BEGIN, V60, 30);
	phone_run(&phone, a, BEGIN + 33 * V60, V60, 10);
	pipeline_hole(phone.pipeline, BEGIN + 30 * V60);
	phone_run(&phone, a, BEGIN + 50 * V60, V60, 10);
	phone_end(&phone);
	assert_int_equal(frame_of(a, 30)->vsyncs, ROW_UNKNOWN);
	assert_int_equal(frame_of(a, 40)->vsyncs, ROW_UNKNOWN);
	assert_int_equal(unknown_intervals(), 3);
}

/* Events from before the hole are still in buffers of other CPUs: they do not end it. */
TEST(test_events_from_before_a_hole_do_not_end_it)
{
	start(PHONE_9);
	phone_run(&phone, a, BEGIN, V60, 30);
	pipeline_hole(phone.pipeline, BEGIN + 33 * V60);
	phone_run(&phone, a, BEGIN + 30 * V60, V60, 3);
	phone_run(&phone, a, BEGIN + 36 * V60, V60, 30);
	phone_end(&phone);
	assert_int_equal(frame_of(a, 30)->vsyncs, 1);
	assert_int_equal(frame_of(a, 33)->vsyncs, ROW_UNKNOWN);
	assert_int_equal(unknown_intervals(), 2);
}

/* The hole ended before the composition began: what is open then is no older than that. */
TEST(test_report_of_a_loss_within_a_latch_keeps_the_latch)
{
	uint64_t present_ns = BEGIN + 30 * V60;

	start(PHONE_9);
	phone_run(&phone, a, BEGIN, V60, 30);
	phone_queue(&phone, present_ns - 3 * MS, a, 1);
	phone_tick(&phone, present_ns - 2 * MS);
	phone.now_ns = present_ns - MS;
	phone_begin(&phone, "onMessageReceived");
	phone_begin(&phone, "handleMessageInvalidate");
	phone_begin(&phone, "latchBuffer");
	phone_begin(&phone, "acquireBuffer");
	phone_lost(&phone, phone.cpu + 1, 50);
	phone_write(&phone, TRACE_COUNTER, 0, a, 0);
	phone_end_slices(&phone, 4);
	phone_compose(&phone, present_ns, 1);
	phone_run(&phone, a, present_ns + V60, V60, 20);
	phone_end(&phone);
	assert_int_equal(phone.log.n_frames, 51);
	assert_int_equal(frame_of(a, 30)->vsyncs, 1);
	assert_int_equal(frame_of(a, 31)->vsyncs, 1);
}

/* The frame with that buffer was lost, and a later one shows the buffer again. */
TEST(test_buffer_that_is_shown_again_proves_nothing)
{
	char name[100];

	start(PHONE_14);
	phone_run(&phone, a, BEGIN, V60, 30);
	phone_lost(&phone, phone.cpu, 50);
	snprintf(name, sizeof(name), "latchBuffer %s - %u", a, phone.n_commits);
	phone_tick(&phone, BEGIN + 33 * V60 - 2 * MS);
	phone.now_ns = BEGIN + 33 * V60 - MS;
	phone_begin(&phone, "commit 1234");
	phone_write(&phone, TRACE_INSTANT, 0, name, 0);
	phone_end_slices(&phone, 1);
	phone_compose(&phone, BEGIN + 33 * V60, 1);
	phone_run(&phone, a, BEGIN + 34 * V60, V60, 20);
	phone_end(&phone);
	assert_int_equal(frame_of(a, 30)->frame_number, frame_of(a, 29)->frame_number + 1);
	assert_int_equal(frame_of(a, 30)->vsyncs, ROW_UNKNOWN);
}

/* The CPU that lost the frame writes its next event 1.3 s later. */
TEST(test_frames_of_a_recorded_trace_wait_for_silent_cpus)
{
	options.recorded = true;
	start(PHONE_9);
	phone.cpu = 3;
	phone_run(&phone, a, BEGIN, V60, 10);
	phone_lost(&phone, 3, 5);
	phone_frame(&phone, BEGIN + 10 * V60, a);
	phone.cpu = 1;
	phone_run(&phone, a, BEGIN + 11 * V60, V60, 19);
	phone_run(&phone, a, BEGIN + 31 * V60, V60, 80);
	phone.cpu = 3;
	phone_lost(&phone, 3, 60);
	phone_run(&phone, a, BEGIN + 111 * V60, V60, 20);
	phone_end(&phone);
	assert_int_equal(frame_of(a, 29)->vsyncs, 1);
	assert_int_equal(frame_of(a, 30)->vsyncs, ROW_UNKNOWN);
	assert_int_equal(frame_of(a, 31)->vsyncs, 1);
}

/* The buffers of all CPUs ran over before the trace began. CPU 3 writes its first event 1.3 s after
 * CPU 2. */
TEST(test_a_trace_that_begins_with_a_loss_may_have_more)
{
	options.recorded = true;
	start(PHONE_9);
	phone.cpu = 1;
	phone_run(&phone, a, BEGIN, V60, 5);
	phone_lost(&phone, 2, 70);
	phone_run(&phone, a, BEGIN + 5 * V60, V60, 20);
	phone_run(&phone, a, BEGIN + 26 * V60, V60, 60);
	phone_lost(&phone, 3, 70);
	phone_run(&phone, a, BEGIN + 86 * V60, V60, 20);
	phone_end(&phone);
	assert_int_equal(frame_of(a, 25)->vsyncs, ROW_UNKNOWN);
	assert_int_equal(frame_of(a, 90)->vsyncs, 1);
}

TEST(test_pending_loss_lasts_until_it_is_cleared)
{
	start(PHONE_14);
	phone_run(&phone, a, BEGIN, V60, 30);
	pipeline_set_loss_pending(phone.pipeline, true);
	phone_run(&phone, a, BEGIN + 31 * V60, 2 * V60, 100); /* far more than the queue holds */
	phone_lost(&phone, 2, 100);
	pipeline_set_loss_pending(phone.pipeline, false);
	phone_run(&phone, a, BEGIN + 231 * V60, V60, 30);
	phone_run(&phone, a, BEGIN + 263 * V60, V60, 30);
	phone_end(&phone);
	assert_int_equal(sums().d, 1);
	assert_int_equal(sums().missed, 2);
	assert_int_equal(sums().lost, 100);
}

/* --- every lost event is reported --- */

TEST(test_lost_events_of_rows_and_cpus_add_up)
{
	int64_t total = 0;

	start(PHONE_9);
	for (unsigned int i = 0; i < 400; i++) {
		phone_frame(&phone, BEGIN + i * V60, a);
		if (i % 3 == 0) {
			phone_lost(&phone, (int)(i % 100), i);
			total += i;
		}
	}
	phone_end(&phone);
	assert_int_equal(sums().lost, total);
	assert_int_equal(counters()->lost_events, total);
	for (size_t i = 0; i <= PIPELINE_CPUS; i++)
		total -= (int64_t)counters()->lost_by_cpu[i];
	assert_int_equal(total, 0);
	assert_true(counters()->lost_by_cpu[PIPELINE_CPUS] > 0);
}

/* The layer has no later frame: its last frames may have been lost. */
TEST(test_loss_after_the_last_frame_is_in_its_row)
{
	start(PHONE_9);
	phone_run(&phone, a, BEGIN, V60, 30);
	phone_lost(&phone, 1, 12);
	phone_run(&phone, b, BEGIN + 40 * V60, V60, 600);
	phone_end(&phone);
	assert_int_equal(row_log_fps(&phone.log, SURFACE_A, 0)->stats.lost, 12);
}

TEST(test_loss_at_the_end_of_the_trace_is_in_the_row)
{
	start(PHONE_9);
	phone_run(&phone, a, BEGIN, V60, 30);
	phone_lost(&phone, 1, 12);
	phone_end(&phone);
	assert_int_equal(sums().lost, 12);
}

TEST(test_events_add_up_to_all_lost_events)
{
	unsigned long long sum = 0, events;

	start(PHONE_9);
	for (unsigned int i = 0; i < 1000; i++) {
		phone_frame(&phone, BEGIN + i * V60, a);
		phone_lost(&phone, 1, 3);
	}
	phone_end(&phone);
	for (size_t i = 0; i < phone.log.n_events; i++)
		if (phone.log.events[i].kind == TRACE_EVENT_LOST &&
		    sscanf(strchr(phone.log.events[i].text, ':'), ": %llu", &events) == 1)
			sum += events;
	assert_int_equal(sum, 3000);
	assert_in_range(row_log_count_events(&phone.log, TRACE_EVENT_LOST), 2, 200);
}

/* No kernel counts that far: the number is not added to the real losses. */
TEST(test_impossible_number_of_lost_events_is_unknown)
{
	start(PHONE_9);
	phone_run(&phone, a, BEGIN, V60, 30);
	for (unsigned int i = 0; i < 100; i++)
		phone_lost(&phone, 1, INT64_MAX - 5);
	phone_end(&phone);
	assert_int_equal(counters()->lost_events, 0);
	assert_int_equal(counters()->lost_unknown, 100);
}

/* --- another SurfaceFlinger --- */

static void play_restart(void)
{
	const char *const again[] = { a, NULL };

	phone_run(&phone, a, BEGIN, V60, 60);
	/* It ends in the middle of a latch. */
	phone_begin(&phone, "handleMessageInvalidate");
	phone_begin(&phone, "latchBuffer");
	phone_begin(&phone, "acquireBuffer");
	phone.sf_tid = phone.sf_tgid = phone.sf_pid = 2406;
	phone_frames(&phone, BEGIN + 3 * SECOND, again);
	phone_run(&phone, a, BEGIN + 3 * SECOND + V60, V60, 59);
	phone_end(&phone);
	assert_int_equal(row_log_count_frames(&phone.log, a), 120);
	assert_int_equal(frame_of(a, 60)->interval_ns, ROW_UNKNOWN);
	for (size_t i = 61; i < 120; i++)
		assert_int_equal(frame_of(a, i)->vsyncs, 1);
	assert_int_equal(counters()->surfaceflinger_restarts, 1);
	expect_no_jank();
}

TEST(test_no_interval_across_a_restart)
{
	on_every_phone(play_restart);
}

/* Its frames are still queued when the next SurfaceFlinger presents: they belong to the old one. */
TEST(test_restart_at_another_rate_keeps_old_frames)
{
	start(PHONE_14);
	phone_run(&phone, a, BEGIN, V60, 60);
	phone.sf_tid = phone.sf_tgid = phone.sf_pid = 2406;
	phone_run(&phone, a, BEGIN + 60 * V60 + SECOND, V60 / 2, 240);
	phone_end(&phone);
	for (size_t i = 61; i < 300; i++) {
		assert_int_equal(frame_of(a, i)->vsyncs, 1);
		assert_in_range(frame_of(a, i)->interval_ns, 8200000, 8400000);
	}
	assert_int_equal(unknown_intervals(), 2);
	expect_no_jank();
}

/* --- counters --- */

TEST(test_unattributed_presents_and_late_records_are_counted)
{
	start(PHONE_9);
	phone_run(&phone, a, BEGIN, V60, 60);
	phone_compose(&phone, BEGIN + 60 * V60, 1);
	phone_compose(&phone, BEGIN + 61 * V60, 2);
	phone.now_ns = BEGIN / 2;
	phone_write(&phone, TRACE_COUNTER, 0, "late", 1);
	phone_run(&phone, a, BEGIN + 62 * V60, V60, 60);
	assert_int_equal(counters()->unattributed_presents, 2);
	assert_int_equal(counters()->late, 1);
	/* 600 ms of frames, and as many presents. */
	assert_in_range(counters()->queue_high_water, 60, 100);
	assert_int_equal(counters()->surfaceflinger_restarts, 0);
}

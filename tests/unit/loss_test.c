/* SPDX-License-Identifier: Apache-2.0 */
/* Events missing from a trace are never jank, and always reported. */
#include "tests/unit/one_phone.h"

static int set_up(void **state)
{
	default_options(state);
	options.type = 2;
	return 0;
}

FIXTURE(set_up, stop_phone)

/* --- where the hole is --- */

#define EVERY (PHONE_14 + 1)

static const struct {
	const char *name;
	enum phone_age age; /* EVERY: all of them */
	bool recorded;
	const char *steps;  /* of draw() */
	const char *vsyncs; /* vsyncs_of() the layer */
	int64_t lost;	    /* events in all rows */
	unsigned int at;    /* number of the frame with them; 0: none */
	int64_t d, jank;    /* frames of several vsyncs, and those of them that are jank */
} cases[] = {
	{ "a gap with a loss is no jank", EVERY, false, "a0-29 lost 1 77 a37-66", "? 1x29 ? 1x29",
	  77, 30, 0, 0 },
	{ "a long gap with a loss is no wait", PHONE_9, false, "a0-29 lost 1 77 a210-239",
	  "? 1x29 ? 1x29", 77, 30, 0, 0 },
	{ "no frame can be missing in one vsync", PHONE_14, false, "a0-29 lost 1 77 more -1 a30-59",
	  "? 1x59", 77, 30, 0, 0 },
	{ "jank after a loss is counted", PHONE_9, false, "a0-29 lost 1 77 a37-66 a73-102",
	  "? 1x29 ? 1x29 7 1x29", 77, 30, 1, 1 },
	{ "a loss clears the frames that jank is compared with", PHONE_9, false,
	  "a0-29 lost 1 77 a37-37 a44-73", "? 1x29 ? 7 1x29", 77, 30, 1, 0 },
	/* CPU 2 reports its loss with its next event: frames on CPU 1 wait until then. */
	{ "intervals before the report of a loss are unknown", PHONE_14, false,
	  "a0-19 cpu 2 a20-20 cpu 1 a21-21 more 2 a24-24 more 2 a27-27 cpu 2 lost 2 900 a29-59",
	  "? 1x21 ?x3 1x30", 900, 24, 0, 0 },
	{ "a CPU without any event may have lost some at any time", PHONE_9, false,
	  "a0-19 a21-24 lost 5 900 a25-28", "? 1x19 ? 1x7", 900, 24, 0, 0 },
	{ "intervals before the hole stay known", PHONE_9, false, "a0-19 a22-41 lost 1 900 a45-48",
	  "? 1x19 3 1x19 ? 1x3", 900, 40, 1, 1 },
	{ "buffer numbers show missing frames", PHONE_14, false,
	  "a0-21 more 1 a22-24 lost 2 50 more -1 a25-34", "? 1x21 ? 1x12", 50, 25, 0, 0 },
	{ "a hole that is detected late covers earlier frames", PHONE_9, false,
	  "a0-29 a33-42 hole 30 a50-59", "? 1x29 ? 1x9 ? 1x9", ROW_UNKNOWN, 30, 0, 0 },
	{ "events from before a hole do not end it", PHONE_9, false, "a0-29 hole 33 a30-32 a36-65",
	  "? 1x32 ? 1x29", ROW_UNKNOWN, 33, 0, 0 },
	/* The CPU that lost the frame writes its next event 1.3 s later. */
	{ "frames of a recorded trace wait for silent CPUs", PHONE_9, true,
	  "cpu 3 a0-9 lost 3 5 a10-10 cpu 1 a11-29 a31-110 cpu 3 lost 3 60 a111-130",
	  "? 1x29 ? 1x99", 65, 10, 0, 0 },
	/* The buffers of all CPUs ran over before it began. CPU 3 begins 1.3 s after CPU 2. */
	{ "a trace that begins with a loss may have more", PHONE_9, true,
	  "a0-4 lost 2 70 a5-24 a26-85 lost 3 70 a86-105", "? 1x24 ? 1x79", 140, 5, 0, 0 },
	{ "a loss at the end of the trace is in the row", PHONE_9, false, "a0-29 lost 1 12",
	  "? 1x29", 12, 0, 0, 0 },
	{ "a hole without a record", PHONE_13, false, "a0-59 hole 60 a75-134", "? 1x59 ? 1x59",
	  ROW_UNKNOWN, 60, 0, 0 },
	/* The hole ended before the composition began: what is open then is no older than that. */
	{ "a loss that is reported within a latch keeps the latch", PHONE_9, false,
	  "a0-29 at 30 -3 queue a at 30 -2 tick at 30 -1 begin onMessageReceived "
	  "begin handleMessageInvalidate begin latchBuffer begin acquireBuffer lost 2 50 count a 0 "
	  "end 4 compose 30 a31-50",
	  "? 1x50", 50, 30, 0, 0 },
	/* SurfaceFlinger was delayed: a frame was three quarters of a vsync late, the next one,
	 * which was lost, on time. The distance from the late one to the third is closer to one
	 * vsync than to two. The number of the late one proves that none is missing before it. */
	{ "intervals of a late frame in a hole are unknown", PHONE_14, false,
	  "a0-20 a21+12 more 1 a23-27 lost 2 50 more -1 a28-37", "? 1x20 2 ? 1x14", 50, 27, 1, 0 },
	{ "the last event before a hole is of a CPU whose clock is behind", EVERY, false,
	  "a0-20 at 20 -6 cpu 3 begin X end 1 lost 3 50 a22-41", "? 1x20 ? 1x19", 50, 20, 0, 0 },
	{ "a restart in the middle of a latch", EVERY, false,
	  "a0-59 begin handleMessageInvalidate begin latchBuffer begin acquireBuffer sf 2406 "
	  "a180-239",
	  "? 1x59 ? 1x59", 0, 0, 0, 0 },
};

static size_t first_with_lost(void)
{
	for (size_t i = 0; i < phone.log.n_frames; i++)
		if (phone.log.frames[i].lost != 0)
			return i;
	return 0;
}

/* The vsyncs between frames, beyond one each. */
static int64_t missed(void)
{
	int64_t sum = 0;

	for (size_t i = 0; i < phone.log.n_frames; i++)
		sum += phone.log.frames[i].vsyncs > 0 ? phone.log.frames[i].vsyncs - 1 : 0;
	return sum;
}

static void check_case(size_t i)
{
	const char *got = vsyncs_of(a);
	const struct frame_stats sum = sum_of(NULL);

	if (strcmp(got, cases[i].vsyncs) != 0 || sum.lost != cases[i].lost ||
	    first_with_lost() != cases[i].at || sum.d != cases[i].d || sum.missed != missed() ||
	    (int64_t)(sum.jank + sum.small_jank) != cases[i].jank || sum.waits != 0 ||
	    (int64_t)phone.log.n_drops != cases[i].d)
		fail_msg("%s (phone %d): vsyncs %s, lost %d at %zu, d %d, missed %d, jank %d, "
			 "waits %d, drops %zu",
			 cases[i].name, phone.age, got, (int)sum.lost, first_with_lost(),
			 (int)sum.d, (int)sum.missed, (int)(sum.jank + sum.small_jank),
			 (int)sum.waits, phone.log.n_drops);
}

TEST(test_only_intervals_in_a_hole_are_unknown)
{
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const bool every = cases[i].age == EVERY;

		options.recorded = cases[i].recorded;
		for (enum phone_age age = every ? PHONE_9 : cases[i].age;
		     age <= (every ? PHONE_14 : cases[i].age); age++) {
			start(age);
			play(cases[i].steps);
			check_case(i);
		}
	}
}

/* --- open rows, waiting frames, counters --- */

/* The present after this latch was lost: the next present belongs to another frame. */
TEST_ON(every_phone, test_latch_without_its_present_is_stale)
{
	play("a0-19 b20 at 21 -1 commit latch a lost 1 50 b23-42");
	expect("a 20 b 21");
}

/* The same, but the loss is not reported yet: another present gets the latch. */
TEST_ON(phone_14, test_latch_attributed_to_another_present_is_stale)
{
	play("cpu 2 a0-38 cpu 1 at 40 -1 commit latch a end 1 compose 41 a42-60x2 lost 2 50 cpu 2 "
	     "a62-100x2");
	expect("a 69 stale_frames 1");
	assert_string_equal(vsyncs_of(a), "? 1x38 4 2x9 ? 2x19");
}

/* A latch in a hole that waits long for its present may still be a frame: SurfaceFlinger was
 * delayed, and presents it and the next one within a vsync. That vsync is not an interval of one
 * frame. */
TEST_ON(phone_14, test_latch_with_a_late_present_in_a_hole_is_stale)
{
	play("a0-20 at 21 -16 commit latch a more 1 end 1 compose 21 -2 a21 lost 2 50 more -1 "
	     "a22-41");
	expect("stale_frames 1");
	assert_int_equal(frame_of(a, 21)->present_ns, BEGIN + 21 * V60);
	assert_string_equal(vsyncs_of(a), "? 1x20 ? 1x20");
}

/* Behind the last event of a CPU another buffer may have been queued instead: before its loss is
 * reported, one is latched, and then one more is in the queue. What is queued after the report is
 * not in doubt, even at the time of that event. */
TEST_ON(every_phone, test_a_buffer_from_before_a_hole_is_not_the_latched_one)
{
	play("a0-19 at 20 -14 queue a at 20 -10 cpu 2 queue b cpu 1 at 20 -2 commit latch a "
	     "lost 2 50 end 1 compose 20 a21-29 at 30 -14 queue a at 30 -10 cpu 2 queue b cpu 1 "
	     "lost 2 50 at 30 -2 commit latch a end 1 compose 30 a31-39 at 40 -14 cpu 2 mark cpu 1 "
	     "lost 2 50 queue a at 40 -2 commit latch a end 1 compose 40 a41-50");
	for (size_t i = 0; i <= 50; i++)
		assert_int_equal(frame_of(a, i)->queued_ns == ROW_UNKNOWN, i == 20 || i == 30);
}

/* The buffer count increased during a loss: the latch is found although the next value is not
 * lower. */
TEST_ON(phone_14, test_loss_clears_the_buffer_counts)
{
	draw("at 0 0 tick");
	for (unsigned int i = 1; i < 20; i++)
		draw(formatted("at %u -2 tick commit count a 7 end 1 compose %u lost 1 50", i, i));
	phone_end(&phone);
	expect("a 19 lost_events 950");
}

/* The frame with that buffer was lost, and a later one shows the buffer again. */
TEST_ON(phone_14, test_buffer_that_is_shown_again_proves_nothing)
{
	draw("a0-29 lost 1 50 at 33 -2 tick at 33 -1 commit");
	phone_write(&phone, TRACE_INSTANT, 0, formatted("latchBuffer %s - 31", a), 0);
	play("end 1 compose 33 a34-53");
	assert_int_equal(frame_of(a, 30)->frame_number, frame_of(a, 29)->frame_number + 1);
	assert_string_equal(vsyncs_of(a), "? 1x29 ? 1x20");
}

/* The first frame, with buffer 0, does not show an earlier one again. */
TEST_ON(phone_14, test_numbers_from_0_on_prove_intervals)
{
	phone.n_commits = -1U;
	play("a0-38x2 lost 1 50 more -1 a40-78x2");
	assert_int_equal(frame_of(a, 0)->frame_number, 0);
	assert_string_equal(vsyncs_of(a), "? 2x39");
}

TEST_ON(phone_14, test_pending_loss_lasts_until_it_is_cleared)
{
	draw("a0-29");
	pipeline_set_loss_pending(phone.pipeline, true);
	phone_run(&phone, a, BEGIN + 31 * V60, 2 * V60, 100); /* far more than the queue holds */
	phone_lost(&phone, 2, 100);
	pipeline_set_loss_pending(phone.pipeline, false);
	play("a231-260 a263-292");
	expect_stats(sum_of(NULL), "d 1 missed 2 lost 100");
}

/* The present of a latched buffer is missing, and the hole ends before the next one. */
TEST_ON(phone_9, test_latch_in_a_hole_is_no_frame_of_a_later_present)
{
	draw("a0-20 hole 20");
	pipeline_set_loss_pending(phone.pipeline, true);
	draw("at 21 -3 queue a 1 at 21 -2 commit latch a end 1");
	pipeline_set_loss_pending(phone.pipeline, false);
	play("b22-22 a23-42");
	assert_string_equal(vsyncs_of(a), "? 1x20 ? 1x19");
	expect("stale_frames 1");
}

/* --- every lost event is reported --- */

TEST_ON(phone_9, test_lost_events_of_rows_cpus_and_events_add_up)
{
	unsigned long long in_events = 0, events;
	int64_t total = 0;

	for (unsigned int i = 0; i < 1000; i++) {
		phone_frame(&phone, BEGIN + i * V60, a);
		phone_lost(&phone, (int)(i % 100), i);
		total += i;
	}
	phone_end(&phone);
	assert_int_equal(sum_of(NULL).lost, total);
	assert_int_equal(counters()->lost_events, total);
	for (size_t i = 0; i < phone.log.n_events; i++)
		if (phone.log.events[i].kind == TRACE_EVENT_LOST &&
		    sscanf(strchr(phone.log.events[i].text, ':'), ": %llu", &events) == 1)
			in_events += events;
	assert_int_equal(in_events, total);
	assert_in_range(events_of(TRACE_EVENT_LOST), 2, 200);
	for (size_t i = 0; i <= PIPELINE_CPUS; i++)
		total -= (int64_t)counters()->lost_by_cpu[i];
	assert_int_equal(total, 0);
	assert_true(counters()->lost_by_cpu[PIPELINE_CPUS] > 0);
}

/* The layer has no later frame: its last frames may have been lost. */
TEST_ON(phone_9, test_loss_after_the_last_frame_is_in_its_row)
{
	play("a0-9 lost 1 12 b40-639");
	assert_int_equal(row_of(SURFACE_A, 0)->stats.lost, 12);
}

/* The row after the hole begins with the last frame before it. Of another CPU it began earlier. */
TEST_ON(every_phone, test_loss_is_in_the_row_that_spans_it)
{
	play("a0-97 cpu 2 a98-98 cpu 1 a99-99 at 600 0 lost 2 12 a600-699");
	expect_row(SURFACE_A, 1, "lost 0");
	expect_row(SURFACE_A, 2, "lost 12");
	assert_int_equal(row_of(SURFACE_A, 2)->start_ns, row_of(SURFACE_A, 1)->end_ns);
	expect("lost_events 12");
}

/* Of all CPUs together: a time that several lose counts once, and one in which others write not. */
TEST_ON(phone_14, test_time_without_events_is_counted_and_told)
{
	uint64_t told_ms = 0;

	draw("a0-99 at 600 0 lost 1 12 lost 2 12 a600-659 lost 3 1 a660-699");
	assert_in_range(counters()->hole_time_ns, 500 * V60, 503 * V60);
	draw("hole 720 a760-799");
	assert_in_range(counters()->hole_time_ns, 540 * V60, 544 * V60);
	phone_end(&phone);
	expect("lost_events 25 lost_unknown 1");
	/* Each of the events has its part of that time. */
	for (size_t i = 0; i < phone.log.n_events; i++) {
		const char *text = phone.log.events[i].text, *at = strchr(text, ';');
		unsigned long long s, ms;

		if (phone.log.events[i].kind == TRACE_EVENT_LOST && at) {
			assert_int_equal(sscanf(at, "; %llu.%3llu s without events", &s, &ms), 2);
			assert_string_equal(strrchr(text, ' '), " events");
			told_ms += s * 1000 + ms;
		}
	}
	assert_in_range(told_ms, 8330, 8400);
}

/* No kernel counts that far: the number is not added to the real losses. */
TEST_ON(phone_9, test_impossible_number_of_lost_events_is_unknown)
{
	draw("a0-29");
	for (unsigned int i = 0; i < 100; i++)
		phone_lost(&phone, 1, INT64_MAX - 5);
	phone_end(&phone);
	expect("lost_events 0 lost_unknown 100");
}

/* --- another SurfaceFlinger --- */

/* Its frames are still queued when the next SurfaceFlinger presents: they belong to the old one. */
TEST_ON(phone_14, test_restart_at_another_rate_keeps_old_frames)
{
	draw("a0-59 sf 2406");
	phone_run(&phone, a, BEGIN + 60 * V60 + SECOND, V60 / 2, 240);
	phone_end(&phone);
	for (size_t i = 61; i < 300; i++)
		assert_in_range(frame_of(a, i)->interval_ns, 8200000, 8400000);
	assert_string_equal(vsyncs_of(a), "? 1x59 ? 1x239");
	expect_stats(sum_of(NULL), "a 0 b 0 d 0 missed 0 waits 0 small_jank 0 jank 0");
	expect("drops 0 surfaceflinger_restarts 1");
}

/* --- counters --- */

TEST_ON(phone_9, test_unattributed_presents_and_late_records_are_counted)
{
	draw("a0-59 compose 60");
	phone_compose(&phone, BEGIN + 61 * V60, 2);
	phone.now_ns = BEGIN / 2;
	phone_write(&phone, TRACE_COUNTER, 0, "late", 1);
	draw("a62-121 hole 122 a130-150");
	expect("unattributed_presents 2 late 1 holes 1 lost_unknown 1 event.lost 0");
	/* 600 ms of frames, and as many presents. */
	assert_in_range(counters()->queue_high_water, 60, 100);
	assert_int_equal(counters()->surfaceflinger_restarts, 0);
}

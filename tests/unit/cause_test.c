/* SPDX-License-Identifier: Apache-2.0 */
/* The cause of a late frame, from the times of its way. */
#include "tests/unit/unit.h"

#include <string.h>

#include "rules/cause.h"
#include "tests/unit/one_phone.h"

/* A frame that should have been in slot e, at SECOND, and is in the third one after it. */
static struct cause_facts late_frame(void)
{
	return (struct cause_facts){
		.period_ns = V60,
		.slot_ns = SECOND + 3 * V60,
		.late_ns = 3 * V60,
		.queued_ns = SECOND - 5 * MS,
		.latched_before_ns = SECOND - 15 * MS,
		.own = { .commit_ns = SECOND + 3 * V60 + MS,
			 .present_ns = SECOND + 3 * V60 + 3 * MS },
		.before = { .commit_ns = SECOND - V60 + MS,
			    .present_ns = SECOND - V60 + 3 * MS,
			    .end_ns = SECOND - V60 + 6 * MS },
	};
}

/* A frame that is presented one vsync after the expected one; its composition keeps its plan. */
static struct cause_facts planned_frame(void)
{
	return (struct cause_facts){
		.period_ns = V60,
		.expected_ns = SECOND + 2 * V60,
		.deadline_ns = SECOND + V60,
		.queued_ns = SECOND + V60 - 6 * MS,
		.gpu_done_ns = SECOND + V60 - 4 * MS,
		.latched_before_ns = SECOND + MS,
		.own = { .commit_ns = SECOND + V60 + MS,
			 .present_ns = SECOND + V60 + 3 * MS,
			 .end_ns = SECOND + V60 + 5 * MS,
			 .planned_ns = SECOND + 3 * V60 },
	};
}

TEST(test_a_buffer_queued_late_is_the_apps_fault)
{
	struct cause_facts facts = late_frame();

	facts.queued_ns = SECOND + 3 * MS;
	assert_int_equal(cause_of(&facts), CAUSE_APP);
	facts.gpu_done_ns = SECOND + 9 * MS;
	assert_int_equal(cause_of(&facts), CAUSE_APP);
}

TEST(test_a_buffer_drawn_late_is_the_gpus_fault)
{
	struct cause_facts facts = late_frame();

	facts.gpu_done_ns = SECOND + 3 * MS;
	facts.waited_for_gpu = true;
	assert_int_equal(cause_of(&facts), CAUSE_GPU);
	/* SurfaceFlinger did not compose while the GPU drew: the time of the latch is less sure. */
	facts.waited_for_gpu = false;
	assert_int_equal(cause_of(&facts), CAUSE_SCHEDULING);
	facts.gpu_done_ns = SECOND + MS + V60 / 8;
	assert_int_equal(cause_of(&facts), CAUSE_SCHEDULING);
	facts.gpu_done_ns++;
	assert_int_equal(cause_of(&facts), CAUSE_GPU);
}

TEST(test_a_composition_that_takes_too_long_is_surfaceflingers_fault)
{
	struct cause_facts facts = late_frame();

	facts.before.end_ns = SECOND + 20 * MS;
	assert_int_equal(cause_of(&facts), CAUSE_SF_CPU);
	facts.before.client = true;
	assert_int_equal(cause_of(&facts), CAUSE_SF_GPU);
	/* Its own composition began in time, and took until the present. */
	facts = late_frame();
	facts.own.commit_ns = SECOND + MS;
	assert_int_equal(cause_of(&facts), CAUSE_SF_CPU);
}

TEST(test_an_idle_surfaceflinger_that_begins_late_is_scheduling)
{
	struct cause_facts facts = late_frame();

	assert_int_equal(cause_of(&facts), CAUSE_SCHEDULING);
}

TEST(test_a_ready_buffer_that_is_not_latched_has_an_unknown_cause)
{
	struct cause_facts facts = late_frame();

	facts.before = (struct composition_times){ .commit_ns = SECOND + V60,
						   .present_ns = SECOND + V60 + 2 * MS,
						   .end_ns = SECOND + V60 + 4 * MS };
	facts.first_commit_ns = SECOND + V60;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
	/* Then the order of queue and commit decides. */
	facts.queued_ns = SECOND + V60 + 1;
	assert_int_equal(cause_of(&facts), CAUSE_APP);
	facts.queued_ns = SECOND + V60 - 1;
	facts.gpu_done_ns = SECOND + V60 + 1;
	facts.waited_for_gpu = true;
	assert_int_equal(cause_of(&facts), CAUSE_GPU);
}

TEST(test_a_buffer_in_place_of_one_that_was_in_time_is_dropped)
{
	struct cause_facts facts = late_frame();

	facts.queued_ns = SECOND + 5 * MS;
	facts.replaced_ns = SECOND - 5 * MS;
	assert_int_equal(cause_of(&facts), CAUSE_DROPPED);
	/* Both were late. */
	facts.replaced_ns = SECOND + 4 * MS;
	assert_int_equal(cause_of(&facts), CAUSE_APP);
	/* It may be a loss. */
	facts.replaced_ns = SECOND - 5 * MS;
	facts.lost = true;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
}

TEST(test_surfaceflinger_that_waits_for_the_display)
{
	struct cause_facts facts = late_frame();

	facts.blocked = true;
	assert_int_equal(cause_of(&facts), CAUSE_DISPLAY);
	facts.blocked_by_gpu = true;
	assert_int_equal(cause_of(&facts), CAUSE_SF_GPU);
	facts.queued_ns = SECOND + 5 * MS;
	assert_int_equal(cause_of(&facts), CAUSE_APP);
}

/* --- by the plan --- */

TEST(test_2_ms_after_the_plan_are_in_time)
{
	struct cause_facts facts = planned_frame();

	facts.own.planned_ns = facts.expected_ns + 2 * MS;
	assert_int_equal(cause_of(&facts), CAUSE_NONE);
	facts.queued_ns = facts.deadline_ns + 1;
	assert_int_equal(cause_of(&facts), CAUSE_NONE);
	facts.own.planned_ns++;
	assert_int_equal(cause_of(&facts), CAUSE_APP);
}

TEST(test_the_plan_tells_who_missed_the_deadline)
{
	struct cause_facts facts = planned_frame();

	facts.queued_ns = facts.deadline_ns;
	assert_int_equal(cause_of(&facts), CAUSE_SCHEDULING);
	facts.gpu_done_ns = facts.deadline_ns + 1;
	assert_int_equal(cause_of(&facts), CAUSE_GPU);
	facts.queued_ns = facts.deadline_ns + 1;
	assert_int_equal(cause_of(&facts), CAUSE_APP);
	facts.lost = true;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
}

TEST(test_a_frame_behind_another_one_has_a_period_more)
{
	struct cause_facts facts = planned_frame();

	facts.latched_before_ns = facts.deadline_ns;
	assert_int_equal(cause_of(&facts), CAUSE_STUFFING);
	facts.queued_ns = facts.deadline_ns + V60;
	assert_int_equal(cause_of(&facts), CAUSE_STUFFING);
	facts.queued_ns = facts.deadline_ns + V60 + 1;
	assert_int_equal(cause_of(&facts), CAUSE_APP);
}

TEST(test_a_composition_that_ends_after_its_plan)
{
	struct cause_facts facts = planned_frame();

	facts.own.planned_ns = facts.expected_ns;
	facts.own.end_ns = facts.expected_ns;
	assert_int_equal(cause_of(&facts), CAUSE_NONE);
	facts.own.end_ns++;
	assert_int_equal(cause_of(&facts), CAUSE_SF_CPU);
	facts.own.end_ns--;
	facts.own.client = true;
	facts.own.gpu_done_ns = facts.expected_ns + 1;
	assert_int_equal(cause_of(&facts), CAUSE_SF_GPU);
	/* Also if nothing tells when the frame was expected. */
	facts.expected_ns = 0;
	assert_int_equal(cause_of(&facts), CAUSE_SF_GPU);
	facts.own.gpu_done_ns--;
	assert_int_equal(cause_of(&facts), CAUSE_NONE);
}

TEST(test_a_composition_behind_another_one)
{
	struct cause_facts facts = planned_frame();

	facts.own.planned_ns = facts.expected_ns;
	facts.own.end_ns = facts.expected_ns + 1;
	facts.before.planned_ns = facts.expected_ns - V60;
	facts.before.end_ns = facts.before.planned_ns;
	assert_int_equal(cause_of(&facts), CAUSE_SF_CPU);
	/* It was shown when this one should have been. */
	facts.before.end_ns++;
	assert_int_equal(cause_of(&facts), CAUSE_STUFFING);
	/* SurfaceFlinger began after the vsync that was planned first. */
	facts = planned_frame();
	facts.own.adjusted = true;
	assert_int_equal(cause_of(&facts), CAUSE_SF_CPU);
	facts.before.planned_ns = facts.own.commit_ns;
	assert_int_equal(cause_of(&facts), CAUSE_STUFFING);
	facts.queued_ns = facts.deadline_ns + 1;
	assert_int_equal(cause_of(&facts), CAUSE_APP);
}

TEST(test_a_composition_that_the_display_shows_late)
{
	struct cause_facts facts = planned_frame();

	facts.own.planned_ns = facts.expected_ns;
	facts.own.missed = true;
	assert_int_equal(cause_of(&facts), CAUSE_DISPLAY);
	facts.own.missed_by_gpu = true;
	assert_int_equal(cause_of(&facts), CAUSE_SF_GPU);
}

TEST(test_a_part_of_a_vsync_is_a_wrong_prediction)
{
	struct cause_facts facts = planned_frame();

	facts.own.planned_ns = facts.expected_ns + V60 + 2 * MS;
	assert_int_equal(cause_of(&facts), CAUSE_SCHEDULING);
	facts.own.planned_ns += MS;
	assert_int_equal(cause_of(&facts), CAUSE_PREDICTION);
	facts.own.planned_ns = facts.expected_ns + 2 * V60 - 3 * MS;
	assert_int_equal(cause_of(&facts), CAUSE_PREDICTION);
	facts.own.planned_ns += MS;
	assert_int_equal(cause_of(&facts), CAUSE_SCHEDULING);
}

/* Android 11 and earlier: nothing tells when a frame is expected, so one that keeps the cadence is
 * not late, also if it waited behind another one. */
TEST(test_a_frame_in_its_cadence_has_no_cause_without_a_plan)
{
	struct cause_facts facts = late_frame();

	facts.late_ns = 0;
	assert_int_equal(cause_of(&facts), CAUSE_NONE);
	facts.queued_ns = facts.latched_before_ns - 1;
	assert_int_equal(cause_of(&facts), CAUSE_NONE);
	/* Late, and composed without the buffer, which was ready. */
	facts = late_frame();
	facts.first_commit_ns = SECOND + V60;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
	facts.queued_ns = facts.latched_before_ns - 1;
	assert_int_equal(cause_of(&facts), CAUSE_STUFFING);
}

/* FrameTimeline of Android 12 and 13 does not judge such a frame. */
TEST(test_a_forgotten_plan_is_an_unknown_cause)
{
	struct cause_facts facts = late_frame();

	facts.queued_ns = SECOND + 3 * MS;
	assert_int_equal(cause_of(&facts), CAUSE_APP);
	facts.expired = true;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
	facts.late_ns = 0;
	assert_int_equal(cause_of(&facts), CAUSE_NONE);
}

/* Only the app was late: it drew nothing for the vsyncs before. */
TEST(test_a_frame_on_its_plan_that_left_the_cadence)
{
	struct cause_facts facts = late_frame();

	assert_int_equal(cause_of(&facts), CAUSE_SCHEDULING);
	facts.expected_ns = facts.own.planned_ns = SECOND + 4 * V60;
	facts.deadline_ns = SECOND + 3 * V60;
	assert_int_equal(cause_of(&facts), CAUSE_APP);
	facts.lost = true;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
	facts.lost = false;
	facts.queued_ns = 0;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
}

/* --- frames before their time --- */

TEST(test_2_ms_before_the_plan_are_in_time)
{
	struct cause_facts facts = planned_frame();

	facts.own.planned_ns = facts.expected_ns - 2 * MS;
	assert_int_equal(cause_of(&facts), CAUSE_NONE);
	assert_false(cause_is_off(&facts));
	facts.own.planned_ns--;
	assert_int_equal(cause_of(&facts), CAUSE_PREDICTION);
	assert_true(cause_is_off(&facts));
	/* It ends late, and is shown a vsync later than planned. */
	facts.own.end_ns = facts.own.planned_ns + 1;
	assert_int_not_equal(cause_of(&facts), CAUSE_PREDICTION);
}

TEST(test_an_early_frame_is_scheduling_or_prediction)
{
	struct cause_facts facts = planned_frame();

	facts.own.end_ns = SECOND + V60 - MS;
	facts.own.planned_ns = facts.expected_ns - V60;
	assert_int_equal(cause_of(&facts), CAUSE_SCHEDULING);
	facts.own.planned_ns += 2 * MS;
	assert_int_equal(cause_of(&facts), CAUSE_SCHEDULING);
	facts.own.planned_ns++;
	assert_int_equal(cause_of(&facts), CAUSE_PREDICTION);
	facts.queued_ns = facts.deadline_ns;
	facts.gpu_done_ns = facts.deadline_ns;
	assert_int_equal(cause_of(&facts), CAUSE_PREDICTION);
	facts.gpu_done_ns++;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
	facts.gpu_done_ns = 0;
	facts.queued_ns = facts.deadline_ns + 1;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
	facts.queued_ns = 0;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
	facts.queued_ns = facts.deadline_ns;
	facts.lost = true;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
}

/* Then the question is why it was not earlier still. */
TEST(test_an_early_frame_that_left_the_cadence)
{
	struct cause_facts facts = late_frame();

	facts.expected_ns = SECOND + 5 * V60;
	facts.deadline_ns = SECOND + 3 * V60;
	facts.own.planned_ns = SECOND + 4 * V60;
	facts.queued_ns = SECOND + 3 * MS;
	assert_int_equal(cause_of(&facts), CAUSE_APP);
	facts.late_ns = 0;
	assert_int_equal(cause_of(&facts), CAUSE_SCHEDULING);
}

TEST(test_unknown_times_give_no_cause)
{
	struct cause_facts facts = late_frame();

	facts.queued_ns = 0;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
	facts = late_frame();
	facts.lost = true;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
	facts = late_frame();
	facts.before.end_ns = 0;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
	facts = late_frame();
	facts.own.commit_ns = 0;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
	facts = late_frame();
	facts.before.commit_ns = 0;
	assert_int_equal(cause_of(&facts), CAUSE_UNKNOWN);
}

/* No commit shows until when a buffer could be latched: the frame's own begins as long after its
 * slot. */
TEST(test_the_latch_of_an_idle_surfaceflinger)
{
	struct cause_facts facts = late_frame();

	facts.queued_ns = SECOND + MS;
	assert_int_equal(cause_of(&facts), CAUSE_SCHEDULING);
	facts.queued_ns++;
	assert_int_equal(cause_of(&facts), CAUSE_APP);
	facts.own.commit_ns = SECOND + 3 * V60 + 10 * MS;
	assert_int_equal(cause_of(&facts), CAUSE_SCHEDULING);
}

static enum cause cause_at(uint64_t present_ns)
{
	for (size_t i = 0; i < phone.log.n_frames; i++)
		if (phone.log.frames[i].present_ns == present_ns)
			return phone.log.frames[i].cause;
	return CAUSES;
}

FIXTURE(default_options, stop_phone)

/* The layer draws at each vsync, then nothing is queued for two vsyncs. */
TEST(test_a_late_frame_of_a_trace_has_a_cause)
{
	static const enum phone_age ages[] = { PHONE_9, PHONE_13, PHONE_14 };

	for (size_t i = 0; i < COUNT_OF(ages); i++) {
		uint64_t last, late;

		start(ages[i]);
		last = phone_run(&phone, a, BEGIN, V60, 60);
		for (unsigned int k = 1; k < 3; k++)
			phone_frame(&phone, last + k * V60, b);
		late = last + 3 * V60;
		phone_frame(&phone, late, a);
		phone_run(&phone, a, late + V60, V60, 60);
		phone_end(&phone);
		assert_int_equal(cause_at(late), CAUSE_APP);
		assert_int_equal(cause_at(late + V60), CAUSE_NONE);
		assert_int_equal(cause_at(BEGIN), CAUSE_NONE);
	}
}

/* SurfaceFlinger wakes up late: the buffer was queued long before, and nothing else was composed.
 */
TEST(test_a_late_composition_of_a_trace_is_scheduling)
{
	uint64_t last, late;

	start(PHONE_14);
	last = phone_run(&phone, a, BEGIN, V60, 60);
	phone_queue(&phone, last + 5 * MS, a, 1);
	late = last + 4 * V60;
	phone_tick(&phone, late - 2 * MS);
	phone_begin(&phone, "commit 1000");
	phone.now_ns = late - MS;
	phone_latch(&phone, a);
	phone_end_slices(&phone, 1);
	phone_compose(&phone, late, 1);
	phone_run(&phone, a, late + V60, V60, 60);
	phone_end(&phone);
	assert_int_equal(cause_at(late), CAUSE_SCHEDULING);
}

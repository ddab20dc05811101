/* SPDX-License-Identifier: Apache-2.0 */
/* The cause of a late frame, from the times of its way. */
#include "rules/why/cause.h"
#include "tests/unit/one_phone.h"

/* Rows override fields of LATE and PLANNED. */
#pragma GCC diagnostic ignored "-Woverride-init"

/* A frame that should have been in the slot at SECOND, and is in the third one after it. */
#define LATE                                                                                       \
	.period_ns = V60, .slot_ns = SECOND + 3 * V60, .late_ns = 3 * V60,                         \
	.queued_ns = SECOND - 5 * MS, .last.latched_ns = SECOND - 15 * MS,                         \
	.own.commit_ns = SECOND + 3 * V60 + MS, .own.present_ns = SECOND + 3 * V60 + 3 * MS,       \
	.before.commit_ns = SECOND - V60 + MS, .before.present_ns = SECOND - V60 + 3 * MS,         \
	.before.end_ns = SECOND - V60 + 6 * MS

/* LATE, but SurfaceFlinger composed without the buffer in between. */
#define NOT_LATCHED                                                                                \
	LATE, .first_commit_ns = SECOND + V60, .before.commit_ns = SECOND + V60,                   \
	      .before.present_ns = SECOND + V60 + 2 * MS, .before.end_ns = SECOND + V60 + 4 * MS

/* A frame that is presented one vsync after the expected one; its composition keeps its plan. */
#define EXPECTED (SECOND + 2 * V60)
#define DEADLINE (SECOND + V60)
#define PLANNED                                                                                    \
	.period_ns = V60, .expected_ns = EXPECTED, .deadline_ns = DEADLINE,                        \
	.queued_ns = DEADLINE - 6 * MS, .gpu_done_ns = DEADLINE - 4 * MS,                          \
	.last.latched_ns = SECOND + MS, .own.commit_ns = DEADLINE + MS,                            \
	.own.present_ns = DEADLINE + 3 * MS, .own.end_ns = DEADLINE + 5 * MS,                      \
	.own.planned_ns = EXPECTED + V60
#define PLANNED_FOR(time_ns) PLANNED, .own.planned_ns = (time_ns)
#define DRAWN(time_ns) .queued_ns = DEADLINE, .gpu_done_ns = (time_ns)
/* An early frame: it was presented a vsync before it was expected. */
#define EARLY PLANNED_FOR(EXPECTED - V60), .own.end_ns = DEADLINE - MS

static const struct {
	const char *name;
	struct cause_facts facts;
	enum cause cause;
} cases[] = {
	/* SurfaceFlinger did not compose while the GPU drew: the time of the latch is less sure. */
	{ "drawn an eighth late",
	  { LATE, .gpu_done_ns = SECOND + MS + V60 / 8 },
	  CAUSE_SCHEDULING },
	{ "drawn later than that", { LATE, .gpu_done_ns = SECOND + MS + V60 / 8 + 1 }, CAUSE_GPU },
	{ "idle SurfaceFlinger begins late",
	  { LATE, .before.end_ns = SECOND + V60 / 8, .own.commit_ns = SECOND + 3 * V60 - V60 / 8 },
	  CAUSE_SCHEDULING },
	{ "a long one before", { LATE, .before.end_ns = SECOND + V60 / 8 + 1 }, CAUSE_SF_CPU },
	{ "long own composition", { LATE, .own.commit_ns = SECOND + V60 / 8 }, CAUSE_SF_CPU },
	{ "that began later", { LATE, .own.commit_ns = SECOND + V60 / 8 + 1 }, CAUSE_SCHEDULING },
	{ "in time for its own plan",
	  { LATE, .own.commit_ns = SECOND, .own.planned_ns = SECOND + 4 * V60,
	    .own.end_ns = SECOND + 4 * V60 },
	  CAUSE_UNKNOWN },
/* SurfaceFlinger usually begins 5 ms after the vsync. */
#define USUAL LATE, .usual_ns = SECOND + 5 * MS, .own.commit_ns = SECOND + 3 * V60 + 5 * MS
	{ "queued until then", { USUAL, .queued_ns = SECOND + 5 * MS }, CAUSE_SCHEDULING },
	{ "queued later", { USUAL, .queued_ns = SECOND + 5 * MS + 1 }, CAUSE_APP },
	{ "queued before a late commit",
	  { USUAL, .first_commit_ns = SECOND + 9 * MS, .queued_ns = SECOND + 9 * MS },
	  CAUSE_UNKNOWN },
	/* Nothing was queued in time, so the first commit is a later one. */
	{ "queued before the commit of a later slot, then drawn",
	  { USUAL, .first_commit_ns = SECOND + V60 + 5 * MS, .queued_ns = SECOND + V60 + 4 * MS,
	    .gpu_done_ns = SECOND + V60 + 9 * MS, .undrawn_at_ns = SECOND + V60 + 5 * MS },
	  CAUSE_APP },
	{ "idle SurfaceFlinger is woken 14 ms late",
	  { USUAL, .usual_ns = SECOND + MS, .late_ns = V60, .own.commit_ns = SECOND + 15 * MS },
	  CAUSE_SCHEDULING },
	{ "waited for the GPU as each frame does",
	  { USUAL, .gpu_done_ns = SECOND, .undrawn_at_ns = SECOND - 3 * MS },
	  CAUSE_SCHEDULING },
	{ "drawn 12 ms after the latch, as others are",
	  { USUAL, .gpu_done_ns = SECOND + 17 * MS, .undrawn_ns = 10 * MS },
	  CAUSE_SCHEDULING },
	{ "own composition at the begin of its slot",
	  { LATE, .own.commit_ns = SECOND + 3 * V60 - V60 / 8, .queued_ns = SECOND - V60 / 8 + 1 },
	  CAUSE_APP },
	/* Then the order of queue and commit decides. */
	{ "drawn after the commit",
	  { NOT_LATCHED, .first_commit_ns = SECOND + MS, .queued_ns = SECOND + MS - 1,
	    .gpu_done_ns = SECOND + MS + 1 },
	  CAUSE_GPU },
/* Its app drew nothing for the vsyncs before. */
#define BEGAN_LATE                                                                                 \
	LATE, .gpu_done_ns = SECOND + 9 * MS, .cadence_ns = V60, .woken_ns = SECOND - V60 / 8 + 1, \
	      .last.woken_ns = SECOND - 4 * V60, .last.done_ns = SECOND - 3 * V60 - V60 / 8,       \
	      .gpu_ns = V60 - 1, .last.gpu_ns = V60 / 5 * 4
	{ "begun late", { BEGAN_LATE }, CAUSE_APP },
	{ "a bit earlier", { BEGAN_LATE, .woken_ns = SECOND - V60 / 8 }, CAUSE_GPU },
	{ "its GPU was at work", { BEGAN_LATE, .last.done_ns = SECOND - 3 * V60 }, CAUSE_GPU },
	{ "behind a late one", { BEGAN_LATE, .last.woken_ns = 0 }, CAUSE_GPU },
	{ "GPU takes longer", { BEGAN_LATE, .last.gpu_ns = V60 / 5 * 4 - 5 }, CAUSE_GPU },
	{ "takes a period", { BEGAN_LATE, .gpu_ns = V60, .last.gpu_ns = V60 }, CAUSE_GPU },
	{ "one was drawn and replaced", { BEGAN_LATE, .replaced_ns = SECOND }, CAUSE_GPU },
	{ "in place of one that was in time",
	  { LATE, .queued_ns = SECOND + 5 * MS, .replaced_ns = SECOND + MS },
	  CAUSE_DROPPED },
	{ "late by a vsync of the rate before",
	  { LATE, .late_ns = V60 / 2, .queued_ns = SECOND + 2 * V60 },
	  CAUSE_UNKNOWN },
	{ "waits for the display", { LATE, .blocked = true }, CAUSE_DISPLAY },
/* SurfaceFlinger had a commit in its slot, and a composition was shown late. */
#define BLOCKED LATE, .blocked = true, .first_commit_ns = SECOND, .gpu_done_ns = SECOND + MS
	{ "which was late after a commit found it undrawn", { BLOCKED }, CAUSE_GPU },
	{ "which was late at that commit", { BLOCKED, .first_blocked = true }, CAUSE_DISPLAY },

	/* --- by the plan --- */
	{ "2 ms after the plan", { PLANNED_FOR(EXPECTED + 2 * MS) }, CAUSE_NONE },
	{ "later than 2 ms",
	  { PLANNED_FOR(EXPECTED + 2 * MS + 1), .queued_ns = DEADLINE + 1 },
	  CAUSE_APP },
	{ "drawn at the deadline", { PLANNED, DRAWN(DEADLINE) }, CAUSE_SCHEDULING },
	{ "drawn after the deadline", { PLANNED, DRAWN(DEADLINE + 1) }, CAUSE_GPU },
	{ "drawn after it, of a plan that was after the latch it should have made",
	  { PLANNED, .late_ns = 2 * V60, .slot_ns = DEADLINE + V60, .gpu_done_ns = DEADLINE + 1 },
	  CAUSE_APP },
	{ "queued late", { PLANNED, DRAWN(DEADLINE + 1), .queued_ns = DEADLINE + 1 }, CAUSE_APP },
/* In frames in time the GPU ends up to 10 ms after the latch. */
#define UNDRAWN PLANNED, .undrawn_ns = 10 * MS, .gpu_done_ns = DEADLINE + 9 * MS
	{ "drawn after it, as others are", { UNDRAWN }, CAUSE_SCHEDULING },
#define FOUND(before_ns) UNDRAWN, .undrawn_at_ns = DEADLINE - (before_ns)
	{ "and found undrawn before that", { FOUND(V60 / 8 + 1) }, CAUSE_SCHEDULING },
	{ "and found undrawn at its deadline", { FOUND(V60 / 8) }, CAUSE_GPU },
#define MISSED PLANNED_FOR(EXPECTED), .own.missed = true, .undrawn_ns = 20 * MS
	{ "drawn when it is to be shown", { MISSED, .gpu_done_ns = EXPECTED }, CAUSE_DISPLAY },
	{ "drawn later, as others are", { MISSED, .gpu_done_ns = EXPECTED + 1 }, CAUSE_GPU },
	{ "with a loss", { PLANNED, .queued_ns = DEADLINE + 1, .lost = true }, CAUSE_UNKNOWN },
	/* A frame behind another one, in whose slot that one was latched, has a period more. */
	{ "a period more",
	  { PLANNED, .last.latched_ns = DEADLINE - V60 / 8, .queued_ns = DEADLINE + V60 / 8 * 7 },
	  CAUSE_STUFFING },
	{ "nothing tells when it was expected",
	  { PLANNED_FOR(EXPECTED), .own.client = true, .own.gpu_done_ns = EXPECTED + 1,
	    .expected_ns = 0 },
	  CAUSE_SF_GPU },
	{ "its GPU work ends on it",
	  { PLANNED_FOR(EXPECTED), .own.client = true, .own.gpu_done_ns = EXPECTED,
	    .expected_ns = 0 },
	  CAUSE_NONE },
	{ "behind one that was in time",
	  { PLANNED_FOR(EXPECTED), .own.end_ns = EXPECTED + 1, .before.planned_ns = DEADLINE - V60,
	    .before.end_ns = DEADLINE },
	  CAUSE_SF_CPU },
	{ "behind one that was shown when it should have been",
	  { PLANNED_FOR(EXPECTED), .own.end_ns = EXPECTED + 1, .before.planned_ns = DEADLINE,
	    .before.end_ns = DEADLINE + 1 },
	  CAUSE_STUFFING },
	{ "as another one was shown",
	  { PLANNED, .own.adjusted = true, .before.planned_ns = DEADLINE + MS },
	  CAUSE_STUFFING },
/* Idle until it should have begun, 25 ms before its plan. */
#define WOKEN_LATE                                                                                 \
	PLANNED_FOR(EXPECTED), .duration_ns = 25 * MS, .before.end_ns = EXPECTED - 25 * MS,        \
			       .own.commit_ns = EXPECTED - 11 * MS,                                \
			       .own.end_ns = EXPECTED + 5 * MS
	{ "woken late", { WOKEN_LATE }, CAUSE_SCHEDULING },
	{ "woken late after a composition",
	  { WOKEN_LATE, .before.end_ns = EXPECTED - 24 * MS },
	  CAUSE_SF_CPU },
	{ "woken late, and took long",
	  { WOKEN_LATE, .own.end_ns = EXPECTED + 15 * MS },
	  CAUSE_SF_CPU },
	{ "by SurfaceFlinger's GPU work",
	  { PLANNED_FOR(EXPECTED), .own.missed = true, .own.missed_by_gpu = true },
	  CAUSE_SF_GPU },
	/* A part of a vsync is a wrong prediction. */
	{ "a vsync and 2 ms", { PLANNED_FOR(EXPECTED + V60 + 2 * MS) }, CAUSE_SCHEDULING },
	{ "a vsync and 3 ms", { PLANNED_FOR(EXPECTED + V60 + 3 * MS) }, CAUSE_PREDICTION },
	{ "2 ms less than two", { PLANNED_FOR(EXPECTED + 2 * V60 - 2 * MS) }, CAUSE_SCHEDULING },

	/* --- without a plan, as up to Android 11 --- */
	{ "composed without the buffer",
	  { LATE, .first_commit_ns = SECOND + V60, .queued_ns = SECOND - 15 * MS },
	  CAUSE_UNKNOWN },
	{ "which waited behind another one",
	  { LATE, .first_commit_ns = SECOND + V60, .queued_ns = SECOND - 15 * MS - 1 },
	  CAUSE_STUFFING },
	/* FrameTimeline of Android 12 and 13 does not judge such a frame. */
	{ "a forgotten plan",
	  { LATE, .queued_ns = SECOND + 3 * MS, .expired = true },
	  CAUSE_UNKNOWN },
	{ "in the cadence", { LATE, .expired = true, .late_ns = 0 }, CAUSE_NONE },
/* Only the app was late: it drew nothing for the vsyncs before. */
#define LEFT_CADENCE                                                                               \
	LATE, .expected_ns = SECOND + 4 * V60, .own.planned_ns = SECOND + 4 * V60,                 \
	      .deadline_ns = SECOND + 3 * V60, .cadence_ns = V60, .last.planned_ns = SECOND
	{ "on its plan, but left the cadence", { LEFT_CADENCE }, CAUSE_APP },
	{ "drawn for a later vsync", { LEFT_CADENCE, .gpu_done_ns = SECOND + 9 * MS }, CAUSE_APP },
	{ "planned a cadence after the one before",
	  { LEFT_CADENCE, .last.planned_ns = SECOND + 3 * V60, .own.commit_ns = SECOND },
	  CAUSE_UNKNOWN },
	{ "after an early one",
	  { LEFT_CADENCE, .last.expected_ns = SECOND + 3 * V60, .own.commit_ns = SECOND },
	  CAUSE_UNKNOWN },
	{ "queued at an unknown time", { LEFT_CADENCE, .queued_ns = 0 }, CAUSE_UNKNOWN },

	/* --- before their time --- */
	{ "part of a vsync",
	  { EARLY, .own.planned_ns = EXPECTED - V60 + 2 * MS },
	  CAUSE_SCHEDULING },
#define EARLIER EARLY, .own.planned_ns = EXPECTED - V60 + 2 * MS + 1
	{ "done at the deadline", { EARLIER, DRAWN(DEADLINE) }, CAUSE_PREDICTION },
	{ "done after it", { EARLIER, DRAWN(DEADLINE + 1) }, CAUSE_UNKNOWN },
	{ "unknown queue time", { EARLIER, .gpu_done_ns = 0, .queued_ns = 0 }, CAUSE_UNKNOWN },
/* Then the question is why it was not earlier still. */
#define EARLY_OUT_OF_CADENCE                                                                       \
	LATE, .expected_ns = SECOND + 5 * V60, .deadline_ns = SECOND + 3 * V60,                    \
	      .own.planned_ns = SECOND + 4 * V60, .queued_ns = SECOND + 3 * MS
	{ "early, but left the cadence", { EARLY_OUT_OF_CADENCE }, CAUSE_APP },
	{ "early in the cadence", { EARLY_OUT_OF_CADENCE, .late_ns = 0 }, CAUSE_SCHEDULING },

	/* --- unknown times --- */
	{ "end before", { LATE, .before.end_ns = 0 }, CAUSE_UNKNOWN },
	{ "commit before", { LATE, .before.commit_ns = 0 }, CAUSE_UNKNOWN },
	{ "own commit", { LATE, .own.commit_ns = 0 }, CAUSE_UNKNOWN },
	/* No commit shows until when a buffer could be latched: the frame's own begins as long
	 * after its slot. */
	{ "queued before the latch", { LATE, .queued_ns = SECOND + MS }, CAUSE_SCHEDULING },
	{ "a later latch",
	  { LATE, .queued_ns = SECOND + MS + 1, .own.commit_ns = SECOND + 3 * V60 + 10 * MS },
	  CAUSE_SCHEDULING },
};

FIXTURE(default_options, stop_phone)

TEST(test_the_times_of_a_frame_tell_its_cause)
{
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		if (cause_of(&cases[i].facts) != cases[i].cause)
			fail_msg("%s: %d, not %d", cases[i].name, (int)cause_of(&cases[i].facts),
				 (int)cases[i].cause);
}

/* A frame that ends late is shown a vsync later than planned. */
TEST(test_a_frame_before_its_plan_is_off_by_more_than_2_ms)
{
	struct cause_facts facts = { PLANNED_FOR(EXPECTED - 2 * MS) };

	assert_false(cause_off_ns(&facts));
	facts.own.planned_ns--;
	assert_true(cause_off_ns(&facts));
	facts.own.end_ns = facts.own.planned_ns + 1;
	assert_int_not_equal(cause_of(&facts), CAUSE_PREDICTION);
}

TEST(test_a_stall_of_a_queued_buffer_is_the_fault_of_its_fence_or_unknown)
{
	struct cause_facts facts = { .queued_ns = SECOND, .gpu_done_ns = SECOND + 500 * MS };

	assert_int_equal(cause_of_queued(&facts, SECOND), CAUSE_GPU);
	assert_int_equal(cause_of_queued(&facts, SECOND + 2), CAUSE_UNKNOWN);
	facts.lost = true;
	assert_int_equal(cause_of_queued(&facts, SECOND), CAUSE_UNKNOWN);
}

/* The layer draws at each vsync, then nothing is queued for two vsyncs. */
TEST_ON(every_phone, test_a_late_frame_of_a_trace_has_a_cause)
{
	play("a0-59 b60-61 a62-122");
	assert_int_equal(frame_of(a, 60)->cause, CAUSE_APP);
	assert_int_equal(frame_of(a, 61)->cause, CAUSE_NONE);
	assert_int_equal(frame_of(a, 0)->cause, CAUSE_NONE);
}

/* SurfaceFlinger wakes up late: the buffer was queued long before, and nothing was composed. */
TEST_ON(phone_14, test_a_late_composition_of_a_trace_is_scheduling)
{
	play("a0-59 at 59 5 queue a at 63 -2 tick commit at 63 -1 latch a end 1 compose 63 "
	     "a64-123");
	assert_int_equal(frame_of(a, 60)->cause, CAUSE_SCHEDULING);
}

/* A buffer that was in time is replaced by one that was not. */
TEST_ON(phone_9, test_a_replaced_buffer_of_a_trace_is_the_cause)
{
	play("a0-59 at 59 5 queue a at 60 5 queue a at 61 -2 tick commit at 61 -1 latch a end 1 "
	     "compose 61 a62-121");
	assert_int_equal(frame_of(a, 60)->cause, CAUSE_DROPPED);
}

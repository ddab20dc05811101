/* SPDX-License-Identifier: Apache-2.0 */
/* New rules while the pipeline runs: all that depends on the rules is decided again. */
#include "tests/unit/one_phone.h"

static struct ruleset *others;

static struct ruleset *parsed(const char *name, const char *first_lines)
{
	struct span builtin = ruleset_builtin(name);
	struct ruleset_error error;
	struct ruleset *rules;
	char text[32768];
	int n = snprintf(text, sizeof(text), "%s%.*s", first_lines, (int)builtin.len, builtin.ptr);

	assert_in_range(n, 1, sizeof(text) - 1);
	if (ruleset_new(&rules, (struct span){ text, (size_t)n }, &error) != 0)
		fail_msg("%u:%u: %s", error.line, error.column, error.message);
	return rules;
}

static int tear_down(void **state)
{
	stop_phone(state);
	others = ruleset_free(others);
	return 0;
}

FIXTURE(on_phone_9, tear_down)

static void set_rules(const char *first_lines)
{
	struct ruleset *rules = parsed("default", first_lines);

	assert_int_equal(pipeline_set_rules(phone.pipeline, rules), 0);
	/* The old rules must not be used any more. */
	ruleset_free(phone.rules);
	phone.rules = rules;
}

/* The same rules again, as after a SIGHUP without a change, change nothing. */
TEST(test_ignored_layers_have_no_frames_from_then_on)
{
	set_rules("");
	draw("ab0-59");
	set_rules("ignore layer com.b*\n");
	draw("ab60-119");
	set_rules("");
	play("ab120-179");
	expect("a 180 b 120");
	expect_stats(sum_of(SURFACE_A), "frames 179 d 0 lost 0");
	assert_int_equal(frame_of(b, 59)->present_ns, BEGIN + 59 * V60);
	assert_int_equal(frame_of(b, 60)->present_ns, BEGIN + 120 * V60);
	assert_int_equal(row_of(SURFACE_B, 0)->stats.frames, 59);
}

/* Its open row has the old name, later rows have the new one; no frame is missing. */
TEST(test_renamed_surface_loses_no_frame)
{
	draw("a0-89");
	set_rules("rename layer com.a/* game\n");
	play("a90-179");
	assert_true(sum_of(SURFACE_A).frames > 0);
	assert_true(sum_of("game").frames >= 90);
	assert_int_equal(sum_of(SURFACE_A).frames + sum_of("game").frames, 179);
}

/* No frame has the new name when the trace ends, so no gap is before one. */
TEST(test_gap_is_not_of_a_surface_without_frames)
{
	draw("a0-59 a120-125 b126-200");
	set_rules("rename layer com.a/* game\n");
	play("b201-260");
	assert_int_equal(events_of(TRACE_EVENT_PAUSE), 0);
}

TEST(test_reload_during_a_latch_drops_its_frame)
{
	draw("a0-59 at 60 -1 begin handleMessageInvalidate latch a");
	set_rules("");
	play("end 1 compose 60 a61-120");
	assert_string_equal(vsyncs_of(a), "? 1x59 ? 1x59");
	assert_int_equal(sum_of(NULL).d, 0);
}

TEST(test_new_rules_recognise_other_slices_and_ticks)
{
	draw("a0-59");
	set_rules("tick counter a-tick\npresent slice otherPresent\n");
	play("a60-119 begin otherPresent end 1");
	expect("presents 121 ticks 120");
	assert_string_equal(vsyncs_of(a), "? 1x119");
}

TEST(test_another_engine_is_refused)
{
	const struct trace_record record = { .name = SPAN_LITERAL("otherPresent"), .time_ns = 2e9 };
	const struct row_sink sink = { 0 };
	struct pipeline *pipeline = NULL;
	struct ruleset *first;

	others = parsed("gfx2019", "present slice otherPresent\n");
	draw("a0-59");
	assert_int_equal(pipeline_set_rules(phone.pipeline, others), -EINVAL);
	play("a60-119");
	assert_int_equal(frames_of(a), 120);
	/* That of 2019 has no late frames. */
	options.late_ns = 1;
	assert_int_equal(pipeline_new(&pipeline, others, &options, &sink), -EINVAL);
	assert_null(pipeline);
	assert_null(pipeline_free(pipeline));
	/* It takes other rules of its own, and one app in front. A new clock begins again. */
	options.late_ns = 0;
	first = parsed("gfx2019", "");
	assert_int_equal(pipeline_new(&pipeline, first, &options, &sink), 0);
	assert_int_equal(pipeline_set_rules(pipeline, others), 0);
	pipeline_record(pipeline, &record);
	assert_int_equal(pipeline_settled(pipeline), 1000000000);
	pipeline_new_clock(pipeline, record.time_ns);
	assert_int_equal(pipeline_settled(pipeline), 0);
	pipeline_end(pipeline);
	assert_int_equal(pipeline_counters(pipeline)->presents, 1);
	assert_true(pipeline_focus(pipeline, "com.a/com.a.Main"));
	assert_false(pipeline_focus(pipeline, "com.b/com.b.Main"));
	pipeline_free(pipeline);
	ruleset_free(first);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Triggers: how their text is parsed and when they hold; late frames; marks. */
#include "rules/count/trigger.h"
#include "tests/unit/one_phone.h"

/* --- text --- */

static struct trigger parsed(const char *text)
{
	struct trigger trigger;
	struct trigger_error error = { 0 };

	if (trigger_parse(&trigger, text, &error) != 0)
		fail_msg("'%s': column %u: %s", text, error.column, error.message);
	return trigger;
}

TEST(test_conditions_are_parsed)
{
	static const struct {
		const char *text;
		enum trigger_what what;
		bool is_less, or_equal;
		uint64_t limit, for_ns;
		const char *glob;
	} cases[] = {
		{ "fps<30", TRIGGER_FPS, true, false, 30000, 0, NULL },
		{ "fps>0.001", TRIGGER_FPS, false, false, 1, 0, NULL },
		{ "fps<=1000000", TRIGGER_FPS, true, true, 1000000000, 0, NULL },
		{ "  interval  >=  33.35 ms ", TRIGGER_INTERVAL, false, true, 33350000, 0, NULL },
		{ "interval>1s for 250ms", TRIGGER_INTERVAL, false, false, SECOND, 250 * MS, NULL },
		{ "fps<=59.94 for 3s on com.game/* (x)", TRIGGER_FPS, true, true, 59940, 3 * SECOND,
		  "com.game/* (x)" },
		{ "interval>100ms on for 3s", TRIGGER_INTERVAL, false, false, 100 * MS, 0,
		  "for 3s" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct trigger trigger = parsed(cases[i].text);

		assert_fields(&trigger, what == cases[i].what, is_less == cases[i].is_less,
			      or_equal == cases[i].or_equal, limit == cases[i].limit,
			      for_ns == cases[i].for_ns);
		assert_int_equal(trigger.glob.ptr == NULL, cases[i].glob == NULL);
		assert_true(!cases[i].glob || span_equal(trigger.glob, span_of(cases[i].glob)));
	}
}

/* Each between semicolons; ^: the column of the error. */
TEST(test_error_of_a_condition_has_its_column)
{
	char texts[] = "^;^frames<3;fps^;fps^=30;fps<^;fps<^-3;fps<^0;fps<^1000001;"
		       "fps<^99999999999999999999999;fps<30^x;fps<30 ^for;fps<30 for 3^;"
		       "fps<30 for 3^m;fps<30 for 3s ^on;fps<30 for 3s on ^;fps<30 on x for 3s;"
		       "interval>100^;interval>100 ^us;interval>^.5ms";
	char *rest = texts, *text;

	while ((text = strsep(&rest, ";"))) {
		char *at = strchr(text, '^');
		const unsigned int column = at ? (unsigned int)(at - text) + 1 : 0;
		struct trigger trigger;
		struct trigger_error error = { 0 };

		if (at)
			memmove(at, at + 1, strlen(at));
		if (trigger_parse(&trigger, text, &error) != (column > 0) || error.column != column)
			fail_msg("'%s': column %u: %s", text, error.column, error.message);
		assert_int_equal(column > 0, error.message != NULL);
	}
}

static bool matches_rate(const char *text, uint64_t ns, bool whole)
{
	const struct trigger trigger = parsed(text);

	return trigger_matches_rate(&trigger, 30, ns, whole);
}

/* Six vsyncs of 60 Hz are 100 ms, whatever the last digits of the period; other times are exact. */
TEST(test_comparisons_of_whole_vsyncs_have_a_tolerance)
{
	static const struct {
		const char *text;
		struct interval interval;
		enum wait_kind wait;
		bool matches;
	} cases[] = {
		{ "interval>100ms", { 100 * MS, ROW_UNKNOWN, 0 }, WAIT_IDLE, false },
		{ "interval>100ms", { 100 * MS + 1, ROW_UNKNOWN, 0 }, WAIT_IDLE, true },
		{ "interval>100ms", { 500 * MS, ROW_UNKNOWN, 0 }, WAIT_IDLE, false },
		{ "interval>=100ms", { 100 * MS, ROW_UNKNOWN, 0 }, WAIT_IDLE, true },
		{ "interval>=500ms", { 500 * MS, ROW_UNKNOWN, 0 }, WAIT_IDLE, false },
		{ "interval>=500ms", { 500 * MS, ROW_UNKNOWN, 0 }, WAIT_STALL, true },
		{ "interval>500ms", { 500 * MS, ROW_UNKNOWN, 0 }, WAIT_STALL, false },
		{ "interval>100ms", { 500 * MS, ROW_UNKNOWN, 0 }, WAIT_UNKNOWN, false },
		{ "interval>100ms", { 100500000, 6, 0 }, WAIT_IDLE, false },
		{ "interval>100ms", { 100500001, 6, 0 }, WAIT_IDLE, true },
		{ "interval>=100ms", { 99500000, 6, 0 }, WAIT_IDLE, true },
		{ "interval>=100ms", { 99499999, 6, 0 }, WAIT_IDLE, false },
		{ "interval<100ms", { 99500000, 6, 0 }, WAIT_IDLE, false },
		{ "interval<100ms", { 99499999, 6, 0 }, WAIT_IDLE, true },
		{ "interval<=100ms", { 100500000, 6, 0 }, WAIT_IDLE, true },
		{ "interval<=100ms", { 100500001, 6, 0 }, WAIT_IDLE, false },
		{ "interval>100ms", { 498 * MS, 6, 0 }, WAIT_IDLE, false },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct trigger trigger = parsed(cases[i].text);

		if (trigger_matches_interval(&trigger, cases[i].interval, cases[i].wait) !=
		    cases[i].matches)
			fail_msg("case %zu", i);
	}
	assert_false(matches_rate("fps<30", SECOND, false));
	assert_true(matches_rate("fps<30", SECOND + 1, false));
	assert_true(matches_rate("fps<=30", SECOND, false));
	assert_false(matches_rate("fps<30", 1004 * MS, true));
	assert_true(matches_rate("fps<30", 1006 * MS, true));
	assert_true(matches_rate("fps<=30", 996 * MS, true));
	assert_false(matches_rate("fps>30", 996 * MS, true));
	assert_true(matches_rate("fps>=30", 1004 * MS, true));
}

/* --- a running pipeline --- */

static struct trigger trigger;

FIXTURE(default_options, stop_phone)

static void start_with(const char *text)
{
	trigger = parsed(text);
	options.trigger = &trigger;
	start(PHONE_14);
}

/* The gate was open once. */
static void expect_open(uint64_t from_ns, uint64_t to_ns)
{
	const struct gate_change *gate = phone.log.gate;

	assert_int_equal(phone.log.n_gate, 2);
	assert_true(gate[0].open && !gate[1].open);
	assert_int_equal(gate[0].time_ns, from_ns);
	assert_int_equal(gate[1].time_ns, to_ns);
}

/* 30 fps is not less than 30 fps, nor more. */
TEST(test_even_rate_at_the_limit_keeps_the_gate_closed)
{
	static const char *const conditions[] = { "fps<30", "fps>30" };

	for (unsigned int i = 0; i < 4; i++) {
		options.vsync_ns = i / 2 ? 16667140 : 16666030;
		start_with(conditions[i % 2]);
		phone_run(&phone, a, BEGIN, 2 * options.vsync_ns, 200);
		phone_end(&phone);
		assert_int_equal(phone.log.n_gate, 0);
	}
}

TEST(test_gate_stays_closed)
{
	static const struct {
		const char *condition, *steps;
	} cases[] = {
		{ "fps<30 for 3s", "a0-119 a120-297x3 a298-417" }, /* 20 fps, but not so long */
		{ "fps<30", "a0-119 a600-1284x36" }, /* an idle display has no frame rate */
		{ "interval>100ms", "a0-59 lost 1 100 a80-139" }, /* frames in between were lost */
	};

	options.late_ns = 50 * MS;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		start_with(cases[i].condition);
		play(cases[i].steps);
		expect("gate 0 late_rows 0");
	}
}

/* 20 fps, reported after three seconds. */
TEST(test_lasting_low_rate_opens_the_gate)
{
	uint64_t slow_ns = BEGIN + 120 * V60, fast_ns;

	start_with("fps<30 for 3s");
	draw("a0-119");
	fast_ns = phone_run(&phone, a, slow_ns, 3 * V60, 120);
	phone_run(&phone, a, fast_ns + V60, V60, 240);
	phone_end(&phone);
	assert_int_equal(phone.log.n_gate, 2);
	assert_true(phone.log.gate[0].open);
	assert_string_equal(event_text(TRACE_EVENT_TRIGGER), "begins: 20.0 fps on " SURFACE_A);
	/* The last second has fewer than 30 frames after 15 frames at 20 fps. */
	assert_in_range(phone.log.gate[0].time_ns, slow_ns + 3600 * MS, slow_ns + 3900 * MS);
	assert_in_range(phone.log.gate[1].time_ns, fast_ns + SECOND, fast_ns + 2 * SECOND);
}

/* A series keeps the gate open and then has no frames at all. */
TEST(test_gate_closes_when_no_surface_fulfils_the_condition)
{
	uint64_t last_ns;

	start_with("fps<30");
	last_ns = phone_run(&phone, a, BEGIN, 4 * V60, 60);
	phone_run(&phone, b, last_ns + V60, V60, 500);
	phone_end(&phone);
	expect_open(phone.log.gate[0].time_ns, last_ns + 5 * SECOND);
	/* Or at the end of the trace. */
	start_with("fps<30");
	last_ns = phone_run(&phone, a, BEGIN, 4 * V60, 60);
	phone_end(&phone);
	expect_open(phone.log.gate[0].time_ns, last_ns);
	assert_int_equal(phone.log.gate[1].n_frames, 60);
}

/* --- late frames --- */

/* The second wait ends with a frame whose buffer was queued, but not latched, for most of it. */
TEST(test_stalls_are_late_and_idle_waits_are_not)
{
	options.late_ns = 100 * MS;
	start_with("interval>100ms");
	play("a0-59 a600-659 at 659 100 queue a a780-839");
	assert_int_equal(phone.log.n_late, 1);
	assert_int_equal(phone.log.late[0].present_ns, BEGIN + 780 * V60);
	expect_open(BEGIN + 780 * V60, phone.log.gate[1].time_ns);
}

/* --- marks --- */

TEST(test_instants_of_jankd_are_marks)
{
	static const char *const names[] = { "jankd:level 2 | loaded", "jankd:", "jankd",
					     "not jankd:x", "jankd:end" };

	start(PHONE_14);
	draw("a0-9");
	for (size_t i = 0; i < COUNT_OF(names); i++)
		phone_write(&phone, TRACE_INSTANT, 77, names[i], 0);
	phone_write(&phone, TRACE_SLICE_BEGIN, 77, "jankd:slice", 0);
	phone_end(&phone);
	assert_int_equal(events_of(TRACE_EVENT_MARK), 2);
	assert_string_equal(event_text(TRACE_EVENT_MARK), "level 2 | loaded");
	for (size_t i = 0; i < phone.log.n_events; i++)
		if (phone.log.events[i].kind == TRACE_EVENT_MARK)
			assert_int_equal(phone.log.events[i].time_ns, phone.now_ns);
}

TEST_ON(phone_14, test_number_of_mark_events_is_bounded)
{
	phone.now_ns = BEGIN;
	for (unsigned int i = 0; i < 50000; i++)
		phone_write(&phone, TRACE_INSTANT, 77, "jankd:x", 0);
	phone_end(&phone);
	assert_in_range(events_of(TRACE_EVENT_MARK), 100, 200);
}

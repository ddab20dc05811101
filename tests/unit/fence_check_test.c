/* SPDX-License-Identifier: Apache-2.0 */
/* Frames by present fences are compared with those of the trace, second by second. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "rules/fence_check.h"
#include "tests/unit/numbers.h"

#define DELAY_NS (25 * MS)
#define LAYER "com.a/com.a.Main#7"

static struct fence_check memory, *const check = &memory;
static struct event_writer writer, *const events = &writer;
static unsigned int n_events;
static char last_event[1024];

static void on_event(void *context, const struct trace_event *event)
{
	n_events++;
	assert_int_equal(event->kind, TRACE_EVENT_TRACING);
	snprintf(last_event, sizeof(last_event), "%s", event->text);
}

/* The fences begin at 100 s, the trace a bit later. */
static int set_up(void **state)
{
	memset(check, 0, sizeof(*check));
	*events = (struct event_writer){ .sink.event = on_event };
	n_events = 0;
	last_event[0] = '\0';
	fence_check_until(check, 100 * SECOND, 100 * SECOND, events);
	return 0;
}

FIXTURE(set_up, NULL)

static void trace_at(const char *name, uint64_t present_ns)
{
	const struct name_key key = { name, name_hash(span_of(name)), strlen(name) };

	fence_check_frame(check, key, present_ns, true);
}

static struct interval fence_at(const char *name, uint64_t actual_ns, uint32_t gaps)
{
	const struct present_fence fence = {
		.layer = span_of(name),
		.desired_ns = actual_ns,
		.actual_ns = actual_ns,
		.ready_ns = actual_ns - 5 * MS,
		.period_ns = V60,
		.gaps = gaps,
	};

	return fence_check_fence(check, &fence, strcmp(name, "excluded") == 0);
}

/* All frames of both from @from_s to @to_s, but without the fences of @lost of each second. */
static void draw(const char *name, double from_s, double to_s, unsigned int lost)
{
	uint64_t second = 0;
	unsigned int left = 0;

	for (uint64_t ns = (uint64_t)(from_s * 1e9); ns < (uint64_t)(to_s * 1e9); ns += V60) {
		trace_at(name, ns);
		if ((ns + DELAY_NS) / SECOND != second) {
			second = (ns + DELAY_NS) / SECOND;
			left = lost;
		}
		if (left == 0)
			fence_at(name, ns + DELAY_NS, 0);
		else
			left--;
	}
}

static void compare(const char *name, uint64_t until_s)
{
	fence_check_known(check, span_of(name), until_s * SECOND);
	fence_check_until(check, until_s * SECOND, until_s * SECOND, events);
}

static void expect(const char *expected)
{
	const struct fence_check_counts *counts = &check->counts;
	const struct number numbers[] = {
		{ "events", n_events },	 NUMBER(counts, compared),	  NUMBER(counts, disagreed),
		NUMBER(counts, unknown), NUMBER(counts, events_left_out),
	};

	expect_numbers(numbers, COUNT_OF(numbers), expected);
}

TEST(test_seconds_that_differ_are_reported)
{
	/* The fence of a frame near a second's border is in the next one; draws that begin and end
	 * within a second move several frames of it. */
	draw(LAYER, 100.3, 104.99, 0);
	draw(LAYER, 106.97, 107.5, 0);
	draw(LAYER, 108, 108.02, 0);
	compare(LAYER, 120);
	expect("events 0 disagreed 0 unknown 0 compared 8");
	draw(LAYER, 120.3, 123, 0);
	draw(LAYER, 123, 124, 2);
	draw(LAYER, 124, 130, 0);
	compare(LAYER, 132);
	expect("events 1 disagreed 1 unknown 0 compared 19");
	assert_non_null(strstr(last_event, "58 frames by the fences, 60 by the trace, in second "
					   "123: " LAYER));
	draw(LAYER, 140.3, 143, 30);
	draw(LAYER, 143, 144, 0);
	draw(LAYER, 144, 146, 30);
	compare(LAYER, 146);
	expect("events 2 disagreed 6");
	assert_non_null(strstr(last_event, "in 5 of the seconds 140 to 145"));
	/* A ring without frames, although it can be read. */
	fence_at("excluded", 150 * SECOND, 0);
	fence_check_known(check, SPAN_LITERAL("excluded"), 155 * SECOND);
	for (unsigned int i = 0; i < 300; i++) {
		trace_at(LAYER, 150 * SECOND + i * V60);
		trace_at("excluded", 150 * SECOND + i * V60);
	}
	compare(LAYER, 155);
	expect("events 3");
	assert_non_null(strstr(last_event, " 0 frames by the fences, 300 by the trace"));
}

TEST(test_limit)
{
	for (unsigned int s = 100; s < 155; s++) {
		draw(LAYER, s, s + 1, 10);
		compare(LAYER, s + 1);
	}
	expect("events 10 disagreed 54 events_left_out 44");
}

TEST(test_what_is_not_complete_is_not_compared)
{
	draw(LAYER, 100, 102, 0);
	fence_check_hole(check, 102 * SECOND - 100 * MS, 102 * SECOND);
	for (uint64_t ns = 102 * SECOND; ns < 103 * SECOND; ns += V60)
		fence_at(LAYER, ns + DELAY_NS, 0);
	compare(LAYER, 104);
	expect("compared 0");
	draw(LAYER, 103.1, 106, 0);
	compare(LAYER, 106);
	expect("events 0 unknown 3 compared 2");
	/* The ring of a layer that is gone cannot be read a last time. */
	draw(LAYER, 106, 109, 0);
	fence_check_known(check, span_of(LAYER), 109 * SECOND);
	for (uint64_t ns = 109 * SECOND; ns < 110 * SECOND; ns += V60)
		trace_at(LAYER, ns);
	trace_at("other", 114 * SECOND);
	fence_check_until(check, 114 * SECOND, 114 * SECOND, events);
	expect("events 0 unknown 4 compared 5");
	/* Frames before the gap were overwritten in the ring. */
	draw(LAYER, 114, 116, 0);
	for (uint64_t ns = 116 * SECOND; ns < 120 * SECOND; ns += V60) {
		trace_at(LAYER, ns);
		if (ns >= 118 * SECOND)
			fence_at(LAYER, ns + DELAY_NS, 1);
	}
	compare(LAYER, 120);
	expect("events 0 unknown 8 compared 8");
}

TEST(test_many_layers)
{
	for (unsigned int n = 0; n < 600; n++)
		for (unsigned int i = 0; i < 3 * FENCE_CHECK_LAYERS; i++) {
			char name[32];

			snprintf(name, sizeof(name), "com.a%u/com.a.Main", i);
			trace_at(name, 100 * SECOND + n * V60);
			if (n % 2 == 0 || i > 20)
				fence_at(name, 100 * SECOND + n * V60 + DELAY_NS, 0);
			fence_check_known(check, span_of(name), 120 * SECOND);
		}
	fence_check_until(check, 110 * SECOND, 110 * SECOND, events);
	expect("disagreed 0");
}

TEST(test_intervals)
{
	assert_int_equal(fence_at(LAYER, 100 * SECOND, 0).ns, ROW_UNKNOWN);
	assert_int_equal(fence_at(LAYER, 100 * SECOND + V60, 0).vsyncs, 1);
	assert_int_equal(fence_at("b", 100 * SECOND + V60, 0).ns, ROW_UNKNOWN);
	assert_int_equal(fence_at(LAYER, 100 * SECOND + 4 * V60, 0).vsyncs, 3);
	assert_int_equal(fence_at("b", 100 * SECOND + 5 * V60, 0).vsyncs, 4);
	/* no interval spans a gap */
	assert_int_equal(fence_at(LAYER, 100 * SECOND + 9 * V60, 1).ns, ROW_UNKNOWN);
	assert_int_equal(fence_at(LAYER, 100 * SECOND + 10 * V60, 1).vsyncs, 1);
}

TEST(test_hostile)
{
	static const uint64_t times[] = { 1,	     UINT64_MAX, 0,	     SECOND,
					  INT64_MAX, 5 * SECOND, UINT64_MAX, UINT64_MAX - SECOND };

	for (size_t i = 0; i < COUNT_OF(times); i++) {
		trace_at(LAYER, times[i]);
		fence_at(LAYER, times[COUNT_OF(times) - 1 - i], (uint32_t)i);
		fence_check_hole(check, times[i], times[COUNT_OF(times) - 1 - i]);
		fence_check_known(check, SPAN_LITERAL(LAYER), times[i]);
		fence_check_until(check, times[i], times[i], events);
	}
	fence_check_new_clock(check);
	check->counts = (struct fence_check_counts){ 0 };
	n_events = 0;
	fence_check_until(check, SECOND, SECOND, events);
	draw(LAYER, 1.3, 6, 0);
	compare(LAYER, 5);
	expect("events 0 unknown 0 compared 3");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Detection of suspend, of a change of the wall clock, and of an emptied buffer. */
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <stdio.h>

#include "daemon/capture/clock_watch.h"
#include "daemon/trace/cpu_buffer_stats.h"

#define STEP(seconds) ((int64_t)((seconds)*1e9))

static struct clock_change after(struct clock_watch *watch, double mono, double slept, double set)
{
	struct clock_reading next = watch->last;

	next.mono += STEP(mono);
	next.boot += STEP(mono + slept);
	next.wall += STEP(mono + slept + set);
	return clock_watch_compare(watch, next);
}

TEST(suspend_and_wall_clock_steps_are_detected)
{
	struct clock_watch watch = { 0 };
	struct clock_change change = clock_watch_compare(
		&watch, (struct clock_reading){ STEP(100), STEP(5000), STEP(1.7e9) });

	assert_int_equal(change.slept_ns | change.stepped_ns, 0);
	change = after(&watch, 1, 0, 0);
	assert_int_equal(change.slept_ns | change.stepped_ns, 0);
	/* reading the clocks takes time, and a clock that is synchronized may run a little faster
	 */
	change = after(&watch, 1, 0.02, 0.1);
	assert_int_equal(change.slept_ns | change.stepped_ns, 0);
	change = after(&watch, 0.25, 3600, 0);
	assert_int_equal(change.slept_ns, STEP(3600));
	assert_int_equal(change.stepped_ns, 0);
	change = after(&watch, 0.25, 0, 7200);
	assert_int_equal(change.slept_ns, 0);
	assert_int_equal(change.stepped_ns, STEP(7200));
	change = after(&watch, 0.25, 8, -3600);
	assert_int_equal(change.slept_ns, STEP(8));
	assert_int_equal(change.stepped_ns, STEP(-3600));
	change = after(&watch, 1, 0, 0);
	assert_int_equal(change.slept_ns | change.stepped_ns, 0);
}

static bool parse_counts(struct cpu_buffer_counts *cpu, uint64_t overrun, uint64_t read)
{
	char text[256];
	int n = snprintf(text, sizeof(text),
			 "entries: 7\noverrun: %" PRIu64 "\ncommit overrun: 99\nbytes: 1\n"
			 "oldest event ts:     0.000000\nnow ts: 12514.868828\n"
			 "dropped events: 5\nread events: %" PRIu64 "\n",
			 overrun, read);

	return cpu_buffer_counts_parse(cpu, (struct span){ text, (size_t)n });
}

TEST(emptied_buffer_does_not_reset_lost_events)
{
	struct cpu_buffer_counts cpu = { 0 };

	assert_false(parse_counts(&cpu, 1000, 10));
	assert_int_equal(cpu.lost, 0);
	assert_false(parse_counts(&cpu, 1000, 500));
	assert_false(parse_counts(&cpu, 1234, 600));
	assert_int_equal(cpu.lost, 234);
	/* emptied: all counts start at 0 */
	assert_true(parse_counts(&cpu, 6, 20));
	assert_int_equal(cpu.lost, 240);
	assert_false(parse_counts(&cpu, 6, 20));
	assert_true(parse_counts(&cpu, 6, 19));
	assert_int_equal(cpu.lost, 246);
}

TEST(malformed_statistics_count_no_loss)
{
	struct cpu_buffer_counts cpu = { 0 };

	assert_false(cpu_buffer_counts_parse(&cpu, SPAN_NULL));
	assert_false(cpu_buffer_counts_parse(&cpu, SPAN_LITERAL("overrun: ")));
	assert_false(cpu_buffer_counts_parse(&cpu, SPAN_LITERAL("commit overrun: 5")));
	assert_int_equal(cpu.lost, 0);
	assert_false(cpu_buffer_counts_parse(&cpu, SPAN_LITERAL("read events: x\noverrun: 3")));
	assert_int_equal(cpu.lost, 3);
}

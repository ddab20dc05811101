/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that other programs make during a capture are detected, written into events.csv, undone
 * or left, and handled at the end. */
#include "tests/unit/unit.h"

#include "tests/unit/live.h"

static int set_up(void **state)
{
	live_set_up(state);
	/* Options that change the format of the text. */
	live_set("options/raw", "0\n");
	live_set("options/context-info", "1\n");
	live_set("snapshot", "0\n");
	return 0;
}

FIXTURE(set_up, live_tear_down)

static void begin(const char *option)
{
	live_run("--no-atrace", "--frames-log", option, NULL);
	assert_begins(scratch_get("run.out"), "capturing from ");
	live_frames(20);
	live_wait_rows("frames.csv", 20);
}

/* What another program sets a file to, and what it is after the events; @undone may be NULL. */
struct change {
	const char *name, *theirs, *then, *said, *undone;
};

static void change(const struct change *changes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		live_set(changes[i].name, changes[i].theirs);
		live_wait_event(changes[i].said);
		if (changes[i].undone)
			live_wait_event(changes[i].undone);
		live_wait_setting(changes[i].name, changes[i].then);
	}
}

/* Four changes are undone in a minute. After that the other program's choice stays. A larger buffer
 * does no harm. */
TEST(changes_that_stop_the_trace_are_undone)
{
	static const struct change changes[] = {
		{ "buffer_size_kb", "X\n", "X", "set buffer_size_kb to ",
		  "jankd set buffer_size_kb back to " },
		{ "buffer_size_kb", "9999\n", "9999", "set buffer_size_kb to 9999 ", NULL },
		{ "buffer_size_kb", "7\n", "9999", "set buffer_size_kb to 7 ", "back to 9999 " },
		{ "tracing_on", "0\n", "1", "program set tracing_on to 0: no events are recorded\n",
		  "jankd set tracing_on back to 1\n" },
		{ "options/markers", "0\n", "0", "options/markers to 0: no markers are recorded\n",
		  NULL },
		{ "tracing_on", "1\n", "1", "another program wrote to tracing_on: ", NULL },
		{ "buffer_size_kb", "8\n", "9999", "buffer_size_kb to 8 ", "back to 9999 KB " },
		{ "tracing_on", "0\n", "0", "tracing_on to 0: no events are recorded\n",
		  "does not restore this one: tracing_on\"\n" },
	};

	begin(NULL);
	live_set("per_cpu/cpu1/buffer_size_kb", "64\n");
	change(changes, COUNT_OF(changes));
	live_wait_setting("per_cpu/cpu1/buffer_size_kb", "7777");
	/* It also stays when that minute is over. */
	usleep(60000000 / 5);
	live_stop();
	assert_int_equal(live_rows("frames.csv"), 20);
	live_wait_setting("tracing_on", "0");
	live_wait_setting("buffer_size_kb", "9999");
	assert_contains(scratch_get("run.err"), "buffer_size_kb");
	assert_contains(scratch_get("out/events.csv"), "another program changed these settings",
			"buffer_size_kb 9999");
}

/* Frames with times of two clocks are not compared. */
TEST(other_changes_are_kept)
{
	static const struct change changes[] = {
		{ "snapshot", "1\n", "1", "another program emptied the trace buffer", NULL },
		{ "options/overwrite", "0\n", "0", "options/overwrite to 0: a full buffer", NULL },
		{ "options/raw", "1\n", "1", "options/raw to 1: trace lines cannot be", NULL },
		{ "options/raw", "0\n", "0", "another program set options/raw to 0\n", NULL },
		{ "tracing_cpumask", "1\n", "1", "tracing_cpumask to 1: events of other CPUs",
		  NULL },
		{ "tracing_cpumask", "3\n", "3", "another program set tracing_cpumask to 3\n",
		  NULL },
		{ "trace_clock", "counter\n", "counter", "clock does not count time, so no", NULL },
		{ "trace_clock", "mono\n", "mono", "program set trace_clock to mono\n", NULL },
	};
	/* With --yield. */
	static const struct change off[] = {
		{ "tracing_on", "0\n", "0", "program set tracing_on to 0: ", NULL },
		{ "tracing_cpumask", "1\n", "1", "tracing_cpumask to 1: ", NULL },
		{ "options/raw", "1\n", "1", "options/raw to 1: ", NULL },
	};

	begin("--yield");
	change(changes, COUNT_OF(changes));
	/* Frames of the new clock are counted. */
	for (int i = 0; i < PROGRAM_S * 5 && live_rows("frames.csv") <= 60; i++) {
		live_frames(20);
		usleep(200000);
	}
	assert_true(live_rows("frames.csv") > 60);
	/* For what a kill leaves. */
	wait_for_text("out/session.json", "\"name\":\"mono\"");
	/* By the last one, tracing would have been switched on again. */
	change(off, COUNT_OF(off));
	live_stop();
	live_wait_setting("tracing_on", "0");
	live_wait_setting("trace_clock", "mono");
	live_wait_setting("options/overwrite", "0");
	assert_lacks(scratch_get("out/events.csv"), ",tracing,jankd ");
}

/* 25 events were dropped. */
#define STATS(overrun)                                                                             \
	"entries: 0\noverrun: " overrun "\ncommit overrun: 0\nbytes: 0\n"                          \
	"oldest event ts:     0.000000\nnow ts:    10.000000\n"                                    \
	"dropped events: 25\nread events: 100\n"

/* What another program sets before 30 more frames come, and whether the first of them has an
 * interval. */
TEST(no_interval_spans_time_in_which_frames_may_be_hidden)
{
	static const struct {
		const char *name, *value, *said;
		enum { NO, YES, MAYBE } known;
	} steps[] = {
		{ NULL, NULL, "tracing_cpumask (the traced CPUs) is 1\"\n", NO },
		{ "tracing_cpumask", "3\n", "program set tracing_cpumask to 3\n", NO },
		{ NULL, NULL, NULL, MAYBE },
		{ NULL, NULL, NULL, YES },
		{ "options/overwrite", "0\n", "drops new events", NO },
		{ NULL, NULL, NULL, MAYBE },
		{ NULL, NULL, NULL, YES },
		{ "per_cpu/cpu1/stats", STATS("0"), NULL, NO },
		{ "tracing_cpumask", "1\n", "program set tracing_cpumask to 1: ", NO },
		{ NULL, NULL, NULL, NO },
	};
	unsigned int n = 20;

	live_set("tracing_cpumask", "1\n");
	begin("--yield");
	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		const char *row;

		if (steps[i].name)
			live_set(steps[i].name, steps[i].value);
		if (steps[i].said)
			live_wait_event(steps[i].said);
		live_frames(30);
		live_wait_rows("frames.csv", n + 30);
		row = scratch_get("out/frames.csv");
		for (unsigned int line = 0; line <= n; line++)
			row = strchr(row, '\n') + 1;
		row = strchr(strchr(row, ',') + 1, ',') + 1;
		if (steps[i].known != MAYBE && steps[i].known != (*row == ',' ? NO : YES))
			fail_msg("step %zu: %.60s", i, row);
		n += 30;
	}
	live_stop();
}

TEST(all_cpus_are_traced_if_per_cpu_cannot_be_read)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	live_set("tracing_cpumask", formatted("%lx\n", cpus < 60 ? (1L << cpus) - 1 : -1L));
	assert_int_equal(rename(scratch_path("tr/per_cpu"), scratch_path("tr/other")), 0);
	scratch_put("tr/per_cpu", "");
	begin("--yield");
	live_stop();
	assert_lacks(scratch_get("out/events.csv"), "(the traced CPUs)");
}

TEST(accesses_that_change_nothing_are_reported)
{
	static const struct change changes[] = {
		{ "tracing_on", "1\n", "1", "wrote to tracing_on: ", NULL },
		{ "tracing_cpumask", "3\n", "3", "wrote to tracing_cpumask: ", NULL },
		{ "options/markers", "1\n", "1", "wrote to options/markers: ", NULL },
		{ "trace", "\n", "\n", "emptied the trace buffer", NULL },
	};
	int fd;

	scratch_put("tr/per_cpu/cpu1/trace_pipe_raw", "");
	begin(NULL);
	change(changes, COUNT_OF(changes));
	for (int i = 0; i < 2; i++) {
		fd = open(scratch_path(i ? "tr/per_cpu/cpu1/trace_pipe_raw" : "tr/trace"),
			  O_RDONLY);
		live_wait_event(i ? "began to read the raw trace" : "began to read the trace");
		close(fd);
		live_wait_event(i ? "stopped reading the raw trace" : "stopped reading the trace");
	}
	live_set("per_cpu/cpu0/stats", STATS("40"));
	live_wait_event(",lost,");
	live_stop();
}

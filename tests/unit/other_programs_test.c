/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that other programs make during a capture are detected, written into events.csv, undone
 * or left, and handled at the end. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/live.h"

static int set_up(void **state)
{
	live_set_up(state);
	/* Options that change the format of the text. */
	live_set("options/raw", "0\n");
	live_set("options/hex", "0\n");
	live_set("options/context-info", "1\n");
	live_set("options/pause-on-trace", "1\n");
	return 0;
}

FIXTURE(set_up, live_tear_down)

static void begin(const char *option)
{
	live_run("--no-atrace", "--frames-log", option, NULL);
	live_frames(20);
	live_wait_rows("frames.csv", 1);
}

/* Rows of kind 'tracing' in events.csv. */
static unsigned int tracing_events(void)
{
	const char *at = scratch_get("out/events.csv");
	unsigned int n = 0;

	while ((at = strstr(at, ",tracing,"))) {
		at++;
		n++;
	}
	return n;
}

static void is_reported_after(unsigned int before)
{
	wait_until(tracing_events() > before);
}

static void change(const char *name, const char *theirs)
{
	unsigned int before = tracing_events();

	live_set(name, theirs);
	is_reported_after(before);
}

static void is_undone(const char *name, const char *theirs, const char *ours)
{
	change(name, theirs);
	live_wait_setting(name, ours);
}

TEST(changes_that_damage_the_trace_are_undone)
{
	begin(NULL);
	is_undone("tracing_on", "0\n", "1");
	is_undone("tracing_cpumask", "1\n", "3");
	is_undone("options/markers", "0\n", "1");
	is_undone("options/raw", "1\n", "0");
	is_undone("options/context-info", "0\n", "1");
	live_stop();
	assert_int_equal(live_rows("frames.csv"), 20);
}

/* Frames with times of two clocks are not compared. */
TEST(change_of_the_clock_is_undone)
{
	begin(NULL);
	is_undone("trace_clock", "local\n", "boot");
	live_frames(20);
	live_wait_rows("frames.csv", 25);
	live_stop();
}

TEST(reduced_buffer_size_is_undone)
{
	begin(NULL);
	live_set("per_cpu/cpu1/buffer_size_kb", "64\n");
	change("buffer_size_kb", "X\n");
	live_wait_setting("per_cpu/cpu1/buffer_size_kb", "7777");
	live_stop();
}

TEST(increased_buffer_size_is_kept)
{
	begin(NULL);
	change("buffer_size_kb", "9999\n");
	live_stop();
	live_wait_setting("buffer_size_kb", "9999");
	assert_contains(scratch_get("run.err"), "buffer_size_kb");
}

TEST(changes_are_kept_with_yield)
{
	begin("--yield");
	change("tracing_on", "0\n");
	change("options/overwrite", "0\n");
	/* Changes after those: by now they would have been undone. */
	change("tracing_cpumask", "1\n");
	change("tracing_cpumask", "3\n");
	live_wait_setting("options/overwrite", "0");
	assert_begins(scratch_get("tr/tracing_on"), "0");
	change("tracing_on", "1\n");
	live_stop();
}

TEST(change_of_the_clock_is_followed_with_yield)
{
	begin("--yield");
	change("trace_clock", "mono\n");
	for (int i = 0; i < PROGRAM_S * 5 && live_rows("frames.csv") <= 60; i++) {
		live_frames(20);
		usleep(200000);
	}
	assert_true(live_rows("frames.csv") > 60);
	live_stop();
	live_wait_setting("trace_clock", "mono");
}

TEST(repeated_change_is_kept)
{
	unsigned int before;

	begin(NULL);
	for (int i = 0; i < 4; i++)
		is_undone("tracing_on", "0\n", "1");
	before = tracing_events();
	live_set("tracing_on", "0\n");
	is_reported_after(before + 1);
	/* Changes after that: by now it would have been undone. */
	change("tracing_cpumask", "1\n");
	change("tracing_cpumask", "3\n");
	assert_begins(scratch_get("tr/tracing_on"), "0");
	live_stop();
	/* The other program's choice stays. */
	assert_begins(scratch_get("tr/tracing_on"), "0");
}

TEST(writes_that_change_nothing_are_reported)
{
	static const struct {
		const char *name, *value, *said;
	} rows[] = {
		{ "tracing_on", "1\n", "wrote to tracing_on" },
		{ "tracing_cpumask", "3\n", "changed tracing_cpumask" },
		{ "options/markers", "1\n", "changed options of the trace" },
		{ "trace", "\n", "emptied the trace buffer" },
	};

	begin(NULL);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		change(rows[i].name, rows[i].value);
		live_wait_event(rows[i].said);
	}
	live_stop();
}

TEST(reads_and_losses_of_the_trace_are_reported)
{
	unsigned int before;
	int fd;

	begin(NULL);
	before = tracing_events();
	fd = open(scratch_path("tr/trace"), O_RDONLY);
	is_reported_after(before);
	before = tracing_events();
	close(fd);
	is_reported_after(before);
	live_set("per_cpu/cpu0/stats", "entries: 0\noverrun: 40\ncommit overrun: 0\nbytes: 0\n"
				       "oldest event ts:     0.000000\nnow ts:    10.000000\n"
				       "dropped events: 25\nread events: 100\n");
	live_wait_event(",lost,");
	live_stop();
}

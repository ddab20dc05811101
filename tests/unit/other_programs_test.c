/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that other programs make during a capture are detected, written into events.csv, undone
 * or left, and handled at the end. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/live_capture.h"

static struct live_capture capture;

static int set_up(void **state)
{
	live_capture_make(&capture);
	/* Options that change the format of the text. */
	live_capture_set(&capture, "options/raw", "0\n");
	live_capture_set(&capture, "options/hex", "0\n");
	live_capture_set(&capture, "options/context-info", "1\n");
	live_capture_set(&capture, "options/pause-on-trace", "1\n");
	return 0;
}

static int tear_down(void **state)
{
	live_capture_remove(&capture);
	return 0;
}

FIXTURE(set_up, tear_down)

/* Rows of kind 'tracing' in events.csv. */
static unsigned int tracing_events(void)
{
	const char *at = scratch_get(&capture.scratch, "out/events.csv");
	unsigned int n = 0;

	while ((at = strstr(at, ",tracing,"))) {
		at++;
		n++;
	}
	return n;
}

/* Returns true if there are more than @than such rows, after a wait. */
static bool has_more_events(unsigned int than)
{
	for (int i = 0; i < PROGRAM_S * 100; i++) {
		if (tracing_events() > than)
			return true;
		usleep(10000);
	}
	return false;
}

static void begin(const char *option)
{
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", option, NULL));
	live_capture_frames(&capture, 20);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 1));
}

static void assert_undone(const char *name, const char *theirs, const char *ours)
{
	unsigned int before = tracing_events();

	live_capture_set(&capture, name, theirs);
	if (!has_more_events(before))
		fail_msg("%s: %s was not seen", name, theirs);
	if (!live_capture_is_set(&capture, name, ours))
		fail_msg("%s: it stays %s", name, scratch_get(&capture.scratch, name));
}

TEST(changes_that_stop_the_trace_are_undone)
{
	begin(NULL);
	assert_undone("tracing_on", "0\n", "1");
	assert_undone("tracing_cpumask", "1\n", "3");
	assert_undone("options/markers", "0\n", "1");
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 20);
}

TEST(reduced_buffer_size_is_undone)
{
	unsigned int before;

	begin(NULL);
	before = tracing_events();
	live_capture_set(&capture, "per_cpu/cpu1/buffer_size_kb", "64\n");
	live_capture_set(&capture, "buffer_size_kb", "X\n");
	assert_true(has_more_events(before));
	assert_true(live_capture_is_set(&capture, "per_cpu/cpu1/buffer_size_kb", "7777"));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

TEST(increased_buffer_size_is_kept)
{
	unsigned int before;

	begin(NULL);
	before = tracing_events();
	live_capture_set(&capture, "buffer_size_kb", "9999\n");
	assert_true(has_more_events(before));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_true(live_capture_is_set(&capture, "buffer_size_kb", "9999"));
	assert_non_null(strstr(scratch_get(&capture.scratch, "run.err"), "buffer_size_kb"));
}

/* Frames with times of two clocks are not compared; the change is undone. */
TEST(change_of_the_clock_is_undone)
{
	begin(NULL);
	assert_undone("trace_clock", "local\n", "boot");
	live_capture_frames(&capture, 20);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 25));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

TEST(change_of_the_line_format_is_undone)
{
	begin(NULL);
	assert_undone("options/raw", "1\n", "0");
	assert_undone("options/context-info", "0\n", "1");
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

TEST(changes_are_kept_with_yield)
{
	unsigned int before;

	begin("--yield");
	before = tracing_events();
	live_capture_set(&capture, "tracing_on", "0\n");
	live_capture_set(&capture, "options/overwrite", "0\n");
	assert_true(has_more_events(before));
	assert_true(has_more_events(before + 1));
	/* Longer than an undone change would stay. */
	sleep(4);
	assert_true(live_capture_is_set(&capture, "tracing_on", "0"));
	assert_true(live_capture_is_set(&capture, "options/overwrite", "0"));
	before = tracing_events();
	live_capture_set(&capture, "tracing_on", "1\n");
	assert_true(has_more_events(before));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

TEST(change_of_the_clock_is_followed_with_yield)
{
	unsigned int before;

	begin("--yield");
	before = tracing_events();
	live_capture_set(&capture, "trace_clock", "mono\n");
	assert_true(has_more_events(before));
	for (int i = 0; i < PROGRAM_S; i++) {
		live_capture_frames(&capture, 20);
		if (live_capture_rows(&capture, "frames.csv") > 60)
			break;
		sleep(1);
	}
	assert_true(live_capture_rows(&capture, "frames.csv") > 60);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_true(live_capture_is_set(&capture, "trace_clock", "mono"));
}

TEST(repeated_change_is_kept)
{
	unsigned int before;

	begin(NULL);
	for (int i = 0; i < 4; i++)
		assert_undone("tracing_on", "0\n", "1");
	before = tracing_events();
	live_capture_set(&capture, "tracing_on", "0\n");
	assert_true(has_more_events(before));
	assert_true(has_more_events(before + 1));
	sleep(3);
	assert_true(live_capture_is_set(&capture, "tracing_on", "0"));
	assert_int_equal(live_capture_ask(&capture, "status", "--json"), 0);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	/* The other program's choice stays. */
	assert_true(live_capture_is_set(&capture, "tracing_on", "0"));
}

TEST(emptied_buffer_is_reported)
{
	unsigned int before;

	begin(NULL);
	before = tracing_events();
	live_capture_set(&capture, "trace", "\n");
	assert_true(has_more_events(before));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

TEST(reader_of_the_trace_is_reported)
{
	unsigned int before;
	int fd;

	begin(NULL);
	before = tracing_events();
	fd = open(scratch_path(&capture.scratch, "tr/trace"), O_RDONLY);
	assert_true(has_more_events(before));
	before = tracing_events();
	close(fd);
	assert_true(has_more_events(before));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

TEST(events_dropped_by_a_full_buffer_are_reported_lost)
{
	static const char stats[] = "entries: 0\noverrun: 40\ncommit overrun: 0\nbytes: 0\n"
				    "oldest event ts:     0.000000\nnow ts:    10.000000\n"
				    "dropped events: 25\nread events: 100\n";

	begin(NULL);
	live_capture_set(&capture, "per_cpu/cpu0/stats", stats);
	assert_true(program_wait_for(&capture.scratch, "out/events.csv", ",lost,"));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of a capture: an instance, raw CPU buffers, a trace with damage; and snapshots. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/live_capture.h"
#include "tests/unit/trace_text.h"

static struct live_capture capture;

FIXTURE_OF(live_capture_set_up, live_capture_tear_down, &capture)

static const char *file(const char *name)
{
	return scratch_get(&capture.scratch, name);
}

/* From now on text is written to the instance's pipe. */
static void use_instance(const char *name)
{
	char pipe[64];

	fake_tracefs_instance(&capture.scratch, "tr", name);
	snprintf(pipe, sizeof(pipe), "instances/%s/trace_pipe", name);
	close(capture.pipe);
	capture.pipe = fake_tracefs_open(&capture.scratch, "tr", pipe);
}

TEST(instance_is_read_and_restored)
{
	use_instance("mine");
	live_capture_set(&capture, "instances/mine/tracing_on", "0\n");
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", "--instance", "mine",
				     NULL));
	assert_true(live_capture_is_set(&capture, "instances/mine/tracing_on", "1"));
	live_capture_frames(&capture, 50);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 50));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_true(live_capture_is_set(&capture, "instances/mine/tracing_on", "0"));
	/* The top level is not changed. */
	assert_string_equal(file("tr/tracing_on"), "1\n");
	assert_non_null(strstr(file("out/session.json"), "/instances/mine"));
}

/* The program that created the instance chose its size: it is kept, with a warning. */
TEST(small_buffer_of_an_instance_is_kept)
{
	use_instance("mine");
	live_capture_set(&capture, "instances/mine/buffer_size_kb", "64\n");
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", "--instance", "mine",
				     NULL));
	live_capture_frames(&capture, 20);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_non_null(strstr(file("run.err"), "buffer_size_kb"));
	assert_non_null(strstr(file("run.err"), "--buffer-kb"));
	assert_true(live_capture_is_set(&capture, "instances/mine/buffer_size_kb", "64"));
}

TEST(buffer_kb_sets_and_restores_the_size)
{
	live_capture_set(&capture, "buffer_size_kb", "1408\n");
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", "--buffer-kb", "2048",
				     NULL));
	assert_true(live_capture_is_set(&capture, "buffer_size_kb", "2048"));
	live_capture_frames(&capture, 20);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_true(live_capture_is_set(&capture, "buffer_size_kb", "1408"));
}

/* In a plain folder a new instance has no files: it is rejected, and removed again. */
TEST(new_instance_that_cannot_be_read_is_removed)
{
	assert_false(live_capture_run(&capture, "--no-atrace", "--frames-log", "--instance", "new",
				      NULL));
	assert_int_equal(capture.program.status, 1);
	assert_non_null(strstr(file("run.err"), "instances/new/trace_pipe"));
	assert_false(scratch_has(&capture.scratch, "tr/instances/new"));
	assert_false(scratch_has(&capture.scratch, "out/session.json"));
}

TEST(instance_that_cannot_be_created_is_reported)
{
	rmdir(scratch_path(&capture.scratch, "tr/instances"));
	assert_false(live_capture_run(&capture, "--no-atrace", "--frames-log", "--instance", "new",
				      NULL));
	assert_int_equal(capture.program.status, 1);
	assert_non_null(strstr(file("run.err"), "--instance new"));
}

/* Events have no time on this clock. */
TEST(clock_without_time_is_replaced)
{
	live_capture_set(&capture, "trace_clock", "local [counter] boot\n");
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", "--source", "text",
				     NULL));
	assert_true(live_capture_is_set(&capture, "trace_clock", "boot"));
	live_capture_frames(&capture, 20);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_true(live_capture_is_set(&capture, "trace_clock", "counter"));
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 20);
}

/* --- raw --- */

TEST(source_raw_reads_the_cpu_buffers)
{
	fake_tracefs_raw(&capture.scratch, "tr");
	assert_true(live_capture_run(&capture, "--no-atrace", "--source", "raw", NULL));
	assert_non_null(strstr(file("status.out"), "\"kind\":\"trace_pipe_raw\""));
	assert_int_equal(live_capture_ask(&capture, "status", NULL), 0);
	/* The buffers were empty. */
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 1);
}

TEST(source_raw_without_print_format_is_reported)
{
	assert_false(live_capture_run(&capture, "--no-atrace", "--source", "raw", NULL));
	assert_int_equal(capture.program.status, 1);
	assert_non_null(strstr(file("run.err"), "--source raw"));
	assert_non_null(strstr(file("run.err"), "events/ftrace/print/format"));
}

TEST(snapshot_selects_the_text_source)
{
	fake_tracefs_raw(&capture.scratch, "tr");
	assert_true(live_capture_run(&capture, "--no-atrace", "--snapshot", "100", NULL));
	assert_non_null(strstr(file("status.out"), "\"kind\":\"trace_pipe\""));
	live_capture_frames(&capture, 20);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

/* --- contents of the trace --- */

TEST(late_frame_saves_a_snapshot)
{
	uint64_t at = live_capture_now_us() - 4000000;

	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", "--snapshot", "100",
				     "--snapshot-seconds", "2", NULL));
	live_capture_frames_at(&capture, LIVE_LAYER, at, 60);
	live_capture_frames_at(&capture, LIVE_LAYER, at + 59 * 16667 + 300000, 120);
	assert_true(program_wait_for(&capture.scratch, "out/events.csv", ",snapshot,"));
	assert_non_null(strstr(file("out/snapshot-000001.txt"), "presentFrameAndReleaseLayers"));
	assert_int_equal(live_capture_ask(&capture, "status", NULL), 0);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

TEST(damaged_lines_are_counted)
{
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", NULL));
	live_capture_frames(&capture, 20);
	for (int i = 0; i < 20; i++) {
		char line[200];
		uint64_t us = live_capture_now_us();

		snprintf(line, sizeof(line),
			 "  app-7  (    7) [001] .... %llu.%06llu: tracing_mark_write: C|7|no "
			 "value\n",
			 (unsigned long long)(us / 1000000), (unsigned long long)(us % 1000000));
		live_capture_write(&capture, line);
	}
	live_capture_write(&capture, "no line of a trace\n");
	live_capture_frames(&capture, 20);
	assert_true(program_wait_for(&capture.scratch, "out/events.csv", "malformed"));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

TEST(lost_events_are_rows_of_events_csv)
{
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", NULL));
	live_capture_frames(&capture, 30);
	/* Any program can write such a line: it counts if the kernel's statistics confirm it. */
	live_capture_set(&capture, "per_cpu/cpu1/stats",
			 "entries: 0\noverrun: 57\ndropped events: 0\nread events: 300\n");
	live_capture_write(&capture, "CPU:1 [LOST 57 EVENTS]\n");
	live_capture_frames(&capture, 30);
	assert_true(program_wait_for(&capture.scratch, "out/events.csv", ",lost,"));
	assert_int_equal(live_capture_ask(&capture, "status", "--json"), 0);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

/* More than fits in the text buffer, and more than one read returns. */
TEST(flood_of_frames_loses_none)
{
	uint64_t at = live_capture_now_us() - 60000000;

	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", NULL));
	live_capture_frames_at(&capture, LIVE_LAYER, at, 3000);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 2900));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 3000);
}

TEST(rows_go_to_standard_output)
{
	assert_true(live_capture_run(&capture, "--no-atrace", "--stdout", NULL));
	live_capture_frames(&capture, 200);
	assert_true(live_capture_has_rows(&capture, "fps.csv", 1));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_string_equal(file("run.out"), file("out/fps.csv"));
}

TEST(rotate_time_is_time_of_the_trace)
{
	uint64_t at = live_capture_now_us() - 40000000;

	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", "--rotate-time", "5",
				     "--keep", "2", NULL));
	live_capture_frames_at(&capture, LIVE_LAYER, at, 2000);
	assert_true(live_capture_has_rows(&capture, "frames-000005.csv", 1));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_false(scratch_has(&capture.scratch, "out/frames-000001.csv"));
}

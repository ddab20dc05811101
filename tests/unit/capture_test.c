/* SPDX-License-Identifier: Apache-2.0 */
/* A whole capture of a fake tracefs: its files, its commands, and its end. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/live_capture.h"

static struct live_capture capture;
static pid_t app; /* the app that a capture waits for; 0: none */

static int set_up(void **state)
{
	live_capture_make(&capture);
	return 0;
}

static int tear_down(void **state)
{
	if (app > 0) {
		kill(app, SIGKILL);
		waitpid(app, NULL, 0);
	}
	app = 0;
	live_capture_remove(&capture);
	return 0;
}

FIXTURE(set_up, tear_down)

static const char *out(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "out/%s", name);
	return scratch_get(&capture.scratch, path);
}

static const char *printed(const char *file)
{
	return scratch_get(&capture.scratch, file);
}

/* Enough frames for a row of fps.csv before the end. */
TEST(every_frame_is_a_row)
{
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", NULL));
	live_capture_frames(&capture, 100);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 50));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 100);
	assert_non_null(strstr(out("fps.csv"), ",com.example.app,com.example.app/"));
	assert_int_equal(live_capture_rows(&capture, "summary.csv"), 1);
	assert_non_null(strstr(out("events.csv"), ",start,"));
	assert_non_null(strstr(out("events.csv"), ",surfaceflinger,"));
	assert_non_null(strstr(out("events.csv"), ",stop,"));
	/* The table at the end. */
	assert_non_null(strstr(printed("run.out"), "com.example.app/.Main"));
	assert_false(scratch_has(&capture.scratch, "out/.journal"));
}

/* The table at the end reads evicted Surfaces after the thread that wrote them has ended. */
TEST(final_table_has_evicted_surfaces)
{
	char layer[64];
	uint64_t now_us;

	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", "--max-surfaces",
				     "16", NULL));
	now_us = live_capture_now_us();
	for (uint64_t i = 0; i < 40; i++) {
		snprintf(layer, sizeof(layer), "com.example.a%02u/com.example.a%02u.Main#7",
			 (unsigned int)i, (unsigned int)i);
		live_capture_frames_at(&capture, layer, now_us - (41 - i) * 100000, 5);
	}
	assert_true(live_capture_has_rows(&capture, "frames.csv", 100));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_int_equal(live_capture_rows(&capture, "summary.csv"), 40);
	assert_non_null(strstr(printed("run.out"), "com.example.a00/.Main"));
	assert_non_null(strstr(printed("run.out"), "frames 200"));
}

TEST(a_running_capture_answers_requests)
{
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", NULL));
	live_capture_frames(&capture, 100);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 50));

	assert_int_equal(live_capture_ask(&capture, "status", "--json"), 0);
	assert_non_null(strstr(printed("status.out"), "\"schema\":1"));
	assert_non_null(strstr(printed("status.out"), "\"uptime_s\":"));
	assert_non_null(strstr(printed("status.out"), "\"kind\":\"trace_pipe\""));

	assert_int_equal(live_capture_ask(&capture, "status", NULL), 0);
	assert_non_null(strstr(printed("status.out"), "com.example.app/.Main"));

	assert_int_equal(live_capture_ask(&capture, "mark", "the\nmoment"), 0);
	assert_non_null(strstr(out("events.csv"), ",mark,the\\x0Amoment\n"));

	assert_int_equal(live_capture_ask(&capture, "rotate", NULL), 0);
	assert_non_null(strstr(printed("rotate.out"), "000001"));
	assert_true(scratch_has(&capture.scratch, "out/fps-000001.csv"));
	assert_true(scratch_has(&capture.scratch, "out/frames-000001.csv"));
	assert_non_null(strstr(out("events-000001.csv"), ",mark,"));
	assert_non_null(strstr(out("events-000001.csv"), ",rotate,"));

	assert_int_equal(live_capture_ask(&capture, "stop", NULL), 0);
	assert_non_null(strstr(printed("stop.out"), "100 frames"));
	assert_int_equal(program_end(&capture.program), 0);
	assert_int_equal(live_capture_ask(&capture, "status", NULL), 1);
	assert_non_null(strstr(printed("status.err"), "jankd: status: "));
}

TEST(rotate_without_rows_closes_no_segment)
{
	assert_true(live_capture_run(&capture, "--no-atrace", NULL));
	assert_int_equal(live_capture_ask(&capture, "rotate", NULL), 0);
	assert_false(scratch_has(&capture.scratch, "out/fps-000001.csv"));
	assert_int_equal(live_capture_ask(&capture, "mark", ""), 2);
	/* A trace without any frame is a failure, and the reason is reported. */
	assert_int_equal(live_capture_signal(&capture, SIGINT), 1);
	assert_non_null(strstr(printed("run.err"), "jankd: run: "));
}

TEST(a_second_capture_of_the_folder_is_refused)
{
	struct program second;
	char pid[24];

	assert_true(live_capture_run(&capture, "--no-atrace", NULL));
	snprintf(pid, sizeof(pid), "pid %d", (int)capture.program.pid);
	assert_int_equal(program_run(&second, &capture.scratch, "start", "--tracefs", "tr", "-F",
				     "out", "--no-atrace", NULL),
			 1);
	assert_non_null(strstr(program_err(&second), pid));
	/* Another folder, the same trace: its pipe is in use. */
	assert_int_equal(program_run(&second, &capture.scratch, "start", "--tracefs", "tr", "-F",
				     "out2", "--no-atrace", NULL),
			 1);
	assert_non_null(strstr(program_err(&second), "trace_pipe"));
	live_capture_frames(&capture, 10);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

TEST(events_count_between_wait_and_duration)
{
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", "--wait", "4",
				     "--duration", "4", NULL));
	live_capture_frames(&capture, 40);
	/* Events from before the start of counting are not counted. */
	assert_true(program_wait_for(&capture.scratch, "out/events.csv", ",tracing,"));
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 0);
	live_capture_frames(&capture, 20);
	assert_int_equal(program_end(&capture.program), 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 20);
	assert_non_null(strstr(out("events.csv"), ",tracing,"));
}

TEST(until_exit_ends_with_the_app)
{
	app = fork();
	if (app == 0) {
		execl("/bin/sleep", "com.example.unittest:remote", "1000", NULL);
		_exit(127);
	}
	assert_true(live_capture_run(&capture, "--no-atrace", "--until-exit",
				     "com.example.unittest", NULL));
	live_capture_frames(&capture, 10);
	/* It searches for the app once a second: by then it has found it. */
	sleep(3);
	assert_int_equal(waitpid(capture.program.pid, NULL, WNOHANG), 0);
	kill(app, SIGKILL);
	waitpid(app, NULL, 0);
	app = 0;
	assert_int_equal(program_end(&capture.program), 0);
	assert_non_null(strstr(out("events.csv"), "com.example.unittest"));
}

TEST(sigusr1_rotates_and_sigquit_ends)
{
	assert_true(live_capture_run(&capture, "--no-atrace", NULL));
	live_capture_frames(&capture, 200);
	assert_true(live_capture_has_rows(&capture, "fps.csv", 1));
	kill(capture.program.pid, SIGUSR1);
	assert_true(live_capture_has_rows(&capture, "fps-000001.csv", 1));
	assert_int_equal(live_capture_signal(&capture, SIGQUIT), 0);
}

/* --- detached --- */

TEST(a_daemon_outlives_its_caller)
{
	char counting[64];

	assert_true(live_capture_start(&capture, "--no-atrace", "--frames-log", NULL));
	snprintf(counting, sizeof(counting), "(pid %d)", (int)live_capture_pid(&capture));
	assert_non_null(strstr(printed("start.out"), counting));
	live_capture_frames(&capture, 50);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 20));
	assert_int_equal(live_capture_ask(&capture, "stop", NULL), 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 50);
}

TEST(top_prints_tables_until_the_daemon_ends)
{
	static const char *const arguments[] = { "top", "-F", "out", NULL };
	struct program top;

	assert_true(live_capture_start(&capture, "--no-atrace", "--frames-log", NULL));
	live_capture_frames(&capture, 50);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 20));
	program_start(&top, &capture.scratch, "top", arguments);
	assert_true(program_wait_for(&capture.scratch, "top.out", "com.example.app/.Main"));
	assert_int_equal(live_capture_ask(&capture, "stop", NULL), 0);
	assert_int_equal(program_end(&top), 0);
}

TEST(start_reports_why_the_daemon_failed)
{
	unlink(scratch_path(&capture.scratch, "tr/trace_pipe"));
	assert_false(live_capture_start(&capture, "--no-atrace", NULL));
	assert_int_equal(capture.program.status, 1);
	assert_non_null(strstr(printed("start.err"), "jankd: start: "));
	assert_non_null(strstr(printed("start.err"), "tracefs"));
	assert_string_equal(printed("start.out"), "");
}

TEST(sighup_loads_the_rules_again)
{
	assert_int_equal(
		program_run(&capture.program, &capture.scratch, "rules", "show", "default", NULL),
		0);
	scratch_put(&capture.scratch, "my.rules", printed("rules.out"));
	assert_true(live_capture_start(&capture, "--no-atrace", "--rules", "my.rules", NULL));
	kill(live_capture_pid(&capture), SIGHUP);
	assert_true(live_capture_has_rows(&capture, "events.csv", 2));
	scratch_put(&capture.scratch, "my.rules", "nonsense here\n");
	kill(live_capture_pid(&capture), SIGHUP);
	assert_true(live_capture_has_rows(&capture, "events.csv", 3));
	assert_non_null(strstr(out("events.csv"), "my.rules"));
	assert_int_equal(live_capture_ask(&capture, "stop", NULL), 0);
}

/* --- after a kill --- */

TEST(next_capture_restores_settings_after_a_kill)
{
	live_capture_set(&capture, "tracing_on", "0\n");
	assert_true(live_capture_run(&capture, "--no-atrace", NULL));
	assert_true(live_capture_is_set(&capture, "tracing_on", "1"));
	assert_int_equal(live_capture_signal(&capture, SIGKILL), 128 + SIGKILL);
	assert_true(scratch_has(&capture.scratch, "out/.journal"));
	assert_true(live_capture_is_set(&capture, "tracing_on", "1"));

	assert_true(live_capture_run(&capture, "--no-atrace", NULL));
	assert_true(live_capture_is_set(&capture, "tracing_on", "1"));
	live_capture_frames(&capture, 10);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_true(live_capture_is_set(&capture, "tracing_on", "0"));
	assert_false(scratch_has(&capture.scratch, "out/.journal"));
	/* The files of the killed capture are kept. */
	assert_true(scratch_has(&capture.scratch, "out/events-000001.csv"));
}

/* A capture with 50 frames in its files is killed, and 30 frames come after that. */
static void kill_a_capture(void)
{
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", NULL));
	live_capture_frames(&capture, 50);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 50));
	assert_int_equal(live_capture_signal(&capture, SIGKILL), 128 + SIGKILL);
	live_capture_frames(&capture, 30);
}

TEST(next_capture_counts_what_a_killed_one_left)
{
	kill_a_capture();
	assert_true(live_capture_run(&capture, "--no-atrace", NULL));
	assert_int_equal(live_capture_rows(&capture, "frames-000001.csv"), 80);
	assert_non_null(strstr(out("events-000001.csv"),
			       "taken from the trace buffers after a kill: 30 frames, "));
	live_capture_frames(&capture, 10);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

TEST(stop_counts_what_a_killed_capture_left)
{
	kill_a_capture();
	assert_int_equal(live_capture_ask(&capture, "stop", NULL), 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 80);
	assert_false(scratch_has(&capture.scratch, "out/.journal"));
}

/* Times of another clock would not fit to the rows. */
TEST(events_of_another_clock_are_not_counted_after_a_kill)
{
	kill_a_capture();
	live_capture_set(&capture, "trace_clock", "local [mono] boot\n");
	assert_int_equal(live_capture_ask(&capture, "stop", NULL), 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 50);
	assert_non_null(strstr(out("events.csv"),
			       "nothing was taken from the trace buffers after a "
			       "kill: the trace clock is no longer boot"));
}

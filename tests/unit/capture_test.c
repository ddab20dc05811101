/* SPDX-License-Identifier: Apache-2.0 */
/* A whole capture of a fake tracefs: its files, its commands, its sources, and its end. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/live.h"

static pid_t apps[3]; /* processes of apps; 0: none */

static void begin_app(size_t i, const char *name)
{
	apps[i] = fork();
	if (apps[i] == 0) {
		execl("/bin/sleep", name, "1000", NULL);
		_exit(127);
	}
}

static void end_app(size_t i)
{
	if (apps[i] > 0) {
		kill(apps[i], SIGKILL);
		waitpid(apps[i], NULL, 0);
	}
	apps[i] = 0;
}

static int tear_down(void **state)
{
	for (size_t i = 0; i < COUNT_OF(apps); i++)
		end_app(i);
	return live_tear_down(state);
}

FIXTURE(live_set_up, tear_down)

static const char *events(void)
{
	return scratch_get("out/events.csv");
}

static int start_in(const char *folder)
{
	return program_run("start", "--tracefs", "tr", "-F", folder, "--no-atrace", NULL);
}

#define TABLE                                                                                      \
	"Surface                                  grade lost ms/s freezes   FPS 1% low p99 ms max" \
	" ms jank big\n"                                                                           \
	"com.example.app/.Main                TOO SHORT       0.0       0  60.0   60.0   16.7   "  \
	"16"                                                                                       \
	".7    0   0\n"                                                                            \
	"presents 100, frames 100, lost events 0, span 1.654 s, refresh 60.00 Hz\n"

TEST(a_running_capture_answers_requests)
{
	live_run("--no-atrace", "--frames-log", NULL);
	assert_string_equal(scratch_get("run.out"), "capturing from tr (Ctrl-C to stop)\n");
	assert_int_equal(live_ask("rotate", NULL), 0);
	assert_false(scratch_has("out/fps-000001.csv"));
	live_frames(100);
	live_wait_rows("frames.csv", 100);
	assert_int_equal(live_ask("status", "--json"), 0);
	assert_contains(program_out(), "{\n    \"name\":\"boot\",\n    \"wall_offset_ns\":1",
			"\"running\":true,\n  \"pid\":", "\"kind\":\"trace_pipe\"");
	assert_int_equal(live_ask("status", NULL), 0);
	assert_contains(program_out(),
			formatted(", run, pid %d\nfolder   out\nsource   tr/trace_pipe "
				  "(events/ftrace/print/format: No such file or directory)\n"
				  "rules    default\nsince    20",
				  (int)live_pid),
			"\nread     1000 events in 0.1 MB, 100 presents, 100 frames, 60.00 Hz\n"
			"lost     0 events, 0 rows\nand      1 rotations\ncosts    ",
			" wakeups/s\n\n" TABLE);
	assert_int_equal(live_ask("mark", "the\nmoment"), 0);
	assert_contains(events(), ",mark,the\\x0Amoment\n");
	assert_int_equal(live_ask("rotate", NULL), 0);
	assert_string_equal(program_out(), "segment 000002 is closed\n");
	assert_contains(scratch_get("out/fps-000002.csv"), ",com.example.app,com.example.app/");
	assert_contains(scratch_get("out/events-000002.csv"), ",surfaceflinger,", ",mark,",
			",rotate,");
	/* A second capture is refused; in another folder, as the pipe of the trace is in use. */
	assert_int_equal(start_in("out"), 1);
	assert_contains(program_err(), formatted("pid %d", (int)live_pid));
	assert_int_equal(start_in("out2"), 1);
	assert_contains(program_err(), "trace_pipe");
	assert_int_equal(live_ask("stop", NULL), 0);
	assert_contains(program_out(), " s: 100 presents, 100 frames; CSV files in out\n");
	live_end();
	assert_string_equal(
		scratch_get("run.out"),
		"capturing from tr (Ctrl-C to stop)\n" TABLE
		"TOO SHORT: com.example.app drew for only 1.65 s (99 frames), too short to "
		"judge: no late frame, no\n  freeze.\n"
		"  com.example.app/.Main: TOO SHORT\n"
		"  55 fps rule of the Software Green Alliance: not applicable: never even for "
		"5 s\n"
		"the apps' own frame times are not recorded: add category view\n"
		"CSV files in out\n");
	assert_int_equal(live_rows("frames-000002.csv") + live_rows("frames.csv"), 100);
	assert_int_equal(live_rows("summary.csv"), 1);
	assert_contains(events(), ",stop,");
	assert_false(scratch_has("out/.journal"));
	assert_int_equal(live_ask("status", NULL), 1);
	assert_one_line(program_err());
}

TEST(events_count_between_wait_and_duration)
{
	live_run("--no-atrace", "--frames-log", "--wait", "4", "--duration", "4", NULL);
	live_frames(40);
	assert_int_equal(live_ask("status", NULL), 0);
	assert_contains(program_out(), "--wait");
	/* Events from before the start of counting are not counted. */
	live_wait_event(",tracing,");
	assert_int_equal(live_rows("frames.csv"), 0);
	live_frames(20);
	live_end();
	assert_int_equal(live_rows("frames.csv"), 20);
}

/* It begins after the capture, and ends with the last of its processes. */
TEST(until_exit_ends_with_the_app)
{
	double begin;

	begin_app(0, "com.example.unittest.other");
	live_run("--no-atrace", "--frames-log", "--until-exit", "com.example.unittest", NULL);
	begin_app(1, "com.example.unittest:remote");
	begin = program_seconds();
	/* It searches for the app once a second. Before Linux 5.3 there are no pidfds. */
	wait_until(system(formatted("ls -l /proc/%d/fd | grep -q pidfd", (int)live_pid)) == 0 ||
		   program_seconds() - begin > 5);
	begin_app(2, "com.example.unittest");
	live_frames(50);
	live_wait_rows("frames.csv", 20);
	end_app(1);
	sleep(1);
	assert_int_equal(waitpid(live_pid, NULL, WNOHANG), 0);
	end_app(2);
	live_end();
	assert_contains(events(), "com.example.unittest");
}

TEST(a_daemon_outlives_its_caller)
{
	static const char *const words[] = { "top", "-F", "out", NULL };
	pid_t top;

	assert_int_equal(program_run("rules", "show", "default", NULL), 0);
	scratch_put("my.rules", program_out());
	live_start("--no-atrace", "--frames-log", "--rules", "my.rules", NULL);
	assert_contains(scratch_get("start.out"), formatted("(pid %d)", (int)live_daemon()));
	live_frames(50);
	live_wait_rows("frames.csv", 50);
	/* SIGHUP loads the rules again. */
	kill(live_daemon(), SIGHUP);
	live_wait_event(",rules reloaded: ");
	scratch_put("my.rules", "nonsense here\n");
	kill(live_daemon(), SIGHUP);
	live_wait_event("my.rules:1:");
	/* More than any pipe holds. */
	unlink(scratch_path("my.rules"));
	assert_int_equal(symlink("/dev/zero", scratch_path("my.rules")), 0);
	kill(live_daemon(), SIGHUP);
	live_wait_event("File too large");
	/* A FIFO without a writer, which stands for a disk that does not answer. */
	unlink(scratch_path("my.rules"));
	assert_int_equal(mkfifo(scratch_path("my.rules"), 0600), 0);
	kill(live_daemon(), SIGHUP);
	assert_int_equal(live_ask("mark", "it answers"), 0);
	live_wait_event("takes more than");
	/* 'top' ends with the daemon. */
	top = program_start(words);
	wait_for_text("top.out", "com.example.app/.Main");
	assert_int_equal(live_ask("stop", NULL), 0);
	assert_int_equal(program_end(top), 0);
	assert_int_equal(live_rows("frames.csv"), 50);
}

/* --- after a kill --- */

/* A capture with 50 frames in its files is killed, and 30 frames come after that. */
static void kill_a_capture(void)
{
	live_set("tracing_on", "0\n");
	live_run("--no-atrace", "--frames-log", NULL);
	live_frames(50);
	live_wait_rows("frames.csv", 50);
	live_kill();
	live_wait_setting("tracing_on", "1");
	live_frames(30);
}

TEST(next_capture_does_what_a_killed_one_has_not_done)
{
	kill_a_capture();
	live_run("--no-atrace", NULL);
	/* The files of the killed capture are kept, with the frames that it had not read. */
	assert_int_equal(live_rows("frames-000001.csv"), 80);
	assert_contains(scratch_get("out/events-000001.csv"),
			"taken from the trace buffers after a kill: 30 frames, ");
	live_wait_setting("tracing_on", "1");
	live_frames(10);
	live_stop();
	live_wait_setting("tracing_on", "0");
	assert_false(scratch_has("out/.journal"));
}

/* Times of another clock would not fit to the rows. */
TEST(stop_does_what_a_killed_capture_has_not_done)
{
	kill_a_capture();
	assert_int_equal(live_ask("stop", NULL), 0);
	assert_int_equal(live_rows("frames.csv"), 80);
	live_wait_setting("tracing_on", "0");
	assert_false(scratch_has("out/.journal"));
	kill_a_capture();
	live_set("trace_clock", "local [mono] boot\n");
	assert_int_equal(live_ask("stop", NULL), 0);
	assert_int_equal(live_rows("frames.csv"), 50);
	assert_contains(events(), "nothing was taken from the trace buffers after a "
				  "kill: the trace clock is no longer boot");
}

/* --- sources and settings --- */

/* The program that created the instance chose its size: it is kept, with a warning. */
TEST(instance_is_read_and_restored)
{
	fake_tracefs_instance("mine");
	close(live_pipe);
	live_pipe = fake_tracefs_open("instances/mine/trace_pipe");
	live_set("instances/mine/tracing_on", "0\n");
	live_run("--no-atrace", "--frames-log", "--instance", "mine", NULL);
	live_wait_setting("instances/mine/tracing_on", "1");
	live_frames(50);
	live_wait_rows("frames.csv", 50);
	live_stop();
	live_wait_setting("instances/mine/tracing_on", "0");
	assert_lacks(scratch_get("run.err"), "buffer_size_kb");
	live_set("instances/mine/buffer_size_kb", "64\n");
	live_run("--no-atrace", "--instance", "mine", NULL);
	live_frames(20);
	live_stop();
	live_wait_setting("instances/mine/buffer_size_kb", "64");
	assert_contains(scratch_get("run.err"), "buffer_size_kb", "--buffer-kb");
	assert_contains(scratch_get("out/session.json"), "/instances/mine");
	/* The top level is not changed. */
	assert_string_equal(scratch_get("tr/tracing_on"), "1\n");
}

/* In a plain folder a new instance has no files: it is rejected, and removed again. */
TEST(what_cannot_be_captured_is_reported)
{
	live_fails("--no-atrace", "--instance", "new", NULL);
	assert_contains(scratch_get("run.err"), "instances/new/trace_pipe");
	assert_false(scratch_has("tr/instances/new"));
	assert_false(scratch_has("out/session.json"));
	rmdir(scratch_path("tr/instances"));
	live_fails("--no-atrace", "--instance", "new", NULL);
	assert_contains(scratch_get("run.err"), "--instance new");
	live_fails("--no-atrace", "--source", "raw", NULL);
	assert_contains(scratch_get("run.err"), "--source raw", "events/ftrace/print/format");
	fake_tracefs_raw();
	live_run("--no-atrace", "--source", "raw", NULL);
	assert_contains(program_out(), "\"kind\":\"trace_pipe_raw\"");
	assert_int_equal(live_ask("status", NULL), 0);
	assert_contains(program_out(), "0 presents, 0 frames");
	assert_int_equal(live_ask("rotate", NULL), 0);
	assert_contains(program_out(), " is closed; it has no rows, events only\n");
	/* The buffers were empty. */
	assert_int_equal(live_signal(SIGTERM), 1);
	assert_begins(scratch_get("run.err"), "jankd: run: no markers found");
	assert_one_line(scratch_get("run.err"));
	assert_lacks(scratch_get("run.out"), "presents ");
	live_run("--no-atrace", "--wait", "60", NULL);
	assert_int_equal(live_signal(SIGTERM), 1);
	assert_contains(scratch_get("run.err"), "--wait");
	/* A daemon says the same, to the command that ends it. */
	live_start("--no-atrace", NULL);
	assert_int_equal(live_ask("stop", NULL), 1);
	assert_contains(program_err(), "jankd: stop: no markers found");
	unlink(scratch_path("tr/trace_pipe"));
	assert_int_equal(start_in("out"), 1);
	assert_contains(program_err(), "jankd: start: ", "tracefs");
	assert_string_equal(program_out(), "");
}

/* --- contents of the trace --- */

/* Nothing follows it in the trace. */
TEST(late_frame_saves_a_snapshot)
{
	uint64_t at;

	fake_tracefs_raw();
	live_run("--no-atrace", "--frames-log", "--snapshot", "100", "--snapshot-seconds", "2",
		 NULL);
	/* It saves text. */
	assert_contains(program_out(), "\"kind\":\"trace_pipe\"");
	at = live_now_us() - 1800000;
	live_frames_at(LIVE_LAYER, at, 60);
	live_frames_at(LIVE_LAYER, at + 59 * 16667 + 300000, 30);
	live_wait_event(",snapshot,");
	assert_contains(scratch_get("out/snapshot-000001.txt"), "presentFrameAndReleaseLayers");
	live_stop();
}

/* Any program can write a line of lost events: it counts if the kernel's statistics confirm it. */
TEST(damaged_lines_and_lost_events_are_reported)
{
	live_run("--no-atrace", "--frames-log", NULL);
	live_frames(30);
	for (int i = 0; i < 20; i++)
		live_write(formatted("  app-7  (    7) [001] .... %f: tracing_mark_write: C|7|no "
				     "value\n",
				     (double)live_now_us() / 1e6));
	live_write("no line of a trace\n");
	live_set("per_cpu/cpu1/stats",
		 "entries: 0\noverrun: 57\ndropped events: 0\nread events: 300\n");
	live_write("CPU:1 [LOST 57 EVENTS]\n");
	live_frames(30);
	live_wait_event("malformed");
	live_wait_event(",lost,");
	live_stop();
}

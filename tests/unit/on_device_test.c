/* SPDX-License-Identifier: Apache-2.0 */
/* A capture on a device with a fake sysfs, /dev and /proc: what it says about the device, and that
 * it lets the device sleep. The capture runs in a child process of the test. */
#include "tests/unit/unit.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/capture/capture.h"
#include "tests/unit/fake_device.h"
#include "tests/unit/live_capture.h"

#define BATTERY "phone/sys/class/power_supply/battery"
#define LIGHT "phone/sys/class/backlight/panel0-backlight"
#define FLAGS "debug.atrace.tags.enableflags"
#define OOM "phone/proc/self/oom_score_adj"

static struct live_capture capture;
static char root[128];
static int logd;

static void open_logd(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	scratch_mkdir(&capture.scratch, "phone/dev/socket");
	assert_true(snprintf(address.sun_path, sizeof(address.sun_path), "%s/dev/socket/logdw",
			     root) < (int)sizeof(address.sun_path));
	logd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(logd, (struct sockaddr *)&address, sizeof(address)), 0);
}

static int set_up(void **state)
{
	live_capture_make(&capture);
	snprintf(root, sizeof(root), "%s/phone", capture.scratch.path);
	scratch_mkdir(&capture.scratch, BATTERY);
	scratch_put(&capture.scratch, BATTERY "/type", "Battery\n");
	scratch_put(&capture.scratch, BATTERY "/capacity", "81\n");
	scratch_put(&capture.scratch, BATTERY "/temp", "312\n");
	scratch_mkdir(&capture.scratch, LIGHT);
	scratch_put(&capture.scratch, LIGHT "/brightness", "120\n");
	scratch_put(&capture.scratch, LIGHT "/max_brightness", "255\n");
	scratch_mkdir(&capture.scratch, "phone/proc/self");
	scratch_put(&capture.scratch, OOM, "0\n");
	scratch_mkdir(&capture.scratch, "phone/sys/power");
	scratch_put(&capture.scratch, "phone/sys/power/wake_lock", "");
	open_logd();
	fake_device_begin(&capture.scratch, "tr");
	return 0;
}

static int tear_down(void **state)
{
	live_capture_remove(&capture);
	fake_device_end();
	close(logd);
	return 0;
}

FIXTURE(set_up, tear_down)

static void run_capture(struct options *options)
{
	struct capture *running;
	int null = open("/dev/null", O_RDWR);
	int code;

	if (chdir(capture.scratch.path) < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(127);
	code = capture_begin(&running, options, NULL);
	if (code == 0)
		code = capture_loop(running, NULL);
	capture_close(running);
	_exit(code);
}

static struct options device_options(void)
{
	struct options options = options_default(OPTIONS_RUN);

	options.device_root = root;
	options.folder = "out";
	options.no_atrace = true;
	options.frames_log = true;
	return options;
}

/* Starts 'jankd run' with these options on the fake device. */
static void begin(struct options *options, const char *tracefs)
{
	options->tracefs = tracefs;
	capture.program = (struct program){ .scratch = &capture.scratch };
	fflush(NULL);
	capture.program.pid = fork();
	if (capture.program.pid == 0)
		run_capture(options);
}

/* The same, and waits until it captures. */
static void start(struct options *options)
{
	begin(options, "tr");
	assert_true(program_wait_for(&capture.scratch, "out/.lock", "jankd-"));
	for (int i = 0; i < PROGRAM_S * 10; i++) {
		if (live_capture_ask(&capture, "status", "--json") == 0)
			return;
		usleep(100000);
	}
	fail();
}

/* All lines in the log so far. */
static const char *logged(void)
{
	static char text[65536];
	char line[8192];
	size_t len = strlen(text);
	ssize_t n;

	while ((n = recv(logd, line, sizeof(line), 0)) > 18 && len + (size_t)n < sizeof(text))
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s\n", line + 18);
	return text;
}

static bool is_logged(const char *text)
{
	for (int i = 0; i < PROGRAM_S * 100; i++) {
		if (strstr(logged(), text))
			return true;
		usleep(10000);
	}
	return false;
}

TEST(values_of_the_device_are_in_the_files)
{
	struct options options = device_options();
	const char *json;

	start(&options);
	live_capture_frames(&capture, 20);
	assert_true(program_wait_for(&capture.scratch, "out/events.csv",
				     ",device,\"battery 81 %, 31.2 C, screen on, brightness "
				     "120/255\"\n"));
	json = scratch_get(&capture.scratch, "out/session.json");
	assert_non_null(strstr(json, "\"battery_percent\":81"));
	assert_non_null(strstr(json, "\"end\":null"));
	scratch_put(&capture.scratch, BATTERY "/capacity", "80\n");
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	json = scratch_get(&capture.scratch, "out/session.json");
	assert_non_null(strstr(json, "\"battery_percent\":81"));
	assert_non_null(strstr(json, "\"battery_percent\":80"));
	assert_non_null(strstr(json, "\"battery_celsius\":31.2"));
	/* Unknown, not 0. */
	assert_non_null(strstr(json, "\"skin_celsius\":null"));
	assert_non_null(strstr(json, "\"oom_score_adj\":-800"));
	assert_string_equal(scratch_get(&capture.scratch, "phone/sys/power/wake_lock"), "");
}

TEST(start_stop_and_trouble_are_logged)
{
	struct options options = device_options();

	start(&options);
	assert_true(is_logged("started: jankd "));
	live_capture_frames(&capture, 20);
	live_capture_set(&capture, "tracing_on", "0\n");
	assert_true(is_logged("another program switched tracing off"));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_true(is_logged("stopped after "));
}

TEST(start_that_fails_is_logged)
{
	struct options options = device_options();

	begin(&options, "/nonexistent");
	assert_int_equal(program_end(&capture.program), 1);
	assert_true(is_logged("/nonexistent"));
}

TEST(disk_space_is_kept_free)
{
	struct options options = device_options();
	struct statvfs disk;
	uint64_t floor;
	char text[64];

	assert_int_equal(statvfs(capture.scratch.path, &disk), 0);
	floor = (uint64_t)disk.f_blocks / 20 * disk.f_frsize;
	if (floor > UINT64_C(500) << 20)
		floor = UINT64_C(500) << 20;
	start(&options);
	snprintf(text, sizeof(text), "\"min_free\":%llu,", (unsigned long long)floor);
	assert_non_null(strstr(scratch_get(&capture.scratch, "out/session.json"), text));
	live_capture_frames(&capture, 20);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

/* --- sleep --- */

/* How often the threads of the capture have slept; negative: unknown. */
static long sleeps(void)
{
	char path[300], line[128];
	long sum = 0, n = -1;
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)capture.program.pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		FILE *file;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%.16s/status", (int)capture.program.pid,
			 entry->d_name);
		file = fopen(path, "r");
		while (file && fgets(line, sizeof(line), file))
			if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
				sum += n;
		if (file)
			fclose(file);
	}
	if (tasks)
		closedir(tasks);
	return n < 0 ? -1 : sum;
}

/* Waits until nothing has woken up the capture for some seconds. */
static bool is_asleep(void)
{
	for (int i = 0; i < PROGRAM_S / 5; i++) {
		long before = sleeps();

		sleep(5);
		if (sleeps() == before)
			return true;
	}
	return false;
}

static bool can_count(void)
{
	struct program program = capture.program;
	long n;

	capture.program.pid = getpid();
	n = sleeps();
	capture.program = program;
	if (n >= 0)
		return true;
	print_message("/proc/PID/task/TID/status has no voluntary_ctxt_switches\n");
	return false;
}

static void start_with_the_screen(struct options *options, const char *brightness)
{
	scratch_put(&capture.scratch, LIGHT "/brightness", brightness);
	options->min_free_given = true;
	start(options);
	live_capture_frames(&capture, 30);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 30));
}

TEST(no_timer_wakes_a_device_whose_screen_is_off)
{
	struct options options = device_options();

	if (!can_count())
		skip();
	start_with_the_screen(&options, "0\n");
	assert_true(is_asleep());
	/* The source wakes it up. */
	live_capture_frames(&capture, 30);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 60));
	assert_true(is_asleep());
	/* And so does another program that changes the trace. */
	live_capture_set(&capture, "tracing_on", "0\n");
	assert_true(program_wait_for(&capture.scratch, "out/events.csv", "switched tracing off"));
	assert_true(live_capture_is_set(&capture, "tracing_on", "1"));
	assert_true(is_asleep());
	/* A client, and the end. */
	assert_int_equal(live_capture_ask(&capture, "mark", "night"), 0);
	assert_true(program_wait_for(&capture.scratch, "out/events.csv", ",mark,night\n"));
	assert_true(is_asleep());
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

/* With tags of atrace jankd runs getprop with each tick, also one that a client has caused. The end
 * of a slow one would cause the next tick. */
TEST(no_program_runs_while_the_device_sleeps)
{
	struct options options = device_options();
	size_t before;

	if (!can_count())
		skip();
	fake_device_set(&capture.scratch, FLAGS, "0x400");
	options.no_atrace = false;
	start_with_the_screen(&options, "0\n");
	scratch_put(
		&capture.scratch, "device/bin/getprop",
		"#!/bin/sh\necho query >> \"$DEVICE/queries\"\ncat \"$DEVICE/properties/$1\"\n");
	assert_true(is_asleep());
	before = strlen(scratch_get(&capture.scratch, "device/queries"));
	assert_int_equal(live_capture_ask(&capture, "status", NULL), 0);
	assert_true(is_asleep());
	assert_int_equal(strlen(scratch_get(&capture.scratch, "device/queries")), before);
	/* After the night the tags are watched again. */
	fake_device_set(&capture.scratch, FLAGS, "0x8");
	scratch_put(&capture.scratch, LIGHT "/brightness", "9\n");
	live_capture_frames(&capture, 30);
	assert_true(program_wait_for(&capture.scratch, "device/log", "--only_userspace gfx view"));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

TEST(timers_go_on_while_the_screen_is_on)
{
	struct options options = device_options();
	long before;

	if (!can_count())
		skip();
	start_with_the_screen(&options, "9\n");
	sleep(8);
	before = sleeps();
	for (int i = 0; i < PROGRAM_S && sleeps() == before; i++)
		sleep(1);
	assert_true(sleeps() > before);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

/* The thread that writes the files does it, when it is woken up. */
TEST(rows_are_synced_before_the_device_sleeps)
{
	struct options options = device_options();
	long before;

	if (!can_count())
		skip();
	options.sync_ns = 15 * SECOND;
	start_with_the_screen(&options, "0\n");
	sleep(6);
	before = sleeps();
	sleep(6);
	assert_true(sleeps() > before);
	assert_true(is_asleep());
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
}

TEST(duration_ends_a_capture_that_sleeps)
{
	struct options options = device_options();

	options.duration_ns = 12 * SECOND;
	start_with_the_screen(&options, "0\n");
	assert_int_equal(program_end(&capture.program), 0);
}

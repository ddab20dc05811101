/* SPDX-License-Identifier: Apache-2.0 */
/* A capture on a device with a fake sysfs, /dev and /proc: what it says about the device. The
 * capture runs in a child process of the test. */
#include "tests/unit/unit.h"

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
	(void)state;
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
	(void)state;
	live_capture_remove(&capture);
	fake_device_end();
	close(logd);
	return 0;
}

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

static void values_of_the_device_are_in_the_files(void **state)
{
	struct options options = device_options();
	const char *json;

	(void)state;
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

static void start_stop_and_trouble_are_logged(void **state)
{
	struct options options = device_options();

	(void)state;
	start(&options);
	assert_true(is_logged("started: jankd "));
	live_capture_frames(&capture, 20);
	live_capture_set(&capture, "tracing_on", "0\n");
	assert_true(is_logged("another program switched tracing off"));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_true(is_logged("stopped after "));
}

static void start_that_fails_is_logged(void **state)
{
	struct options options = device_options();

	(void)state;
	begin(&options, "/nonexistent");
	assert_int_equal(program_end(&capture.program), 1);
	assert_true(is_logged("/nonexistent"));
}

static void disk_space_is_kept_free(void **state)
{
	struct options options = device_options();
	struct statvfs disk;
	uint64_t floor;
	char text[64];

	(void)state;
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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(values_of_the_device_are_in_the_files, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(start_stop_and_trouble_are_logged, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(start_that_fails_is_logged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(disk_space_is_kept_free, set_up, tear_down),
	};

	program_is(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

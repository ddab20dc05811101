/* SPDX-License-Identifier: Apache-2.0 */
/* A capture on a simulated device: atrace is started and stopped, all that it changed is restored,
 * its tags are set again, and the app in front is found. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/fake_device.h"
#include "tests/unit/live_capture.h"

#define FLAGS "debug.atrace.tags.enableflags"

static struct live_capture capture;

static int set_up(void **state)
{
	live_capture_make(&capture);
	fake_device_begin(&capture.scratch, "tr");
	fake_device_set(&capture.scratch, FLAGS, "0x400");
	fake_device_set(&capture.scratch, "debug.atrace.app_number", "1");
	fake_device_set(&capture.scratch, "debug.atrace.app_0", "com.example.*");
	fake_device_set(&capture.scratch, "ro.product.model", "A phone");
	live_capture_set(&capture, "tracing_on", "0\n");
	return 0;
}

static int tear_down(void **state)
{
	live_capture_remove(&capture);
	fake_device_end();
	return 0;
}

FIXTURE(set_up, tear_down)

static const char *events(void)
{
	return scratch_get(&capture.scratch, "out/events.csv");
}

static void assert_as_before(void)
{
	assert_string_equal(fake_device_get(&capture.scratch, FLAGS), "0x400");
	assert_string_equal(fake_device_get(&capture.scratch, "debug.atrace.app_number"), "1");
	assert_string_equal(fake_device_get(&capture.scratch, "debug.atrace.app_0"),
			    "com.example.*");
	assert_true(live_capture_is_set(&capture, "tracing_on", "0"));
	assert_true(live_capture_is_set(&capture, "buffer_size_kb", "7777"));
	assert_true(live_capture_is_set(&capture, "saved_cmdlines_size", "128"));
	assert_false(scratch_has(&capture.scratch, "out/.journal"));
}

TEST(settings_changed_by_atrace_are_restored)
{
	assert_true(live_capture_run(&capture, "--categories", "gfx view", NULL));
	assert_string_equal(fake_device_get(&capture.scratch, FLAGS), "0xa");
	assert_true(live_capture_is_set(&capture, "tracing_on", "1"));
	assert_non_null(strstr(scratch_get(&capture.scratch, "out/.journal"),
			       "property " FLAGS " 0x400\n"));
	live_capture_frames(&capture, 20);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_as_before();
	assert_non_null(strstr(scratch_get(&capture.scratch, "out/session.json"), "A phone"));
	assert_non_null(strstr(scratch_get(&capture.scratch, "device/log"),
			       "atrace -b 1024 -c --async_start gfx view\n"));
}

TEST(next_capture_restores_the_tags_after_a_kill)
{
	assert_true(live_capture_run(&capture, "--frames-log", NULL));
	assert_int_equal(live_capture_signal(&capture, SIGKILL), 128 + SIGKILL);
	assert_string_equal(fake_device_get(&capture.scratch, FLAGS), "0xa");
	assert_true(live_capture_run(&capture, "--no-atrace", NULL));
	live_capture_frames(&capture, 20);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_as_before();
	assert_non_null(strstr(events(), ",tracing,"));
}

TEST(removed_tags_are_set_again)
{
	assert_true(live_capture_run(&capture, "--frames-log", NULL));
	live_capture_frames(&capture, 20);
	/* The tags are read once a second: a change is detected by comparing with the previous
	 * value. */
	sleep(2);
	fake_device_set(&capture.scratch, FLAGS, "0x8");
	assert_true(program_wait_for(&capture.scratch, "device/log", "--only_userspace gfx view"));
	assert_true(program_wait_for(&capture.scratch, "out/events.csv", ",tracing,"));
	for (int i = 0; i < PROGRAM_S * 100; i++) {
		if (strcmp(fake_device_get(&capture.scratch, FLAGS), "0xa") == 0)
			break;
		usleep(10000);
	}
	assert_string_equal(fake_device_get(&capture.scratch, FLAGS), "0xa");
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_as_before();
}

TEST(failing_atrace_ends_the_capture)
{
	fake_device_fail(&capture.scratch, "atrace", "error: unknown category");
	assert_false(live_capture_run(&capture, "--categories", "dance", NULL));
	assert_int_equal(capture.program.status, 1);
	assert_non_null(
		strstr(scratch_get(&capture.scratch, "run.err"), "error: unknown category"));
	assert_as_before();
}

TEST(categories_without_atrace_give_a_warning)
{
	fake_device_remove(&capture.scratch, "atrace");
	assert_true(live_capture_run(&capture, "--categories", "gfx", NULL));
	assert_non_null(strstr(scratch_get(&capture.scratch, "run.err"), "--categories"));
	live_capture_frames(&capture, 20);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_as_before();
}

/* Captures for a moment. Returns the id of the device in session.json. */
static const char *id_after_capture(const char *option, const char *value)
{
	static const char key[] = "\"id\":\"";
	static char id[160];
	const char *at;

	assert_true(live_capture_run(&capture, "--no-atrace", option, value, NULL));
	live_capture_frames(&capture, 20);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	at = strstr(scratch_get(&capture.scratch, "out/session.json"), key);
	assert_non_null(at);
	snprintf(id, sizeof(id), "%.*s", (int)strcspn(at + strlen(key), "\""), at + strlen(key));
	return id;
}

TEST(the_device_has_an_id)
{
	char first[160];

	snprintf(first, sizeof(first), "%s", id_after_capture(NULL, NULL));
	assert_int_equal(strlen(first), 16);
	assert_string_equal(id_after_capture(NULL, NULL), first);
	fake_device_set(&capture.scratch, "ro.serialno", "R58M123ABC");
	assert_string_equal(id_after_capture(NULL, NULL), "R58M123ABC");
	assert_string_equal(id_after_capture("--device-id", "rack 3"), "rack 3");
}

/* The output of 'dumpsys input' has no window, that of 'dumpsys window' has. */
TEST(app_in_front_is_read_from_dumpsys_window)
{
	fake_device_dumpsys(&capture.scratch, "window",
			    "  mCurrentFocus=Window{9a1 u0 com.front/com.front.Main}\n");
	fake_device_dumpsys(&capture.scratch, "SurfaceFlinger", "16666666\n");
	assert_true(live_capture_run(&capture, "--frames-log", NULL));
	live_capture_frames(&capture, 60);
	assert_true(
		program_wait_for(&capture.scratch, "out/events.csv", "com.front/com.front.Main"));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_non_null(strstr(scratch_get(&capture.scratch, "device/log"), "dumpsys input\n"));
	assert_non_null(strstr(scratch_get(&capture.scratch, "device/log"),
			       "dumpsys SurfaceFlinger --latency\n"));
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 60);
}

/* True: session.json has the text before the end of the capture or after it. */
static bool session_has(const char *text)
{
	return strstr(scratch_get(&capture.scratch, "out/session.json"), text) != NULL;
}

TEST(durations_of_frames_are_read_from_dumpsys)
{
	fake_device_dumpsys(
		&capture.scratch, "SurfaceFlinger",
		"           app phase:      1000000 ns\t         SF phase:   1000000 ns\n"
		"           app duration:  20000000 ns\t         SF duration: 7333333 ns\n"
		"      present offset:         0 ns\t     VSYNC period:   8333333 ns\n");
	assert_true(live_capture_run(&capture, "--frames-log", NULL));
	live_capture_frames(&capture, 60);
	assert_true(program_wait_for(&capture.scratch, "device/log", "SurfaceFlinger --vsync\n"));
	assert_true(live_capture_has_rows(&capture, "frames.csv", 30));
	for (int i = 0; i < PROGRAM_S * 10; i++) {
		assert_int_equal(live_capture_ask(&capture, "status", "--json"), 0);
		if (strstr(scratch_get(&capture.scratch, "status.out"), "\"app_ns\":20000000"))
			break;
		usleep(100000);
	}
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_true(session_has("\"source\":\"dumpsys\""));
	assert_true(session_has("\"app_ns\":20000000"));
	assert_true(session_has("\"surfaceflinger_ns\":7333333"));
	assert_true(session_has("\"period_ns\":8333333"));
	assert_null(strstr(scratch_get(&capture.scratch, "device/log"), "--scheduler"));
}

/* Android 14: --vsync has no durations, so --scheduler is asked, once. */
TEST(durations_that_dumpsys_does_not_state_are_unknown)
{
	fake_device_dumpsys(&capture.scratch, "SurfaceFlinger", "16666666\n");
	assert_true(live_capture_run(&capture, "--vsync-ms", "16.667", NULL));
	live_capture_frames(&capture, 60);
	assert_true(
		program_wait_for(&capture.scratch, "device/log", "SurfaceFlinger --scheduler\n"));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_true(session_has("\"source\":\"unknown\""));
	assert_true(session_has("\"app_ns\":null"));
	assert_null(strstr(scratch_get(&capture.scratch, "device/log"), "--latency"));
}

/* A program that hangs does not delay the capture. */
TEST(hanging_programs_do_not_delay_the_capture)
{
	fake_device_hang(&capture.scratch, "dumpsys");
	fake_device_hang(&capture.scratch, "getprop");
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", NULL));
	live_capture_frames(&capture, 60);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 30));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 60);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A capture on a simulated device: atrace is started and stopped, all that it changed is restored,
 * its tags are set again, and the app in front is found. */
#include "tests/unit/unit.h"

#include <signal.h>

#include "tests/unit/fake_device.h"
#include "tests/unit/live.h"

#define FLAGS "debug.atrace.tags.enableflags"

static int set_up(void **state)
{
	live_set_up(state);
	fake_device_begin();
	fake_device_set(FLAGS, "0x400");
	fake_device_set("debug.atrace.app_number", "1");
	fake_device_set("debug.atrace.app_0", "com.example.*");
	fake_device_set("ro.product.model", "A phone");
	live_set("tracing_on", "0\n");
	return 0;
}

static int tear_down(void **state)
{
	live_tear_down(state);
	fake_device_end();
	return 0;
}

FIXTURE(set_up, tear_down)

static void assert_as_before(void)
{
	assert_string_equal(fake_device_get(FLAGS), "0x400");
	assert_string_equal(fake_device_get("debug.atrace.app_number"), "1");
	assert_string_equal(fake_device_get("debug.atrace.app_0"), "com.example.*");
	live_wait_setting("tracing_on", "0");
	live_wait_setting("buffer_size_kb", "7777");
	live_wait_setting("saved_cmdlines_size", "128");
	assert_false(scratch_has("out/.journal"));
}

TEST(settings_changed_by_atrace_are_restored)
{
	size_t queries;

	live_run("--categories", "gfx view", NULL);
	assert_string_equal(fake_device_get(FLAGS), "0xa");
	live_wait_setting("tracing_on", "1");
	assert_contains(scratch_get("out/.journal"), "property " FLAGS " 0x400\n");
	assert_contains(scratch_get("device/log"), "atrace -b 1024 -c --async_start gfx view\n");
	live_frames(20);
	/* A change is detected by comparing with the previous answer. */
	queries = strlen(scratch_get("device/queries"));
	wait_until(strlen(scratch_get("device/queries")) > queries);
	fake_device_set(FLAGS, "0x8");
	wait_for_text("device/log", "--only_userspace gfx view");
	live_wait_event(",tracing,");
	wait_until(strcmp(fake_device_get(FLAGS), "0xa") == 0);
	live_stop();
	assert_as_before();
	assert_contains(scratch_get("out/session.json"), "A phone");
	/* After a kill, the next capture does it. */
	live_run("--frames-log", NULL);
	live_kill();
	assert_string_equal(fake_device_get(FLAGS), "0xa");
	live_run("--no-atrace", NULL);
	live_frames(20);
	live_stop();
	assert_as_before();
	assert_contains(scratch_get("out/events.csv"), ",tracing,");
}

TEST(atrace_that_fails_ends_the_capture_and_none_gives_a_warning)
{
	fake_device_fail("atrace", "error: unknown category");
	live_fails("--categories", "dance", NULL);
	assert_contains(scratch_get("run.err"), "error: unknown category");
	assert_as_before();
	/* Another program changes a setting meanwhile. */
	fake_device_fail("atrace",
			 formatted("'; echo 33 >%s/buffer_percent; echo '", fake_tracefs));
	live_fails("--categories", "gfx", NULL);
	assert_string_equal(scratch_get("tr/buffer_percent"), "33\n");
	assert_contains(scratch_get("run.err"), "not restored: buffer_percent 33");
	fake_device_remove("atrace");
	live_run("--categories", "gfx", NULL);
	assert_contains(scratch_get("run.err"), "--categories");
	live_frames(20);
	live_stop();
	assert_as_before();
}

/* Captures for a moment. Returns the id of the device in session.json. */
static const char *id_after_capture(const char *option, const char *value)
{
	static const char key[] = "\"id\":\"";
	static char id[160];
	const char *at;

	live_run("--no-atrace", option, value, NULL);
	live_frames(20);
	live_stop();
	at = strstr(scratch_get("out/session.json"), key);
	assert_non_null(at);
	snprintf(id, sizeof(id), "%.*s", (int)strcspn(at + strlen(key), "\""), at + strlen(key));
	return id;
}

TEST(the_device_has_an_id)
{
	char *first = strdup(id_after_capture(NULL, NULL));

	assert_int_equal(strlen(first), 16);
	assert_string_equal(id_after_capture(NULL, NULL), first);
	free(first);
	fake_device_set("ro.serialno", "R58M123ABC");
	assert_string_equal(id_after_capture(NULL, NULL), "R58M123ABC");
	assert_string_equal(id_after_capture("--device-id", "rack 3"), "rack 3");
}

/* The output of 'dumpsys input' has no window, that of 'dumpsys window' has. That of perfetto is no
 * trace. */
TEST(app_in_front_is_read_from_dumpsys_window)
{
	fake_device_set("ro.build.version.sdk", "31");
	fake_device_fail("perfetto", "no packets");
	fake_device_dumpsys("window", "  mCurrentFocus=Window{9a1 u0 com.front/com.front.Main}\n");
	fake_device_dumpsys("SurfaceFlinger", "16666666\n");
	live_run("--frames-log", NULL);
	live_frames(60);
	live_wait_event("com.front/com.front.Main");
	live_wait_event("no more frames: its output cannot be read: ");
	live_stop();
	assert_contains(scratch_get("device/log"), "dumpsys input\n",
			"dumpsys SurfaceFlinger --latency\n");
	assert_int_equal(live_rows("frames.csv"), 60);
}

/* Captures with these answers of 'dumpsys SurfaceFlinger' until it has called dumpsys @last. */
static void durations_are(const char *answer, const char *option, const char *last,
			  const char *json)
{
	fake_device_dumpsys("SurfaceFlinger", answer);
	live_run("--frames-log", option, option ? "16.667" : NULL, NULL);
	live_frames(60);
	wait_for_text("device/log", formatted("SurfaceFlinger %s\n", last));
	wait_until(live_ask("status", "--json") == 0 &&
		   strstr(program_out(), formatted("\"app_ns\":%.4s", strstr(json, "app_ns") + 8)));
	live_stop();
	assert_contains(scratch_get("out/session.json"), json);
}

/* Android 14: --vsync has no durations, so --scheduler is asked, once. */
TEST(durations_of_frames_are_read_from_dumpsys)
{
	durations_are("           app phase:      1000000 ns\t         SF phase:   1000000 ns\n"
		      "           app duration:  20000000 ns\t         SF duration: 7333333 ns\n"
		      "      present offset:         0 ns\t     VSYNC period:   8333333 ns\n",
		      NULL, "--vsync",
		      "{\n    \"source\":\"dumpsys\",\n    \"app_ns\":20000000,\n"
		      "    \"surfaceflinger_ns\":7333333,\n    \"period_ns\":8333333\n");
	assert_lacks(scratch_get("device/log"), "--scheduler");
	scratch_put("device/log", "");
	durations_are("16666666\n", "--vsync-ms", "--scheduler",
		      "{\n    \"source\":\"unknown\",\n    \"app_ns\":null,\n"
		      "    \"surfaceflinger_ns\":null,\n    \"period_ns\":null\n");
	assert_lacks(scratch_get("device/log"), "--latency");
}

TEST(source_latency_restores_the_tracing_of_a_killed_capture)
{
	live_set("tracing_on", "0\n");
	live_run("--no-atrace", NULL);
	live_kill();
	live_wait_setting("tracing_on", "1");
	fake_device_dumpsys("SurfaceFlinger", "16666666\n");
	live_run("--source", "latency", NULL);
	live_wait_setting("tracing_on", "0");
	assert_false(scratch_has("out/.journal"));
	live_wait_event("tracing was restored after an earlier jankd was killed");
	assert_int_equal(live_signal(SIGTERM), 1); /* no frame was counted */
}

TEST(hanging_programs_do_not_delay_the_capture)
{
	fake_device_hang("dumpsys");
	fake_device_hang("getprop");
	live_run("--no-atrace", "--frames-log", NULL);
	live_frames(60);
	live_wait_rows("frames.csv", 30);
	live_stop();
	assert_int_equal(live_rows("frames.csv"), 60);
}

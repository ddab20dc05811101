/* SPDX-License-Identifier: Apache-2.0 */
/* Android's programs, as scripts of the test: how each is called, and how its output is read. */
#include "tests/unit/unit.h"

#include "daemon/android/android.h"
#include "daemon/base/child.h"
#include "daemon/base/report.h"
#include "tests/unit/fake_device.h"
#include "tests/unit/printed.h"

/* --- the focused app and the period of the display, in the output of each Android version --- */

/* Reads a text line by line, each at the end of its memory. */
static struct dumpsys_focus read_text(const char *text)
{
	struct dumpsys_focus focus = { .name = "" };

	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = malloc(len ? len : 1);

		memcpy(line, text, len);
		dumpsys_focus_line(&focus, (struct span){ line, len });
		free(line);
		text += len + (text[len] == '\n');
	}
	return focus;
}

static const struct {
	const char *name; /* expected */
	const char *text;
} focuses[] = {
	/* dumpsys input, 7 to 9 */
	{ "com.a/com.a.Main",
	  "Input Dispatcher State:\n"
	  "  FocusedApplication: name='AppWindowToken{fd4 token=Token{5c1 ActivityRecord{65c u0 "
	  "com.b/.Home t106}}}', dispatchingTimeout=5000.000ms\n"
	  "  FocusedWindow: name='Window{c9b62a u0 com.a/com.a.Main}'\n"
	  "  Windows:\n"
	  "    0: name='Window{f55 u0 com.c/com.c.X}', displayId=0, paused=false, "
	  "hasFocus=false,\n" },
	/* a window that is not an activity has the focus: the focused app counts */
	{ "com.b/com.b.ui.Home",
	  "  FocusedApplication: name='AppWindowToken{fd4 token=Token{5c1 ActivityRecord{65c u0 "
	  "com.b/.ui.Home t106}}}', dispatchingTimeout=5000.000ms\n"
	  "  FocusedWindow: name='Window{c9b62a u0 Sys2023:dream}'\n" },
	/* only the marked window */
	{ "com.a/com.a.Main",
	  "    0: name='Window{f55 u0 com.c/com.c.X}', displayId=0, hasFocus=false, x\n"
	  "    1: name='Window{f56 u0 com.a/com.a.Main}', displayId=0, paused=false, "
	  "hasFocus=true, hasWallpaper=false, ownerPid=1 com.d/com.d.Y\n" },
	/* 10 and later, two displays */
	{ "com.a/com.a.Main",
	  "Input Dispatcher State:\n"
	  "  FocusedDisplayId: 2\n"
	  "  FocusedApplications:\n"
	  "    displayId=2, name='ActivityRecord{d u0 com.b/.L t1}', dispatchingTimeout=5000ms\n"
	  "  FocusedWindows:\n"
	  "    displayId=0, name='8f3a7c2 com.other/com.other.Main'\n"
	  "    displayId=2, name='a1b2c3d com.a/com.a.Main'\n"
	  "  FocusRequests:\n"
	  "    displayId=2, name='a1b2c3d com.wrong/com.wrong.Main' result='OK'\n" },
	{ "com.b/com.b.L",
	  "  FocusedApplications:\n"
	  "    displayId=0, name='ActivityRecord{d u0 com.b/.L t1}', dispatchingTimeout=5000ms\n"
	  "  FocusedWindows: <none>\n"
	  "  FocusRequests:\n"
	  "    displayId=0, name='a1 com.wrong/com.wrong.Main' result='NO_WINDOW'\n" },
	/* the state at the last ANR is not the current one */
	{ "com.a/com.a.Main", "Input Dispatcher State at time of last ANR:\n"
			      "  FocusedWindow: name='Window{c u0 com.old/com.old.Main}'\n"
			      "Input Dispatcher State:\n"
			      "  FocusedWindow: name='Window{c u0 com.a/com.a.Main}'\n" },
	/* dumpsys window */
	{ "com.a/com.a.Main",
	  "  mCurrentFocus=null\n"
	  "  mFocusedApp=AppWindowToken{6d token=Token{4 ActivityRecord{8 u0 com.b/.X t2}}}\n"
	  "  mCurrentFocus=Window{5c4591 u0 com.a/com.a.Main}\n" },
	{ "com.b/com.b.X", "  mCurrentFocus=null\n"
			   "  mFocusedApp=ActivityRecord{b3a u0 com.b/.X t82}\n" },
	{ "com.b/com.b.X$Inner_1", "  mCurrentFocus=Window{1 u0 com.b/com.b.X$Inner_1}\r\n" },
	/* no answer */
	{ "", "" },
	{ "", "  FocusedWindow: name='<null>'\n" },
	{ "", "  FocusedWindow: name='Window{1 u0 /com.a/.b}'\n" },
	{ "", "  FocusedWindow: name='Window{1 u0 com.a/}'\n" },
	{ "", "  FocusedWindow: name='Window{1 u0 /dev/null}'\n" },
	{ "", "  FocusedWindow: name='Window{1 u0 /data/app/com.a/base.apk}'\n" },
	{ "", "mCurrentFocus=/\nmCurrentFocus=.a/b\nmCurrentFocus=9.a/b\nmCurrentFocus=" },
	{ "", "  FocusedWindows:\n    displayId=99999999999999999999, name='a com.a/com.a.M'\n" },
};

TEST(focus_is_parsed_for_each_android)
{
	for (size_t i = 0; i < COUNT_OF(focuses); i++)
		assert_string_equal(read_text(focuses[i].text).name, focuses[i].name);
}

TEST(too_long_names_are_ignored)
{
	for (int len = DUMPSYS_NAME_SIZE - 1; len <= DUMPSYS_NAME_SIZE; len++) {
		struct dumpsys_focus focus = { .name = "" };

		dumpsys_focus_line(&focus,
				   span_of(formatted("mCurrentFocus=a.b/%0*d", len - 4, 0)));
		assert_int_equal(strlen(focus.name), len < DUMPSYS_NAME_SIZE ? len : 0);
	}
}

TEST(only_periods_in_range_are_accepted)
{
	static const struct {
		const char *line;
		uint64_t period_ns;
	} rows[] = {
		{ "16666666", 16666666 },
		{ " 8333333\r", 8333333 },
		{ "", 0 },
		{ "0", 0 },
		{ "-1", 0 },
		{ "1000000000", 1000000000 },
		{ "2000000", 2000000 },
		{ "1999999", 0 },
		{ "1000000001", 0 },
		{ "99999999999999999999999", 0 },
		{ "16666666 x", 0 },
		{ "Can't find service: SurfaceFlinger", 0 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(dumpsys_period_ns(span_of(rows[i].line)), rows[i].period_ns);
}

TEST(rates_of_modes_are_listed_once)
{
	static const struct {
		const char *text;
		unsigned int n, first_mhz, last_mhz;
	} rows[] = {
		/* Android 7 to 10, 11 and later. */
		{ "    mSupportedModes=[{id=1, width=1080, height=2400, fps=60.000004}, {id=2, "
		  "width=1080, height=2400, fps=90.0}]\n",
		  2, 60000, 90000 },
		{ "  DisplayMode{id=1, width=1, height=1, fps=120.00001, vsync=120.00001}\n"
		  "  DisplayModeRecord{mMode={id=2, width=1, height=1, fps=59.94, peak=1}}\n"
		  "  DisplayMode{id=3, width=2, height=2, fps=120.0}\n",
		  2, 120000, 59940 },
		{ "{id=1, fps=60}", 1, 60000, 60000 },
		{ "renderFps=30.0 maxfps=31.0, fps=, fps=x, fps=0.5, fps=501, fps=99999, fps=-60, "
		  "fps=00060",
		  0, 0, 0 },
		{ "", 0, 0, 0 },
		{ "last fps=", 0, 0, 0 },
	};
	struct dumpsys_rates rates = { .n = 0 };
	char many[4096] = "";

	for (size_t i = 0; i < COUNT_OF(rows); i++, rates.n = 0) {
		dumpsys_add_rates(&rates, span_of(rows[i].text));
		assert_int_equal(rates.n, rows[i].n);
		if (rates.n == 0)
			continue;
		assert_int_equal(rates.mhz[0], rows[i].first_mhz);
		assert_int_equal(rates.mhz[rates.n - 1], rows[i].last_mhz);
	}
	for (int fps = 20; fps < 60; fps++)
		sprintf(many + strlen(many), ", fps=%d.0", fps);
	dumpsys_add_rates(&rates, span_of(many));
	assert_int_equal(rates.n, DUMPSYS_RATES_MAX);
}

/* --- the programs --- */

static int set_up(void **state)
{
	scratch_set_up(state);
	scratch_mkdir("tr");
	fake_device_begin();
	return 0;
}

FIXTURE(set_up, fake_device_tear_down)

TEST(lists_of_categories_are_validated)
{
	char many[200] = "";

	assert_true(atrace_are_categories("gfx"));
	assert_true(atrace_are_categories(" gfx,view\tinput "));
	assert_false(atrace_are_categories(""));
	assert_false(atrace_are_categories(" , "));
	assert_false(atrace_are_categories("gfx -b"));
	for (int i = 0; i < ATRACE_CATEGORIES_MAX; i++)
		strcat(many, "gfx ");
	assert_true(atrace_are_categories(many));
	strcat(many, "gfx");
	assert_false(atrace_are_categories(many));
}

TEST(error_messages_contain_the_output_of_atrace)
{
	const char *printed;
	int error;

	fake_device_fail("atrace", "error: unknown category");
	printed = printed_by(error = atrace_start(2048, " gfx, view"));
	assert_int_equal(error, -EIO);
	assert_contains(printed, "atrace --async_start: error: unknown category; ");
	printed = printed_by(atrace_stop(60000, false, false));
	assert_contains(printed, "error: unknown category");
	assert_string_equal(scratch_get("device/log"),
			    "atrace -b 2048 -c --async_start gfx view\natrace --async_stop\n");
	assert_string_equal(printed_by(atrace_stop(60000, false, true)), "");
}

TEST(categories_are_compared_with_those_of_atrace)
{
	char why[ATRACE_WHY_SIZE];

	assert_int_equal(atrace_check("view,gfx", why), 0);
	assert_int_equal(atrace_check("gfx view gf", why), 1);
	assert_string_equal(why, "gf");
	fake_device_fail("atrace", "no");
	assert_int_equal(atrace_check("gfx", why), -EIO);
	assert_string_equal(why, "no");
	fake_device_remove("atrace");
	assert_int_equal(atrace_check("gfx", why), -ENOENT);
	assert_string_equal(why, "");
}

TEST(an_atrace_that_hangs_is_killed)
{
	fake_device_hang("atrace");
	assert_contains(printed_by(atrace_stop(3600000, false, false)), "atrace --async_stop: ");
}

TEST(properties_are_read_and_set)
{
	struct property_budget budget = property_budget_begin(false);
	struct android_device device;
	char value[16];

	assert_false(budget.is_over);
	/* A test machine may be slow. */
	budget.deadline_ms += 60000;
	fake_device_set("ro.product.model", "A phone of ours");
	assert_true(android_getprop(&budget, "ro.product.model", value, sizeof(value)));
	assert_string_equal(value, "A phone of ours");
	/* A property that is not set is empty. */
	assert_true(android_getprop(&budget, "ro.nothing", value, sizeof(value)));
	assert_string_equal(value, "");
	fake_device_set("ro.build.version.sdk", "34");
	android_device_read(&budget, &device);
	assert_string_equal(device.model, "A phone of ours");
	assert_string_equal(device.sdk, "34");
	assert_string_equal(device.build, "");
	assert_int_equal(android_setprop(&budget, "debug.x", "7"), 0);
	assert_string_equal(fake_device_get("debug.x"), "7");
	/* A slow device. */
	budget = property_budget_begin(false);
	scratch_put("device/bin/getprop", "#!/bin/sh\nsleep 0.7\necho 7\n");
	for (int i = 0; i < 3; i++)
		assert_true(android_getprop(&budget, "debug.x", value, sizeof(value)));
	fake_device_fail("setprop", "no");
	assert_int_equal(android_setprop(&budget, "debug.x", "8"), -EACCES);
	fake_device_fail("getprop", "no");
	assert_false(android_getprop(&budget, "debug.x", value, sizeof(value)));
	assert_string_equal(value, "");
	assert_false(budget.is_over);
}

TEST(after_a_hang_getprop_is_not_run_again)
{
	struct property_budget budget = property_budget_begin(false);
	char value[16];

	fake_device_hang("getprop");
	assert_false(android_getprop(&budget, "ro.product.model", value, sizeof(value)));
	assert_true(budget.is_over);
	fake_device_remove("getprop");
	scratch_put("device/bin/getprop", "not a program");
	assert_true(child_program_exists("sh"));
	budget = property_budget_begin(false);
	assert_true(budget.is_over);
	assert_false(android_getprop(&budget, "ro.product.model", value, sizeof(value)));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Android's programs, as scripts of the test: how each is called, and how its output is read. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "daemon/android/android.h"
#include "daemon/base/child.h"
#include "daemon/base/report.h"
#include "tests/unit/emulated.h"
#include "tests/unit/fake_device.h"
#include "tests/unit/printed.h"

static int set_up(void **state)
{
	scratch_set_up(state);
	scratch_mkdir("tr");
	fake_device_begin();
	return 0;
}

static int tear_down(void **state)
{
	fake_device_end();
	return scratch_tear_down(state);
}

FIXTURE(set_up, tear_down)

TEST(programs_are_searched_in_path)
{
	assert_true(child_program_exists("getprop"));
	fake_device_remove("getprop");
	assert_false(child_program_exists("getprop"));
	scratch_put("device/bin/getprop", "not a program");
	assert_false(child_program_exists("getprop"));
}

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

TEST(atrace_starts_and_stops)
{
	assert_int_equal(atrace_start(2048, " gfx, view", false), 0);
	assert_string_equal(fake_device_get("debug.atrace.tags.enableflags"), "0xa");
	atrace_stop(60000, false, false);
	assert_string_equal(fake_device_get("debug.atrace.tags.enableflags"), "0");
	assert_string_equal(scratch_get("device/log"),
			    "atrace -b 2048 -c --async_start gfx view\natrace --async_stop\n");
}

TEST(error_messages_contain_the_output_of_atrace)
{
	const char *printed;
	int error;

	fake_device_fail("atrace", "error: unknown category");
	printed = printed_by(error = atrace_start(2048, "gfx", false));
	assert_int_equal(error, -EIO);
	assert_contains(printed, "atrace --async_start: error: unknown category; ");
	printed = printed_by(atrace_stop(60000, false, false));
	assert_contains(printed, "error: unknown category");
	assert_string_equal(printed_by(atrace_stop(60000, false, true)), "");
}

TEST(a_missing_atrace_is_an_error)
{
	const char *printed;
	int error;

	needs_errors_of_spawn();
	fake_device_remove("atrace");
	printed = printed_by(error = atrace_start(2048, "gfx", false));
	/* A folder in PATH may be unreadable for this user. */
	assert_true(error == -ENOENT || error == -EACCES);
	assert_contains(printed, strerror(-error));
}

TEST(an_atrace_that_hangs_is_killed)
{
	fake_device_hang("atrace");
	assert_contains(printed_by(atrace_stop(3600000, false, false)), "atrace --async_stop: ");
}

TEST(properties_are_read_and_set)
{
	struct property_budget budget = property_budget_begin(false);
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
	assert_int_equal(android_setprop(&budget, "debug.x", "7"), 0);
	assert_string_equal(fake_device_get("debug.x"), "7");
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
	budget = property_budget_begin(false);
	assert_true(budget.is_over);
	assert_false(android_getprop(&budget, "ro.product.model", value, sizeof(value)));
}

TEST(device_description_is_read_from_properties)
{
	struct property_budget budget = property_budget_begin(false);
	struct android_device device;

	budget.deadline_ms += 60000;
	fake_device_set("ro.serialno", "R58M123ABC");
	fake_device_set("ro.product.model", "A phone");
	fake_device_set("ro.build.version.sdk", "34");
	android_device_read(&budget, &device);
	assert_string_equal(device.id, "R58M123ABC");
	assert_string_equal(device.model, "A phone");
	assert_string_equal(device.sdk, "34");
	assert_string_equal(device.build, "");
}

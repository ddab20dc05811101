/* SPDX-License-Identifier: Apache-2.0 */
/* Names of layers that change while their Surface does not. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/phone.h"

#define V60 UINT64_C(16666667)
#define BEGIN (100 * SECOND)

static struct phone phone;

static int tear_down(void **state)
{
	(void)state;
	phone_stop(&phone);
	return 0;
}

/* The layers of one app before and after its restart. */
static const struct {
	const char *before, *after, *surface;
} kinds[] = {
	{ "com.a/com.a.Main#0", "com.a/com.a.Main#1204", "com.a/com.a.Main" },
	{ "com.b/com.b.Main$_29673#163228", "com.b/com.b.Main$_30112#163301", "com.b/com.b.Main" },
	{ "54dfae7 com.c/com.c.Main#9", "1032dd com.c/com.c.Main#77", "com.c/com.c.Main" },
	{ "92ab3c SurfaceView[com.d/com.d.Main]@0(BLAST)#7",
	  "1234567 SurfaceView[com.d/com.d.Main]@1(BLAST)#8",
	  "SurfaceView[com.d/com.d.Main](BLAST)" },
	{ "SurfaceView[com.e/com.e.Main](BLAST)#12", "SurfaceView[com.e/com.e.Main](BLAST)#13",
	  "SurfaceView[com.e/com.e.Main](BLAST)" },
	{ "SurfaceView - com.f/com.f.Main@5a1b2c@0#0", "SurfaceView - com.f/com.f.Main@ffe4021@1#0",
	  "SurfaceView - com.f/com.f.Main" },
	{ "PopupWindow:5a1b2c#0", "PopupWindow:8d1f0e2#0", "PopupWindow" },
	{ "5de1644 Splash Screen com.g.app#3", "Splash Screen com.g.app#9",
	  "Splash Screen com.g.app" },
	{ "NavigationBar0#76", "7b3c1d9 NavigationBar0#80", "NavigationBar0" },
	{ "AtchDlg:com.h/com.h.Main$_812#5", "AtchDlg:com.h/com.h.Main$_9000#6",
	  "AtchDlg:com.h/com.h.Main" },
	{ "SurfaceTexture-0-29673-3", "SurfaceTexture-1-30112-7", "SurfaceTexture" },
	{ "com.i.Wallpaper@5a1b2c#3", "com.i.Wallpaper@10f2a3b#4", "com.i.Wallpaper" },
};

static size_t n_rows;

static void take_row(void *context, const struct summary_row *row)
{
	(void)context;
	assert_true(n_rows < COUNT_OF(kinds));
	assert_string_equal(row->surface, kinds[n_rows].surface);
	assert_int_equal(row->stats.frames, 2);
	n_rows++;
}

static void test_apps_that_start_again(void **state)
{
	(void)state;
	phone_start(&phone, PHONE_9, NULL);
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		phone_run(&phone, kinds[i].before, BEGIN + i * SECOND, V60, 2);
		phone_run(&phone, kinds[i].after, BEGIN + i * SECOND + 10 * V60, V60, 2);
	}
	phone_end(&phone);
	n_rows = 0;
	pipeline_summary(phone.pipeline, NULL, take_row);
	assert_int_equal(n_rows, COUNT_OF(kinds));
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		assert_int_equal(row_log_count_frames(&phone.log, kinds[i].before), 2);
		assert_int_equal(row_log_count_frames(&phone.log, kinds[i].after), 2);
	}
}

#define test(function) cmocka_unit_test_teardown(function, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_apps_that_start_again),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}

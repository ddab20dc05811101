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
	phone_stop(&phone);
	return 0;
}

FIXTURE(NULL, tear_down)

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

static void check_row(void *context, const struct summary_row *row)
{
	(void)context;
	assert_true(n_rows < COUNT_OF(kinds));
	assert_string_equal(row->surface, kinds[n_rows].surface);
	assert_int_equal(row->stats.frames, 2);
	n_rows++;
}

TEST(test_restarted_apps_keep_their_surfaces)
{
	phone_start(&phone, PHONE_9, NULL);
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		phone_run(&phone, kinds[i].before, BEGIN + i * SECOND, V60, 2);
		phone_run(&phone, kinds[i].after, BEGIN + i * SECOND + 10 * V60, V60, 2);
	}
	phone_end(&phone);
	n_rows = 0;
	pipeline_summary(phone.pipeline, NULL, check_row);
	assert_int_equal(n_rows, COUNT_OF(kinds));
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		assert_int_equal(row_log_count_frames(&phone.log, kinds[i].before), 2);
		assert_int_equal(row_log_count_frames(&phone.log, kinds[i].after), 2);
	}
}

/* HarmonyOS: '|' in the counters' names, and both kinds of latch markers. */
static void harmony_frame(uint64_t present_ns, const char *hash, const char *title, unsigned int i,
			  bool counter_first)
{
	char counter[128], instant[128];

	snprintf(counter, sizeof(counter), "BufferTX - %s|%s", hash, title);
	snprintf(instant, sizeof(instant), "latchBuffer %s%s - %u", hash, title, i);
	phone.now_ns = present_ns - 5 * MS;
	phone_write(&phone, TRACE_COUNTER, 500, counter, 1);
	phone_tick(&phone, present_ns - 2 * MS);
	phone.now_ns = present_ns - MS;
	phone_begin(&phone, "commit 1234");
	phone_begin(&phone, "latchBuffer");
	if (!counter_first)
		phone_write(&phone, TRACE_INSTANT, 0, instant, 0);
	phone_write(&phone, TRACE_COUNTER, 0, counter, 0);
	if (counter_first)
		phone_write(&phone, TRACE_INSTANT, 0, instant, 0);
	phone_end_slices(&phone, 2);
	phone_compose(&phone, present_ns, 1);
}

static void play_harmony(const char *hash, const char *title, bool counter_first)
{
	char layer[128];

	phone_start(&phone, PHONE_14, NULL);
	for (unsigned int i = 0; i < 30; i++)
		harmony_frame(BEGIN + i * V60, hash, title, i, counter_first);
	phone_end(&phone);
	snprintf(layer, sizeof(layer), "%s%s", hash, title);
	assert_int_equal(phone.log.n_frames, 30);
	assert_int_equal(row_log_count_frames(&phone.log, layer), 30);
	for (unsigned int i = 0; i < 30; i++) {
		assert_int_equal(phone.log.frames[i].frame_number, i);
		assert_int_equal(phone.log.frames[i].queued_ns, BEGIN + i * V60 - 5 * MS);
	}
	assert_string_equal(phone.log.frames[0].app, "com.x");
}

TEST(test_bars_in_counter_names_are_parsed)
{
	for (int i = 0; i < 2; i++) {
		play_harmony("", "com.x/com.x.Main#1203", i);
		assert_string_equal(phone.log.frames[0].surface, "com.x/com.x.Main");
		phone_stop(&phone);
		play_harmony("10aa7df ", "SurfaceView[com.x/com.x.Main](BLAST)#1248", i);
		assert_string_equal(phone.log.frames[0].surface,
				    "SurfaceView[com.x/com.x.Main](BLAST)");
		phone_stop(&phone);
	}
	play_harmony("", "com.x/com.x.Main#1203", false);
}

/* No instants: only the counter has the name. */
TEST(test_bars_are_parsed_without_instants)
{
	phone_start(&phone, PHONE_13, NULL);
	for (unsigned int i = 0; i < 30; i++) {
		phone.now_ns = BEGIN + i * V60 - MS;
		phone_begin(&phone, "commit 1234");
		phone_begin(&phone, "latchBuffer");
		phone_write(&phone, TRACE_COUNTER, 0, "BufferTX - |com.x/com.x.Main#3", 0);
		phone_end_slices(&phone, 2);
		phone_compose(&phone, BEGIN + i * V60, 1);
	}
	phone_end(&phone);
	assert_int_equal(row_log_count_frames(&phone.log, "com.x/com.x.Main#3"), 30);
}

/* Titles may contain '|', too. */
TEST(test_bars_in_titles_are_kept)
{
	static const char *const titles[] = { "|com.x|y#3", "com.x | y#4", "|#5" };

	phone_start(&phone, PHONE_14, NULL);
	for (size_t t = 0; t < COUNT_OF(titles); t++)
		phone_run(&phone, titles[t], BEGIN + t * SECOND, V60, 30);
	phone_end(&phone);
	for (size_t t = 0; t < COUNT_OF(titles); t++)
		assert_int_equal(row_log_count_frames(&phone.log, titles[t]), 30);
	assert_int_equal(phone.log.n_frames, 90);
	assert_string_equal(phone.log.frames[0].surface, "|com.x|y");
}

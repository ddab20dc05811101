/* SPDX-License-Identifier: Apache-2.0 */
/* A frame is late if its interval is longer than the cadence of its layer so far. */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/unit/phone.h"

#define V60 UINT64_C(16666667)
#define V120 UINT64_C(8333333)
#define BEGIN (100 * SECOND)

static const char game[] = "com.a/com.a.Main#0";
static const char bar[] = "StatusBar#0";

static struct phone phone;
static struct pipeline_options options;

static int set_up(void **state)
{
	options = PIPELINE_OPTIONS_DEFAULT;
	return 0;
}

static int tear_down(void **state)
{
	phone_stop(&phone);
	return 0;
}

FIXTURE(set_up, tear_down)

static void start(uint64_t late_ns)
{
	options.late_ns = late_ns;
	phone_start(&phone, PHONE_14, &options);
}

/* Ends the trace, and starts another one. */
static void again(uint64_t late_ns)
{
	phone_stop(&phone);
	start(late_ns);
}

/* @n frames every @step vsyncs of 60 Hz from @vsync on; returns the vsync of the last. */
static uint64_t run(const char *layer, uint64_t vsync, uint64_t step, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		phone_frame(&phone, BEGIN + (vsync + i * step) * V60, layer);
	return vsync + (n - 1) * step;
}

static size_t count_late(void)
{
	phone_end(&phone);
	return phone.log.n_late;
}

TEST(test_even_intervals_are_not_late)
{
	start(15 * MS);
	run(game, 0, 1, 300);
	assert_int_equal(count_late(), 0);
	again(15 * MS);
	run(game, 0, 2, 300);
	assert_int_equal(count_late(), 0);
	again(30 * MS);
	run(game, 0, 4, 300);
	assert_int_equal(count_late(), 0);
}

/* 7 vsyncs of 60 Hz are 100 ms more than one, whatever the last digits of the period. */
TEST(test_frame_late_by_exactly_the_limit_is_late)
{
	static const uint64_t periods_ns[] = { 16666030, 16667140 };

	for (size_t i = 0; i < COUNT_OF(periods_ns); i++) {
		uint64_t at_ns;

		if (i > 0)
			phone_stop(&phone);
		options.vsync_ns = periods_ns[i];
		start(100 * MS);
		at_ns = phone_run(&phone, game, BEGIN, periods_ns[i], 60);
		at_ns = phone_run(&phone, game, at_ns + 6 * periods_ns[i], periods_ns[i], 60);
		at_ns = phone_run(&phone, game, at_ns + 7 * periods_ns[i], periods_ns[i], 60);
		assert_int_equal(count_late(), 1);
		assert_int_equal(phone.log.late[0].present_ns, at_ns - 59 * periods_ns[i]);
	}
}

/* 5 vsyncs in a game of 30 fps are 3 too many. */
TEST(test_lateness_is_measured_from_the_cadence)
{
	uint64_t vsync;

	start(50 * MS);
	vsync = run(game, 0, 2, 60);
	vsync = run(game, vsync + 4, 2, 60);
	run(game, vsync + 5, 2, 60);
	assert_int_equal(count_late(), 1);
	assert_in_range(phone.log.late[0].interval_ns, 83 * MS, 84 * MS);
}

/* 60 fps stay steady on a display that changes to 120 Hz. */
TEST(test_switch_of_the_refresh_rate_is_not_late)
{
	uint64_t at_ns;

	start(8 * MS);
	at_ns = phone_run(&phone, game, BEGIN, V60, 60);
	for (unsigned int i = 1; i < 240; i++) {
		if (i % 2)
			phone_tick(&phone, at_ns + i * V120 - 2 * MS);
		else
			phone_frame(&phone, at_ns + i * V120, game);
	}
	assert_int_equal(count_late(), 0);
}

/* A status bar that draws four times a second, sometimes twice in a row, has no cadence. Only the
 * game has a late frame. */
TEST(test_layer_without_cadence_is_not_late)
{
	static const unsigned int turns[] = { 15, 15, 1, 14, 15, 25, 15, 1, 1, 18 };
	uint64_t next = 7, late = 0;
	size_t turn = 0;

	start(100 * MS);
	for (uint64_t vsync = 0; vsync < 1500; vsync++) {
		const char *layers[] = { game, bar, NULL };

		if (vsync == next)
			next += turns[turn++ % COUNT_OF(turns)];
		else
			layers[1] = NULL;
		if (vsync >= 1000 && vsync < 1010)
			layers[0] = layers[1];
		else if (vsync == 1010)
			late = BEGIN + vsync * V60;
		if (layers[0])
			phone_frames(&phone, BEGIN + vsync * V60, layers);
	}
	assert_int_equal(count_late(), 1);
	assert_int_equal(phone.log.late[0].present_ns, late);
	assert_string_equal(phone.log.late[0].surface, "com.a/com.a.Main");
}

/* After few frames, and after a wait, the cadence is unknown. */
TEST(test_no_frame_is_late_without_a_known_cadence)
{
	uint64_t vsync;

	start(100 * MS);
	vsync = run(game, 0, 1, 8);
	vsync = run(game, vsync + 20, 1, 60);
	vsync = run(game, vsync + 60, 1, 8);
	run(game, vsync + 20, 1, 60);
	assert_int_equal(count_late(), 0);
	again(100 * MS);
	vsync = run(game, 0, 1, 9);
	run(game, vsync + 20, 1, 60);
	assert_int_equal(count_late(), 1);
}

/* Single late frames do not change the cadence. */
TEST(test_late_frames_do_not_change_the_cadence)
{
	uint64_t vsync;

	start(100 * MS);
	vsync = run(game, 0, 1, 60);
	for (unsigned int i = 0; i < 10; i++)
		vsync = run(game, vsync + 8, 1, 5);
	assert_int_equal(count_late(), 10);
}

/* Without ticks the times between presents count. */
TEST(test_late_frames_are_found_without_vsyncs)
{
	uint64_t at_ns = BEGIN;

	options.late_ns = 100 * MS;
	phone_start(&phone, PHONE_9, &options);
	for (unsigned int i = 0; i < 100; i++) {
		at_ns += (i == 50 ? 117 : i == 75 ? 123 : 20) * MS + i % 3 * MS / 2;
		phone.now_ns = at_ns - MS;
		phone_begin(&phone, "handleMessageInvalidate");
		phone_latch(&phone, game);
		phone_end_slices(&phone, 1);
		phone_compose(&phone, at_ns, 1);
	}
	assert_int_equal(count_late(), 1);
	assert_int_equal(phone.log.late[0].interval_ns, 123 * MS);
}

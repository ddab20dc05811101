/* SPDX-License-Identifier: Apache-2.0 */
/* A frame is late if its interval is longer than the cadence of its layer so far. */
#include "tests/unit/unit.h"

#include "tests/unit/one_phone.h"

static const char bar[] = "StatusBar#0";

FIXTURE(default_options, stop_phone)

static void start_late(uint64_t late_ns)
{
	options.late_ns = late_ns;
	start(PHONE_14);
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
	for (uint64_t step = 1; step <= 4; step++) {
		start_late(step < 4 ? 15 * MS : 30 * MS);
		run(a, 0, step, 300);
		assert_int_equal(count_late(), 0);
	}
}

/* 7 vsyncs of 60 Hz are 100 ms more than one, whatever the last digits of the period. */
TEST(test_frame_late_by_exactly_the_limit_is_late)
{
	static const uint64_t periods_ns[] = { 16666030, 16667140 };

	for (size_t i = 0; i < COUNT_OF(periods_ns); i++) {
		uint64_t at_ns;

		options.vsync_ns = periods_ns[i];
		start_late(100 * MS);
		at_ns = phone_run(&phone, a, BEGIN, periods_ns[i], 60);
		at_ns = phone_run(&phone, a, at_ns + 6 * periods_ns[i], periods_ns[i], 60);
		at_ns = phone_run(&phone, a, at_ns + 7 * periods_ns[i], periods_ns[i], 60);
		assert_int_equal(count_late(), 1);
		assert_int_equal(phone.log.late[0].present_ns, at_ns - 59 * periods_ns[i]);
	}
}

/* 5 vsyncs in a game of 30 fps are 3 too many. */
TEST(test_lateness_is_measured_from_the_cadence)
{
	uint64_t vsync;

	start_late(50 * MS);
	vsync = run(a, 0, 2, 60);
	vsync = run(a, vsync + 4, 2, 60);
	run(a, vsync + 5, 2, 60);
	assert_int_equal(count_late(), 1);
	assert_in_range(phone.log.late[0].interval_ns, 83 * MS, 84 * MS);
	assert_string_equal(phone.log.late[0].surface, SURFACE_A);
}

/* 60 fps stay steady on a display that changes to 120 Hz. */
TEST(test_switch_of_the_refresh_rate_is_not_late)
{
	uint64_t at_ns;

	start_late(8 * MS);
	at_ns = phone_run(&phone, a, BEGIN, V60, 60);
	for (unsigned int i = 1; i < 240; i++) {
		if (i % 2)
			phone_tick(&phone, at_ns + i * V120 - 2 * MS);
		else
			phone_frame(&phone, at_ns + i * V120, a);
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

	start_late(100 * MS);
	for (uint64_t vsync = 0; vsync < 1500; vsync++) {
		const char *layers[] = { a, bar, NULL };

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

	start_late(100 * MS);
	vsync = run(a, 0, 1, 8);
	vsync = run(a, vsync + 20, 1, 60);
	vsync = run(a, vsync + 60, 1, 8);
	run(a, vsync + 20, 1, 60);
	assert_int_equal(count_late(), 0);
	start_late(100 * MS);
	vsync = run(a, 0, 1, 9);
	run(a, vsync + 20, 1, 60);
	assert_int_equal(count_late(), 1);
}

TEST(test_late_frames_do_not_change_the_cadence)
{
	uint64_t vsync;

	start_late(100 * MS);
	vsync = run(a, 0, 1, 60);
	for (unsigned int i = 0; i < 10; i++)
		vsync = run(a, vsync + 8, 1, 5);
	assert_int_equal(count_late(), 10);
}

/* Without ticks the times between presents count. */
TEST(test_late_frames_are_found_without_vsyncs)
{
	uint64_t at_ns = BEGIN;

	options.late_ns = 100 * MS;
	start(PHONE_9);
	for (unsigned int i = 0; i < 100; i++) {
		at_ns += (i == 50 ? 117 : i == 75 ? 123 : 20) * MS + i % 3 * MS / 2;
		phone_show(&phone, at_ns, a);
	}
	assert_int_equal(count_late(), 1);
	assert_int_equal(phone.log.late[0].interval_ns, 123 * MS);
}

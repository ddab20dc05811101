/* SPDX-License-Identifier: Apache-2.0 */
/* A frame is late if its interval is longer than the cadence of its layer so far. */
#include "rules/count/late.h"
#include "tests/unit/one_phone.h"

static const char bar[] = "StatusBar#0";

/* After some intervals of one length, and others of 100 ms: one more. */
TEST(test_limits_of_lateness_are_exact)
{
	static const struct {
		unsigned int n, others;
		int64_t ns, vsyncs, then_ns, then_vsyncs;
		uint64_t harm_ns;
		const char *is; /* a gap, reported, a stall; 5: at 5 vsyncs in a render period */
	} rows[] = {
		{ 0, 0, V60, 1, 2 * V60, 2, 0, "" },
		{ 1, 0, V60, 1, 2 * V60, 2, V60, "" },
		{ 1, 0, V60, 1, 2 * V60, 1, 0, "" },
		{ 1, 0, V60, 1, 2 * V60, ROW_UNKNOWN, 0, "" },
		{ 8, 0, V60, 1, V60 + V60 / 100, 2, 0, "" },
		{ 8, 0, V60, 1, 2 * (V60 - V60 / 100), 2, V60 - 2 * (V60 / 100), "" },
		{ 8, 0, V60, 1, 2 * (V60 - V60 / 100 - 1), 2, 0, "" },
		{ 8, 0, V60, 1, 4 * V60, 4, 3 * V60, "" },
		{ 8, 0, V60, 1, 4 * V60 + 1, 4, 3 * V60 + 1, "g" },
		/* The cadence is older than the period: the nearest whole vsyncs, at least one. */
		{ 8, 0, 14 * MS, ROW_UNKNOWN, 20 * MS, 2, 10 * MS, "" },
		{ 8, 0, 15 * MS, ROW_UNKNOWN, 20 * MS, 2, 0, "" },
		{ 8, 0, 4 * MS, ROW_UNKNOWN, 20 * MS, 2, 10 * MS, "" },
		/* A vsync of the display as it is now, 5.5 times as long, is no time lost. */
		{ 8, 0, V60 / 2, 1, 11 * V60, 2, 11 * V60 - 11 * V60 / 2, "" },
		/* From 120 to 60 Hz at 30 fps, to 24 Hz at 24 fps; from 240 to 60 Hz at 120 fps:
		 * the cadence is as long as before, and one vsync at least. As many vsyncs as
		 * before are in time. */
		{ 8, 0, 2 * V60, 4, 8 * V60, 8, 6 * V60, "r" },
		{ 8, 0, 5 * V60 / 2, 5, 15 * V60, 6, 15 * V60 - 5 * V60 / 2, "gr" },
		{ 8, 0, V60 / 2, 2, 3 * V60, 3, 2 * V60, "" },
		{ 8, 0, V60, 2, 2 * V60, 2, 0, "" },
		/* A render period of 5 vsyncs is no time lost. */
		{ 8, 0, V60, 1, 5 * V60, 5, 0, "5" },
		{ 8, 0, V60, 1, 10 * V60, 10, 5 * V60, "5" },
		/* Reported after eight intervals of at most 100 ms. */
		{ 8, 0, 20 * MS, ROW_UNKNOWN, 120 * MS - 1, ROW_UNKNOWN, 0, "g" },
		{ 8, 0, 20 * MS, ROW_UNKNOWN, 120 * MS, ROW_UNKNOWN, 0, "gr" },
		{ 7, 0, 20 * MS, ROW_UNKNOWN, 120 * MS, ROW_UNKNOWN, 0, "g" },
		{ 8, 0, 100500000, ROW_UNKNOWN, 201 * MS, ROW_UNKNOWN, 0, "r" },
		{ 8, 0, 100500001, ROW_UNKNOWN, 201 * MS, ROW_UNKNOWN, 0, "" },
		/* A quarter of the last 16 may be gaps. */
		{ 12, 4, 20 * MS, ROW_UNKNOWN, 120 * MS, ROW_UNKNOWN, 0, "gr" },
		{ 12, 5, 20 * MS, ROW_UNKNOWN, 120 * MS, ROW_UNKNOWN, 0, "g" },
		{ 40, 4, 20 * MS, ROW_UNKNOWN, 120 * MS, ROW_UNKNOWN, 0, "gr" },
		{ 8, 0, V60, 1, 500 * MS, 30, 500 * MS, "grs" },
		{ 8, 0, V60, 1, 500 * MS, 30, 0, "g" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct interval usual = { rows[i].ns, rows[i].vsyncs, 0 },
				      other = { 100 * MS, ROW_UNKNOWN, 0 };
		const struct interval then = { rows[i].then_ns, rows[i].then_vsyncs,
					       strchr(rows[i].is, '5') ? 5 : 0 };
		struct late_series series = { 0 };
		struct lateness late;

		for (unsigned int n = 0; n < rows[i].n + rows[i].others; n++)
			late_follow(&series, SURFACE_A, 0, n < rows[i].n ? usual : other,
				    WAIT_IDLE);
		late = late_follow(&series, SURFACE_A, 100 * MS, then,
				   strchr(rows[i].is, 's') ? WAIT_STALL : WAIT_IDLE);
		if (late.harm_ns != rows[i].harm_ns ||
		    late.gap != (strchr(rows[i].is, 'g') != NULL) ||
		    late.reported != (strchr(rows[i].is, 'r') != NULL))
			fail_msg("row %zu: harm %d, gap %d, reported %d", i, (int)late.harm_ns,
				 late.gap, late.reported);
	}
}

FIXTURE(default_options, stop_phone)

static void start_late(uint64_t late_ns)
{
	options.late_ns = late_ns;
	start(PHONE_14);
}

static size_t count_late(void)
{
	phone_end(&phone);
	return phone.log.n_late;
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
		expect_summary(SURFACE_A, "late_frames 2 unknown 0");
		assert_in_range(summary_of(SURFACE_A).stats.late_ns, 11 * periods_ns[i] - 11,
				11 * periods_ns[i] + 11);
	}
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

static const struct {
	const char *name;
	uint64_t late_ms;
	const char *steps;
	size_t late;
} cases[] = {
	{ "every vsync", 15, "a0-299", 0 },
	{ "every second vsync", 15, "a0-598x2", 0 },
	{ "every third vsync", 15, "a0-897x3", 0 },
	{ "every fourth vsync", 30, "a0-1196x4", 0 },
	/* 5 vsyncs in a game of 30 fps are 3 too many. */
	{ "lateness is measured from the cadence", 50, "a0-118x2 a122-240x2 a245-363x2", 1 },
	{ "after few frames, and after a wait, the cadence is unknown", 100,
	  "a0-7 a27-86 a146-153 a173-232", 0 },
	{ "after enough frames it is known", 100, "a0-8 a28-87", 1 },
	{ "late frames do not change the cadence", 100,
	  "a0-59 a67-71 a79-83 a91-95 a103-107 a115-119 a127-131 a139-143 a151-155 a163-167 "
	  "a175-179",
	  10 },
};

TEST(test_frames_later_than_the_cadence_are_late)
{
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		start_late(cases[i].late_ms * MS);
		draw(cases[i].steps);
		if (count_late() != cases[i].late)
			fail_msg("%s: %zu are late", cases[i].name, phone.log.n_late);
		if (cases[i].late_ms != 50)
			continue;
		assert_in_range(phone.log.late[0].interval_ns, 83 * MS, 84 * MS);
		assert_string_equal(phone.log.late[0].surface, SURFACE_A);
	}
}

/* A film's frames are at the vsyncs nearest to even times, so 2 and 3 vsyncs in turn are no news. A
 * fourth vsync is, and so are 3 of a game of 30 fps, wherever they come. */
TEST(test_films_are_even)
{
	static const struct {
		double fps;
		unsigned int lost_frame, frames;
		const char *expected;
	} films[] = {
		{ 25, 0, 300, "late_frames 0" },
		{ 24, 0, 300, "late_frames 0" },
		{ 23.976, 0, 300, "late_frames 0" },
		{ 25, 200, 300, "late_frames 1" },
		{ 29, 0, 116, "late_frames 7" },
		{ 29, 27, 116, "late_frames 8" },
		{ 40, 0, 300, "late_frames 149" },
		/* The last one is an app, which draws no film. */
		{ 25, 0, 300, "late_frames 119" },
	};

	static const char view[] = "SurfaceView[com.a/com.a.Main]#0";

	for (size_t i = 0; i < COUNT_OF(films); i++) {
		uint64_t drawn = 0;

		start_late(0);
		for (uint64_t vsync = 0; drawn < films[i].frames; vsync++) {
			bool is_due = (double)vsync >= (double)drawn * 60 / films[i].fps - 0.01;
			uint64_t at_ns = BEGIN + vsync * V60;

			if (is_due && (drawn++ != films[i].lost_frame || drawn == 1))
				phone_frame(&phone, at_ns, i < COUNT_OF(films) - 1 ? view : a);
			else
				phone_tick(&phone, at_ns - 2 * MS);
		}
		count_late();
		expect_summary(i < COUNT_OF(films) - 1 ? "SurfaceView[com.a/com.a.Main]"
						       : SURFACE_A,
			       films[i].expected);
	}
}

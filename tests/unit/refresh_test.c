/* SPDX-License-Identifier: Apache-2.0 */
/* Whole vsyncs between frames, from a trace's own ticks: rates, switches, pauses. */
#include "tests/unit/one_phone.h"

FIXTURE(on_phone_14, stop_phone)

/* All frames are on time, through two switches: neither a row nor the session gets a worse score
 * from the rate at its end. */
TEST(test_switches_do_not_lower_the_score)
{
	uint64_t at_ns = phone_run(&phone, a, BEGIN, V60, 150);

	at_ns = phone_run(&phone, a, at_ns + V60, V120, 300);
	phone_run(&phone, a, at_ns + V120, V60, 150);
	phone_end(&phone);
	assert_string_equal(vsyncs_of(a), "? 1x599");
	assert_int_equal(events_of(TRACE_EVENT_REFRESH), 3);
	assert_in_range(counters()->refresh_mhz, 59900, 60100);
	for (size_t i = 0; i < phone.log.n_fps; i++)
		assert_float_equal(phone.log.fps[i].stats.score, 100, 0.01);
	assert_float_equal(summary_of(SURFACE_A).stats.score, 100, 0.01);
}

/* Intervals stay the same while the period becomes more precise: the first ticks were too far
 * apart. */
TEST(test_refined_period_does_not_change_intervals)
{
	for (unsigned int i = 0; i < 300; i++) {
		uint64_t present_ns = BEGIN + i * V60;
		uint64_t late_ns = (i < 40 ? i : 40) * 70000;

		phone_tick(&phone, present_ns - 4 * MS + late_ns);
		phone_show(&phone, present_ns, a);
	}
	phone_end(&phone);
	assert_string_equal(vsyncs_of(a), "? 1x299");
	assert_int_equal(events_of(TRACE_EVENT_REFRESH), 1);
	for (size_t i = 1; i < phone.log.n_frames; i++)
		assert_in_range(phone.log.frames[i].interval_ns, V60 * 99 / 100, V60 * 101 / 100);
}

/* Nor with the first frames after ticks alone, of which the lag is longer. */
TEST(test_settled_time_does_not_go_back)
{
	const uint64_t end_ns = BEGIN + 300 * V60;
	const struct trace_record end = { .kind = TRACE_SLICE_END, .time_ns = end_ns };
	const struct trace_record sync = { .kind = TRACE_CLOCK_SYNC, .time_ns = end_ns };
	const struct trace_record ends[] = { end, end, sync };
	uint64_t settled_ns = 0, never_ns = UINT64_MAX;

	for (unsigned int i = 0; i < 300; i++) {
		if (i >= 90 && i / 60 % 2)
			phone_frame(&phone, BEGIN + i * V60, a);
		else
			phone_tick(&phone, BEGIN + i * V60);
		assert_true(pipeline_settled(phone.pipeline) >= settled_ns);
		settled_ns = pipeline_settled(phone.pipeline);
	}
	assert_in_range(settled_ns, BEGIN + 230 * V60, BEGIN + 300 * V60);
	/* Records go together up to the one that settles the time, and up to a clock sync. */
	assert_int_equal(pipeline_records(phone.pipeline, ends, 3, &settled_ns), 1);
	assert_int_equal(pipeline_records(phone.pipeline, ends, 3, &never_ns), 2);
}

/* The longest wait is needed while the period is uncertain, as behind a switch. */
TEST(test_frames_wait_until_the_period_is_certain)
{
	uint64_t longest_ns = 0, at_ns;

	assert_int_equal(pipeline_waiting_ns(phone.pipeline), 0);
	at_ns = phone_run(&phone, a, BEGIN, V60, 300);
	assert_in_range(pipeline_waiting_ns(phone.pipeline), 400 * MS - V60, 400 * MS + V60);
	for (unsigned int i = 0; i < 240; i++) {
		uint64_t waiting_ns;

		at_ns += V120;
		phone_frame(&phone, at_ns, a);
		waiting_ns = pipeline_waiting_ns(phone.pipeline);
		longest_ns = waiting_ns > longest_ns ? waiting_ns : longest_ns;
	}
	assert_in_range(longest_ns, 400 * MS, 1500 * MS + V60);
	assert_in_range(pipeline_waiting_ns(phone.pipeline), 400 * MS - V60, 400 * MS + V60);
	pipeline_silent(phone.pipeline, 2 * SECOND);
	assert_int_equal(pipeline_waiting_ns(phone.pipeline), 0);
}

#define ID "4619827259835644672"

/* What SurfaceFlinger says of its display, and a game of 40 fps whose ticks look like 80 Hz. */
TEST(test_rates_are_known_by_the_names_of_each_version)
{
	static const struct {
		const char *name, *render;
		int64_t value, hz;
	} rows[] = {
		{ "ActiveConfigFPS", NULL, 120, 120 },
		{ "ActiveModeFPS -" ID, NULL, 120, 120 },
		{ "ActiveModeFPS -" ID, "RenderRateFPS -" ID, 120, 120 },
		{ "ActiveModeFps " ID, "RenderRateFps " ID, 120, 120 },
		{ "ActiveModeFps 0", "RenderRateFps 0", 240, 240 },
		{ "VSR-setPeriod", NULL, 8333333, 120 },
		{ "VSR-setPeriod " ID, "RenderRateFps " ID, 8266666, 120 },
		{ "VSR-onDisplayModeChanged " ID, "RenderRateFps " ID, 8400000, 120 },
		{ "VSP-period 461", "RenderRateFps " ID, 8333333, 120 },
		/* The display is only asked for it, but the ticks do not refute it. */
		{ "ActiveModeFPS_HWC", NULL, 120, 120 },
		{ "PendingModeFps " ID, NULL, 200, 200 },
		/* Of another display. */
		{ "ActiveModeFps " ID, "RenderRateFps 7", 120, 120 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint64_t missed = 100 * ((uint64_t)rows[i].hz / 40 - 1);

		start(PHONE_14);
		phone.now_ns = BEGIN - 10 * MS;
		phone_write(&phone, TRACE_COUNTER, 0, rows[i].name, rows[i].value);
		if (rows[i].render)
			phone_write(&phone, TRACE_COUNTER, 0, rows[i].render, 40);
		phone_run(&phone, a, BEGIN, 25 * MS, 101);
		phone_end(&phone);
		assert_in_range(counters()->refresh_mhz, rows[i].hz * 999, rows[i].hz * 1001);
		if (rows[i].render && i + 1 < COUNT_OF(rows))
			missed = 0;
		assert_int_equal(sum_of(SURFACE_A).missed, missed);
		assert_int_equal(strstr(event_text(TRACE_EVENT_REFRESH), "rendered at 40.0") !=
					 NULL,
				 missed == 0);
	}
}

/* The display follows what it is asked for, or it does not. Each rate is stated twice at most. */
TEST(test_a_rate_that_is_asked_for_counts_when_the_display_follows)
{
	static const char *const names[][2] = {
		{ "ActiveModeFPS -" ID, "ActiveModeFPS_HWC -" ID },
		{ "ActiveModeFps " ID, "PendingModeFps " ID },
	};

	for (size_t i = 0; i < 2 * COUNT_OF(names); i++) {
		const uint64_t after_ns = i % 2 ? V60 : V120;
		uint64_t last;

		start(PHONE_14);
		phone.now_ns = BEGIN - 10 * MS;
		phone_write(&phone, TRACE_COUNTER, 0, names[i / 2][0], 60);
		last = phone_run(&phone, a, BEGIN, V60, 120);
		phone_write(&phone, TRACE_COUNTER, 0, names[i / 2][1], 120);
		last = phone_run(&phone, a, last + after_ns, after_ns, 240);
		/* No frame tells that it is slow again. */
		phone_write(&phone, TRACE_COUNTER, 0, names[i / 2][1], 30);
		phone_run(&phone, a, last + after_ns, after_ns, 120);
		phone_end(&phone);
		assert_int_equal(counters()->refresh_mhz / 1000, i % 2 ? 60 : 120);
		assert_int_equal(events_of(TRACE_EVENT_REFRESH), i % 2 ? 1 : 2);
		assert_string_equal(vsyncs_of(a), "? 1x479");
	}
}

/* Android 12 states nothing else, and asks some vsyncs ahead, or after a rest. Frames are dropped
 * after a switch; that across one to a higher rate is unknown. */
TEST(test_rates_that_are_only_asked_for_are_followed_each_time)
{
	static const int64_t hz[] = { 60, 120, 60, 120, 24, 0 };

	for (unsigned int ahead = 0; ahead <= 9; ahead += ahead ? 4 : 1) {
		const uint64_t vsyncs = ahead < 9 ? 1 : 3;
		uint64_t at_ns = BEGIN;

		start(PHONE_14);
		for (unsigned int i = 0; hz[i]; i++) {
			uint64_t step_ns = SECOND / (uint64_t)hz[i];

			for (unsigned int n = 0; n < 5; n++)
				at_ns = phone_run(&phone, a, at_ns + vsyncs * step_ns, step_ns, 2);
			at_ns = phone_run(&phone, a, at_ns + step_ns, step_ns, 200);
			phone.now_ns = at_ns += ahead ? 0 : 600 * MS;
			phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFPS_HWC", hz[i + 1]);
			if (ahead)
				at_ns = phone_run(&phone, a, at_ns + step_ns, step_ns, ahead);
		}
		phone_end(&phone);
		assert_int_equal(sum_of(SURFACE_A).unknown, vsyncs - 1);
		assert_int_equal(sum_of(SURFACE_A).missed, 22 * (vsyncs - 1));
		assert_int_equal(events_of(TRACE_EVENT_REFRESH), 5);
	}
}

/* Ticks and presents refuted the rate before: what is stated then has to be shown, until they
 * confirm a rate again, also a guess. Few events show 10 Hz for less than a second. */
TEST(test_a_display_with_a_refuted_rate_has_to_show_the_next_one)
{
	static const int64_t hz[][8] = { { 60, 90, 120, 60, 120, 10, 120 }, { 50, 120, 90 } };

	for (uint64_t game = 0, at_ns; game < 2; game++) {
		start(PHONE_14);
		at_ns = phone.now_ns = BEGIN;
		for (size_t i = 0; hz[game][i]; i++) {
			const uint64_t step_ns = i == 5 ? 100 * MS : (1 + game) * V60;

			phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFps " ID, hz[game][i]);
			at_ns = phone_run(&phone, a, at_ns + step_ns, step_ns, i == 5 ? 5 : 200);
		}
		phone_end(&phone);
		assert_string_equal(vsyncs_of(a),
				    game ? "? 2x186 4x213 3x200" : "? 1x799 2x200 1x5 2x200");
	}
}

/* A game uses each second or fifth vsync, and its ticks look like a slower display. What is stated
 * counts, also later and if it is nominal; what is only asked for does not. */
TEST(test_a_stated_rate_counts_although_no_tick_needs_it)
{
	static const struct {
		uint64_t step_ns;
		int64_t hz, vsyncs;
		bool late;
	} rows[] = {
		{ 25 * MS, 120, 3, true },   { V60, 120, 2, true },
		{ 20960000, 240, 5, false }, /* of 4.192 ms, not 4.167 */
		{ 6 * V60, 60, 6, false },   { 2 * V60, 60, 2, false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint64_t at_ns = BEGIN;

		start(PHONE_14);
		if (rows[i].late)
			at_ns = phone_run(&phone, a, BEGIN, rows[i].step_ns, 100) + rows[i].step_ns;
		phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFps " ID, rows[i].hz);
		at_ns = phone_run(&phone, a, at_ns, rows[i].step_ns, 100);
		phone_write(&phone, TRACE_COUNTER, 0, "PendingModeFps " ID,
			    rows[i].hz / rows[i].vsyncs);
		phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFps 77",
			    rows[i].hz / rows[i].vsyncs);
		phone_run(&phone, a, at_ns + rows[i].step_ns, rows[i].step_ns, 100);
		phone_end(&phone);
		for (size_t n = rows[i].late ? 130 : 1; n < frames_of(a); n++)
			assert_int_equal(frame_of(a, n)->vsyncs, rows[i].vsyncs);
		assert_in_range(counters()->refresh_mhz, rows[i].hz * 990, rows[i].hz * 1010);
	}
}

/* The rate of another display, or one that changes while the display's own stays. */
TEST(test_the_render_rate_changes_while_the_display_keeps_its_rate)
{
	uint64_t at_ns;

	phone.now_ns = BEGIN - 10 * MS;
	phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFps " ID, 120);
	phone_write(&phone, TRACE_COUNTER, 0, "RenderRateFps " ID, 60);
	phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFps 77", 90);
	phone_write(&phone, TRACE_COUNTER, 0, "RenderRateFps 77", 30);
	at_ns = phone_run(&phone, a, BEGIN, 2 * V120, 100);
	phone_write(&phone, TRACE_COUNTER, 0, "RenderRateFps " ID, 120);
	at_ns = phone_run(&phone, a, at_ns + 2 * V120, V120, 100);
	phone_write(&phone, TRACE_COUNTER, 0, "RenderRateFps " ID, 24);
	at_ns = phone_run(&phone, a, at_ns + 5 * V120, 5 * V120, 49);
	phone_run(&phone, a, at_ns + 6 * V120, 5 * V120, 1);
	phone_end(&phone);
	assert_string_equal(vsyncs_of(a), "? 2x100 1x99 5x49 6");
	expect_summary(SURFACE_A, "missed 1 d 1");
	assert_float_equal(summary_of(SURFACE_A).stats.score, 60 * 249 / 249.2 + 40 - 7 / 249.0,
			   0.01);
	assert_int_equal(events_of(TRACE_EVENT_REFRESH), 3);
}

/* A mode is announced while SurfaceFlinger still composes at the render rate of the one before. The
 * trace may end soon after that. */
TEST(test_a_mode_is_announced_before_its_render_rate)
{
	for (unsigned int n = 5; n <= 60; n += 55) {
		uint64_t at_ns;

		start(PHONE_14);
		phone.now_ns = BEGIN - 10 * MS;
		phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFps " ID, 240);
		phone_write(&phone, TRACE_COUNTER, 0, "RenderRateFps " ID, 60);
		at_ns = phone_run(&phone, a, BEGIN, V60, 100);
		phone_write(&phone, TRACE_COUNTER, 0, "VSR-setPeriod " ID, (int64_t)V60);
		at_ns = phone_run(&phone, a, at_ns + V60, V60, 3);
		phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFps " ID, 60);
		phone_write(&phone, TRACE_COUNTER, 0, "RenderRateFps " ID, 20);
		phone_run(&phone, a, at_ns + 3 * V60 + V60 / 4, 3 * V60, n);
		phone_end(&phone);
		assert_string_equal(vsyncs_of(a), formatted("? 4x99 1x3 3x%u", n));
	}
}

/* A film at 24 fps on 120.6 Hz, of which only 120 is stated: soon no frame's vsyncs are unknown. */
TEST(test_sparse_ticks_give_the_last_digits_of_a_nominal_rate)
{
	const uint64_t film_ns = 41458335;

	phone.now_ns = BEGIN - 10 * MS;
	phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFps " ID, 120);
	phone_run(&phone, a, BEGIN, film_ns, 60);
	phone_end(&phone);
	assert_string_equal(vsyncs_of(a), "? 5x59");
	assert_in_range(counters()->refresh_mhz, 120500, 120700);
}

/* For some frames the display has its old mode, or has the new one before it is stated. */
TEST(test_a_render_rate_of_another_mode_is_no_step)
{
	const uint64_t film_ns = 5 * V120;
	uint64_t at_ns = BEGIN;

	for (unsigned int i = 0; i < 4; i++) {
		const int64_t hz = i % 2 ? 24 : 120;

		phone.now_ns = at_ns + MS;
		phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFps " ID, hz);
		phone_write(&phone, TRACE_COUNTER, 0, "RenderRateFps " ID, hz);
		if (i % 2)
			at_ns = phone_run(&phone, a, at_ns + V120, V120, 4);
		at_ns = i % 2 ? phone_run(&phone, a, at_ns + film_ns, film_ns, 80)
			      : phone_run(&phone, a, at_ns + V120, V120, 200);
	}
	phone_end(&phone);
	assert_int_equal(events_of(TRACE_EVENT_REFRESH), 4);
	for (size_t i = 0; i < phone.log.n_events; i++)
		assert_null(strstr(phone.log.events[i].text, "rendered"));
}

/* A foldable: the ticks are of the display whose mode was stated last, if they show it. A game
 * beside a display of 60 Hz shows nothing. */
TEST(test_the_other_display_of_a_foldable)
{
	for (unsigned int game = 0; game <= 1; game++) {
		const uint64_t step_ns = game ? V60 : V120;
		uint64_t at_ns;

		start(PHONE_14);
		phone.now_ns = BEGIN - 10 * MS;
		phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFps " ID "1", 60);
		phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFps " ID "2", 120);
		at_ns = phone_run(&phone, a, BEGIN, V120, 100) + step_ns;
		at_ns = phone_run(&phone, a, at_ns, step_ns, 200);
		phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFps " ID "1", 60);
		at_ns = phone_run(&phone, a, at_ns + V60, V60, 200);
		phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFps " ID "2", 120);
		phone_run(&phone, a, at_ns + V120, V120, 200);
		phone_end(&phone);
		assert_string_equal(vsyncs_of(a), game ? "? 1x99 2x400 1x200" : "? 1x699");
		assert_int_equal(events_of(TRACE_EVENT_REFRESH), game ? 1 : 3);
	}
}

/* SurfaceFlinger states a display's rate, and that it composes for each @step-th vsync. */
static void state_rates(unsigned int display, uint64_t period_ns, uint64_t step, uint64_t at_ns)
{
	int64_t hz = (int64_t)((SECOND + period_ns / 2) / period_ns);

	phone.now_ns = at_ns;
	phone_write(&phone, TRACE_COUNTER, 0, formatted("ActiveModeFps " ID "%u", display + 1), hz);
	phone_write(&phone, TRACE_COUNTER, 0, formatted("RenderRateFps " ID "%u", display + 1),
		    hz / (int64_t)step);
}

/* One or both displays are rendered at a part of their rate. Each 20th frame is one vsync late,
 * which only one of the two periods explains. */
TEST(test_a_foldable_renders_at_a_part_of_its_rates)
{
	static const struct {
		uint64_t period_ns[2], step[2];
		bool folds; /* else the other display is an external one */
	} rows[] = {
		{ { V60, V120 }, { 1, 3 }, true },     { { V60, V120 }, { 1, 2 }, true },
		{ { V120, V90 }, { 1, 3 }, true },     { { V120, V60 }, { 3, 1 }, true },
		{ { V120, V60 }, { 2, 1 }, true },     { { V60, V120 }, { 2, 4 }, true },
		{ { V120, V120 }, { 1, 3 }, true },    { { V120, V120 }, { 3, 1 }, true },
		{ { V120, V60 }, { 2, 1 }, false },    { { V120, 25 * MS }, { 3, 1 }, false },
		{ { V60, 2 * V60 }, { 2, 1 }, false }, { { V120, V60 }, { 4, 1 }, false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const bool jitter = i == COUNT_OF(rows) - 1; /* of a millisecond */
		uint64_t at_ns = BEGIN, numbers[400];
		unsigned int shown = 0;

		start(PHONE_14);
		for (size_t n = 0; n < 400; n++) {
			if (n % 200 == 0) {
				state_rates(n > 0, rows[i].period_ns[n > 0], rows[i].step[n > 0],
					    at_ns - 5 * MS);
				shown = n > 0 && rows[i].folds;
				at_ns += shown * 3 * MS;
			}
			phone_frame(&phone, at_ns + jitter * (n * 379 % 1001) * 1000, a);
			numbers[n] = rows[i].step[shown] + (n % 20 == 13);
			at_ns += numbers[n] * rows[i].period_ns[shown];
		}
		phone_end(&phone);
		/* Between the last frame on one display and the first on the other: either. */
		for (size_t n = 1; n < frames_of(a); n++)
			if (n != 200)
				assert_true(frame_of(a, n)->vsyncs == (int64_t)numbers[n - 1] ||
					    (jitter && frame_of(a, n)->vsyncs == ROW_UNKNOWN));
		assert_in_range(counters()->refresh_mhz * rows[i].period_ns[shown] / SECOND, 990,
				1010);
		assert_int_equal(strstr(event_text(TRACE_EVENT_REFRESH), "rendered") != NULL,
				 rows[i].step[0] > 1);
		assert_in_range(events_of(TRACE_EVENT_REFRESH), 1 + rows[i].folds,
				1 + 2 * rows[i].folds);
	}
}

/* Of phases of 100 frames, each of @drawn vsyncs or unknown, but for the first one of a phase.
 * Returns how many are known. */
static uint64_t known_in_phases(uint64_t drawn)
{
	uint64_t known = 0;

	for (size_t n = 1; n < frames_of(a); n++) {
		known += frame_of(a, n)->vsyncs != ROW_UNKNOWN;
		if (n % 100)
			assert_true(frame_of(a, n)->vsyncs == (int64_t)drawn ||
				    frame_of(a, n)->vsyncs == ROW_UNKNOWN);
	}
	return known;
}

/* Up to Android 13 presents do not name the display, and SurfaceFlinger asks for the hardware
 * vsyncs of the one that is on. At 60 Hz an app that draws in each or each second vsync looks like
 * one at 120 Hz, and if none are written when it is turned back, the vsyncs are unknown. */
TEST(test_a_foldable_is_turned_and_writes_only_hardware_vsyncs)
{
	for (uint64_t part = 0, at_ns = BEGIN; part < 5 * 4; part++) {
		uint64_t outer = (part + part / 16) % 2, period_ns = outer ? V60 : V120;
		uint64_t drawn = 1 + part / 4 % 2;

		if (part % 4 == 0)
			start(PHONE_13);
		for (uint64_t vsync = 0; vsync < 100 * drawn; vsync++, at_ns += period_ns) {
			phone.now_ns = at_ns - 5 * MS;
			if (vsync < 12 && part < 4 * 4 + 2)
				phone_write(&phone, TRACE_COUNTER, 640,
					    outer ? "HW_VSYNC_" ID "2" : "HW_VSYNC_" ID "1",
					    vsync % 2);
			if (vsync % drawn == 0)
				phone_frame(&phone, at_ns + 3 * MS * outer, a);
		}
		if (part % 4 < 3)
			continue;
		phone_end(&phone);
		/* In each second vsync nothing else shows which display is on. */
		assert_true(known_in_phases(drawn) + (part < 4 * 4 ? 5 : 120) > 400 / drawn);
	}
}

/* The periods of both displays were stated before a foldable is turned back, or before the first
 * frame. From 14 on presents name the one that is on. */
TEST(test_presents_name_the_display_of_a_foldable_that_is_on)
{
	for (uint64_t round = 0; round < 42; round++) {
		const uint64_t rates = round >= 2; /* are stated in whole Hz, no periods in ns */
		const uint64_t drawn = rates ? 1 : 1 + round % 2;
		uint64_t at_ns = BEGIN;

		start(PHONE_14);
		for (uint64_t part = 0; part < 4; part++) {
			uint64_t period_ns = (part % 2 ? V120 : V60) * (250 - 2 * rates) / 250;

			phone.now_ns = at_ns - 5 * MS;
			phone.present =
				part % 2 ? "presentFrameAndReleaseLayers for Inner (" ID "2)"
					 : "presentFrameAndReleaseLayers for Outer (" ID "1)";
			if (rates && part == 0) {
				state_rates(0, V60, 1, phone.now_ns);
				state_rates(1, V120, 1, phone.now_ns);
			} else if (!rates && part < 2) {
				phone_write(&phone, TRACE_COUNTER, 0,
					    part ? "VSP-period " ID "2" : "VSP-period " ID "1",
					    (int64_t)period_ns);
			}
			for (uint64_t n = 0; n < 100;
			     n++, at_ns += (drawn + (rates && n == 1)) * period_ns) {
				const uint64_t k = rates * ((n + round) * (373 + round) % 101);

				phone_frame(&phone,
					    at_ns + 3 * MS * (part % 2) + k * k * k * k / 50, a);
			}
		}
		phone_end(&phone);
		/* In each second vsync of 120 Hz nothing else shows it. */
		if (!rates)
			assert_true(known_in_phases(drawn) + 10 > 400 / drawn);
		for (size_t n = 1; rates && n < frames_of(a); n++)
			if (n % 100 && frame_of(a, n)->vsyncs != ROW_UNKNOWN)
				assert_int_equal(frame_of(a, n)->vsyncs, 1 + (n % 100 == 1));
	}
}

/* A foldable is turned twice within two seconds, or has no ticks, or its other display only states
 * the same rate. Android 12L states the rate of the display that is on without an id, too. */
TEST(test_a_foldable_is_turned_without_ticks_and_soon_again)
{
	enum { TICKS = 1, IS_12L = 2, IN_PHASE = 4 };
	static const struct {
		unsigned int of;
		struct {
			unsigned int display;
			uint64_t period_ns, step;
		} parts[3];
		const char *vsyncs;
	} rows[] = {
		{ TICKS, { { 0, V120, 1 }, { 1, V60, 1 }, { 0, V120, 4 } }, "? 1x139 ? 4x69" },
		{ IS_12L, { { 0, V120, 2 }, { 0, V120, 5 }, { 1, V60, 1 } }, "? 2x70 5x70 1x69" },
		{ 0, { { 0, V60, 1 }, { 0, V90, 1 }, { 1, V120, 3 } }, "? 1x139 ? 3x69" },
		{ 0, { { 0, V120, 4 }, { 1, V120, 1 }, { 1, V120, 1 } }, "? 4x70 1x139" },
		/* Nothing shows which display is on; after that both have one rate. */
		{ TICKS | IN_PHASE,
		  { { 0, V60, 1 }, { 1, V120, 2 }, { 1, V60, 1 } },
		  "? 1x69 ?x71 1x69" },
		{ IS_12L, { { 0, V120, 4 }, { 0, V60, 1 }, { 0, V60, 1 } }, "? 4x70 1x139" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint64_t at_ns = BEGIN, step_ns = 0, step = 0;

		start(rows[i].of & IS_12L ? PHONE_13 : PHONE_14);
		phone_tick(&phone, BEGIN - 100 * MS);
		for (size_t n = 0; n < 210; n++) {
			const size_t part = n / 70;

			if (n % 70 == 0) {
				at_ns += rows[i].of & IN_PHASE ? 0 : 2 * MS;
				step = rows[i].parts[part].step;
				step_ns = rows[i].parts[part].period_ns;
				phone.now_ns = at_ns - 5 * MS;
				if (rows[i].of & IS_12L)
					phone_write(&phone, TRACE_COUNTER, 0, "VSR-setPeriod",
						    (int64_t)step_ns);
				state_rates(rows[i].parts[part].display, step_ns,
					    rows[i].of & IS_12L ? 1 : step, at_ns - 5 * MS);
			}
			(rows[i].of & TICKS ? phone_frame : phone_show)(&phone, at_ns, a);
			at_ns += step * step_ns;
		}
		phone_end(&phone);
		assert_string_equal(vsyncs_of(a), rows[i].vsyncs);
	}
}

/* An app draws in each second vsync of 120 Hz, so its last frames look like those at 60 Hz. After a
 * silence nothing tells them from these, unless the rate is stated again. */
TEST(test_a_rate_does_not_begin_before_it_is_stated)
{
	static const int64_t stated[] = { 60, 120, 0 }, vsyncs[] = { 1, 2, ROW_UNKNOWN };

	for (unsigned int i = 0, n = 400; i < COUNT_OF(stated); i++) {
		uint64_t at_ns = BEGIN;

		start(PHONE_13);
		for (n = 0; n < 400; at_ns += n < 200 && n % 50 == 13 ? 3 * V120 : V60, n++) {
			at_ns += i > 0 && n == 200 ? 2 * SECOND : 0;
			phone.now_ns = at_ns - 5 * MS;
			if (n == 0 || (n == 200 && stated[i]))
				phone_write(&phone, TRACE_COUNTER, 0, "ActiveModeFPS -" ID "1",
					    n ? stated[i] : 120);
			phone_frame(&phone, at_ns, a);
		}
		phone_end(&phone);
		/* It may be stated some frames late. */
		for (n = 1; n < 400; n++)
			if (n <= 196 || n > 200 ||
			    (n < 201 - !!i && frame_of(a, n)->vsyncs != ROW_UNKNOWN))
				assert_int_equal(frame_of(a, n)->vsyncs,
						 n > 200 ? vsyncs[i] : 2 + (n % 50 == 14));
	}
}

/* A game draws in each fourth, then in each second vsync. Of few ticks that are a little late, some
 * fit a rate that is about a half. */
TEST(test_about_a_half_of_a_stated_rate_is_no_rate)
{
	static const uint64_t steps[] = { 1, 4, 2 }, periods[] = { V90, V120, V120 };

	for (uint32_t seed = 280; seed < 288; seed++) {
		uint64_t at_ns = BEGIN, numbers[400];
		uint32_t drawn = seed * 2654435761U;

		start(PHONE_14);
		for (size_t n = 0; n < 400; n++) {
			const size_t i = (n >= 120) + (n >= 185);

			if (n == 0 || n == 120 || n == 185)
				state_rates(0, periods[i], steps[i], at_ns - 2 * MS);
			drawn = drawn * 1664525 + 1013904223;
			phone_frame(&phone, at_ns + (drawn >> 8) % 1000 * 1000, a);
			numbers[n] = steps[i] + ((drawn >> 12) % 25 == 0) * (1 + (drawn >> 20) % 2);
			if ((drawn >> 14) % 100 == 0)
				numbers[n] += 5 + (drawn >> 22) % 35;
			at_ns += numbers[n] * periods[i];
		}
		phone_end(&phone);
		for (size_t n = 1; n < 400; n++)
			if (frame_of(a, n)->vsyncs != ROW_UNKNOWN)
				assert_int_equal(frame_of(a, n)->vsyncs, numbers[n - 1]);
	}
}

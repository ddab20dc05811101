/* SPDX-License-Identifier: Apache-2.0 */
/* The vsync lattice: from ticks that come on demand to whole vsyncs between presents. */
#include "tests/unit/unit.h"

#include "rules/vsync/vsync.h"

static struct vsync_lattice lattice;
static uint32_t seed;

static int set_up(void **state)
{
	vsync_init(&lattice, 0);
	seed = 7;
	return 0;
}

FIXTURE(set_up, NULL)

/* Returns a random number in [0, @below). */
static uint64_t any(uint64_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static void tick(uint64_t time_ns)
{
	vsync_tick(&lattice, 1, 0, time_ns);
}

static void report_period(uint64_t period_ns)
{
	vsync_report_period(&lattice, SPAN_NULL, period_ns, period_ns / 1000, lattice.last_tick_ns);
}

/* Writes ticks from @from_ns on, each up to @late_ns late; returns the time of the next tick. */
static uint64_t ticks(uint64_t from_ns, uint64_t period_ns, unsigned int n, uint64_t late_ns)
{
	for (unsigned int i = 0; i < n; i++)
		tick(from_ns + i * period_ns + (late_ns ? any(late_ns) : 0));
	return from_ns + n * period_ns;
}

static int64_t between(uint64_t a_ns, uint64_t b_ns)
{
	struct vsync_stamp a, b;

	vsync_place(&lattice, a_ns, &a);
	vsync_place(&lattice, b_ns, &b);
	return vsync_between(&a, &b);
}

static void assert_period(uint64_t expected_ns)
{
	assert_in_range(vsync_period_ns(&lattice), expected_ns - expected_ns / 500,
			expected_ns + expected_ns / 500);
}

TEST(test_a_given_period_outweighs_ticks_and_a_reported_one_both)
{
	vsync_init(&lattice, V60);
	assert_int_equal(between(SECOND, SECOND + 3 * V60), 3);
	ticks(2 * SECOND, V120, 40, 0);
	assert_period(V60);
	assert_false(vsync_overrules(&lattice));
	report_period(V120);
	ticks(3 * SECOND, V120, 40, 0);
	assert_period(V120);
	assert_true(vsync_overrules(&lattice));
}

/* SurfaceFlinger wakes for each fourth vsync, most often late: few of these ticks show about four
 * periods, within an error of some percent. */
TEST(test_late_ticks_of_a_lower_render_rate_are_no_other_period)
{
	struct vsync_stamp stamp;

	for (uint64_t run = 0, now = SECOND; run < 40; run++) {
		vsync_init(&lattice, 0);
		report_period(SECOND / 240);
		for (uint64_t frame = 0; frame < 160; frame++) {
			uint64_t late_ns = frame > 60 && any(10) < 7 ? any(SECOND / 400) : 0;

			now += SECOND / 60 * (any(20) ? 1 : 2);
			tick(now + late_ns);
			for (uint64_t other = 2; other <= 3; other++)
				vsync_tick(&lattice, other, 1, now + late_ns + other * MS / 4);
			vsync_present(&lattice, now + late_ns + MS + any(MS / 2));
			vsync_place(&lattice, now - 400 * MS, &stamp);
		}
		assert_period(SECOND / 240);
		now += SECOND;
	}
}

/* SurfaceFlinger wakes up half a period late, at first or after some time, and presents as late: a
 * display that is twice as fast explains that, too. */
TEST(test_wakeups_late_by_half_a_period_are_no_faster_display)
{
	for (uint64_t run = 0, now = SECOND; run < 40; run++, now += SECOND) {
		uint64_t period_ns = run % 2 ? V120 : V60, begin = run % 4 < 2 ? 0 : 100;
		struct vsync_stamp stamp, before = { 0 };

		vsync_init(&lattice, 0);
		report_period(period_ns);
		for (uint64_t frame = 0; frame < 300; frame++) {
			bool late = frame >= begin && frame < begin + 150 && any(10) < 1 + run % 8;
			uint64_t late_ns = late ? period_ns / 2 + any(period_ns / 10) : 0;

			now += period_ns;
			tick(now + late_ns + any(MS / 10));
			vsync_present(&lattice, now + late_ns + MS + any(MS / 5));
			vsync_place(&lattice, now - 400 * MS, &stamp);
			assert_true(!stamp.locked || vsync_is_near(stamp.period_ns, period_ns, 15));
			assert_true(vsync_between(&before, &stamp) <= 1);
			before = stamp;
		}
		assert_period(period_ns);
	}
}

/* It becomes twice as fast without a word, and the app draws for 2 and 3 vsyncs by turns: half of
 * all presents are half a period late, but none is followed by one in time. */
TEST(test_a_display_that_is_twice_as_fast_is_no_late_wakeups)
{
	for (uint64_t run = 0, now = SECOND; run < 40; run++, now += SECOND) {
		vsync_init(&lattice, 0);
		report_period(V60);
		now = ticks(now, V60, 20 + run, MS / 10);
		for (uint64_t frame = 0; frame < 100; frame++) {
			now += (2 + frame % 2) * V120;
			tick(now + any(MS / 10));
			vsync_present(&lattice, now + MS + any(MS / 5));
		}
		assert_period(V120);
	}
}

/* 24 Hz from the option or from SurfaceFlinger is not replaced by a multiple. */
TEST(test_slow_period_is_not_divided)
{
	vsync_init(&lattice, 41666667);
	ticks(SECOND, 41666667, 60, 100000);
	assert_period(41666667);
	vsync_init(&lattice, 0);
	report_period(SECOND / 10);
	ticks(SECOND, SECOND / 10, 40, 100000);
	assert_period(SECOND / 10);
	assert_int_equal(between(5 * SECOND, 5 * SECOND + 3 * SECOND / 10), 3);
}

/* A display with ticks only every 33 ms, for a game, has a higher rate. */
TEST(test_a_halved_period_is_a_guess)
{
	uint64_t now = ticks(SECOND, 2 * V60, 60, 100000);
	struct vsync_stamp stamp;

	assert_period(V60);
	assert_int_equal(between(now, now + 2 * V60), 2);
	vsync_place(&lattice, 3 * SECOND, &stamp);
	assert_true(stamp.guessed);
	report_period(V60);
	vsync_place(&lattice, 4 * SECOND, &stamp);
	assert_false(stamp.guessed);
}

TEST(test_period_of_dumpsys_is_used_last)
{
	assert_int_equal(vsync_period_ns(&lattice), 0);
	assert_int_equal(between(SECOND, 2 * SECOND), -1);
	vsync_set_dumpsys_period(&lattice, V60);
	assert_int_equal(vsync_period_ns(&lattice), V60);
	assert_int_equal(between(SECOND, SECOND + 3 * V60), 3);
	/* it is kept when another SurfaceFlinger writes ticks */
	vsync_reset(&lattice);
	assert_int_equal(vsync_period_ns(&lattice), V60);
	/* the first is used */
	vsync_set_dumpsys_period(&lattice, 2 * V60);
	assert_int_equal(vsync_period_ns(&lattice), V60);
	ticks(2 * SECOND, 8333333, 60, 0);
	assert_period(8333333);
	vsync_set_dumpsys_period(&lattice, V60);
	assert_period(8333333);
	vsync_init(&lattice, V60);
	vsync_set_dumpsys_period(&lattice, 8333333);
	assert_int_equal(vsync_period_ns(&lattice), V60);
}

/* Ticks every 25 ms are of no usual display: of 80 Hz, or of 120 Hz as dumpsys said before or says
 * afterwards, but not of 60 Hz. */
TEST(test_period_of_dumpsys_outweighs_a_guess)
{
	for (unsigned int i = 0; i < 4; i++) {
		const uint64_t stated_ns = i % 2 ? V60 : V120;
		struct vsync_stamp stamp;

		vsync_init(&lattice, 0);
		if (i / 2 == 0)
			vsync_set_dumpsys_period(&lattice, stated_ns);
		ticks(SECOND, 25 * MS, 60, 100000);
		vsync_place(&lattice, 2 * SECOND, &stamp);
		vsync_set_dumpsys_period(&lattice, stated_ns);
		assert_period(i % 2 ? 12500000 : V120);
		ticks(SECOND + 60 * 25 * MS, 25 * MS, 60, 100000);
		vsync_place(&lattice, 4 * SECOND, &stamp);
		assert_int_equal(stamp.guessed, i % 2);
		assert_int_equal(between(5 * SECOND, 5 * SECOND + 25 * MS), i % 2 ? 2 : 3);
		/* What the display was only asked for is still a guess. */
		vsync_init(&lattice, 0);
		vsync_ask_period(&lattice, SPAN_NULL, stated_ns, SECOND);
		ticks(SECOND, 25 * MS, 60, 100000);
		assert_period(i % 2 ? 12500000 : V120);
		assert_true(lattice.guessed);
	}
}

/* Without a request there is no tick: the distances are several periods, and none is one period. */
TEST(test_ticks_on_demand_give_the_period)
{
	for (uint64_t now = SECOND; lattice.n_ticks < 60; now += V60 * (1 + any(4)))
		tick(now);
	assert_period(V60);
}

/* One layer at 30, another at 60 fps, each with its own ticks. */
TEST(test_ticks_at_two_rates_give_the_higher_one)
{
	for (uint64_t i = 0; i < 100; i++) {
		vsync_tick(&lattice, 1, 0, SECOND + i * V60);
		if (i % 2)
			vsync_tick(&lattice, 2, 1, SECOND + i * V60 + 5 * MS);
	}
	assert_period(V60);
}

/* Writes ticks and presents of @n vsyncs from @from_ns on. Their lateness changes from @late_ns to
 * @then_ns. Returns the time of the vsync after them. */
static uint64_t drift(uint64_t from_ns, uint64_t period_ns, unsigned int n, uint64_t late_ns,
		      uint64_t then_ns)
{
	struct vsync_stamp stamp;

	for (unsigned int i = 0; i < n; i++) {
		uint64_t time_ns = from_ns + i * period_ns + (late_ns * (n - i) + then_ns * i) / n;

		tick(time_ns + any(60000));
		vsync_present(&lattice, time_ns + 2 * MS);
		/* As with frames, presents come some time later. */
		if (lattice.n_ticks > 36)
			vsync_place(&lattice, time_ns - 36 * period_ns, &stamp);
	}
	return from_ns + n * period_ns;
}

static void assert_exact(uint64_t expected_ns)
{
	assert_in_range(vsync_period_ns(&lattice), expected_ns - expected_ns / 2000,
			expected_ns + expected_ns / 2000);
}

/* The option is of another phone: ticks and presents refute it, unless they are at a part of it. */
TEST(test_a_given_period_that_ticks_and_presents_refute_is_replaced)
{
	static const uint64_t periods[] = { 15500000, V60, V90, V120 };

	for (size_t i = 0; i < 12; i++) {
		const uint64_t given_ns = periods[i / 3], right_ns = periods[1 + i % 3];

		vsync_init(&lattice, given_ns);
		drift(SECOND, right_ns, 400, 0, 0);
		assert_exact(given_ns == V120 && right_ns == V60 ? V120 : right_ns);
	}
}

/* Nothing states the rates, or there are late ticks before the switch. */
TEST(test_ticks_and_presents_show_another_rate)
{
	static const uint64_t periods[] = { 6944444, V120, V90, V60, 20 * MS };

	for (size_t i = 0; i < 50; i++) {
		const uint64_t before_ns = periods[i / 5 % 5], after_ns = periods[i % 5];
		uint64_t now;

		set_up(NULL);
		now = drift(SECOND, before_ns, 400, 0, i < 25 ? 0 : before_ns / 2);
		drift(now, after_ns, 60, 0, 0);
		assert_period(after_ns);
	}
}

/* On a slow machine only the first @n ticks give a period that is too short or too long. */
static void assert_becomes_exact(uint64_t given_ns, uint64_t period_ns, unsigned int n)
{
	uint64_t late_ns = period_ns * 3 / 5, now;

	for (unsigned int i = 0; i < 2; i++) {
		vsync_init(&lattice, given_ns);
		now = drift(SECOND, period_ns, n, !i * late_ns, i * late_ns);
		drift(now, period_ns, 3 * n + 200, i * late_ns, i * late_ns);
		assert_exact(period_ns);
	}
}

TEST(test_a_period_of_few_ticks_becomes_exact)
{
	for (unsigned int n = 60; n <= 300; n += 30) {
		assert_becomes_exact(0, V60, n);
		assert_becomes_exact(0, V90, n);
		assert_becomes_exact(0, V120, n);
		assert_becomes_exact(16600000, V60, n);
	}
}

/* No tick is late by a whole period. */
TEST(test_late_ticks_do_not_change_the_period)
{
	static const uint64_t periods[] = { V60, V90, V120 };

	for (size_t i = 0; i < COUNT_OF(periods); i++) {
		uint64_t period_ns = periods[i], late_ns = period_ns * 9 / 10;
		uint64_t now = drift(SECOND, period_ns, 600, 0, 0);

		for (unsigned int n = 0; n < 12; n++) {
			now = drift(now, period_ns, 300 + n / 3 * 300, n % 3 ? late_ns : 0,
				    n % 3 < 2 ? late_ns : 0);
			assert_exact(period_ns);
		}
		/* The phase changes while idle: by a fixed step or a random one. */
		for (unsigned int n = 0; n < 60; n++) {
			late_ns = n < 30 ? n % 3 * period_ns * 7 / 20 : any(period_ns * 3 / 5);
			now = drift(now + period_ns, period_ns, 60 + (unsigned int)any(600),
				    late_ns, late_ns);
			assert_exact(period_ns);
		}
		set_up(NULL);
	}
}

TEST(test_reported_period_is_used_if_it_fits_the_ticks)
{
	static const struct {
		uint64_t reported_ns, ticks_ns, period_ns;
	} cases[] = {
		{ V90, V90, V90 }, { V120, V60, V120 }, /* an app at 60 fps, which ticks alone do
							   not show */
		{ V90, V60, V60 }, { 6944444, V60, V60 }, { 0, V60, V60 },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		set_up(NULL);
		report_period(cases[i].reported_ns);
		ticks(SECOND, cases[i].ticks_ns, 100, i == 0 ? 400000 : 100000);
		assert_period(cases[i].period_ns);
		/* It is more precise than the mean of late ticks. */
		if (cases[i].reported_ns == cases[i].ticks_ns)
			assert_int_equal(vsync_period_ns(&lattice), cases[i].period_ns);
	}
}

/* An id of three or more digits may have been cut; '1' is not the start of '129'. */
TEST(test_cut_ids_of_displays_are_matched)
{
	struct reported_periods reported = { 0 };
	static const char *const ids[] = { "4621", "4622", "462" };
	struct vsync_display *one, *cut;

	one = reported_periods_report(&reported, span_of("1"), V60, 0, SECOND);
	cut = reported_periods_report(&reported, span_of("129"), V90, 0, SECOND);
	assert_ptr_not_equal(one, cut);
	cut = reported_periods_report(&reported, SPAN_LITERAL("461"), V120, 0, SECOND);
	assert_ptr_equal(cut, reported_periods_report(&reported, span_of("4619827259835644672"),
						      V120, 0, SECOND));
	assert_ptr_equal(one, reported_periods_report(&reported, span_of("1"), V60, 0, SECOND));
	/* A whole id is found beside two that begin with it. */
	reported = (struct reported_periods){ 0 };
	for (unsigned int i = 0; i < 3 * VSYNC_DISPLAYS; i++)
		reported_periods_hardware(&reported, span_of(ids[i % 3]), i);
	assert_int_equal(reported.evicted, 0);
	/* One without a name gets the first id, as far as it has space. */
	reported = (struct reported_periods){ 0 };
	one = reported_periods_report(&reported, SPAN_NULL, V60, 0, SECOND);
	for (size_t len = VSYNC_DISPLAY_ID; len >= VSYNC_DISPLAY_ID - 1; len--) {
		const struct span id = { "123456789012345678901234", len };

		assert_ptr_equal(one, reported_periods_report(&reported, id, V60, 0, SECOND));
		assert_int_equal(strlen(one->id), VSYNC_DISPLAY_ID - 1);
	}
}

/* Whatever states it. The fifth hardware vsync gives a period, for three periods. */
TEST(test_limits_of_periods)
{
	for (unsigned int i = 0; i < 4; i++) {
		const uint64_t limit_ns =
			i < 2 ? VSYNC_PERIOD_MIN_NS - 1 + i : VSYNC_PERIOD_MAX_NS - 2 + i;
		const uint64_t expected_ns = i == 1 || i == 2 ? limit_ns : 0;
		struct reported_periods reported = { 0 };
		struct vsync_display *d = &reported.displays[0];

		set_up(NULL);
		vsync_set_dumpsys_period(&lattice, limit_ns);
		assert_int_equal(lattice.dumpsys_ns, expected_ns);
		reported_periods_ask(&reported, SPAN_NULL, limit_ns);
		reported_periods_render(&reported, SPAN_NULL, limit_ns, SECOND);
		reported_periods_report(&reported, SPAN_NULL, limit_ns, 0, SECOND);
		for (uint64_t n = 1; n <= 5; n++) {
			assert_int_equal(d->measured.period_ns, 0);
			reported_periods_hardware(&reported, SPAN_NULL, n * limit_ns);
		}
		assert_fields(d, asked_ns == expected_ns, n_renders == (expected_ns > 0),
			      reported.period_ns == expected_ns, measured.period_ns == expected_ns);
		assert_int_equal(reported_period_is_open(d, 8 * limit_ns - 1), expected_ns > 0);
		assert_false(reported_period_is_open(d, 8 * limit_ns));
	}
}

/* A run ends at a distance that no display has, and begins at the second of the two. */
TEST(test_longest_distance_in_a_run)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct reported_periods reported = { 0 };
		const uint64_t last_ns = SECOND + VSYNC_PERIOD_MAX_NS * 3 / 2 + i;

		reported_periods_hardware(&reported, SPAN_NULL, SECOND);
		reported_periods_hardware(&reported, SPAN_NULL, last_ns);
		assert_fields(&reported.displays[0], run_n == 2 - i,
			      run_begin_ns == (i ? last_ns : SECOND));
	}
}

/* The display of the oldest report goes. An id without space is cut. */
TEST(test_number_of_displays_is_bounded)
{
	struct reported_periods reported = { 0 };
	/* Six have space: the seventh takes the place of the first, and that of the second. */
	for (size_t i = 0; i < 30; i++) {
		const size_t len = i < 28 ? 1 : VSYNC_DISPLAY_ID - i % 2;
		const struct span name = { "123456781234567812345678" + i / 2 % 7, len };
		const char *id = reported_periods_report(&reported, name, V60, 0, i / 2)->id;

		assert_int_equal(strlen(id), i < 28 ? 1 : VSYNC_DISPLAY_ID - 1);
		assert_int_equal(reported.evicted, i < 12 ? 0 : i / 2 - 5);
	}
}

/* Hardware vsyncs from @from_ns on, without gaps. */
static void vsyncs(uint64_t from_ns, uint64_t period_ns, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		vsync_hardware(&lattice, SPAN_LITERAL("0"), from_ns + i * period_ns + any(200000));
}

/* An app at 30 fps on a display that had 90 Hz for a moment, twice: its ticks change no rate. */
TEST(test_hardware_vsyncs_outweigh_slower_ticks)
{
	for (unsigned int n = 12; n >= 8; n -= 4) {
		const uint64_t at_ns = n == 12 ? SECOND : 10 * SECOND;

		vsyncs(at_ns, V90, n);
		ticks(at_ns + n * V90, 3 * V90, 200, 100000);
		assert_period(V90);
	}
}

/* The display had 120 Hz: ticks at 60 Hz are those of an app if no hardware vsync since confirms
 * them. */
TEST(test_hardware_vsyncs_confirm_a_slower_rate)
{
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t now;

		set_up(NULL);
		now = ticks(SECOND, V120, 100, 0);
		vsyncs(i ? now : SECOND, i ? V60 : V120, i ? 8 : 12);
		ticks(now, V60, i ? 20 : 200, 100000);
		assert_period(i ? V60 : V120);
	}
}

/* As an emulator writes them: late by up to most of a vsync, and some not at all. */
TEST(test_uneven_hardware_vsyncs_are_no_period)
{
	for (uint64_t i = 0; i < 400; i++) {
		if (any(8) > 0)
			vsync_hardware(&lattice, SPAN_LITERAL("0"),
				       SECOND + i * V60 + any(i % 200 < 100 ? 100000 : 12 * MS));
		if (vsync_period_ns(&lattice) > 0)
			assert_period(V60);
	}
	assert_period(V60);
}

/* Whatever says it: without ticks presents show that a period is wrong, and a right one stays. */
TEST(test_a_period_that_presents_do_not_fit_is_not_believed)
{
	static const uint64_t right_ns[] = { V60, 2 * V90, V60 / 2 };
	static const uint64_t wrong_ns[] = { 15500000, 18 * MS, 20 * MS };

	for (int i = 0; i < 18; i++) {
		bool is_right = i % 2;
		uint64_t period_ns = is_right ? right_ns[i % 3] : wrong_ns[i % 3];

		set_up(NULL);
		if (i < 6)
			vsync_init(&lattice, period_ns);
		else if (i < 12)
			report_period(period_ns);
		else
			vsync_set_dumpsys_period(&lattice, period_ns);
		for (uint64_t k = 0; k < 60; k++)
			vsync_present(&lattice,
				      SECOND + k * 2 * (i % 3 == 1 ? V90 : V60) + any(MS));
		vsync_finish(&lattice);
		assert_int_equal(vsync_period_ns(&lattice) > 0, is_right);
		assert_int_equal(vsync_overrules(&lattice), i < 6 && !is_right);
	}
}

/* Ticks every 33 ms fit 120 Hz and 90 Hz: the reported period decides. */
TEST(test_reported_period_decides_if_ticks_fit_both)
{
	uint64_t now = ticks(SECOND, V120, 100, 0);

	report_period(V120);
	now = ticks(now, 4 * V120, 20, 100000);
	report_period(4 * V120 / 3);
	ticks(now, 4 * V120, 20, 100000);
	assert_period(4 * V120 / 3);
}

/* The report of a slower rate comes late: presents that already have a vsync stay in order. */
TEST(test_late_reported_period_keeps_presents_in_order)
{
	struct vsync_stamp before, after;
	uint64_t now = ticks(SECOND, V120, 100, 0);
	uint64_t slow = ticks(now, V60, 30, 0);

	report_period(V120);
	for (uint64_t time = now; time < slow; time += V60)
		vsync_place(&lattice, time, &before);
	report_period(V60);
	ticks(slow, V60, 20, 0);
	assert_period(V60);
	vsync_place(&lattice, slow, &after);
	assert_in_range(vsync_between(&before, &after), 1, 2);
}

/* Idle seconds are whole vsyncs; for ten minutes the period is not precise enough to count them.
 * After a step of the clock no earlier value is used. */
TEST(test_vsyncs_of_too_long_idle_time_or_across_a_reset_are_unknown)
{
	struct vsync_stamp before, after;
	uint64_t now = ticks(SECOND, V60, 100, 0);

	assert_int_equal(between(now, now), 0);
	assert_int_equal(between(now, now + 2 * MS), 0);
	assert_int_equal(between(now, now + 300 * V60), 300);
	assert_int_equal(between(now + 301 * V60, now + 600 * SECOND), -1);
	vsync_place(&lattice, now, &before);
	vsync_reset(&lattice);
	ticks(SECOND, V60, 100, 0);
	vsync_place(&lattice, now, &after);
	assert_int_equal(vsync_between(&before, &after), -1);
}

TEST(test_random_ticks_give_no_absurd_period)
{
	uint64_t now = SECOND;

	for (int i = 0; i < 20000; i++) {
		now += any(i % 7 ? 30 * MS : SECOND);
		if (any(9) == 0)
			vsync_hardware(&lattice, span_of(any(2) ? "0" : "1"), now);
		else
			vsync_tick(&lattice, any(12), (unsigned int)any(4), now);
		if (any(50) == 0)
			report_period(any(50 * MS));
	}
	if (vsync_period_ns(&lattice) != 0)
		assert_in_range(vsync_period_ns(&lattice), 2 * MS, SECOND);
}

/* A small change of the code changes few of these answers, which no other test has. Each display
 * has six rates in turn, which may be stated, also wrongly; with each, other ticks and presents are
 * late or missing. If the golden rows are the same or better with the change: replace the sum by
 * the first one of the message. */
TEST(test_random_displays_have_the_same_vsyncs_as_before)
{
	static const uint64_t rates[] = { 24, 30, 48, 50, 60, 60, 72, 90, 90, 120, 120, 144 };
	uint64_t presents[1024], n = 0, placed = 0, now = 2 * SECOND, sum = 0;
	struct vsync_stamp stamp, before = { 0 };

	for (unsigned int rate = 0; rate < 6 * 400; rate++) {
		const uint64_t period_ns = SECOND / rates[any(12)];
		const uint64_t stated_ns = any(3) ? period_ns : SECOND / rates[any(12)];
		const uint64_t late_ns = 1 + any(any(3) ? MS / 5 : period_ns);
		const uint64_t jitter_ns = 1 + any(any(3) ? MS : period_ns);
		const uint64_t tick_of_8 = any(12), other_of_8 = any(12), vsync_of_20 = any(24);
		const uint64_t steps = any(2) ? 1 : 1 + any(4), part = any(2) ? 1000 : 100;
		const struct span id = { "4619", any(5) };

		if (rate % 6 == 0) {
			vsync_init(&lattice, any(8) ? 0 : stated_ns);
			before.locked = false;
			n = placed = 0;
		}
		if (any(5) == 0)
			vsync_report_period(&lattice, id, stated_ns, stated_ns / part, now);
		for (uint64_t frames = 4 + any(100); frames > 0; frames--) {
			now += period_ns * (1 + any(steps));
			if (any(8) < tick_of_8)
				tick(now + any(late_ns));
			if (any(8) < other_of_8)
				vsync_tick(&lattice, 2, 1, now + MS + any(late_ns));
			if (any(20) < vsync_of_20)
				vsync_hardware(&lattice, id, now + any(MS / 5));
			presents[n] = now + any(jitter_ns);
			vsync_present(&lattice, presents[n++]);
			while (presents[placed] < now - 400 * MS &&
			       presents[placed] <
				       later(vsync_sure_until(&lattice), now - 1500 * MS)) {
				vsync_place(&lattice, presents[placed++], &stamp);
				sum = (sum * 31 + (uint64_t)vsync_between(&before, &stamp)) * 31;
				sum = (sum + stamp.vsync_ns) * 31 + stamp.period_ns + stamp.guessed;
				before = stamp;
			}
		}
		now += any(3) ? 0 : any(100) * 10 * MS;
	}
	assert_int_equal(sum, UINT64_C(0xa6bbac69b1a9fd5e));
}

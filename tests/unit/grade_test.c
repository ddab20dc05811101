/* SPDX-License-Identifier: Apache-2.0 */
/* The grade at each of its bounds, and the sentence that goes with it. */
#include "tests/unit/unit.h"

#include "daemon/show/apps.h"

#define MINUTES (60 * SECOND)

/* Facts of drawing at 60 frames per second; times in ms. */
static struct grade_facts facts_of(uint64_t time_ms, uint64_t late_ms, uint64_t freezes,
				   uint64_t freeze_ms)
{
	struct grade_facts facts = { .frames = time_ms * 60 / 1000, .time_ns = time_ms * MS };

	if (late_ms > 0)
		grade_add_lost(&facts, CAUSE_APP, late_ms * MS, false);
	for (uint64_t i = 0; i < freezes; i++)
		grade_add_lost(&facts, CAUSE_SCHEDULING, freeze_ms * MS, true);
	return facts;
}

TEST(first_bound_that_holds_is_the_grade)
{
	static const struct {
		uint64_t time_ms, late_ms, freezes, freeze_ms;
		enum grade grade;
	} cases[] = {
		{ 0, 0, 0, 0, GRADE_NONE },
		{ 4999, 0, 0, 0, GRADE_TOO_SHORT },
		{ 4000, 0, 1, 999, GRADE_TOO_SHORT }, /* drawing: with the freeze */
		{ 4000, 0, 1, 1000, GRADE_BAD },
		{ 1650, 0, 4, 1000, GRADE_TOO_SHORT }, /* 99 frames */
		{ 5000, 0, 0, 0, GRADE_GOOD },
		{ 10000, 50, 0, 0, GRADE_GOOD },
		{ 10000, 51, 0, 0, GRADE_FAIR },
		{ 10000, 100, 0, 0, GRADE_FAIR },
		{ 10000, 101, 0, 0, GRADE_POOR },
		{ 10000, 300, 0, 0, GRADE_POOR },
		{ 10000, 301, 0, 0, GRADE_BAD },
		/* A freeze: however rare, then of a second, then two in ten minutes, a minute. */
		{ 6000000, 0, 1, 999, GRADE_FAIR },
		{ 6000000, 0, 1, 1000, GRADE_POOR },
		{ 1199000, 0, 2, 500, GRADE_FAIR },
		{ 1198000, 0, 2, 500, GRADE_POOR },
		{ 119000, 0, 2, 500, GRADE_POOR },
		{ 118000, 0, 2, 500, GRADE_BAD },
		/* One says nothing about how often it happens. */
		{ 119500, 0, 1, 500, GRADE_FAIR },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct grade_facts facts = facts_of(cases[i].time_ms, cases[i].late_ms,
						    cases[i].freezes, cases[i].freeze_ms);

		if (grade_of(&facts) != cases[i].grade)
			fail_msg("case %zu: %s, not %s", i, grade_names[grade_of(&facts)],
				 grade_names[cases[i].grade]);
	}
}

TEST(what_is_missing_or_unclear_is_said_unless_it_is_worse)
{
	struct grade_facts facts = facts_of(9500, 0, 0, 0);

	facts.span_ns = 10 * SECOND;
	facts.missing_ns = SECOND / 2;
	assert_int_equal(grade_of(&facts), GRADE_GOOD);
	facts.missing_ns++;
	assert_int_equal(grade_of(&facts), GRADE_INCOMPLETE);
	facts.fails_rule = true;
	assert_int_equal(grade_of(&facts), GRADE_FAIR);
	facts.fails_rule = false;
	facts.missing_ns = 0;
	grade_add_uncounted(&facts, (struct uncounted){ SECOND / 2, 0 }, false);
	assert_int_equal(grade_of(&facts), GRADE_GOOD);
	grade_add_uncounted(&facts, (struct uncounted){ SECOND / 1000, 0 }, false);
	assert_int_equal(grade_of(&facts), GRADE_INCOMPLETE);
	facts.uncounted_ns = 0;
	grade_add_gap(&facts, SECOND / 2);
	assert_int_equal(grade_of(&facts), GRADE_GOOD);
	grade_add_gap(&facts, 1);
	assert_int_equal(grade_of(&facts), GRADE_UNCLEAR);
	facts.gap_ns = 0;
	facts.unknown = facts.frames / 2;
	assert_int_equal(grade_of(&facts), GRADE_GOOD);
	facts.unknown++;
	assert_int_equal(grade_of(&facts), GRADE_UNCLEAR);
	facts.frames = 100;
	facts.unknown = 1;
	assert_int_equal(grade_of(&facts), GRADE_GOOD);
	/* A stall that no frame ended is a freeze, too. */
	grade_add_endless(&facts, CAUSE_UNKNOWN, 2 * SECOND);
	assert_int_equal(grade_of(&facts), GRADE_BAD);
	assert_int_equal(facts.freezes, 1);
}

TEST(an_app_is_the_sum_of_its_surfaces)
{
	struct grade_facts app = facts_of(60000, 100, 0, 0), other = facts_of(1000, 0, 2, 700);
	const struct app_place apps[] = { { "com.b", true, &app },
					  { "com.a", true, &other },
					  { "com.android.launcher3", true, &app },
					  { "com.android.systemui", true, &app } };

	grade_add_gap(&app, SECOND);
	grade_add_gap(&other, SECOND / 2);
	app.span_ns = other.span_ns = MINUTES;
	app.missing_ns = other.missing_ns = SECOND;
	grade_add(&app, &other);
	assert_fields(&app, frames == 3660, freezes == 2, longest_freeze_ns == 700 * MS,
		      shortest_gap_ns == SECOND / 2, longest_gap_ns == SECOND,
		      missing_ns == SECOND);
	assert_int_equal(app.cause_ns[CAUSE_SCHEDULING], 1400 * MS);
	assert_int_equal(grade_of(&app), GRADE_BAD);
	assert_true(app_has_surface("com.a", "com.a/com.a.Main"));
	assert_false(app_has_surface("com.a", "StatusBar") || app_has_surface("", "StatusBar"));
	assert_true(app_has_activity("com.a", "x com.a.Wall com.a/com.a.Main"));
	assert_true(app_has_activity("com.a", "Splash Screen com.a"));
	assert_true(app_has_activity("com.a", "Starting com.a"));
	assert_false(app_has_activity("com.a", "com.a.ImageWallpaper"));
	for (unsigned int i = 0; i < sizeof(apps) / sizeof(apps[0]); i++)
		for (unsigned int j = 0; j < sizeof(apps) / sizeof(apps[0]); j++)
			assert_int_equal(app_comes_before(apps[i], apps[j]), i < j);
}

/* Three Surfaces in one hole, and one that comes back later, or had short ones before. */
TEST(time_without_numbers_of_an_app_is_missing_once)
{
	static const struct {
		uint64_t until_ms, ns, new_ns, app_ns; /* lengths in ms */
		size_t surface;
	} cases[] = {
		{ 1000, 500, 500, 500, 0 },   { 1000, 500, 500, 0, 1 },
		{ 1100, 500, 500, 100, 2 },   { 2000, 100, 100, 100, 0 },
		{ 2300, 100, 100, 100, 0 },   { 2500, 1000, 1000, 800, 1 },
		{ 2500, 2500, 2000, 900, 2 }, { 2550, 100, 100, 50, 0 },
	};
	struct stretches surfaces[3] = { { .n = 0 } }, app = { .n = 0 };
	struct grade_facts facts[3] = { { .frames = 0 } }, sum = { .frames = 0 };

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		size_t of = cases[i].surface;
		struct uncounted got = uncounted_before(&surfaces[of], &app, cases[i].until_ms * MS,
							cases[i].ns * MS);

		if (got.ns != cases[i].new_ns * MS || got.app_ns != cases[i].app_ns * MS)
			fail_msg("case %zu: %llu, %llu", i, (unsigned long long)got.ns,
				 (unsigned long long)got.app_ns);
		grade_add_uncounted(&facts[of], got, false);
	}
	for (size_t i = 0; i < 3; i++) {
		facts[i].span_ns = 10 * SECOND;
		grade_add(&sum, &facts[i]);
	}
	assert_int_equal(grade_missing_ns(&facts[2]), 2500 * MS);
	assert_int_equal(grade_missing_ns(&sum), 2550 * MS);
	/* Old ones are forgotten, and no memory grows. */
	for (uint64_t i = 0; i < 100; i++)
		uncounted_before(&surfaces[0], NULL, 10 * SECOND + 2 * i * MS, MS);
	assert_int_equal(surfaces[0].n, STRETCHES_MAX);
}

/* The shortest of all gaps, whichever Surface has some; what was no freeze, nor a gap, was idle. */
TEST(gaps_and_idle_times_are_added)
{
	static const uint64_t gaps[][4] = {
		/* of two Surfaces, shortest, longest */
		{ 0, 0, 0, 0 }, { 5, 0, 5, 5 }, { 0, 5, 5, 5 }, { 5, 7, 5, 7 }, { 7, 5, 5, 7 },
	};
	struct grade_facts facts = { 0 };

	for (size_t i = 0; i < COUNT_OF(gaps); i++) {
		struct grade_facts surfaces[2] = { { .frames = 0 } };

		for (size_t k = 0; k < 2; k++)
			if (gaps[i][k])
				grade_add_gap(&surfaces[k], gaps[i][k]);
		grade_add(&surfaces[0], &surfaces[1]);
		assert_fields(&surfaces[0], shortest_gap_ns == gaps[i][2],
			      longest_gap_ns == gaps[i][3], gap_ns == gaps[i][0] + gaps[i][1]);
	}
	grade_add_lost(&facts, CAUSE_APP, 700 * MS, true);
	grade_add_endless(&facts, CAUSE_UNKNOWN, SECOND);
	grade_add_gap(&facts, 100 * MS);
	for (uint64_t ms = 799; ms <= 802; ms++) {
		facts.wait_ns = ms * MS;
		assert_int_equal(grade_idle_ns(&facts), ms > 800 ? (ms - 800) * MS : 0);
	}
	assert_true(grade_lost_rate(&(struct grade_facts){ .time_ns = 0 }) == 0);
}

static struct graded graded = {
	.name = "com.a", .fps = 30, .rate_hz = 60, .is_even = true, .missing_at = "0:18 to 0:26"
};

static const char *sentence(struct grade_facts facts, enum language language)
{
	static char text[GRADE_TEXT_SIZE];

	graded.facts = &facts;

	grade_sentence(text, &graded, language);
	return text;
}

static void says(struct grade_facts facts, const char *text)
{
	assert_string_equal(sentence(facts, ENGLISH), text);
}

static void says_part(struct grade_facts facts, const char *part)
{
	assert_non_null(strstr(sentence(facts, ENGLISH), part));
}

TEST(sentences_say_how_bad_it_is)
{
	struct grade_facts facts = facts_of(1380000, 0, 450, 920), good = facts_of(10000, 0, 0, 0);
	char text[GRADE_TEXT_SIZE];
	static const unsigned int lost_s[CAUSES] = { 0, 40, 0, 22, 23, 0, 0, 4, 0, 4, 7 };
	struct grade_facts mixed = { 0 };
	unsigned int percent[CAUSES];
	enum cause sorted[CAUSES];

	for (unsigned int i = 0; i < 1575; i++)
		grade_add_lost(&facts, CAUSE_APP, 70 * MS, false);
	says(facts, "com.a was frozen or late for 29 % of the 30 minutes it drew: 450 freezes "
		    "(longest 0.92 s) and 1,575 late frames.");
	assert_string_equal(
		sentence(facts, CHINESE),
		"com.a 在绘制的 30 分钟 中有 29 % 的时间卡死或迟到：卡死 450 次（最长 0.92 "
		"秒），迟到 1,575 帧。");
	/* Shares add up. */
	grade_add_lost(&facts, CAUSE_GPU, 111 * SECOND, false);
	grade_causes(text, &facts, ENGLISH);
	assert_string_equal(text, "65 % of the lost time is late wake-ups by the system, 35 % the "
				  "app's (18 % its GPU work, 17 % its own work).");
	/* Of one cause the app lost most, but the system is the culprit that did. */
	for (unsigned int i = CAUSE_APP; i < CAUSES; i++)
		grade_add_lost(&mixed, (enum cause)i, lost_s[i] * SECOND, false);
	grade_causes(text, &mixed, ENGLISH);
	assert_string_equal(text, "45 % of the lost time is the system compositor's, 40 % the "
				  "app's own, 7 % of unknown cause, 4 % a queue that was too full, "
				  "4 % frames that were thrown away.");
	grade_causes(text, &mixed, CHINESE);
	assert_non_null(strstr(text, "损失的时间：45 % 归于系统合成器，40 % 归于应用自身，7 % 原"));
	grade_causes_by_time(sorted, &mixed);
	assert_int_equal(sorted[0], CAUSE_SF_GPU);
	facts.cause_ns[CAUSE_APP] = UINT64_MAX;
	grade_cause_shares(percent, &facts);
	assert_int_equal(percent[CAUSE_APP], 100);
	says(good,
	     "com.a held an even 30 fps on a 60 Hz screen for 10 s: no late frame, no freeze.");
	/* A film of 25 fps has 2 and 3 vsyncs in turn, and no other interval. */
	assert_true(grade_is_even(500, 200, 25, 60, 50 * MS));
	assert_true(grade_is_even(500, 300, 25, 60, 50 * MS));
	assert_true(grade_is_even(500, 25, 40, 60, 50 * MS));
	assert_false(grade_is_even(500, 200, 25, 60, 67 * MS));
	assert_false(grade_is_even(500, 200, 40, 60, 33 * MS));
	good.fails_rule = true;
	says(good, "com.a was even, but slow: 30 of 60 fps from start to end. No frame "
		   "was late, so it is not known whether the app or the system held it there.");
	graded.rate_hz = 30.1;
	says_part(good, ": 30 of 30 fps from start to end. The system composed no faster.");
	graded.rate_hz = -1;
	graded.slow_sessions = 2;
	graded.sessions = 3;
	says_part(good, "com.a was even, but slow: 30 fps in 2 of 3 sessions. No frame was late");
	/* The display switched: its mean rate is that of no display. */
	graded = (struct graded){ "com.a", NULL,	   80,	  80,	60, 120, true, 0,
				  0,	   "0:18 to 0:26", false, false };
	says_part(good, ": 80 fps on a screen of 60 to 120 Hz from start to end. No");
	good.fails_rule = false;
	says_part(good, "a kept an even pace on a screen of 60 to 120 Hz (80 fps on average) for "
			"10 s: no");
	graded.slowest_hz = graded.fastest_hz = 80;
	says_part(good, " held an even 80 fps on an 80 Hz screen");
	graded.is_no_app = true;
	says_part(good, "com.a (no app in use) held an even");
	graded.is_no_app = false;
	good.span_ns = MINUTES;
	good.missing_ns = 8 * SECOND;
	says(good,
	     "No frame of com.a was late in the 52 s captured, but 8.0 s (13 %) are missing (0:18 "
	     "to 0:26): record with a larger buffer.");
	/* What is not smooth, as far as is known, is said, too. */
	grade_add_gap(&good, 700 * MS);
	good.unknown = 590;
	says(good, "com.a drew for 10 s, but for 590 of 600 frames the display's period is "
		   "unknown, so late frames cannot be detected. But 8.0 s (13 %) are missing (0:18 "
		   "to 0:26): record with a larger buffer. It drew nothing for 0.70 of 11 s (1 "
		   "gap), and the trace does not say whether it hung.");
	assert_non_null(strstr(sentence(good, CHINESE), "该应用有 0.70 / 11 秒没有绘制"));
	good.gaps = good.gap_ns = 0;
	good.missing_ns = SECOND;
	good.span_ns = 8 * SECOND;
	says_part(good, "com.a drew for 10 s (its Surfaces together), but for 590 of 600");
	good.unknown = 0;
	/* Two Surfaces at the same time drew longer than the capture is. */
	good.missing_ns = 0;
	good.span_ns = 5 * SECOND;
	says_part(good, " for 10 s (its Surfaces together): no");
	good.late_ns = SECOND;
	says_part(good, " of the 10 s that its Surfaces together drew: ");
	good.late_ns = 0;
	good.span_ns = MINUTES;
	grade_add_gap(&good, 600 * MS);
	grade_add_gap(&good, 1450 * MS);
	says(good, "com.a drew nothing for 2.0 of 12 s (2 gaps of 0.60 to 1.45 s), and the trace "
		   "does not say whether it hung.");
	good.time_ns = 28 * MINUTES;
	good.gap_ns = 108 * SECOND;
	says_part(good, " for 108 s of 30 minutes (2 gaps of 0.60 to 1.45 s), and");
	good.shortest_gap_ns = good.longest_gap_ns = 20 * SECOND;
	says_part(good, " (2 gaps of 20 s), and");
	good = facts_of(10000, 0, 0, 0);
	good.unknown = 590;
	says(good, "com.a drew for 10 s, but for 590 of 600 frames the display's period is "
		   "unknown, so late frames cannot be detected.");
	says(facts_of(50, 0, 0, 0), "com.a drew for only 0.05 s (3 frames), too short to judge: no "
				    "late frame, no freeze.");
	says_part((struct grade_facts){ .frames = 1, .time_ns = SECOND }, " (1 frame), too");
	good = facts_of(1450, 0, 0, 0);
	grade_add_endless(&good, CAUSE_APP, 1520 * MS);
	says(good, "com.a drew for only 1.45 s (87 frames) and was frozen for 1.52 s, too short to "
		   "judge: 1 freeze (1.52 s, no frame ended it), no late frame.");
	grade_add_lost(&good, CAUSE_APP, 2 * SECOND, true);
	says_part(good, ": 2 freezes (longest 2.0 s, no frame ended 1 of them), ");
	says(facts_of(0, 0, 0, 0), "com.a drew nothing.");
	says(facts_of(1000000, 1, 0, 0),
	     "com.a was late for < 0.1 % of the 17 minutes it drew: 1 late frame, no freeze.");
	says(facts_of(8000, 0, 1, 1450),
	     "com.a was frozen for 15 % of the 9.4 s it drew: 1 freeze (1.45 s), no late frame.");
	/* A reader does not expect 67 Hz; of 90 Hz, 60 fps may be meant. */
	graded.slowest_hz = 0;
	graded.rate_hz = 90;
	says_part(facts_of(8000, 200, 1, 400), " of the 8.4 s it drew: ");
	graded.rate_hz = 67;
	says_part(facts_of(8000, 200, 1, 400), " of the 8.4 s it drew (57.1 of 67 fps): 1");
}

TEST(number_that_is_known_in_part_is_at_least_that)
{
	/* Bits: late frames 1, freezes 2, lost time 4, its rate 8. */
	static const struct {
		struct grade_facts facts;
		unsigned int least;
	} cases[] = {
		{ { .frames = 600, .unknown = 30 }, 0 },
		{ { .frames = 600, .unknown = 31 }, 1 + 4 + 8 },
		{ { .gaps = 1 }, 2 + 4 + 8 },
		{ { .missing_ns = 1, .span_ns = 2 }, 1 + 2 + 4 + 8 },
		/* While time is missing the rate may have been lower. */
		{ { .late_ns = 1, .missing_ns = 1, .span_ns = 2 }, 1 + 2 + 4 },
	};

	for (unsigned int i = 0; i < 4 * COUNT_OF(cases); i++)
		assert_int_equal(grade_is_at_least(&cases[i / 4].facts, (enum lost_number)(i % 4)),
				 cases[i / 4].least >> i % 4 & 1);
}

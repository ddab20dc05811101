/* SPDX-License-Identifier: Apache-2.0 */
/* How often a comparison is wrong: equal groups that differ, and a known difference that is not
 * found. The figures are printed. */
#include "tests/unit/unit.h"

#include <math.h>

#include "tests/report/generator.h"

/* Without the argument --all there are one kind of groups and the first two conditions. */

/* Equal groups: pairs, and how many of them may fulfil a condition. At a level of 0.2 % two do. */
#define PAIRS 1000
#define ALARMS_MAX 10

/* Groups with a known difference, and how many of them must be found. */
#define PLANTED 200
#define FOUND_LEAST 190

static const char *const conditions[] = {
	"p99(ms) > +0%",     "jank(/10min) > +0%",
	"low 1% mean < -0%", "missed vsyncs(/1000 frames) > +0%",
	"stutter(%) > +0%",  "FPS < -0%",
};

static unsigned int n_conditions(void)
{
	return unit_argument ? COUNT_OF(conditions) : 2;
}

struct setup {
	const char *name;
	unsigned int runs; /* of each group */
	double seconds;	   /* of each run */
	double burst;	   /* mean length in frames */
	double calm_factor;
	double between; /* how much runs differ: standard deviation of the logarithm */
};

static void make(struct generator *generator, const struct setup *setup,
		 struct compared_surface *surface, enum group group, double share)
{
	generator->burst = setup->burst;
	generator->calm_factor = setup->calm_factor;
	for (unsigned int run = 0; run < setup->runs; run++) {
		double factor = exp(setup->between * generator_normal(generator));

		generator->share = share * factor;
		generate_run(generator, surface, group, run, setup->seconds);
	}
}

static void count_pair(const struct compared_surface *surface, unsigned int held[])
{
	for (unsigned int i = 0; i < n_conditions(); i++) {
		struct condition condition;
		struct change change;

		assert_null(condition_parse(&condition, conditions[i]));
		assert_int_equal(compare_metric(surface, condition.metric, &change), 0);
		assert_true(change.is_known);
		held[i] += compare_judge(&condition, &change) == OUTCOME_HOLDS;
	}
}

static void measure(const struct setup *setup, unsigned int pairs, double base, double new,
		    unsigned int held[COUNT_OF(conditions)])
{
	struct generator generator = { .state = 0x2545f4914f6cdd1d };

	for (unsigned int i = 0; i < n_conditions(); i++)
		held[i] = 0;
	for (unsigned int i = 0; i < pairs; i++) {
		struct compared_surface surface = { 0 };

		make(&generator, setup, &surface, BASE, base);
		make(&generator, setup, &surface, NEW, new);
		count_pair(&surface, held);
		generated_free(&surface);
	}
	printf("%s: %.1f %% late, then %.1f %%: of %u pairs", setup->name, 100 * base, 100 * new,
	       pairs);
	for (unsigned int i = 0; i < n_conditions(); i++)
		printf("%s %s: %u", i > 0 ? "," : "", conditions[i], held[i]);
	printf("\n");
}

/* The groups are blocks of one long run: the generator goes on from one to the next. */
TEST(test_equal_groups_rarely_differ)
{
	static const struct setup setups[] = {
		{ "1 run of 5 minutes, long bursts, half of it calm", 1, 300, 10, 3, 0 },
		{ "1 run of 2 minutes each", 1, 120, 3, 1, 0 },
		{ "3 runs of 1 minute each", 3, 60, 3, 1, 0 },
		{ "3 runs of 1 minute that differ by 20 %", 3, 60, 3, 1, 0.2 },
		{ "10 runs of 30 s each that differ by 20 %", 10, 30, 3, 1, 0.2 },
	};
	unsigned int held[COUNT_OF(conditions)];

	for (unsigned int i = 0; i < (unit_argument ? COUNT_OF(setups) : 1); i++) {
		measure(&setups[i], PAIRS, 0.01, 0.01, held);
		for (unsigned int j = 0; j < n_conditions(); j++)
			assert_in_range(held[j], 0, ALARMS_MAX);
	}
}

TEST(test_a_known_difference_is_found)
{
	static const struct setup setup = { "10 runs of 5 minutes each", 10, 300, 3, 1, 0 };
	unsigned int held[COUNT_OF(conditions)];

	measure(&setup, PLANTED, 0.01, 0.015, held);
	assert_in_range(held[0], FOUND_LEAST, PLANTED);
}

/* --- verdicts --- */

struct app {
	const char *name;
	double share, between;		 /* late frames, and how much runs differ by them */
	double freezes, freezes_between; /* a minute, and the same */
	double followers;
	bool in_one_section;
};

/* How much NEW is slower or freezes besides. */
struct difference {
	double late;		     /* times as many frames */
	bool is_planted, is_removed; /* removed: planted in BASE */
};

static const struct difference same = { .late = 1 };

struct groups {
	unsigned int runs; /* of each group; 0: from 3 to 10 */
	double minutes;	   /* of each run; 0: from 1 to 30, short ones more often */
};

static const struct app smooth = { "smooth", 0.002, 0.2, 0, 0, 0, false };
static const struct app janky = { "janky", 0.05, 0.3, 0, 0, 0, false };

static const struct app freezing[] = {
	{ "0.1 freezes a minute", 0.01, 0.2, 0.1, 0, 0, false },
	{ "0.5 freezes a minute", 0.01, 0.2, 0.5, 0, 0, false },
	{ "2 freezes a minute", 0.01, 0.2, 2, 0, 0, false },
	{ "0.1, in bursts of 2", 0.01, 0.2, 0.05, 0, 0.5, false },
	{ "0.5, in bursts of 2", 0.01, 0.2, 0.25, 0, 0.5, false },
	{ "0.1, runs differ by a factor of 2", 0.01, 0.2, 0.1, 0.7, 0, false },
	{ "0.5, runs differ by a factor of 2", 0.01, 0.2, 0.5, 0.7, 0, false },
	{ "2, runs differ by a factor of 2", 0.01, 0.2, 2, 0.7, 0, false },
	{ "0.1, all in one section", 0.01, 0.2, 0.1, 0, 0, true },
	{ "0.5, all in one section", 0.01, 0.2, 0.5, 0, 0, true },
};

static void make_group(struct generator *generator, const struct app *app,
		       struct compared_surface *surface, enum group group, unsigned int runs,
		       double minutes, double late)
{
	generator->burst = 3;
	generator->calm_factor = 2;
	generator->followers = app->followers;
	generator->in_one_section = app->in_one_section;
	generator->section_s = 0;
	for (unsigned int run = 0; run < runs; run++) {
		double factor = app->freezes_between * generator_normal(generator) -
				app->freezes_between * app->freezes_between / 2;

		generator->share =
			late * app->share * exp(app->between * generator_normal(generator));
		generator->freezes = app->freezes * exp(factor);
		generate_run(generator, surface, group, run, 60 * minutes);
	}
}

/* Adds up the verdicts of @pairs of groups. */
static void judge_pairs(struct generator *generator, const struct app *app, const struct app *new,
			struct difference difference, struct groups groups, unsigned int pairs,
			unsigned int words[4])
{
	unsigned int of[4] = { 0 };

	for (unsigned int i = 0; i < pairs; i++) {
		struct compared_surface surface = { 0 };
		struct comparison comparison = { .surfaces = &surface, .n_surfaces = 1 };
		unsigned int runs = groups.runs;
		double minutes = groups.minutes;

		if (runs == 0)
			runs = 3 + (unsigned int)(8 * generator_random(generator));
		if (minutes <= 0)
			minutes = exp(log(30) * generator_random(generator));
		generator->is_planted = difference.is_removed;
		make_group(generator, app, &surface, BASE, runs, minutes, 1);
		generator->is_planted = difference.is_planted;
		make_group(generator, new, &surface, NEW, runs, minutes, difference.late);
		generator->is_planted = false;
		assert_int_equal(compare_end(&comparison), 0);
		of[comparison.verdicts[0].word]++;
		free(comparison.verdicts);
		generated_free(&surface);
	}
	printf("%s, then %s (%s), %.1f times as many late frames, %u runs of %.0f minutes: of %u "
	       "pairs %u WORSE, %u BETTER, %u UNCLEAR\n",
	       app->name, new->name,
	       difference.is_planted   ? "with freezes"
	       : difference.is_removed ? "without freezes"
				       : "same",
	       difference.late, groups.runs, groups.minutes, pairs, of[COMPARED_WORSE],
	       of[COMPARED_BETTER], of[COMPARED_UNCLEAR]);
	fflush(stdout);
	for (unsigned int i = 0; i < COUNT_OF(of); i++)
		words[i] += of[i];
}

/* Runs of equal groups differ by their late frames and freezes, as those of apps do. Without --all
 * the alarms of all apps together. */
TEST(test_equal_groups_are_rarely_worse)
{
	struct generator generator = { .state = 0x2545f4914f6cdd1d };
	struct groups groups = { unit_argument ? 0 : 3, unit_argument ? 0 : 3 };
	unsigned int words[4] = { 0 }, pairs = unit_argument ? PAIRS : PAIRS / 10;

	judge_pairs(&generator, &smooth, &smooth, same, groups, pairs, words);
	judge_pairs(&generator, &janky, &janky, same, groups, pairs, words);
	for (unsigned int i = 0; i < COUNT_OF(freezing); i++) {
		if (unit_argument) {
			assert_in_range(words[COMPARED_WORSE], 0, ALARMS_MAX);
			words[COMPARED_WORSE] = 0;
		}
		judge_pairs(&generator, &freezing[i], &freezing[i], same, groups, pairs, words);
	}
	assert_in_range(words[COMPARED_WORSE], 0, ALARMS_MAX);
}

/* Nobody knows how much two runs differ. Of all apps together, as of a single one. */
TEST(test_equal_groups_of_two_runs_are_rarely_worse)
{
	static const struct app wild = {
		"2, runs differ by a factor of 3", 0.01, 0.2, 2, 1.1, 0, false
	};
	struct generator generator = { .state = 0x2545f4914f6cdd1d };
	unsigned int words[4] = { 0 };

	for (unsigned int i = 0; i < COUNT_OF(freezing); i++)
		judge_pairs(&generator, &freezing[i], &freezing[i], same, (struct groups){ 2, 5 },
			    PAIRS / COUNT_OF(freezing), words);
	assert_in_range(words[COMPARED_WORSE], 0, ALARMS_MAX);
	memset(words, 0, sizeof(words));
	judge_pairs(&generator, &wild, &wild, same, (struct groups){ 2, 5 }, PAIRS / 5, words);
	assert_in_range(words[COMPARED_WORSE], 0, ALARMS_MAX / 2);
}

/* One a minute in one section of five, also where late frames are much fewer. */
TEST(test_planted_freezes_are_found)
{
	struct generator generator = { .state = 0x2545f4914f6cdd1d };
	static const struct groups groups[] = { { 3, 5 }, { 2, 15 }, { 4, 5 },
						{ 5, 5 }, { 10, 5 }, { 3, 30 } };

	for (unsigned int i = 0; i < (unit_argument ? COUNT_OF(groups) : 3); i++) {
		unsigned int pairs = unit_argument ? PAIRS : PAIRS / 10, words[4] = { 0 };

		judge_pairs(&generator, &smooth, &smooth,
			    (struct difference){ .late = 1, .is_planted = true }, groups[i], pairs,
			    words);
		judge_pairs(&generator, &janky, &janky,
			    (struct difference){ .late = 0.2, .is_planted = true }, groups[i],
			    pairs, words);
		assert_true(words[COMPARED_WORSE] >= 2 * pairs * 0.99);
	}
}

/* Freezes of BASE that NEW has not. */
TEST(test_freezes_that_are_gone_are_no_alarm)
{
	struct generator generator = { .state = 0x2545f4914f6cdd1d };
	unsigned int pairs = PAIRS / 20, words[4] = { 0 };
	struct groups groups = { unit_argument ? 0 : 3, unit_argument ? 0 : 5 };

	for (unsigned int i = 0; i < COUNT_OF(freezing); i++) {
		struct app mended = freezing[i];

		mended.name = "none";
		mended.freezes = 0;
		judge_pairs(&generator, &freezing[i], &mended, same, groups, pairs, words);
	}
	assert_in_range(words[COMPARED_WORSE], 0, ALARMS_MAX / 2);
	memset(words, 0, sizeof(words));
	judge_pairs(&generator, &smooth, &smooth,
		    (struct difference){ .late = 1, .is_removed = true }, (struct groups){ 3, 5 },
		    pairs, words);
	assert_true(words[COMPARED_BETTER] >= pairs * 0.99);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How often a comparison is wrong: equal groups that differ, and a known difference that is not
 * found. The figures are printed. */
#include "tests/unit/unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

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
		{ "1 run of 5 minutes each, bursts of 10 frames, calm and busy half minutes", 1,
		  300, 10, 3, 0 },
		{ "1 run of 2 minutes each", 1, 120, 3, 1, 0 },
		{ "3 runs of 1 minute each", 3, 60, 3, 1, 0 },
		{ "3 runs of 1 minute each that differ by 20 %", 3, 60, 3, 1, 0.2 },
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

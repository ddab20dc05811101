/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions, the arithmetic of noise, and what a comparison says of few data. */
#include "tests/unit/unit.h"

#include <math.h>

#include "tests/report/generator.h"

TEST(test_conditions)
{
	static const struct {
		const char *text;
		enum metric metric;
		enum relation relation;
		double limit;
		bool is_change, is_relative;
	} cases[] = {
		{ "FPS < 55", METRIC_FPS, LESS, 55, false, false },
		{ "fps<=55.5", METRIC_FPS, LESS_OR_EQUAL, 55.5, false, false },
		{ "jank(/10min) > +10%", METRIC_JANK_10MIN, MORE, 0.1, true, true },
		{ "stutter(%) >= +0.5", METRIC_STUTTER, MORE_OR_EQUAL, 0.5, true, false },
		{ "p99 > +10 %", METRIC_P99, MORE, 0.1, true, true },
		{ "low 1% mean < -5%", METRIC_LOW1_MEAN, LESS, -0.05, true, true },
		{ "jank > 3", METRIC_JANK, MORE, 3, false, false },
	};
	static const char *const wrong[] = {
		"",	     "FPS",	  "FPS 55",    "FPS < ",   "FPS < x",
		"FPS = 55",  "speed < 1", "FPS < 1 2", "FPS < 5%", "FPS < nan",
		"FPS < inf", "< 5",	  "FPS << 5",
	};

	for (unsigned int i = 0; i < COUNT_OF(cases); i++) {
		struct condition condition;

		assert_null(condition_parse(&condition, cases[i].text));
		assert_fields(&condition, metric == cases[i].metric, relation == cases[i].relation);
		assert_true(fabs(condition.limit - cases[i].limit) < 1e-9);
		assert_fields(&condition, is_change == cases[i].is_change,
			      is_relative == cases[i].is_relative);
	}
	for (unsigned int i = 0; i < COUNT_OF(wrong); i++) {
		struct condition condition;

		assert_non_null(condition_parse(&condition, wrong[i]));
	}
}

/* Values of printed tables of Student's t. */
TEST(test_quantiles)
{
	static const struct {
		double level, freedom, value;
	} cases[] = {
		{ 0.05, 1, 6.314 },   { 0.025, 10, 2.228 },  { 0.001, 5, 5.893 },
		{ 0.005, 30, 2.750 }, { 0.001, 1e6, 3.090 }, { 0.0005, 2, 31.599 },
	};

	for (unsigned int i = 0; i < COUNT_OF(cases); i++)
		assert_true(fabs(noise_quantile(cases[i].level, cases[i].freedom) / cases[i].value -
				 1) < 5e-4);
}

/* Independent blocks of equal size: the standard error of a mean is known. */
TEST(test_the_variance_of_independent_blocks)
{
	struct generator generator = { .state = 7 };
	struct block blocks[400];
	struct estimate estimate;

	for (unsigned int i = 0; i < COUNT_OF(blocks); i++)
		blocks[i] = (struct block){ 10 + generator_normal(&generator), 1, i / 100 };
	noise_estimate(blocks, COUNT_OF(blocks), &estimate);
	assert_int_equal(estimate.runs, 4);
	assert_true(fabs(estimate.value - 10) < 0.2);
	assert_true(estimate.variance > 0.7 / 400 && estimate.variance < 3.0 / 400);
	/* Runs that differ: few degrees of freedom. */
	for (unsigned int i = 0; i < COUNT_OF(blocks); i++)
		blocks[i].above += 5 * (i / 100);
	noise_estimate(blocks, COUNT_OF(blocks), &estimate);
	assert_true(estimate.variance > 5);
	assert_true(estimate.freedom < 3.2);
}

TEST(test_the_interval_is_where_the_test_turns)
{
	struct estimate a = { .value = 10, .variance = 0.25, .freedom = 50 };
	struct estimate b = { .value = 15, .variance = 0.5, .freedom = 50 };
	double low, high;

	noise_interval(&a, &b, &low, &high);
	assert_true(low > 0 && low < 0.5 && high > 0.5);
	assert_true(noise_excess(&a, &b, 1, 0) > 1);
	/* About: the degrees of freedom depend on the factor, too. */
	assert_true(fabs(noise_excess(&a, &b, 1 + low, 0) - 1) < 0.02);
	assert_true(fabs(noise_excess(&a, &b, 1 + high, 0) + 1) < 0.02);
	a.variance = 100;
	noise_interval(&a, &b, &low, &high);
	assert_true(isinf(high) && low < 0);
	b.value = 200;
	noise_interval(&a, &b, &low, &high);
	assert_true(isinf(high) && fabs(noise_excess(&a, &b, 1 + low, 0) - 1) < 0.02);
}

static enum outcome judge(const struct compared_surface *surface, const char *text)
{
	struct condition condition;
	struct change change;

	assert_null(condition_parse(&condition, text));
	assert_int_equal(compare_metric(surface, condition.metric, &change), 0);
	return compare_judge(&condition, &change);
}

TEST(test_little_data_is_no_difference)
{
	struct generator generator = { .state = 5, .share = 0.01, .burst = 2, .calm_factor = 1 };
	struct compared_surface surface = { 0 };

	generate_run(&generator, &surface, BASE, 0, 15);
	assert_int_equal(judge(&surface, "FPS < -1%"), OUTCOME_UNKNOWN);
	generator.share = 0.5;
	generate_run(&generator, &surface, NEW, 0, 15);
	assert_int_equal(judge(&surface, "FPS < -1%"), OUTCOME_UNKNOWN);
	assert_int_equal(judge(&surface, "p99 > +10%"), OUTCOME_UNKNOWN);
	generated_free(&surface);
}

/* Perfect runs are no lack of data, and one jank more is no news. */
TEST(test_rare_events)
{
	struct generator generator = { .state = 5, .share = 0, .burst = 2, .calm_factor = 1 };
	struct compared_surface surface = { 0 };

	generate_run(&generator, &surface, BASE, 0, 60);
	generate_run(&generator, &surface, NEW, 0, 60);
	assert_int_equal(judge(&surface, "jank(/10min) > +10%"), OUTCOME_HOLDS_NOT);
	assert_int_equal(judge(&surface, "p99(ms) > +0%"), OUTCOME_HOLDS_NOT);
	assert_int_equal(judge(&surface, "FPS < -1%"), OUTCOME_HOLDS_NOT);
	surface.runs[1].frames[100].flags |= FRAME_JANK;
	assert_int_equal(judge(&surface, "jank(/10min) > +10%"), OUTCOME_HOLDS_NOT);
	for (unsigned int i = 0; i < 3000; i += 50)
		surface.runs[1].frames[i].flags |= FRAME_JANK;
	assert_int_equal(judge(&surface, "jank(/10min) > +10%"), OUTCOME_HOLDS);
	assert_int_equal(judge(&surface, "jank(/10min) > +5"), OUTCOME_HOLDS);
	assert_int_equal(judge(&surface, "jank(/10min) > +5000"), OUTCOME_HOLDS_NOT);
	generated_free(&surface);
}

/* The slowest 1 %, by its definition, are the value of the ratio that is compared. */
TEST(test_the_low_is_that_of_the_definition)
{
	struct generator generator = { .state = 9, .share = 0.03, .burst = 3, .calm_factor = 1 };
	struct compared_surface surface = { 0 };
	struct numbers numbers;
	struct change change;
	uint32_t *times;
	uint64_t n, sum = 0;

	generate_run(&generator, &surface, BASE, 0, 200);
	generate_run(&generator, &surface, NEW, 0, 200);
	n = surface.runs[0].n_frames;
	times = malloc(n * sizeof(*times));
	for (uint64_t i = 0; i < n; i++)
		sum += times[i] = surface.runs[0].frames[i].interval_us * 1000;
	for (uint64_t i = 1; i < n; i++)
		for (uint64_t j = i; j > 0 && times[j - 1] > times[j]; j--) {
			uint32_t swap = times[j];

			times[j] = times[j - 1];
			times[j - 1] = swap;
		}
	numbers_clear(&numbers);
	numbers_set_times(&numbers, times, n, sum);
	assert_int_equal(compare_metric(&surface, METRIC_LOW1_MEAN, &change), 0);
	assert_true(fabs(change.of[BASE].value / numbers.of[METRIC_LOW1_MEAN] - 1) < 0.01);
	free(times);
	generated_free(&surface);
}

/* Half of the frames are as long as the p99: the share is that of the frames from it on. */
TEST(test_a_percentile_on_a_vsync)
{
	struct generator generator = { .state = 9, .share = 0.012, .burst = 3, .calm_factor = 1 };
	struct compared_surface surface = { 0 };
	struct change change;

	generate_run(&generator, &surface, BASE, 0, 300);
	generate_run(&generator, &surface, NEW, 0, 300);
	assert_int_equal(compare_metric(&surface, METRIC_P99, &change), 0);
	assert_true(change.is_known);
	assert_true(change.of[BASE].value > 0.006 && change.of[BASE].value < 0.017);
	assert_int_equal(compare_metric(&surface, METRIC_P50, &change), 0);
	assert_false(change.or_equal);
	generated_free(&surface);
}

/* The same frames in @group, but for what a test changes. */
static void set_frames(struct compared_surface *surface, enum group group,
		       const struct compared_frame *usual, const struct compared_frame *other)
{
	struct compared_run *run = &surface->runs[surface->n_runs++];

	*run = (struct compared_run){ .group = group, .frames = calloc(3000, sizeof(*usual)) };
	for (; run->n_frames < 3000; run->n_frames++) {
		const struct compared_frame *frame = run->n_frames % 100 == 99 ? other : usual;
		bool is_freeze = frame->flags & FRAME_STALL;

		run->frames[run->n_frames] = *frame;
		run->facts.sum.freezes += is_freeze;
		run->facts.sum.freeze_ns += is_freeze ? frame->interval_us * UINT64_C(1000) : 0;
		run->facts.sum.time_ns += is_freeze ? 0 : frame->interval_us * UINT64_C(1000);
		run->facts.sum.late_ns += frame->late_us * UINT64_C(1000);
	}
	surface->time_s[group] = (double)run->facts.sum.time_ns / 1e9;
}

/* Half the frame rate is worse, also where nothing is late any more; a freeze that became a late
 * frame is better, though FPS counts only the frame. */
TEST(test_worse_is_not_outvoted)
{
	static const struct compared_frame even = { 16667, .vsyncs = 1, .step = 1 };
	static const struct compared_frame half = { 33333, .vsyncs = 2, .step = 1 };
	static const struct compared_frame late = { 400000, 383333, 24, 0, 1 };
	static const struct compared_frame freeze = { 1000000, 0, 60, FRAME_STALL | FRAME_WAIT, 1 };
	static const struct {
		const struct compared_frame *base[2], *new[2];
		enum compared_word word;
	} cases[] = {
		{ { &even, &late }, { &half, &half }, COMPARED_WORSE },
		{ { &even, &freeze }, { &half, &half }, COMPARED_WORSE },
		{ { &even, &freeze }, { &even, &late }, COMPARED_BETTER },
		{ { &even, &late }, { &even, &freeze }, COMPARED_WORSE },
		{ { &half, &half }, { &even, &freeze }, COMPARED_WORSE },
	};

	for (unsigned int i = 0; i < COUNT_OF(cases); i++) {
		struct compared_surface *surface = calloc(1, sizeof(*surface));
		struct comparison comparison = { .surfaces = surface, .n_surfaces = 1 };

		surface->runs = calloc(2, sizeof(*surface->runs));
		surface->name = strdup("");
		set_frames(surface, BASE, cases[i].base[0], cases[i].base[1]);
		set_frames(surface, NEW, cases[i].new[0], cases[i].new[1]);
		assert_int_equal(compare_end(&comparison), 0);
		assert_int_equal(comparison.verdicts[0].word, cases[i].word);
		compare_free(&comparison);
	}
}

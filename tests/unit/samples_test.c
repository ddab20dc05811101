/* SPDX-License-Identifier: Apache-2.0 */
/* Percentiles are frame times that happened: the nearest rank. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "rules/samples.h"

static struct samples samples;
static struct histogram histogram;

static int begin(void **state)
{
	samples_clear(&samples);
	histogram_clear(&histogram);
	return 0;
}

static void test_nothing_has_no_percentile(void **state)
{
	assert_int_equal(samples_percentile(&samples, 500), -1);
	assert_int_equal(histogram_percentile(&histogram, 990), -1);
	assert_true(histogram_slowest_mean(&histogram, 10) < 0);
}

static void test_one_value_is_every_percentile(void **state)
{
	samples_add(&samples, 12345678);
	assert_int_equal(samples_percentile(&samples, 1), 12345678);
	assert_int_equal(samples_percentile(&samples, 500), 12345678);
	assert_int_equal(samples_percentile(&samples, 999), 12345678);
}

/* The value at ceil(p * n), to the nanosecond, whatever the order they came in. */
static void test_nearest_rank(void **state)
{
	for (uint32_t i = 1; i <= 101; i++)
		samples_add(&samples, 1000 * (i * 37 % 101 + 1));
	assert_int_equal(samples_percentile(&samples, 500), 51000);
	assert_int_equal(samples_percentile(&samples, 900), 91000);
	assert_int_equal(samples_percentile(&samples, 990), 100000);
	assert_int_equal(samples_percentile(&samples, 1000), 101000);
}

static void test_even_number_takes_the_lower_middle(void **state)
{
	for (uint32_t i = 1; i <= 4; i++)
		samples_add(&samples, i);
	assert_int_equal(samples_percentile(&samples, 500), 2);
	assert_int_equal(samples_percentile(&samples, 501), 3);
}

static void test_values_may_come_after_a_question(void **state)
{
	samples_add(&samples, 30);
	samples_add(&samples, 10);
	assert_int_equal(samples_percentile(&samples, 1000), 30);
	samples_add(&samples, 20);
	assert_int_equal(samples_percentile(&samples, 500), 20);
}

static void test_more_samples_than_fit_are_exact_to_a_bin(void **state)
{
	for (uint32_t i = 0; i < 10 * SAMPLES_MAX; i++)
		samples_add(&samples, 8 * (uint32_t)MS + i % 100 * 10000);
	assert_in_range(samples_percentile(&samples, 500), 8490000 - HISTOGRAM_BIN_NS,
			8490000 + HISTOGRAM_BIN_NS);
	assert_int_equal(samples_percentile(&samples, 1000), 8990000);
}

static void test_clear_forgets_all(void **state)
{
	for (uint32_t i = 0; i < 2 * SAMPLES_MAX; i++)
		samples_add(&samples, 499 * (uint32_t)MS);
	samples_clear(&samples);
	assert_int_equal(samples_percentile(&samples, 500), -1);
	samples_add(&samples, 5);
	assert_int_equal(samples_percentile(&samples, 1000), 5);
}

static void test_histogram_answers_with_a_value_that_happened(void **state)
{
	histogram_add(&histogram, 16666667);
	histogram_add(&histogram, 33333333);
	assert_int_equal(histogram_percentile(&histogram, 500), 16666667);
	assert_int_equal(histogram_percentile(&histogram, 990), 33333333);
}

static void test_histogram_takes_both_ends(void **state)
{
	histogram_add(&histogram, 0);
	histogram_add(&histogram, 500 * (uint32_t)MS - 1);
	histogram_add(&histogram, UINT32_MAX);
	assert_int_equal(histogram_percentile(&histogram, 1), 0);
	assert_int_equal(histogram.n, 3);
}

/* 1 % of 150 values are the slowest two. */
static void test_slowest_mean_rounds_up(void **state)
{
	for (int i = 0; i < 148; i++)
		histogram_add(&histogram, 8 * (uint32_t)MS);
	histogram_add(&histogram, 100 * (uint32_t)MS);
	histogram_add(&histogram, 50 * (uint32_t)MS);
	assert_float_equal(histogram_slowest_mean(&histogram, 10), 75e6, 1);
	assert_float_equal(histogram_slowest_mean(&histogram, 1), 100e6, 1);
}

/* All equal: the mean of a part of a bin is that value, not the whole series. */
static void test_slowest_mean_of_ties(void **state)
{
	for (int i = 0; i < 1000; i++)
		histogram_add(&histogram, 16666667);
	assert_float_equal(histogram_slowest_mean(&histogram, 10), 16666667, 0.01);
}

/* Random values: within 0.1 ms of the sorted ones. */
static void test_histogram_is_exact_to_a_bin(void **state)
{
	enum { N = 100000 };
	static uint32_t counts[5000];
	uint32_t seed = 1;
	uint64_t seen = 0;
	uint32_t bin = 0;

	for (int i = 0; i < N; i++) {
		seed = seed * 1664525 + 1013904223;
		histogram_add(&histogram, seed % 500000000);
		counts[seed % 500000000 / HISTOGRAM_BIN_NS]++;
	}
	while (seen + counts[bin] < 999 * (N / 1000))
		seen += counts[bin++];
	assert_in_range(histogram_percentile(&histogram, 999), bin * HISTOGRAM_BIN_NS,
			(bin + 1) * HISTOGRAM_BIN_NS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_nothing_has_no_percentile, begin),
		cmocka_unit_test_setup(test_one_value_is_every_percentile, begin),
		cmocka_unit_test_setup(test_nearest_rank, begin),
		cmocka_unit_test_setup(test_even_number_takes_the_lower_middle, begin),
		cmocka_unit_test_setup(test_values_may_come_after_a_question, begin),
		cmocka_unit_test_setup(test_more_samples_than_fit_are_exact_to_a_bin, begin),
		cmocka_unit_test_setup(test_clear_forgets_all, begin),
		cmocka_unit_test_setup(test_histogram_answers_with_a_value_that_happened, begin),
		cmocka_unit_test_setup(test_histogram_takes_both_ends, begin),
		cmocka_unit_test_setup(test_slowest_mean_rounds_up, begin),
		cmocka_unit_test_setup(test_slowest_mean_of_ties, begin),
		cmocka_unit_test_setup(test_histogram_is_exact_to_a_bin, begin),
	};

	return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}

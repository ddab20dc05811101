/* SPDX-License-Identifier: Apache-2.0 */
/* Percentiles are measured frame times: the nearest rank. */
#include "tests/unit/unit.h"

#include "rules/count/percentiles.h"

static struct histogram exact, histogram;
static struct chunk_store store;
static struct memory memory;

#define CHUNKS 2000

static int begin(void **state)
{
	exact = histogram = (struct histogram){ .n = 0 };
	chunks_init(&store, CHUNKS, &memory);
	return memory.failed;
}

static unsigned int free_chunks(void)
{
	unsigned int n = store.max - store.used;

	for (uint16_t i = store.first_free; i != CHUNK_NONE; i = store.chunks[i].next)
		n++;
	return n;
}

static int end(void **state)
{
	histogram_clear(&store, &exact);
	histogram_clear(&store, &histogram);
	assert_int_equal(free_chunks(), CHUNKS);
	memory_free(&memory);
	return 0;
}

FIXTURE(begin, end)

static int64_t percentile(unsigned int permille)
{
	return histogram_percentile(&store, &exact, permille);
}

TEST(test_nothing_has_no_percentile_mean_or_mode)
{
	int64_t others = 0;

	assert_int_equal(percentile(500), -1);
	assert_int_equal(histogram_percentile(&store, &histogram, 990), -1);
	assert_true(histogram_slowest_mean(&store, &histogram, 10) < 0);
	assert_int_equal(histogram_slowest_time(&store, &histogram, 10, SECOND), -1);
	assert_int_equal(histogram_mode(&store, &histogram, &others), -1);
	assert_int_equal(others, -1);
}

/* The value at ceil(p * n), to the nanosecond, in any order of input, and after a query. */
TEST(test_percentile_is_the_nearest_rank)
{
	histogram_add_exact(&store, &exact, 30);
	histogram_add_exact(&store, &exact, 10);
	assert_int_equal(percentile(1000), 30);
	histogram_add_exact(&store, &exact, 20);
	assert_int_equal(percentile(1), 10);
	assert_int_equal(percentile(500), 20);
	histogram_clear(&store, &exact);
	for (uint32_t i = 1; i <= 4; i++)
		histogram_add_exact(&store, &exact, i);
	assert_int_equal(percentile(500), 2);
	assert_int_equal(percentile(501), 3);
	histogram_clear(&store, &exact);
	for (uint32_t i = 1; i <= 101; i++)
		histogram_add_exact(&store, &exact, 1000 * (i * 37 % 101 + 1));
	assert_int_equal(percentile(500), 51000);
	assert_int_equal(percentile(900), 91000);
	assert_int_equal(percentile(990), 100000);
	assert_int_equal(percentile(1000), 101000);
}

TEST(test_more_samples_than_fit_are_exact_to_a_bin)
{
	for (uint32_t i = 0; i < 10000; i++)
		histogram_add_exact(&store, &exact, 8 * (uint32_t)MS + i % 1000 * 1000);
	assert_int_equal(percentile(500), 8499000);
	for (uint32_t i = 0; i < 10 * HISTOGRAM_EXACT_MAX; i++)
		histogram_add_exact(&store, &exact, 8 * (uint32_t)MS + i % 2000 * 500);
	assert_in_range(percentile(500), 8500000 - HISTOGRAM_BIN_NS, 8500000 + HISTOGRAM_BIN_NS);
	assert_int_equal(percentile(1000), 8999500);
	histogram_clear(&store, &exact);
	assert_int_equal(percentile(500), -1);
	histogram_add_exact(&store, &exact, 5);
	assert_int_equal(percentile(1000), 5);
}

TEST(test_histogram_counts_values_outside_its_range)
{
	histogram_add(&store, &histogram, 0);
	histogram_add(&store, &histogram, 500 * (uint32_t)MS - 1);
	histogram_add(&store, &histogram, UINT32_MAX);
	assert_int_equal(histogram_percentile(&store, &histogram, 1), 0);
	assert_int_equal(histogram_percentile(&store, &histogram, 1000),
			 HISTOGRAM_BINS * HISTOGRAM_BIN_NS - 1);
	assert_int_equal(histogram.n, 3);
}

/* 1 % of 150 values are the slowest two. */
TEST(test_slowest_mean_rounds_up)
{
	for (int i = 0; i < 148; i++)
		histogram_add(&store, &histogram, 8 * (uint32_t)MS);
	histogram_add(&store, &histogram, 100 * (uint32_t)MS);
	histogram_add(&store, &histogram, 50 * (uint32_t)MS);
	assert_float_equal(histogram_slowest_mean(&store, &histogram, 10), 75e6, 1);
	assert_float_equal(histogram_slowest_mean(&store, &histogram, 1), 100e6, 1);
	/* All values are equal: so is the mean of a part of a bin. */
	histogram_clear(&store, &histogram);
	for (int i = 0; i < 1000; i++)
		histogram_add(&store, &histogram, 16666667);
	assert_float_equal(histogram_slowest_mean(&store, &histogram, 10), 16666667, 0.01);
}

/* 20 % of 1 s are reached with the second value of 100 ms, 30 % with the first one of 50 ms. */
TEST(test_slowest_time_is_a_share_of_the_duration)
{
	for (int i = 0; i < 2; i++)
		histogram_add(&store, &histogram, 100 * (uint32_t)MS);
	for (int i = 0; i < 2; i++)
		histogram_add(&store, &histogram, 50 * (uint32_t)MS);
	for (int i = 0; i < 70; i++)
		histogram_add(&store, &histogram, 10 * (uint32_t)MS);
	assert_int_equal(histogram_slowest_time(&store, &histogram, 1, SECOND), 100 * MS);
	assert_int_equal(histogram_slowest_time(&store, &histogram, 200, SECOND), 100 * MS);
	assert_int_equal(histogram_slowest_time(&store, &histogram, 201, SECOND), 50 * MS);
	assert_int_equal(histogram_slowest_time(&store, &histogram, 300, SECOND), 50 * MS);
	assert_int_equal(histogram_slowest_time(&store, &histogram, 301, SECOND), 10 * MS);
	assert_int_equal(histogram_slowest_time(&store, &histogram, 1000, SECOND), 10 * MS);
	assert_int_equal(histogram_slowest_time(&store, &histogram, 1, 300 * SECOND), 50 * MS);
	assert_int_equal(histogram_slowest_time(&store, &histogram, 1, 300 * SECOND + 1), 10 * MS);
}

/* If several numbers are equally frequent, the smallest one. */
TEST(test_mode_is_the_smallest_of_the_most_frequent)
{
	static const uint32_t numbers[] = { 3, 2, 250, 3, 2, 1, 10000 };
	int64_t others = 0;

	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		histogram_add_exact(&store, &histogram, numbers[i]);
	assert_int_equal(histogram_mode(&store, &histogram, &others), 2);
	assert_int_equal(others, 5);
	histogram_add_exact(&store, &histogram, 250);
	histogram_add_exact(&store, &histogram, 250);
	assert_int_equal(histogram_mode(&store, &histogram, &others), 250);
	assert_int_equal(others, 6);
}

/* All bins, in an order that splits chunks everywhere: the same results as by sorting. */
TEST(test_histogram_with_all_bins_is_exact)
{
	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++) {
		uint32_t number = i * 1237 % HISTOGRAM_BINS;

		histogram_add(&store, &histogram, number * HISTOGRAM_BIN_NS + 7);
		histogram_add(&store, &histogram, number * HISTOGRAM_BIN_NS + 3);
	}
	assert_int_equal(histogram.n, 2 * HISTOGRAM_BINS);
	for (unsigned int permille = 1; permille <= 1000; permille++)
		assert_int_equal(histogram_percentile(&store, &histogram, permille),
				 (permille * 5 - 1) * HISTOGRAM_BIN_NS + 7);
	assert_true(CHUNKS - free_chunks() <= HISTOGRAM_BINS / (CHUNK_BINS / 2));
}

/* --- without free chunks --- */

static int free_store(void **state)
{
	memory_free(&memory);
	return 0;
}

FIXTURE(begin, free_store)

/* As if all chunks that were never used were in use, except @left. */
static void allocate_chunks_except(unsigned int left)
{
	store.max = store.used + left;
}

/* Without free chunks there is no result, instead of one that lacks some frames, and no chunk is
 * kept. */
TEST(test_histogram_without_free_chunks_gives_up)
{
	unsigned int n = 0;

	allocate_chunks_except(3);
	for (; !histogram.gave_up; n++)
		histogram_add(&store, &histogram, n * HISTOGRAM_BIN_NS);
	assert_true(n > 3 * CHUNK_BINS / 2);
	histogram_add(&store, &histogram, 5);
	assert_int_equal(histogram_percentile(&store, &histogram, 500), -1);
	assert_true(histogram_slowest_mean(&store, &histogram, 10) < 0);
	assert_int_equal(store.refused, 1);
	assert_int_equal(free_chunks(), 3);
	histogram_clear(&store, &histogram);
	histogram_add(&store, &histogram, 5);
	assert_int_equal(histogram_percentile(&store, &histogram, 500), 5);
}

TEST(test_percentiles_without_free_chunks_give_up)
{
	allocate_chunks_except(2);
	for (uint32_t i = 0; i < CHUNK_BINS; i++)
		histogram_add_exact(&store, &exact, i);
	assert_int_equal(percentile(1000), CHUNK_BINS - 1);
	for (uint32_t i = 0; i < 3 * HISTOGRAM_EXACT_MAX; i++)
		histogram_add_exact(&store, &exact, i);
	assert_int_equal(percentile(500), -1);
	assert_int_equal(store.refused, 1);
	assert_int_equal(free_chunks(), 2);
	histogram_clear(&store, &exact);
	histogram_add_exact(&store, &exact, 9);
	assert_int_equal(percentile(500), 9);
}

TEST(test_conversion_to_histogram_without_free_chunks_gives_up)
{
	for (uint32_t i = 0; i < HISTOGRAM_EXACT_MAX; i++)
		histogram_add_exact(&store, &exact, i * 4 * HISTOGRAM_BIN_NS);
	allocate_chunks_except(4);
	histogram_add_exact(&store, &exact, 1);
	histogram_add_exact(&store, &exact, 2);
	assert_int_equal(percentile(500), -1);
	assert_int_equal(store.refused, 1);
}

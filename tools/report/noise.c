/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/noise.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A variance of 1,000 draws is exact to 4.5 %, a standard error to half of that. */
#define DRAWS 1000

/* Few runs may differ by this part of the variance within them, and look as if they did not. */
#define UNSEEN 0.85

/* --- random numbers: xorshift64*, by Vigna (2016) --- */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static size_t random_below(uint64_t *state, size_t n)
{
	return (size_t)((next_random(state) >> 32) * n >> 32);
}

/* --- bootstrap --- */

struct variance {
	double sum, squares;
	unsigned int n;
};

static void add_value(struct variance *variance, double value)
{
	if (!isfinite(value))
		return;
	variance->sum += value;
	variance->squares += value * value;
	variance->n++;
}

static double variance_of(const struct variance *variance)
{
	double mean = variance->sum / variance->n;

	if (variance->n < 2)
		return NAN;
	return fmax(0, variance->squares / variance->n - mean * mean) * variance->n /
	       (variance->n - 1);
}

/* A run's blocks, and its sums. */
struct run_sums {
	size_t from, n;
	double above, below;
};

/* The rates are shifted by @value, so that squares of small differences are not lost. */
static double by_blocks(const struct block *blocks, const struct run_sums *runs, size_t n_runs,
			double value)
{
	struct variance variance = { 0 };
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

	for (unsigned int draw = 0; draw < DRAWS; draw++) {
		double above = 0, below = 0;

		for (size_t r = 0; r < n_runs; r++)
			for (size_t i = 0; i < runs[r].n; i++) {
				const struct block *block =
					&blocks[runs[r].from + random_below(&state, runs[r].n)];

				above += block->above;
				below += block->below;
			}
		add_value(&variance, above / below - value);
	}
	return variance_of(&variance);
}

static double by_runs(const struct run_sums *runs, size_t n_runs, double value)
{
	struct variance variance = { 0 };
	uint64_t state = UINT64_C(0xd1b54a32d192ed03);

	for (unsigned int draw = 0; draw < DRAWS; draw++) {
		double above = 0, below = 0;

		for (size_t i = 0; i < n_runs; i++) {
			const struct run_sums *run = &runs[random_below(&state, n_runs)];

			above += run->above;
			below += run->below;
		}
		add_value(&variance, above / below - value);
	}
	return variance_of(&variance);
}

static size_t find_runs(const struct block *blocks, size_t n, struct run_sums *runs)
{
	size_t n_runs = 0;

	for (size_t i = 0; i < n; i++) {
		if (i == 0 || blocks[i].run != blocks[i - 1].run)
			runs[n_runs++] = (struct run_sums){ .from = i };
		runs[n_runs - 1].n++;
		runs[n_runs - 1].above += blocks[i].above;
		runs[n_runs - 1].below += blocks[i].below;
	}
	return n_runs;
}

int noise_estimate(const struct block *blocks, size_t n, struct estimate *estimate)
{
	struct run_sums *runs = calloc(n + 1, sizeof(*runs));
	double below = 0, inner, between = 0, inner_freedom, extra;
	size_t n_runs;

	*estimate = (struct estimate){ .value = NAN };
	if (!runs)
		return -ENOMEM;
	n_runs = find_runs(blocks, n, runs);
	for (size_t i = 0; i < n_runs; i++) {
		estimate->above += runs[i].above;
		below += runs[i].below;
	}
	estimate->blocks = (uint32_t)n;
	estimate->runs = (uint32_t)n_runs;
	if (n > n_runs && below > 0) {
		estimate->value = estimate->above / below;
		/* Draws vary around the mean of the sample, not around the truth. */
		inner_freedom = (double)(n - n_runs);
		inner = by_blocks(blocks, runs, n_runs, estimate->value) * (double)n /
			inner_freedom;
		if (n_runs > 1)
			between = by_runs(runs, n_runs, estimate->value) * (double)n_runs /
				  (double)(n_runs - 1);
		extra = fmax(0, between - inner);
		estimate->variance = inner + extra;
		estimate->freedom = inner_freedom;
		extra = fmax(extra, UNSEEN * inner);
		if (n_runs > 1)
			estimate->freedom = estimate->variance * estimate->variance /
					    (extra * extra / (double)(n_runs - 1) +
					     inner * inner / inner_freedom);
	}
	free(runs);
	return 0;
}

/* --- Student's t --- */

/* The regularized incomplete beta function, by its continued fraction (Lentz). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), result = d;

	for (int m = 1; m < 300; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 / (1 + even * d);
		c = 1 + even / c;
		result *= d * c;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		result *= d * c;
		if (fabs(d * c - 1) < 1e-14)
			break;
	}
	return result;
}

static double incomplete_beta(double a, double b, double x)
{
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* The probability of more than @t. */
static double upper_tail(double t, double freedom)
{
	return 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double noise_quantile(double level, double freedom)
{
	double low = 0, high = 1e6;

	if (freedom < 1)
		freedom = 1;
	if (freedom > 1e6)
		freedom = 1e6;
	for (int i = 0; i < 200 && high - low > 1e-9 * high; i++) {
		double middle = 0.5 * (low + high);

		if (middle > 0 && upper_tail(middle, freedom) > level)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* --- two groups --- */

/* Degrees of freedom of a difference. */
static double welch(const struct estimate *a, const struct estimate *b, double factor)
{
	double one = factor * factor * a->variance, other = b->variance;
	double parts = 0;

	if (one > 0)
		parts += one * one / a->freedom;
	if (other > 0)
		parts += other * other / b->freedom;
	return parts > 0 ? (one + other) * (one + other) / parts : 1;
}

double noise_excess(const struct estimate *a, const struct estimate *b, double factor, double add)
{
	double difference = b->value - factor * a->value - add;
	double error = sqrt(b->variance + factor * factor * a->variance);

	if (!(error > 0))
		return difference > 0 ? HUGE_VAL : difference < 0 ? -HUGE_VAL : 0;
	return difference / error / noise_quantile(NOISE_LEVEL, welch(a, b, factor));
}

/* Fieller (1954): those ratios r for which b - r * a is within the noise. */
void noise_interval(const struct estimate *a, const struct estimate *b, double *low, double *high)
{
	double q = noise_quantile(NOISE_LEVEL, welch(a, b, 1));
	double square = a->value * a->value - q * q * a->variance;
	double product = a->value * b->value;
	double rest = b->value * b->value - q * q * b->variance;
	double root = product * product - square * rest;

	*low = -1;
	*high = HUGE_VAL;
	if (square <= 0 || root < 0)
		return;
	*low = fmax(0, (product - sqrt(root)) / square) - 1;
	*high = (product + sqrt(root)) / square - 1;
}

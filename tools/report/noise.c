/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/noise.h"

#include <math.h>

/* Few runs may differ by this part of the variance within them, and look as if they did not. */
#define UNSEEN 0.85

/* How far @block is from a rate of @value. */
static double excess_of(const struct block *block, double value)
{
	return block->above - value * block->below;
}

void noise_estimate(const struct block *blocks, size_t n, struct estimate *estimate)
{
	double below = 0, value, inner = 0, between = 0, inner_freedom, extra;
	size_t n_runs = 0, of_run;

	*estimate = (struct estimate){ .value = NAN, .blocks = (uint32_t)n };
	for (size_t i = 0; i < n; i++) {
		estimate->above += blocks[i].above;
		below += blocks[i].below;
	}
	value = below > 0 ? estimate->above / below : 0;
	for (size_t from = 0; from < n; from += of_run, n_runs++) {
		double sum = 0;

		/* Blocks that belong to the run of the first one. */
		for (of_run = 1;
		     from + of_run < n && blocks[from + of_run].run == blocks[from].run;)
			of_run++;
		for (size_t i = 0; i < of_run; i++)
			sum += excess_of(&blocks[from + i], value);
		between += sum * sum;
		for (size_t i = 0; i < of_run; i++) {
			double rest = excess_of(&blocks[from + i], value) - sum / (double)of_run;

			inner += rest * rest;
		}
	}
	estimate->runs = (uint32_t)n_runs;
	if (n <= n_runs || below <= 0)
		return;
	estimate->value = value;
	/* Blocks and runs vary around the mean of the sample, not around the truth. */
	inner_freedom = (double)(n - n_runs);
	inner *= (double)n / inner_freedom / (below * below);
	if (n_runs > 1)
		between *= (double)n_runs / (double)(n_runs - 1) / (below * below);
	else
		between = 0;
	extra = fmax(0, between - inner);
	estimate->variance = inner + extra;
	estimate->freedom = inner_freedom;
	extra = fmax(extra, UNSEEN * inner);
	if (n_runs > 1)
		estimate->freedom =
			estimate->variance * estimate->variance /
			(extra * extra / (double)(n_runs - 1) + inner * inner / inner_freedom);
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

/* The probability of more than @t. */
static double upper_tail(double t, double freedom)
{
	double a = freedom / 2, b = 0.5, x = freedom / (freedom + t * t);
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x < (a + 1) / (a + b + 2))
		return 0.5 * front * beta_fraction(a, b, x) / a;
	return 0.5 * (1 - front * beta_fraction(b, a, 1 - x) / b);
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
	/* The noise of @a allows 0, but that of @b does not: it is so much more at least. */
	if (square < 0 && rest > 0)
		*low = (product - sqrt(root)) / square - 1;
	if (square <= 0 || root < 0)
		return;
	*low = fmax(0, (product - sqrt(root)) / square) - 1;
	*high = (product + sqrt(root)) / square - 1;
}

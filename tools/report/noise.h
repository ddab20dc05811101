/* SPDX-License-Identifier: Apache-2.0 */
/* How much a rate would differ if it were measured again.
 *
 * All rates here are ratios of sums: frames / time, janks / time, late frames / frames. A run is
 * cut into blocks of some seconds, each with its part of both sums.
 *
 *     run 1  |b|b|b|b|b|b|b|b|      late frames come in bursts: frames depend on their
 *     run 2  |b|b|b|b|b|b|b|        neighbours, blocks hardly
 *     run 3  |b|b|b|b|b|b|b|b|
 *
 * A rate varies as the sum of what its parts exceed it by: e = above - rate * below. The variance
 * of the rate of all runs is found twice: from how the blocks of a run differ from each other in e,
 * and from how whole runs differ. The first is blind to what differs from run to run (temperature,
 * other apps), the second has few runs. The variance is the larger one. Its degrees of freedom are
 * those of Welch and Satterthwaite: many if blocks explain it, few if only the runs do, and fewer
 * for few runs, which may agree by chance.
 * Two runs that differ by much therefore prove nothing, ten that agree prove a lot.
 */
#ifndef JANKD_TOOLS_REPORT_NOISE_H
#define JANKD_TOOLS_REPORT_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How often a condition on equal groups may hold by chance. */
#define NOISE_LEVEL 0.002

struct block {
	double above, below; /* its parts of the sums */
	uint32_t run;	     /* blocks of a run follow each other; runs are counted from 0 */
};

struct estimate {
	double value;	 /* sum of above / sum of below */
	double variance; /* of the value */
	double freedom;	 /* degrees of it */
	double above;	 /* sum */
	uint32_t blocks, runs;
};

/* @blocks: at least two. The value is NAN if below is 0. */
void noise_estimate(const struct block *blocks, size_t n, struct estimate *estimate);

/* The value that Student's t exceeds with probability @level, 0 < @level < 0.5. */
double noise_quantile(double level, double freedom);

/* By how many standard errors @b exceeds @factor * @a + @add, divided by the quantile of
 * NOISE_LEVEL: above 1 it is more beyond the noise, below -1 less. HUGE_VAL or -HUGE_VAL if neither
 * varies. */
double noise_excess(const struct estimate *a, const struct estimate *b, double factor, double add);

/* The changes b / a - 1 that the noise allows, from *low to *high, at NOISE_LEVEL on each side.
 * HUGE_VAL or -1 where there is no bound. Where noise_excess() is above 1 or below -1 for no
 * change, 0 is not among them. */
void noise_interval(const struct estimate *a, const struct estimate *b, double *low, double *high);

#endif

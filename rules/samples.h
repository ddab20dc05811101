/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions of frame times below 500 ms, in bounded memory.
 *
 * A histogram has a bin for each 0.1 ms and is exact to that, for any number of frames. Samples
 * keep the values themselves as long as they are few, as those of a row are, and are exact.
 * Both answer with a frame time that happened: the nearest rank, without interpolation.
 */
#ifndef JANKD_RULES_SAMPLES_H
#define JANKD_RULES_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#define HISTOGRAM_BIN_NS UINT32_C(100000)
#define HISTOGRAM_BINS 5000 /* up to 500 ms: what is longer is a wait, no frame time */

/* All zeros is an empty one. A page of bins that no value falls into is never touched. */
struct histogram {
	struct histogram_bin {
		uint32_t count;
		uint32_t slowest_ns;
	} bins[HISTOGRAM_BINS];
	uint64_t n;
};

void histogram_add(struct histogram *h, uint32_t value_ns);

/* The value at index ceil(@permille/1000 * n) of the sorted values; -1 of none. Exact to a bin. */
int64_t histogram_percentile(const struct histogram *h, unsigned int permille);

/* Mean of the slowest ceil(@permille/1000 * n) values in ns, to a bin; negative of none. */
double histogram_slowest_mean(const struct histogram *h, unsigned int permille);

void histogram_clear(struct histogram *h);

/* More frames than a row of the default length has at any refresh rate. */
#define SAMPLES_MAX 1024

struct samples {
	uint32_t n;
	uint32_t values_ns[SAMPLES_MAX];
	struct histogram beyond; /* in use once there are more */
};

void samples_add(struct samples *s, uint32_t value_ns);

/* As histogram_percentile(), exact while there are no more than SAMPLES_MAX. Sorts @s. */
int64_t samples_percentile(struct samples *s, unsigned int permille);

void samples_clear(struct samples *s);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions of frame times below 500 ms, in bounded memory.
 *
 * A histogram has a bin for each 0.1 ms that occurs: it is exact to that for any number of frames.
 * struct percentiles keeps the values themselves while there are few, as in a row, and is exact.
 * Both return a frame time that occurred: the nearest rank, without interpolation. If the store has
 * no free chunk, they drop their values and have no percentiles from then on.
 */
#ifndef JANKD_RULES_COUNT_PERCENTILES_H
#define JANKD_RULES_COUNT_PERCENTILES_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/count/chunk.h"

#define HISTOGRAM_BIN_NS UINT32_C(100000)
#define HISTOGRAM_BINS 5000 /* up to 500 ms: longer intervals are waits */

/* All zeros: an empty histogram. */
struct histogram {
	uint64_t n;
	uint16_t first; /* first chunk; bins are in the order of their numbers */
	bool gave_up;	/* no chunk was free: it has no percentiles */
};

void histogram_add(struct chunk_store *store, struct histogram *h, uint32_t value_ns);

/* The value at rank ceil(@permille/1000 * n), exact to a bin; -1 if it is empty. */
int64_t histogram_percentile(const struct chunk_store *store, const struct histogram *h,
			     unsigned int permille);

/* Mean of the slowest ceil(@permille/1000 * n) values in ns, exact to a bin; negative if it is
 * empty. */
double histogram_slowest_mean(const struct chunk_store *store, const struct histogram *h,
			      unsigned int permille);

/* Adds up values from the slowest on until their sum reaches @permille/1000 of @time_ns, the sum of
 * all. Returns the last value added in ns, exact to a bin; -1 if the histogram is empty. */
int64_t histogram_slowest_time(const struct chunk_store *store, const struct histogram *h,
			       unsigned int permille, uint64_t time_ns);

/* A histogram of small numbers (of vsyncs) instead of times: one bin for each number. */
#define HISTOGRAM_NUMBER_MAX 8191

void histogram_add_number(struct chunk_store *store, struct histogram *h, uint32_t number);

/* The most frequent number; if there are several, the smallest. -1 if the histogram is empty.
 * *@others: how many values have another number, or -1. */
int64_t histogram_mode(const struct chunk_store *store, const struct histogram *h, int64_t *others);

/* Empties @h and frees its chunks. */
void histogram_clear(struct chunk_store *store, struct histogram *h);

/* More than the frames of a row of default length at any refresh rate. */
#define PERCENTILES_MAX 1024

/* All zeros: no values. */
struct percentiles {
	uint32_t n; /* values in the chain of chunks */
	uint16_t first, last;
	struct histogram beyond; /* holds all values once there are more than PERCENTILES_MAX */
};

void percentiles_add(struct chunk_store *store, struct percentiles *s, uint32_t value_ns);

/* Like histogram_percentile(), for each of the @n @permilles; exact for up to PERCENTILES_MAX
 * values. */
void percentiles_read(const struct chunk_store *store, const struct percentiles *s, unsigned int n,
		      const unsigned int *permilles, int64_t *values_ns);

/* Empties @s and frees its chunks. */
void percentiles_clear(struct chunk_store *store, struct percentiles *s);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions of frame times below 500 ms, in bounded memory.
 *
 * One store of small blocks has the frame times of all rows and Surfaces: most Surfaces have few
 * different ones, some have nearly all possible ones, and few rows are open at a time. Fixed tables
 * for the worst case of each would need a hundred times this memory, of which only the part that is
 * used is touched.
 *
 * A histogram has a bin for each 0.1 ms that occurs: it is exact to that for any number of frames.
 * One with histogram_add_exact(), as of a row, has a bin for each value, while these are few.
 * Results are frame times that occurred: the nearest rank, without interpolation. If the store has
 * no free chunk, a histogram drops its values and has no percentiles from then on.
 */
#ifndef JANKD_RULES_COUNT_PERCENTILES_H
#define JANKD_RULES_COUNT_PERCENTILES_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/base/memory.h"

#define CHUNK_NONE 0
#define CHUNK_BINS 15

/* Frame times of the same 0.1 ms, or the same ones. */
struct histogram_bin {
	uint32_t longest_ns;
	uint32_t count;
};

struct chunk {
	uint16_t next; /* next chunk of the chain, or CHUNK_NONE */
	uint16_t n;    /* number of bins in use */
	struct histogram_bin bins[CHUNK_BINS];
};

struct chunk_store {
	struct chunk *chunks;	/* number CHUNK_NONE is unused; none is touched before it is used */
	unsigned int max, used; /* used: the first ones, which were ever in use */
	uint16_t first_free;	/* of these, or CHUNK_NONE */
	uint64_t refused;	/* rows and Surfaces without percentiles, as no chunk was free */
};

#define HISTOGRAM_BIN_NS UINT32_C(100000)
#define HISTOGRAM_BINS 5000 /* up to 500 ms: longer intervals are waits */

#define HISTOGRAM_EXACT_MAX 1024

/* All zeros: an empty histogram. */
struct histogram {
	uint64_t n;
	uint16_t first; /* first chunk; bins are in the order of their values */
	uint16_t n_bins;
	bool is_coarse; /* exact no longer: there were too many values */
	bool gave_up;	/* no chunk was free: it has no percentiles */
};

/* @n: at most UINT16_MAX. */
void chunks_init(struct chunk_store *store, unsigned int n, struct memory *memory);

/* Nothing is added if the value is ROW_UNKNOWN. Values beyond the last bin are counted in it. */
void histogram_add(struct chunk_store *store, struct histogram *h, int64_t value_ns);

/* The same, of known values, exact for fewer than HISTOGRAM_EXACT_MAX different values: frame times
 * of a row, or numbers of vsyncs. */
void histogram_add_exact(struct chunk_store *store, struct histogram *h, uint32_t value);

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

/* The most frequent number; if there are several, the smallest. -1 if the histogram is empty.
 * *@others: how many values have another number, or -1. */
int64_t histogram_mode(const struct chunk_store *store, const struct histogram *h, int64_t *others);

/* Empties @h and frees its chunks. */
void histogram_clear(struct chunk_store *store, struct histogram *h);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions of frame times below 500 ms, in bounded memory.
 *
 * A histogram has a bin for each 0.1 ms that something fell into, and is exact to that, for any
 * number of frames. Samples keep the values themselves as long as they are few, as those of a row
 * are, and are exact. Both answer with a frame time that happened: the nearest rank, without
 * interpolation. Where the store of chunks is empty they give up, and then have no answer at all.
 */
#ifndef JANKD_RULES_PERCENTILES_H
#define JANKD_RULES_PERCENTILES_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/chunk.h"

#define HISTOGRAM_BIN_NS UINT32_C(100000)
#define HISTOGRAM_BINS 5000 /* up to 500 ms: what is longer is a wait, no frame time */

/* The most chunks that one histogram takes: they are half full at least. */
#define HISTOGRAM_CHUNKS_MAX (HISTOGRAM_BINS / (CHUNK_BINS / 2))

/* All zeros is an empty one. */
struct histogram {
	uint64_t n;
	uint16_t first; /* chunk of bins; in order of their numbers, as those behind it */
	bool gave_up;
};

void histogram_add(struct chunk_store *store, struct histogram *h, uint32_t value_ns);

/* The value at index ceil(@permille/1000 * n) of the sorted values; -1 of none. Exact to a bin. */
int64_t histogram_percentile(const struct chunk_store *store, const struct histogram *h,
			     unsigned int permille);

/* Mean of the slowest ceil(@permille/1000 * n) values in ns, to a bin; negative of none. */
double histogram_slowest_mean(const struct chunk_store *store, const struct histogram *h,
			      unsigned int permille);

/* The slowest values are added up until the sum reaches @permille/1000 of @time_ns, which is the
 * sum of all: the last one added in ns, to a bin; -1 of none. */
int64_t histogram_slowest_time(const struct chunk_store *store, const struct histogram *h,
			       unsigned int permille, uint64_t time_ns);

/* A histogram of small numbers instead, of vsyncs: each has a bin of its own. */
#define HISTOGRAM_NUMBER_MAX 8191

void histogram_add_number(struct chunk_store *store, struct histogram *h, uint32_t number);

/* The number that is there most often, of several the smallest; -1 of none. *@others: how many
 * others there are, or -1. */
int64_t histogram_mode(const struct chunk_store *store, const struct histogram *h, int64_t *others);

/* Empties @h: its chunks go back. */
void histogram_clear(struct chunk_store *store, struct histogram *h);

/* Adds what is in @from to @to, and empties @from. Where one of them has given up, so has @to. */
void histogram_move(struct chunk_store *store, struct histogram *to, struct histogram *from);

/* Chunks outside of a store, full ones side by side, for any histogram of frame times and a small
 * one beside it. They count from 1, as those of a store. All zeros: there are none. */
#define PACKED_CHUNKS_MAX ((HISTOGRAM_BINS + 600) / CHUNK_BINS + 2)

struct packed_chunks {
	uint32_t n;
	struct chunk chunks[1 + PACKED_CHUNKS_MAX];
};

/* Copies @h, and returns it as it is among @packed. Where they have no room it has given up. */
struct histogram histogram_pack(const struct chunk_store *store, const struct histogram *h,
				struct packed_chunks *packed);

/* Copies @h, which is among @packed, back into @store. Where that has not enough chunks, it gives
 * up. */
struct histogram histogram_unpack(struct chunk_store *store, const struct histogram *h,
				  const struct packed_chunks *packed);

/* May @h be among @packed, whatever is in them? */
bool histogram_is_packed(const struct histogram *h, const struct packed_chunks *packed);

/* More frames than a row of the default length has at any refresh rate. */
#define PERCENTILES_MAX 1024

/* All zeros is an empty one. */
struct percentiles {
	uint32_t n; /* values that are kept as they are */
	uint16_t first, last;
	struct histogram beyond; /* in use once there are more */
};

void percentiles_add(struct chunk_store *store, struct percentiles *s, uint32_t value_ns);

/* As histogram_percentile() for each of the @n @permilles, exact while there are no more than
 * PERCENTILES_MAX values. */
void percentiles_read(const struct chunk_store *store, const struct percentiles *s, unsigned int n,
		      const unsigned int *permilles, int64_t *values_ns);

/* Empties @s: its chunks go back. */
void percentiles_clear(struct chunk_store *store, struct percentiles *s);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One store of small blocks for the frame times of all rows and Surfaces.
 *
 * Most Surfaces have few different frame times, some have nearly all possible ones, and few rows
 * are open at a time. Fixed tables for the worst case of each would need a hundred times this
 * memory, of which only the part that is used is touched.
 */
#ifndef JANKD_RULES_COUNT_CHUNK_H
#define JANKD_RULES_COUNT_CHUNK_H

#include <stdint.h>

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

/* @n: at most UINT16_MAX. Returns 0 or -ENOMEM. */
int chunks_init(struct chunk_store *store, unsigned int n);
void chunks_free(struct chunk_store *store);

/* Returns an empty chunk without a successor; CHUNK_NONE if none is free. */
uint16_t chunk_alloc(struct chunk_store *store);

/* Frees the chain that begins at *@first. */
void chunks_release(struct chunk_store *store, uint16_t *first);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One store of small pieces for the frame times of all rows and Surfaces.
 *
 * Most Surfaces have a few frame times, over and over, and some have every one that there is;
 * most rows are closed. A table for the worst of each would be a hundred times this store.
 */
#ifndef JANKD_RULES_CHUNK_H
#define JANKD_RULES_CHUNK_H

#include <stdint.h>

#define CHUNK_NONE 0
#define CHUNK_VALUES 31
#define CHUNK_BINS 15

/* Frame times of the same 0.1 ms. */
struct histogram_bin {
	uint32_t number : 13;
	uint32_t above_ns : 17; /* the slowest of them, above the bin's begin */
	uint32_t count;
};

struct chunk {
	uint16_t next; /* of the chain, or CHUNK_NONE */
	uint16_t n;    /* of what is in it */
	union {
		uint32_t values_ns[CHUNK_VALUES];
		struct histogram_bin bins[CHUNK_BINS];
	};
};

struct chunk_store {
	struct chunk *chunks; /* the one of number CHUNK_NONE is nobody's */
	unsigned int n_free;
	uint16_t first_free;
	uint64_t
		refused; /* rows and Surfaces whose percentiles were given up for want of a chunk */
};

/* @n: at most UINT16_MAX. Returns 0 or -ENOMEM. */
int chunks_init(struct chunk_store *store, unsigned int n);
void chunks_free(struct chunk_store *store);

/* An empty chunk with nothing behind it; CHUNK_NONE where none is left. */
uint16_t chunk_alloc(struct chunk_store *store);

/* Gives the chain back that begins at *@first. */
void chunks_release(struct chunk_store *store, uint16_t *first);

#endif

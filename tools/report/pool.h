/* SPDX-License-Identifier: Apache-2.0 */
/* A growing array of equal elements in blocks, which never move: no copy, and no moment with two
 * copies in memory. Limited, as a folder may have any number of rows. */
#ifndef JANKD_TOOLS_REPORT_POOL_H
#define JANKD_TOOLS_REPORT_POOL_H

#include <stddef.h>
#include <stdint.h>

#define POOL_BLOCK 16384 /* elements */
#define POOL_BLOCKS 1024

struct pool {
	size_t size;	  /* of an element, in bytes */
	uint64_t n, max;  /* max: POOL_BLOCK * POOL_BLOCKS at most */
	uint64_t refused; /* elements beyond @max, or without memory */
	char *blocks[POOL_BLOCKS];
};

void pool_free(struct pool *pool);

/* A new element of zeros, or NULL if it has no space. */
void *pool_add(struct pool *pool);

static inline void *pool_at(const struct pool *pool, uint64_t i)
{
	return pool->blocks[i / POOL_BLOCK] + (i % POOL_BLOCK) * pool->size;
}

/* Adds an element of @size bytes to an array of *@n; @array: the address of the pointer to the
 * first one, NULL without any. Returns the element, not set, or NULL if out of memory: then nothing
 * has changed. */
void *array_add(void *array, uint32_t *n, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void pool_free(struct pool *pool)
{
	for (unsigned int i = 0; i < POOL_BLOCKS; i++)
		free(pool->blocks[i]);
	*pool = (struct pool){ 0 };
}

void *pool_add(struct pool *pool)
{
	char **block = &pool->blocks[pool->n / POOL_BLOCK % POOL_BLOCKS];

	if (pool->n < pool->max && !*block)
		*block = calloc(POOL_BLOCK, pool->size);
	if (pool->n >= pool->max || !*block) {
		pool->refused++;
		return NULL;
	}
	return pool_at(pool, pool->n++);
}

void *array_add(void *array, uint32_t *n, size_t size)
{
	/* It has space for 64 elements, and for twice as many whenever it is full. */
	bool is_full = *n >= 64 && (*n & (*n - 1)) == 0;
	char *all;

	memcpy(&all, array, sizeof(all));
	if (*n == 0 || is_full) {
		all = realloc(all, (is_full ? (size_t)2 * *n : 64) * size);
		if (!all)
			return NULL;
		memcpy(array, &all, sizeof(all));
	}
	return all + (*n)++ * size;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/pool.h"

#include <stdlib.h>
#include <string.h>

void pool_init(struct pool *pool, size_t size, uint64_t max)
{
	*pool = (struct pool){ .size = size, .max = max };
}

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

void *array_add(void *array, uint32_t *n, uint32_t *max, size_t size)
{
	char *all;

	memcpy(&all, array, sizeof(all));
	if (*n == *max) {
		uint32_t more = *max ? 2 * *max : 64;

		all = realloc(all, more * size);
		if (!all)
			return NULL;
		memcpy(array, &all, sizeof(all));
		*max = more;
	}
	return all + (*n)++ * size;
}

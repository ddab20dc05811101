/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/chunk.h"

#include <errno.h>
#include <stdlib.h>

_Static_assert(sizeof(struct chunk) <= 128, "two cache lines");

int chunks_init(struct chunk_store *store, unsigned int n)
{
	*store = (struct chunk_store){ .chunks = calloc(n + 1, sizeof(struct chunk)), .max = n };
	return store->chunks ? 0 : -ENOMEM;
}

void chunks_free(struct chunk_store *store)
{
	free(store->chunks);
}

uint16_t chunk_alloc(struct chunk_store *store)
{
	uint16_t taken = store->first_free;

	if (taken != CHUNK_NONE)
		store->first_free = store->chunks[taken].next;
	else if (store->used < store->max)
		taken = (uint16_t)++store->used;
	else
		return CHUNK_NONE;
	store->chunks[taken].next = CHUNK_NONE;
	store->chunks[taken].n = 0;
	return taken;
}

void chunks_release(struct chunk_store *store, uint16_t *first)
{
	uint16_t next;

	for (uint16_t i = *first; i != CHUNK_NONE; i = next) {
		next = store->chunks[i].next;
		store->chunks[i].next = store->first_free;
		store->first_free = i;
	}
	*first = CHUNK_NONE;
}

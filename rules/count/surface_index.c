/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/surface_index.h"

#include <errno.h>
#include <stdlib.h>

int surface_index_init(struct surface_index *index, int max)
{
	*index = (struct surface_index){
		.entries = calloc((size_t)max, sizeof(*index->entries)),
		.max = max,
	};
	for (int i = 0; i < SURFACE_INDEX_BUCKETS; i++)
		index->buckets[i] = SURFACE_INDEX_END;
	return index->entries ? 0 : -ENOMEM;
}

void surface_index_free(struct surface_index *index)
{
	free(index->entries);
}

static int first_of(const struct surface_index *index, int number, uint64_t hash)
{
	while (number != SURFACE_INDEX_END && index->entries[number].hash != hash)
		number = index->entries[number].next;
	return number;
}

int surface_index_first(const struct surface_index *index, uint64_t hash)
{
	return first_of(index, index->buckets[hash % SURFACE_INDEX_BUCKETS], hash);
}

int surface_index_next(const struct surface_index *index, int number)
{
	const struct surface_index_entry *entry = &index->entries[number];

	return first_of(index, entry->next, entry->hash);
}

int surface_index_add(struct surface_index *index, uint64_t hash)
{
	int *bucket = &index->buckets[hash % SURFACE_INDEX_BUCKETS];

	if (index->n == index->max)
		return SURFACE_INDEX_END;
	index->entries[index->n] = (struct surface_index_entry){ hash, *bucket };
	*bucket = index->n;
	return index->n++;
}

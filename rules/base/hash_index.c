/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/base/hash_index.h"

#include <stdlib.h>

void hash_index_init(struct hash_index *index, unsigned int max, struct memory *memory)
{
	index->entries = memory_keep(memory, calloc(max, sizeof(*index->entries)));
	for (int i = 0; i < HASH_INDEX_BUCKETS; i++)
		index->buckets[i] = HASH_INDEX_END;
}

static int first_of(const struct hash_index *index, int number, uint64_t hash)
{
	while (number != HASH_INDEX_END && index->entries[number].hash != hash)
		number = index->entries[number].next;
	return number;
}

int hash_index_first(const struct hash_index *index, uint64_t hash)
{
	return first_of(index, index->buckets[hash % HASH_INDEX_BUCKETS], hash);
}

int hash_index_next(const struct hash_index *index, int number)
{
	const struct hash_index_entry *entry = &index->entries[number];

	return first_of(index, entry->next, entry->hash);
}

void hash_index_add(struct hash_index *index, int number, uint64_t hash)
{
	int *bucket = &index->buckets[hash % HASH_INDEX_BUCKETS];

	index->entries[number] = (struct hash_index_entry){ hash, *bucket };
	*bucket = number;
}

void hash_index_remove(struct hash_index *index, int number)
{
	int *link = &index->buckets[index->entries[number].hash % HASH_INDEX_BUCKETS];

	while (*link != number)
		link = &index->entries[*link].next;
	*link = index->entries[number].next;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/directory.h"

#include <errno.h>
#include <stdlib.h>

#include "rules/memory.h"

int directory_init(struct directory *directory, int max, int slots)
{
	*directory = (struct directory){
		.entries = memory_new((size_t)max, sizeof(*directory->entries)),
		.max = max,
		.free_slots = memory_new((size_t)slots, sizeof(*directory->free_slots)),
	};
	if (!directory->entries || !directory->free_slots)
		return -ENOMEM;
	for (int i = 0; i < DIRECTORY_BUCKETS; i++)
		directory->buckets[i] = DIRECTORY_END;
	while (slots > 0)
		directory_release_slot(directory, --slots);
	return 0;
}

void directory_free(struct directory *directory)
{
	free(directory->entries);
	free(directory->free_slots);
}

static int first_of(const struct directory *directory, int number, uint64_t hash)
{
	while (number != DIRECTORY_END && directory->entries[number].hash != hash)
		number = directory->entries[number].next;
	return number;
}

int directory_first(const struct directory *directory, uint64_t hash)
{
	return first_of(directory, directory->buckets[hash % DIRECTORY_BUCKETS], hash);
}

int directory_next(const struct directory *directory, int number)
{
	const struct directory_entry *entry = &directory->entries[number];

	return first_of(directory, entry->next, entry->hash);
}

int directory_add(struct directory *directory, uint64_t hash, int where)
{
	int *bucket = &directory->buckets[hash % DIRECTORY_BUCKETS];

	if (directory->n == directory->max)
		return DIRECTORY_END;
	directory->entries[directory->n] = (struct directory_entry){ hash, where, *bucket };
	*bucket = directory->n;
	return directory->n++;
}

int directory_alloc_slot(struct directory *directory)
{
	return directory->n_free_slots ? directory->free_slots[--directory->n_free_slots] : -1;
}

void directory_release_slot(struct directory *directory, int slot)
{
	directory->free_slots[directory->n_free_slots++] = (uint16_t)slot;
}

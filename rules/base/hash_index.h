/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a table by the hashes of their names. An entry is its number; where it is, and
 * whether its name is the same, only the owner of the table knows. */
#ifndef JANKD_RULES_BASE_HASH_INDEX_H
#define JANKD_RULES_BASE_HASH_INDEX_H

#include <stdint.h>

#include "rules/base/memory.h"

#define HASH_INDEX_BUCKETS 1024
#define HASH_INDEX_END (-1)

struct hash_index_entry {
	uint64_t hash;
	int32_t next; /* in its bucket */
};

struct hash_index {
	struct hash_index_entry *entries; /* none is touched before it is used */
	int buckets[HASH_INDEX_BUCKETS];  /* first number of each, or HASH_INDEX_END */
};

/* @max: number of entries. */
void hash_index_init(struct hash_index *index, unsigned int max, struct memory *memory);

/* The first number with that hash, and the next one with the hash of @number; HASH_INDEX_END: there
 * are no more. The newest comes first. */
int hash_index_first(const struct hash_index *index, uint64_t hash);
int hash_index_next(const struct hash_index *index, int number);

/* Adds a number that is not in the index, or removes one that is. */
void hash_index_add(struct hash_index *index, int number, uint64_t hash);
void hash_index_remove(struct hash_index *index, int number);

#endif

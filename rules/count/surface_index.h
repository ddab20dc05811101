/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of all Surfaces of the session, by the hashes of their names. Numbers are in the
 * order of first frames and do not change. */
#ifndef JANKD_RULES_COUNT_SURFACE_INDEX_H
#define JANKD_RULES_COUNT_SURFACE_INDEX_H

#include <stdint.h>

#define SURFACE_INDEX_BUCKETS 1024
#define SURFACE_INDEX_END (-1)

struct surface_index_entry {
	uint64_t hash; /* of the name */
	int32_t next;  /* in its hash bucket */
};

struct surface_index {
	struct surface_index_entry *entries;
	int max;
	int n;
	int buckets[SURFACE_INDEX_BUCKETS]; /* first number of each, or SURFACE_INDEX_END */
};

/* @max: number of Surfaces. Returns 0 or -ENOMEM. */
int surface_index_init(struct surface_index *index, int max);
void surface_index_free(struct surface_index *index);

/* The first number with that hash, and the next one with the hash of @number; SURFACE_INDEX_END:
 * there are no more. */
int surface_index_first(const struct surface_index *index, uint64_t hash);
int surface_index_next(const struct surface_index *index, int number);

/* Adds a Surface. Returns its number, or SURFACE_INDEX_END if there is no space. */
int surface_index_add(struct surface_index *index, uint64_t hash);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Every Surface of the session by number, and its place: in the table, in a slot of the spill
 * storage, or in the row of the others. Numbers are in the order of first frames and do not
 * change. */
#ifndef JANKD_RULES_SURFACE_INDEX_H
#define JANKD_RULES_SURFACE_INDEX_H

#include <stdint.h>

#define SURFACE_INDEX_BUCKETS 1024
#define SURFACE_INDEX_END (-1)

/* Neither in the table nor spilled. */
#define SURFACE_INDEX_OTHERS INT32_MIN

struct surface_index_entry {
	uint64_t hash; /* of the name */
	int32_t where; /* place in the table; ~slot, which is negative; or SURFACE_INDEX_OTHERS */
	int32_t next;  /* in its hash bucket */
};

struct surface_index {
	struct surface_index_entry *entries;
	int max;
	int n;
	int buckets[SURFACE_INDEX_BUCKETS]; /* first number of each, or SURFACE_INDEX_END */
	uint16_t *free_slots;		    /* a stack: the last one is used next */
	int n_free_slots;
};

/* @max: number of Surfaces; @slots: at most UINT16_MAX. Returns 0 or -ENOMEM. */
int surface_index_init(struct surface_index *index, int max, int slots);
void surface_index_free(struct surface_index *index);

/* The first number with that hash, and the next one with the hash of @number; SURFACE_INDEX_END:
 * there are no more. */
int surface_index_first(const struct surface_index *index, uint64_t hash);
int surface_index_next(const struct surface_index *index, int number);

/* Adds a Surface. Returns its number, or SURFACE_INDEX_END if there is no space. */
int surface_index_add(struct surface_index *index, uint64_t hash, int where);

/* Returns a free slot, or -1. */
int surface_index_alloc_slot(struct surface_index *index);
void surface_index_release_slot(struct surface_index *index, int slot);

#endif

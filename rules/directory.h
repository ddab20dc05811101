/* SPDX-License-Identifier: Apache-2.0 */
/* Every Surface of the session by number, and its place: in the table, in a slot of the spill
 * storage, or in the row of the others. Numbers are in the order of first frames and do not change.
 */
#ifndef JANKD_RULES_DIRECTORY_H
#define JANKD_RULES_DIRECTORY_H

#include <stdint.h>

#define DIRECTORY_BUCKETS 1024
#define DIRECTORY_END (-1)

/* Neither in the table nor spilled. */
#define DIRECTORY_OTHERS INT32_MIN

struct directory_entry {
	uint64_t hash; /* of the name */
	int32_t where; /* place in the table; negative: ~slot; or DIRECTORY_OTHERS */
	int32_t next;  /* in its hash bucket */
};

struct directory {
	struct directory_entry *entries;
	int max;
	int n;
	int buckets[DIRECTORY_BUCKETS];
	uint16_t *free_slots; /* a stack: the last one is used next */
	int n_free_slots;
};

/* @max: number of Surfaces; @slots: at most UINT16_MAX. Returns 0 or -ENOMEM. */
int directory_init(struct directory *directory, int max, int slots);
void directory_free(struct directory *directory);

/* The first and the next number with that hash; DIRECTORY_END: there are no more. */
int directory_first(const struct directory *directory, uint64_t hash);
int directory_next(const struct directory *directory, int number);

/* Returns the number of the new Surface, or DIRECTORY_END if there is no space. */
int directory_add(struct directory *directory, uint64_t hash, int where);

/* Returns a free slot, or -1. */
int directory_alloc_slot(struct directory *directory);
void directory_release_slot(struct directory *directory, int slot);

#endif

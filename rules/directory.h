/* SPDX-License-Identifier: Apache-2.0 */
/* Every Surface of the session, by number, and where it is now: in the table, spilled, or in the
 * row of the others. Numbers are given in order of first appearance, and stay. */
#ifndef JANKD_RULES_DIRECTORY_H
#define JANKD_RULES_DIRECTORY_H

#include <stdint.h>

#define DIRECTORY_BUCKETS 1024
#define DIRECTORY_END (-1)

/* Where one is that is neither in the table nor spilled. */
#define DIRECTORY_OTHERS INT32_MIN

struct directory_entry {
	uint64_t hash; /* of the name */
	int32_t where; /* place in the table; below 0: ~slot; or DIRECTORY_OTHERS */
	int32_t next;  /* in its bucket */
};

struct directory {
	struct directory_entry *entries;
	int max;
	int n;
	int buckets[DIRECTORY_BUCKETS];
	uint16_t *free_slots; /* the one that was given back last is behind the others */
	int n_free_slots;
};

/* @max: how many it has room for; @slots: at most UINT16_MAX. Returns 0 or -ENOMEM. */
int directory_init(struct directory *directory, int max, int slots);
void directory_free(struct directory *directory);

/* Numbers of that hash: the first, the next; DIRECTORY_END: there is no more. */
int directory_first(const struct directory *directory, uint64_t hash);
int directory_next(const struct directory *directory, int number);

/* Returns the number of a new one, or DIRECTORY_END where there is no room. */
int directory_add(struct directory *directory, uint64_t hash, int where);

/* Returns a slot that is free, or -1. */
int directory_alloc_slot(struct directory *directory);
void directory_release_slot(struct directory *directory, int slot);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Open slices of threads: only those that a rule names, and only while one is open.
 *
 * Begin and end of a slice know nothing of each other but their thread, so depth is counted. A
 * thread enters the table with its first slice that means something and leaves it with the last,
 * so few are in it at any time.
 */
#ifndef JANKD_RULES_SLICE_STACK_H
#define JANKD_RULES_SLICE_STACK_H

#include <stdbool.h>
#include <stdint.h>

#define SLICE_STACK_DEPTH 16

struct slice_stack {
	int32_t tid;
	uint32_t depth; /* slices open since the first that means something */
	uint32_t open;	/* masks of all below, together */
	unsigned int n;
	uint64_t last_use; /* number of its last begin */
	struct open_slice {
		uint32_t depth;
		uint32_t mask;
	} slices[SLICE_STACK_DEPTH];
};

struct slice_stacks {
	unsigned int n;
	unsigned int max;
	int32_t *tids; /* of threads[i], side by side: what a search reads */
	struct slice_stack *stacks;
	uint64_t uses; /* begins so far */
	uint64_t evicted;
	uint64_t unbalanced; /* slices given up while healing */
};

/* @max: how many there are room for; where it is full, the one goes that was silent longest.
 * Returns 0 or -ENOMEM; slice_stacks_free() is due in any case. */
int slice_stacks_init(struct slice_stacks *table, unsigned int max);
void slice_stacks_free(struct slice_stacks *table);

/* Mask of the slices open on @tid. */
uint32_t slice_stacks_open(const struct slice_stacks *table, int32_t tid);

/**
 * slice_stacks_begin() - a slice begins
 * @mask: what it means; 0 for one that no rule names
 * @closed: what cannot be open now: if it is, its end was lost
 */
void slice_stacks_begin(struct slice_stacks *table, int32_t tid, uint32_t mask, uint32_t closed);

/* A slice ends. */
void slice_stacks_end(struct slice_stacks *table, int32_t tid);

/* Forgets all open slices: ends may have been lost. */
void slice_stacks_forget(struct slice_stacks *table);

#endif

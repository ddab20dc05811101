/* SPDX-License-Identifier: Apache-2.0 */
/* Open slices of threads: only slices that a rule names, and only threads with such a slice open.
 *
 * The end of a slice has no name. It ends the last slice of its thread, so the depth is counted. A
 * thread is added to the table with the first slice that a rule names, and removed with the end of
 * the last, so few threads are in the table at any time.
 */
#ifndef JANKD_RULES_THREADS_SLICE_STACK_H
#define JANKD_RULES_THREADS_SLICE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/threads/thread_set.h"

#define SLICE_STACK_DEPTH 16

/* Work of an app that is open on a thread, see app_work.h. */
struct open_work {
	uint32_t process; /* its number in the table of processes, from 1 on; 0: none is open */
	uint64_t since_ns;
};

struct slice_stack {
	uint32_t depth; /* slices open since the first one that a rule names */
	uint32_t open;	/* the masks of all open slices */
	unsigned int n;
	uint64_t last_use; /* value of slice_stacks.uses at the last slice that began */
	struct open_work work;
	struct open_slice {
		uint32_t depth;
		uint32_t mask;
		uint32_t use; /* the same when it began */
	} slices[SLICE_STACK_DEPTH];
};

struct slice_stacks {
	struct thread_set threads; /* of stacks[i] */
	unsigned int max;
	struct slice_stack *stacks;
	uint64_t uses;	 /* slices that began so far */
	uint64_t now_ns; /* set by the owner: when slices end that end now */
	void *context;
	/* The last slice of @work that was open on its thread has ended, or is dropped. */
	void (*work_ends)(void *context, const struct open_work *work, uint64_t time_ns);
	uint64_t evicted;
	uint64_t unbalanced; /* slices dropped: an end may be lost, or there was no space */
};

/* @max: number of threads. If the table is full, the thread that has been idle longest is evicted.
 * Returns 0 or -ENOMEM; slice_stacks_free() must be called in any case. */
int slice_stacks_init(struct slice_stacks *table, unsigned int max);
void slice_stacks_free(struct slice_stacks *table);

/* False: @tid is not in the table, as is true of most threads. */
static inline bool slice_stacks_may_have(const struct slice_stacks *table, int32_t tid)
{
	return thread_set_may_have(&table->threads, tid);
}

/* The stack of @tid; NULL: it has none. */
struct slice_stack *slice_stacks_find(struct slice_stacks *table, int32_t tid);

/* Mask of the slices that are open on @tid. */
uint32_t slice_stacks_open(struct slice_stacks *table, int32_t tid);

/**
 * slice_stacks_begin() - a slice begins
 * @mask: its meanings; 0: no rule names it
 * @closed: slices that cannot be open now: if they are, their ends were lost
 *
 * Returns the stack of the thread, or NULL: it has none.
 */
struct slice_stack *slice_stacks_begin(struct slice_stacks *table, int32_t tid, uint32_t mask,
				       uint32_t closed);

/* The stack that was found last, if it is that of @tid; else NULL. */
static inline struct slice_stack *slice_stacks_found(const struct slice_stacks *table, int32_t tid)
{
	return thread_set_has_found(&table->threads, tid) ? &table->stacks[table->threads.found]
							  : NULL;
}

/* The same for a slice that no rule names. Most are on the thread of the slice before. */
static inline void slice_stacks_begin_unnamed(struct slice_stacks *table, int32_t tid)
{
	struct slice_stack *stack;

	if (!slice_stacks_may_have(table, tid))
		return;
	stack = slice_stacks_found(table, tid);
	if (!stack) {
		slice_stacks_begin(table, tid, 0, 0);
		return;
	}
	stack->last_use = ++table->uses;
	stack->depth++;
}

/* slice_stacks_end() for all slices. */
uint32_t slice_stacks_end_any(struct slice_stacks *table, int32_t tid);

/* A slice ends. Returns the mask of what was open on @tid and no longer is. */
static inline uint32_t slice_stacks_end(struct slice_stacks *table, int32_t tid)
{
	struct slice_stack *stack = slice_stacks_found(table, tid);

	/* Most ends are those of slices that no rule names. */
	if (!stack || stack->n == 0 || stack->slices[stack->n - 1].depth >= stack->depth)
		return slice_stacks_end_any(table, tid);
	stack->depth--;
	return 0;
}

/* Mask of the open slices of @tid that began before slice_stacks.uses was more than @uses. */
uint32_t slice_stacks_open_before(struct slice_stacks *table, int32_t tid, uint64_t uses);

/* Drops the open slices of @tid: they were those of another thread of that number. */
void slice_stacks_drop(struct slice_stacks *table, int32_t tid);

/* Events of a CPU are lost. Drops the open slices of all threads except @kept_tid: whichever CPU a
 * thread was last seen on, it may have gone on on that one, so the ends may be lost. */
void slice_stacks_lost(struct slice_stacks *table, int32_t kept_tid);

/* Drops all open slices: their ends may be lost. */
void slice_stacks_forget(struct slice_stacks *table);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of threads: which slices are open on each, of those that a rule names.
 *
 * The end of a slice has no name. It ends the last slice of its thread, so the depth is counted
 * from the first slice on that a rule names. A thread is added with that one. It stays when nothing
 * is open on it any more, until another thread needs its place: what a thread did last is kept by
 * modules, in arrays of their own, by its place.
 */
#ifndef JANKD_RULES_THREADS_SLICE_STACK_H
#define JANKD_RULES_THREADS_SLICE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/base/hash_index.h"
#include "rules/language/ruleset_match.h"

#define SLICE_STACK_DEPTH 16

/* Work of an app that is open on a thread, see app_work.h. */
struct open_work {
	uint32_t process; /* its number in the table of processes, from 1 on; 0: none is open */
	int32_t pid;	  /* as the marker states; also of a wait for a fence without work */
	uint64_t since_ns;
};

struct open_slice {
	uint32_t depth;
	uint32_t mask;
	enum rule_role role;
	uint64_t begin_ns;
	int64_t argument; /* of the module that handles the role; 0 at its begin */
};

struct slice_stack {
	int32_t tid;
	uint64_t id;	/* another one: what was known of the thread does not hold any more */
	uint32_t depth; /* slices open since the first one that a rule names */
	uint32_t open;	/* the masks of all open slices */
	unsigned int n;
	uint64_t last_use; /* value of slice_stacks.uses at the last slice that began */
	struct open_work work;
	struct open_slice slices[SLICE_STACK_DEPTH];
};

struct slice_stacks {
	unsigned int n, max;
	uint64_t tid_filter;   /* bit tid % 64 is set for all threads with open slices */
	uint16_t n_by_bit[64]; /* how many these are, by that bit */
	struct hash_index index;
	struct slice_stack *stacks;
	struct slice_stack *found; /* last; NULL: none was */
	uint64_t *with_open;	   /* bit i % 64 of [i / 64] is set if stacks[i] has open slices */
	uint64_t last_id;
	uint64_t uses;	       /* slices that began so far */
	uint64_t now_ns;       /* set by the owner: when slices begin and end that do so now */
	struct app_work *work; /* borrowed */
	uint64_t evicted;      /* threads with open slices */
	uint64_t unbalanced;   /* slices dropped: an end may be lost, or there was no space */
	/* The last slice of @ended that was open on its thread has ended, or is dropped. */
	void (*work_ends)(struct app_work *work, const struct open_work *ended, uint64_t time_ns);
};

/* @max: number of threads. If the table is full, the thread on which no slice has begun for longest
 * is evicted, whether slices of it are open or not: their ends may be lost. */
void slice_stacks_init(struct slice_stacks *table, unsigned int max, struct memory *memory);

/* False: @tid has no open slices, as is true of most threads. */
static inline bool slice_stacks_may_have(const struct slice_stacks *table, int32_t tid)
{
	return table->tid_filter >> ((uint32_t)tid % 64) & 1;
}

/* slice_stacks_find() for a thread that was not found last. */
struct slice_stack *slice_stacks_look_up(struct slice_stacks *table, int32_t tid);

/* The stack of @tid; NULL: it has none. Most records are of the thread of the one before. */
static inline struct slice_stack *slice_stacks_find(struct slice_stacks *table, int32_t tid)
{
	struct slice_stack *found = table->found;

	return found && found->tid == tid ? found : slice_stacks_look_up(table, tid);
}

/* The next thread with open slices; @stack: NULL for the first. NULL: there are no more. */
struct slice_stack *slice_stacks_next(const struct slice_stacks *table,
				      const struct slice_stack *stack);

/* Mask of the slices that are open on @tid. */
static inline uint32_t slice_stacks_open(struct slice_stacks *table, int32_t tid)
{
	const struct slice_stack *stack =
		slice_stacks_may_have(table, tid) ? slice_stacks_find(table, tid) : NULL;

	return stack ? stack->open : 0;
}

/**
 * slice_stacks_begin() - a slice begins that a rule names
 * @mask: its meanings, which may be 0
 * @closed: slices that cannot be open now: if they are, their ends were lost
 *
 * Returns the stack of the thread.
 */
struct slice_stack *slice_stacks_begin(struct slice_stacks *table, int32_t tid, uint32_t mask,
				       enum rule_role role, uint32_t closed);

/* The innermost open slice, if it has that role; else NULL, as if @stack is NULL. */
static inline struct open_slice *slice_stack_last(struct slice_stack *stack, enum rule_role role)
{
	struct open_slice *last = stack && stack->n > 0 ? &stack->slices[stack->n - 1] : NULL;

	return last && last->role == role ? last : NULL;
}

/* The slice in which @slice of @stack is directly; NULL: no rule names it. */
static inline const struct open_slice *slice_stack_around(const struct slice_stack *stack,
							  const struct open_slice *slice)
{
	return slice > stack->slices && slice[-1].depth == slice->depth - 1 ? slice - 1 : NULL;
}

/* A slice begins that no rule names. */
static inline void slice_stacks_begin_unnamed(struct slice_stacks *table, int32_t tid)
{
	struct slice_stack *stack;

	if (!slice_stacks_may_have(table, tid))
		return;
	stack = slice_stacks_find(table, tid);
	if (!stack || stack->n == 0)
		return;
	stack->last_use = ++table->uses;
	stack->depth++;
}

/* The innermost slice of @stack ends, which a rule names. */
const struct open_slice *slice_stacks_end_named(struct slice_stacks *table,
						struct slice_stack *stack);

/* A slice ends. Returns it if a rule names it, until the next one begins; else NULL. */
static inline const struct open_slice *slice_stacks_end(struct slice_stacks *table, int32_t tid)
{
	struct slice_stack *stack;

	if (!slice_stacks_may_have(table, tid))
		return NULL;
	stack = slice_stacks_find(table, tid);
	if (!stack || stack->n == 0)
		return NULL;
	/* Most ends are those of slices that no rule names. */
	if (stack->slices[stack->n - 1].depth >= stack->depth)
		return slice_stacks_end_named(table, stack);
	stack->depth--;
	return NULL;
}

/* Mask of the open slices of @tid that began before @time_ns. */
uint32_t slice_stacks_open_before(struct slice_stacks *table, int32_t tid, uint64_t time_ns);

/* Forgets @tid: its open slices were those of another thread of that number. */
void slice_stacks_drop(struct slice_stacks *table, int32_t tid);

/* Events of a CPU are lost. Forgets all threads except @kept_tid: whichever CPU a thread was last
 * seen on, it may have gone on on that one, so what it did may be lost. */
void slice_stacks_lost(struct slice_stacks *table, int32_t kept_tid);

#endif

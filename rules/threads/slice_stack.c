/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/threads/slice_stack.h"

#include <stdlib.h>
#include <string.h>

#include "rules/base/table.h"

void slice_stacks_init(struct slice_stacks *table, unsigned int max, struct memory *memory)
{
	*table = (struct slice_stacks){
		.max = max,
		.stacks = memory_keep(memory, calloc(max, sizeof(*table->stacks))),
		.with_open = memory_keep(memory, calloc(max / 64 + 1, sizeof(*table->with_open))),
	};
	hash_index_init(&table->index, max, memory);
}

struct slice_stack *slice_stacks_look_up(struct slice_stacks *table, int32_t tid)
{
	int place = hash_index_first(&table->index, (uint32_t)tid);

	if (place == HASH_INDEX_END)
		return NULL;
	table->found = &table->stacks[place];
	return table->found;
}

struct slice_stack *slice_stacks_next(const struct slice_stacks *table,
				      const struct slice_stack *stack)
{
	unsigned int place = stack ? (unsigned int)(stack - table->stacks) + 1 : 0;

	for (; place < table->n; place = (place | 63) + 1) {
		uint64_t open = table->with_open[place / 64] >> (place % 64);

		if (open)
			return &table->stacks[place + (unsigned int)__builtin_ctzll(open)];
	}
	return NULL;
}

/* The first slice on a thread is open, or the last one not any more. */
static void switch_open(struct slice_stacks *table, const struct slice_stack *stack)
{
	unsigned int bit = (uint32_t)stack->tid % 64;
	unsigned int place = (unsigned int)(stack - table->stacks);

	table->with_open[place / 64] ^= UINT64_C(1) << (place % 64);
	if (stack->n > 0 ? table->n_by_bit[bit]++ == 0 : --table->n_by_bit[bit] == 0)
		table->tid_filter ^= UINT64_C(1) << bit;
}

/* Only the first @n slices of @stack, which had more, are still open. */
static void keep_open(struct slice_stacks *table, struct slice_stack *stack, unsigned int n)
{
	stack->n = n;
	stack->open = 0;
	for (unsigned int i = 0; i < n; i++)
		stack->open |= stack->slices[i].mask;
	if (n == 0) {
		stack->depth = 0;
		switch_open(table, stack);
	}
}

/* Ends the work of a thread on which no slice of it is open any more. */
static void end_work(struct slice_stacks *table, struct slice_stack *stack)
{
	if (stack->work.process == 0 || (stack->open & SLICE_WORK))
		return;
	table->work_ends(table->work, &stack->work, table->now_ns);
	stack->work.process = 0;
}

/* Nothing that is known of the thread holds any more. */
static void forget(struct slice_stacks *table, struct slice_stack *stack)
{
	stack->id = ++table->last_id;
	if (stack->n == 0)
		return;
	table->unbalanced += stack->n;
	keep_open(table, stack, 0);
	end_work(table, stack);
}

uint32_t slice_stacks_open_before(struct slice_stacks *table, int32_t tid, uint64_t time_ns)
{
	const struct slice_stack *stack = slice_stacks_find(table, tid);
	uint32_t open = 0;

	for (unsigned int k = 0; stack && k < stack->n; k++)
		if (stack->slices[k].begin_ns < time_ns)
			open |= stack->slices[k].mask;
	return open;
}

struct slice_stack *slice_stacks_begin(struct slice_stacks *table, int32_t tid, uint32_t mask,
				       enum rule_role role, uint32_t closed)
{
	struct slice_stack *stack = slice_stacks_find(table, tid);
	struct open_slice *middle;

	if (!stack) {
		if (table->n < table->max) {
			stack = &table->stacks[table->n++];
		} else {
			stack = &table->stacks[TABLE_LEAST(table->stacks, table->max, last_use)];
			table->evicted += stack->n > 0;
			forget(table, stack);
			hash_index_remove(&table->index, (int)(stack - table->stacks));
		}
		stack->tid = tid;
		stack->id = ++table->last_id;
		table->found = stack;
		hash_index_add(&table->index, (int)(stack - table->stacks), (uint32_t)tid);
	}
	stack->last_use = ++table->uses;
	/* A slice that cannot be open any more, and all slices inside it: their ends were lost. */
	while (stack->n > 0 && (stack->open & closed)) {
		stack->depth = stack->slices[stack->n - 1].depth - 1;
		keep_open(table, stack, stack->n - 1);
		table->unbalanced++;
	}
	/* Without space one in the middle is dropped: an outer slice has a meaning for all inside
	 * it, and the inner ones are those that end next. */
	if (stack->n == SLICE_STACK_DEPTH) {
		middle = &stack->slices[SLICE_STACK_DEPTH / 2];
		memmove(middle, middle + 1, (SLICE_STACK_DEPTH / 2 - 1) * sizeof(*middle));
		keep_open(table, stack, stack->n - 1);
		table->unbalanced++;
	}
	stack->slices[stack->n] = (struct open_slice){
		.depth = ++stack->depth, .mask = mask, .role = role, .begin_ns = table->now_ns
	};
	stack->open |= mask;
	if (stack->n++ == 0)
		switch_open(table, stack);
	end_work(table, stack);
	return stack;
}

const struct open_slice *slice_stacks_end_named(struct slice_stacks *table,
						struct slice_stack *stack)
{
	stack->depth--;
	keep_open(table, stack, stack->n - 1);
	end_work(table, stack);
	return &stack->slices[stack->n];
}

void slice_stacks_drop(struct slice_stacks *table, int32_t tid)
{
	struct slice_stack *stack = slice_stacks_find(table, tid);

	if (stack)
		forget(table, stack);
}

void slice_stacks_lost(struct slice_stacks *table, int32_t kept_tid)
{
	for (unsigned int i = 0; i < table->n; i++)
		if (table->stacks[i].tid != kept_tid)
			forget(table, &table->stacks[i]);
}

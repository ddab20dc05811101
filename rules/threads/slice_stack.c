/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/threads/slice_stack.h"

#include <errno.h>
#include <stdlib.h>

#include "rules/base/memory.h"

int slice_stacks_init(struct slice_stacks *table, unsigned int max)
{
	*table = (struct slice_stacks){
		.max = max,
		.tids = memory_new(max, sizeof(*table->tids)),
		.stacks = memory_new(max, sizeof(*table->stacks)),
	};
	return table->tids && table->stacks ? 0 : -ENOMEM;
}

void slice_stacks_free(struct slice_stacks *table)
{
	free(table->tids);
	free(table->stacks);
	table->tids = NULL;
	table->stacks = NULL;
}

static uint64_t bit_of(int32_t tid)
{
	return UINT64_C(1) << ((uint32_t)tid % 64);
}

static struct slice_stack *find(struct slice_stacks *table, int32_t tid)
{
	if (!slice_stacks_may_have(table, tid))
		return NULL;
	if (slice_stacks_found(table, tid))
		return slice_stacks_found(table, tid);
	for (unsigned int i = 0; i < table->n; i++) {
		if (table->tids[i] == tid) {
			table->found = i;
			return &table->stacks[i];
		}
	}
	return NULL;
}

static void leave(struct slice_stacks *table, struct slice_stack *stack)
{
	unsigned int i = (unsigned int)(stack - table->stacks);

	table->n--;
	if (i < table->n) {
		table->tids[i] = table->tids[table->n];
		table->stacks[i] = table->stacks[table->n];
	}
	table->some = 0;
	for (i = 0; i < table->n; i++)
		table->some |= bit_of(table->tids[i]);
}

static struct slice_stack *enter(struct slice_stacks *table, int32_t tid)
{
	struct slice_stack *oldest = &table->stacks[0], *stack;

	if (table->n == table->max) {
		for (unsigned int i = 1; i < table->n; i++)
			if (table->stacks[i].last_use < oldest->last_use)
				oldest = &table->stacks[i];
		table->evicted++;
		leave(table, oldest);
	}
	table->tids[table->n] = tid;
	table->some |= bit_of(tid);
	stack = &table->stacks[table->n];
	stack->tid = tid;
	stack->depth = stack->open = stack->n = 0;
	table->found = table->n++;
	return stack;
}

static void drop_last(struct slice_stack *stack)
{
	stack->n--;
	stack->open = 0;
	for (unsigned int i = 0; i < stack->n; i++)
		stack->open |= stack->slices[i].mask;
}

/* Removes a slice that cannot be open any more, and all slices inside it: their ends were lost. */
static void drop_open(struct slice_stacks *table, struct slice_stack *stack, uint32_t closed)
{
	while (stack->n > 0 && (stack->open & closed)) {
		stack->depth = stack->slices[stack->n - 1].depth - 1;
		drop_last(stack);
		table->unbalanced++;
	}
}

uint32_t slice_stacks_open(const struct slice_stacks *table, int32_t tid)
{
	const struct slice_stack *stack;

	if (!slice_stacks_may_have(table, tid))
		return 0;
	stack = slice_stacks_found(table, tid);
	if (stack)
		return stack->open;
	for (unsigned int i = 0; i < table->n; i++)
		if (table->tids[i] == tid)
			return table->stacks[i].open;
	return 0;
}

uint32_t slice_stacks_open_before(const struct slice_stacks *table, int32_t tid, uint64_t uses)
{
	uint32_t open = 0;

	for (unsigned int i = 0; i < table->n; i++)
		if (table->tids[i] == tid)
			for (unsigned int k = 0; k < table->stacks[i].n; k++)
				if (uses >= table->uses ||
				    (int32_t)(table->stacks[i].slices[k].use - (uint32_t)uses) <= 0)
					open |= table->stacks[i].slices[k].mask;
	return open;
}

void slice_stacks_begin(struct slice_stacks *table, int32_t tid, uint32_t mask, uint32_t closed)
{
	struct slice_stack *stack = find(table, tid);

	if (!stack && !mask)
		return;
	if (!stack)
		stack = enter(table, tid);
	stack->last_use = ++table->uses;
	drop_open(table, stack, closed);
	stack->depth++;
	if (!mask)
		return;
	if (stack->n == SLICE_STACK_DEPTH) {
		table->unbalanced++;
		return;
	}
	stack->slices[stack->n++] =
		(struct open_slice){ stack->depth, mask, (uint32_t)table->uses };
	stack->open |= mask;
}

uint32_t slice_stacks_end_any(struct slice_stacks *table, int32_t tid)
{
	struct slice_stack *stack = find(table, tid);
	uint32_t before, after;

	if (!stack)
		return 0;
	before = stack->open;
	if (stack->n > 0 && stack->slices[stack->n - 1].depth == stack->depth)
		drop_last(stack);
	if (stack->depth > 0)
		stack->depth--;
	after = stack->open;
	if (stack->n == 0)
		leave(table, stack);
	return before & ~after;
}

void slice_stacks_drop(struct slice_stacks *table, int32_t tid)
{
	struct slice_stack *stack = find(table, tid);

	if (!stack)
		return;
	table->unbalanced += stack->n;
	leave(table, stack);
}

void slice_stacks_lost(struct slice_stacks *table, int32_t kept_tid)
{
	for (unsigned int i = table->n; i > 0; i--) {
		struct slice_stack *stack = &table->stacks[i - 1];

		if (stack->tid == kept_tid)
			continue;
		table->unbalanced += stack->n;
		leave(table, stack);
	}
}

void slice_stacks_forget(struct slice_stacks *table)
{
	for (unsigned int i = 0; i < table->n; i++)
		table->unbalanced += table->stacks[i].n;
	table->n = 0;
	table->some = 0;
}

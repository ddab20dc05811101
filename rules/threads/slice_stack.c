/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/threads/slice_stack.h"

#include <errno.h>
#include <stdlib.h>

#include "parser/record.h"
#include "rules/base/memory.h"
#include "rules/base/table.h"
#include "rules/language/ruleset_match.h"

int slice_stacks_init(struct slice_stacks *table, unsigned int max)
{
	*table = (struct slice_stacks){
		.max = max,
		.threads.tids = memory_new(max, sizeof(*table->threads.tids)),
		.stacks = memory_new(max, sizeof(*table->stacks)),
	};
	return table->threads.tids && table->stacks ? 0 : -ENOMEM;
}

void slice_stacks_free(struct slice_stacks *table)
{
	free(table->threads.tids);
	free(table->stacks);
	table->threads.tids = NULL;
	table->stacks = NULL;
}

struct slice_stack *slice_stacks_find(struct slice_stacks *table, int32_t tid)
{
	int at = thread_set_find(&table->threads, tid);

	return at < 0 ? NULL : &table->stacks[at];
}

static void end_work(struct slice_stacks *table, struct slice_stack *stack)
{
	if (stack->work.process == 0)
		return;
	table->work_ends(table->context, &stack->work, table->now_ns);
	stack->work.process = 0;
}

static void leave(struct slice_stacks *table, struct slice_stack *stack)
{
	end_work(table, stack);
	if (thread_set_remove(&table->threads, (unsigned int)(stack - table->stacks)))
		*stack = table->stacks[table->threads.n];
}

static void drop_last(struct slice_stack *stack)
{
	stack->n--;
	stack->open = 0;
	for (unsigned int i = 0; i < stack->n; i++)
		stack->open |= stack->slices[i].mask;
}

uint32_t slice_stacks_open(struct slice_stacks *table, int32_t tid)
{
	const struct slice_stack *stack = slice_stacks_find(table, tid);

	return stack ? stack->open : 0;
}

uint32_t slice_stacks_open_before(struct slice_stacks *table, int32_t tid, uint64_t uses)
{
	const struct slice_stack *stack = slice_stacks_find(table, tid);
	uint32_t open = 0;

	for (unsigned int k = 0; stack && k < stack->n; k++)
		if (uses >= table->uses || (int32_t)(stack->slices[k].use - (uint32_t)uses) <= 0)
			open |= stack->slices[k].mask;
	return open;
}

struct slice_stack *slice_stacks_begin(struct slice_stacks *table, int32_t tid, uint32_t mask,
				       uint32_t closed)
{
	struct slice_stack *stack = slice_stacks_find(table, tid);

	if (!stack && !mask)
		return NULL;
	if (!stack) {
		if (table->threads.n == table->max) {
			leave(table,
			      &table->stacks[TABLE_LEAST(table->stacks, table->max, last_use)]);
			table->evicted++;
		}
		stack = &table->stacks[thread_set_add(&table->threads, tid)];
		stack->depth = stack->open = stack->n = stack->work.process = 0;
	}
	stack->last_use = ++table->uses;
	/* A slice that cannot be open any more, and all slices inside it: their ends were lost. */
	while (stack->n > 0 && (stack->open & closed)) {
		stack->depth = stack->slices[stack->n - 1].depth - 1;
		drop_last(stack);
		table->unbalanced++;
	}
	stack->depth++;
	if (mask && stack->n == SLICE_STACK_DEPTH) {
		table->unbalanced++;
	} else if (mask) {
		stack->slices[stack->n++] =
			(struct open_slice){ stack->depth, mask, (uint32_t)table->uses };
		stack->open |= mask;
	}
	if (!(stack->open & SLICE_WORK))
		end_work(table, stack);
	return stack;
}

uint32_t slice_stacks_end_any(struct slice_stacks *table, int32_t tid)
{
	struct slice_stack *stack = slice_stacks_find(table, tid);
	uint32_t before = stack ? stack->open : 0, after;

	if (!stack)
		return 0;
	if (stack->n > 0 && stack->slices[stack->n - 1].depth == stack->depth)
		drop_last(stack);
	if (stack->depth > 0)
		stack->depth--;
	after = stack->open;
	if (!(after & SLICE_WORK))
		end_work(table, stack);
	if (stack->n == 0)
		leave(table, stack);
	return before & ~after;
}

void slice_stacks_drop(struct slice_stacks *table, int32_t tid)
{
	struct slice_stack *stack = slice_stacks_find(table, tid);

	if (!stack)
		return;
	table->unbalanced += stack->n;
	leave(table, stack);
}

void slice_stacks_lost(struct slice_stacks *table, int32_t kept_tid)
{
	for (unsigned int i = table->threads.n; i > 0; i--) {
		struct slice_stack *stack = &table->stacks[i - 1];

		if (table->threads.tids[i - 1] == kept_tid)
			continue;
		table->unbalanced += stack->n;
		leave(table, stack);
	}
}

void slice_stacks_forget(struct slice_stacks *table)
{
	slice_stacks_lost(table, TRACE_ID_UNKNOWN);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/threads.h"

#include <errno.h>
#include <stdlib.h>

#include "rules/memory.h"

int threads_init(struct thread_table *table, unsigned int max)
{
	*table = (struct thread_table){
		.max = max,
		.tids = memory_new(max, sizeof(*table->tids)),
		.threads = memory_new(max, sizeof(*table->threads)),
	};
	return table->tids && table->threads ? 0 : -ENOMEM;
}

void threads_free(struct thread_table *table)
{
	free(table->tids);
	free(table->threads);
	table->tids = NULL;
	table->threads = NULL;
}

static struct thread *find(struct thread_table *table, int32_t tid)
{
	for (unsigned int i = 0; i < table->n; i++)
		if (table->tids[i] == tid)
			return &table->threads[i];
	return NULL;
}

static void leave(struct thread_table *table, struct thread *thread)
{
	unsigned int i = (unsigned int)(thread - table->threads);

	table->n--;
	table->tids[i] = table->tids[table->n];
	table->threads[i] = table->threads[table->n];
}

static struct thread *enter(struct thread_table *table, int32_t tid)
{
	struct thread *oldest = &table->threads[0];

	if (table->n == table->max) {
		for (unsigned int i = 1; i < table->n; i++)
			if (table->threads[i].last_use < oldest->last_use)
				oldest = &table->threads[i];
		table->evicted++;
		leave(table, oldest);
	}
	table->tids[table->n] = tid;
	table->threads[table->n] = (struct thread){ .tid = tid };
	return &table->threads[table->n++];
}

static void drop_last(struct thread *thread)
{
	thread->n--;
	thread->open = 0;
	for (unsigned int i = 0; i < thread->n; i++)
		thread->open |= thread->slices[i].mask;
}

/* A slice that cannot be open any more: its end was lost, and that of all above it. */
static void heal(struct thread_table *table, struct thread *thread, uint32_t closed)
{
	while (thread->n > 0 && (thread->open & closed)) {
		thread->depth = thread->slices[thread->n - 1].depth - 1;
		drop_last(thread);
		table->unbalanced++;
	}
}

uint32_t threads_open(const struct thread_table *table, int32_t tid)
{
	for (unsigned int i = 0; i < table->n; i++)
		if (table->tids[i] == tid)
			return table->threads[i].open;
	return 0;
}

void threads_begin(struct thread_table *table, int32_t tid, uint32_t mask, uint32_t closed)
{
	struct thread *thread = find(table, tid);

	if (!thread && !mask)
		return;
	if (!thread)
		thread = enter(table, tid);
	thread->last_use = ++table->uses;
	heal(table, thread, closed);
	thread->depth++;
	if (!mask)
		return;
	if (thread->n == THREAD_SLICES_MAX) {
		table->unbalanced++;
		return;
	}
	thread->slices[thread->n++] = (struct open_slice){ thread->depth, mask };
	thread->open |= mask;
}

void threads_end(struct thread_table *table, int32_t tid)
{
	struct thread *thread = find(table, tid);

	if (!thread)
		return;
	if (thread->n > 0 && thread->slices[thread->n - 1].depth == thread->depth)
		drop_last(thread);
	if (thread->depth > 0)
		thread->depth--;
	if (thread->n == 0)
		leave(table, thread);
}

void threads_forget(struct thread_table *table)
{
	for (unsigned int i = 0; i < table->n; i++)
		table->unbalanced += table->threads[i].n;
	table->n = 0;
}

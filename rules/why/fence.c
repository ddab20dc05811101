/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/why/fence.h"

#include <string.h>

#include "rules/base/interval.h"

/* A wait for a fence that is done takes some 10 us. One that ends within this time of its begin may
 * be such a wait, even if the thread was not run for some of it. */
#define NO_WAIT_NS UINT64_C(100000)
/* The wait for a fence that was queued no longer than this before the thread was free ends late by
 * less than this, which is little beside a frame. */
#define BEHIND_NS UINT64_C(500000)

/* The list of that kind and process. NULL: it is not in the table, and not to be added. */
static struct fence_list *list_of(struct fence_table *table, int32_t process, enum fence_kind kind,
				  bool add)
{
	struct fence_list *list;

	for (unsigned int i = 0; i < table->n_lists; i++)
		if (table->lists[i].process == process && table->lists[i].kind == kind)
			return &table->lists[i];
	if (!add)
		return NULL;
	if (table->n_lists < FENCE_LISTS_MAX) {
		list = &table->lists[table->n_lists++];
	} else {
		list = &table->lists[TABLE_LEAST(table->lists, FENCE_LISTS_MAX, last_use)];
		table->evicted += list->n;
	}
	*list = (struct fence_list){ .process = process, .kind = kind };
	return list;
}

/* Removes the oldest @n. */
static void remove_oldest(struct fence_list *list, unsigned int n)
{
	list->n -= n;
	memmove(&list->entries[0], &list->entries[n], list->n * sizeof(list->entries[0]));
}

fence_id fences_queue(struct fence_table *table, int32_t process, int32_t thread,
		      const struct fence_mark *mark, uint64_t time_ns)
{
	struct fence_list *list = list_of(table, process, mark->kind, true);
	bool signaled = mark->step == FENCE_SIGNALED;

	list->last_use = ++table->uses;
	if (++table->last == FENCE_NONE)
		table->last++;
	*RING_AT(table->fences, table->last) = (struct fence){ .queued_ns = time_ns,
							       .thread = thread,
							       .done_ns = signaled ? time_ns : 0 };
	list->signaled += signaled;
	if (signaled)
		return table->last;
	if (list->n == FENCE_LIST_MAX) {
		remove_oldest(list, 1);
		table->evicted++;
	}
	list->entries[list->n++] =
		(struct fence_entry){ table->last, mark->number, list->signaled };
	return table->last;
}

fence_id fences_wait(struct fence_table *table, int32_t process, const struct fence_mark *mark,
		     uint64_t time_ns)
{
	struct fence_list *list = list_of(table, process, mark->kind, false);
	const struct fence *before;
	struct fence *fence;

	/* The wait for an older fence may be lost. */
	for (unsigned int i = 0; list && i < list->n; i++) {
		const struct fence_entry entry = list->entries[i];

		if (mark->number < entry.number ||
		    mark->number - entry.number > list->signaled - entry.signaled)
			continue;
		remove_oldest(list, i + 1);
		if (!fences_get(table, entry.id))
			return FENCE_NONE;
		fence = RING_AT(table->fences, entry.id);
		before = fences_get(table, list->waited);
		fence->waited_ns = time_ns;
		/* Fences of one thread signal in order, so only one of another thread may have been
		 * done before the last one was; and so may the next one of its own thread. */
		fence->behind = mark->kind == FENCE_GPU && before &&
				(before->thread != fence->thread ||
				 (before->behind && before->done_ns == 0)) &&
				since(fence->queued_ns, later(before->done_ns, before->waited_ns)) >
					BEHIND_NS;
		list->waited = entry.id;
		return entry.id;
	}
	return FENCE_NONE;
}

void fences_done(struct fence_table *table, fence_id id, uint64_t time_ns)
{
	struct fence *fence = RING_AT(table->fences, id);

	/* It had signalled before, while the thread waited for another one. */
	if (fence->behind && since(fence->waited_ns, time_ns) < NO_WAIT_NS)
		return;
	if (fences_get(table, id) && fence->done_ns == 0 && time_ns >= fence->queued_ns)
		fence->done_ns = time_ns;
}

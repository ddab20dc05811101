/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/why/fence.h"

#include <stddef.h>
#include <string.h>

#include "rules/base/table.h"

/* --- lists --- */

static struct fence_list *find_list(struct fence_table *table, int32_t process,
				    enum fence_kind kind)
{
	for (unsigned int i = 0; i < table->n_lists; i++)
		if (table->lists[i].process == process && table->lists[i].kind == kind)
			return &table->lists[i];
	return NULL;
}

static struct fence_list *find_or_add_list(struct fence_table *table, int32_t process,
					   enum fence_kind kind)
{
	struct fence_list *list = find_list(table, process, kind);

	if (!list) {
		if (table->n_lists < FENCE_LISTS_MAX) {
			list = &table->lists[table->n_lists++];
		} else {
			list = &table->lists[TABLE_LEAST(table->lists, FENCE_LISTS_MAX, last_use)];
			table->evicted += list->n;
		}
		*list = (struct fence_list){ .process = process, .kind = kind };
	}
	list->last_use = ++table->uses;
	return list;
}

/* Removes the oldest @n. */
static void remove_oldest(struct fence_list *list, unsigned int n)
{
	list->n -= n;
	memmove(&list->entries[0], &list->entries[n], list->n * sizeof(list->entries[0]));
}

static void add(struct fence_table *table, struct fence_list *list, struct fence_entry entry)
{
	if (list->n == FENCE_LIST_MAX) {
		remove_oldest(list, 1);
		table->evicted++;
	}
	list->entries[list->n++] = entry;
}

/* --- fences --- */

static struct fence *fence_of(struct fence_table *table, fence_id id)
{
	return &table->fences[id % FENCES_MAX];
}

const struct fence *fences_get(const struct fence_table *table, fence_id id)
{
	if (id == FENCE_NONE || table->last - id >= FENCES_MAX)
		return NULL;
	return &table->fences[id % FENCES_MAX];
}

fence_id fences_queue(struct fence_table *table, int32_t process, const struct fence_mark *mark,
		      uint64_t time_ns)
{
	struct fence_list *list = find_or_add_list(table, process, mark->kind);
	bool signaled = mark->step == FENCE_SIGNALED;
	fence_id id;

	if (++table->last == FENCE_NONE)
		table->last++;
	id = table->last;
	*fence_of(table, id) =
		(struct fence){ .queued_ns = time_ns, .done_ns = signaled ? time_ns : 0 };
	if (signaled)
		list->signaled++;
	else
		add(table, list, (struct fence_entry){ id, mark->number, list->signaled });
	return id;
}

/* True: @number may be the number of a wait for the fence of @entry. */
static bool fits(const struct fence_list *list, const struct fence_entry *entry, uint64_t number)
{
	return number >= entry->number &&
	       number - entry->number <= list->signaled - entry->signaled;
}

fence_id fences_wait(struct fence_table *table, int32_t process, const struct fence_mark *mark)
{
	struct fence_list *list = find_list(table, process, mark->kind);
	fence_id id;

	if (!list)
		return FENCE_NONE;
	/* The wait for an older fence may be lost. */
	for (unsigned int i = 0; i < list->n; i++) {
		if (!fits(list, &list->entries[i], mark->number))
			continue;
		id = list->entries[i].id;
		remove_oldest(list, i + 1);
		return id;
	}
	return FENCE_NONE;
}

void fences_done(struct fence_table *table, fence_id id, uint64_t time_ns)
{
	struct fence *fence = fence_of(table, id);

	if (fences_get(table, id) && fence->done_ns == 0 && time_ns >= fence->queued_ns)
		fence->done_ns = time_ns;
}

void fences_forget(struct fence_table *table)
{
	table->n_lists = 0;
}

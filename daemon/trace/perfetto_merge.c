/* SPDX-License-Identifier: Apache-2.0 */
/* Merges the events of a perfetto trace into the order of time.
 *
 * Events are added region by region. A bundle has events of one CPU, which are in order already; so
 * a region consists of some runs of events in order. Runs wait in a heap for their next event, and
 * nothing is sorted:
 *
 *     region:  12 14 18 | 11 13 | 10 19        heap:  10 11 12
 */
#include "daemon/trace/perfetto_parts.h"

#include <stdlib.h>
#include <string.h>

/* Events, each with its bytes behind it. */
struct perfetto_region_events {
	char *bytes;
	size_t len, size;
	size_t n_runs; /* that have events */
};

bool perfetto_grow(void **array, size_t *capacity, size_t n, size_t size, size_t max)
{
	size_t more = *capacity ? *capacity : 256;
	void *grown;

	if (n > max)
		return false;
	while (more < n)
		more *= 2;
	if (more == *capacity)
		return true;
	grown = realloc(*array, more * size);
	if (!grown)
		return false;
	*array = grown;
	*capacity = more;
	return true;
}

/* The first half moves down into a heap, with the last of all on top; then what is on top goes
 * behind the heap, and the end of the heap moves down from the top. */
void perfetto_sort(void *array, size_t n, size_t size,
		   int (*compare)(const void *left, const void *right))
{
	char *items = array, moved[128];

	for (size_t down = n / 2; n > 1;) {
		size_t at = 0, child;

		if (down > 0) {
			at = --down;
			memcpy(moved, items + at * size, size);
		} else {
			memcpy(moved, items + --n * size, size);
			memcpy(items + n * size, items, size);
		}
		for (; (child = 2 * at + 1) < n; at = child) {
			if (child + 1 < n &&
			    compare(items + child * size, items + (child + 1) * size) < 0)
				child++;
			if (compare(moved, items + child * size) >= 0)
				break;
			memcpy(items + at * size, items + child * size, size);
		}
		memcpy(items + at * size, moved, size);
	}
}

static bool is_before(const struct perfetto_run *a, const struct perfetto_run *b)
{
	return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->order < b->order);
}

/* With its bytes, and aligned. */
static size_t size_of(size_t len)
{
	return sizeof(struct perfetto_event) + (len + 7) / 8 * 8;
}

/* --- adding --- */

void perfetto_merge_begin_region(struct perfetto_merge *merge, uint64_t order)
{
	merge->added = calloc(1, sizeof(*merge->added));
	merge->last = (struct perfetto_run){ .order = order << 20, .region = merge->added };
}

/* Moves the last run into the heap, which has space for it. */
static void end_run(struct perfetto_merge *merge)
{
	size_t i = merge->n, parent;

	if (merge->last.at == merge->last.end)
		return;
	for (merge->n++; i > 0; i = parent) {
		parent = (i - 1) / 2;
		if (!is_before(&merge->last, &merge->runs[parent]))
			break;
		merge->runs[i] = merge->runs[parent];
	}
	merge->runs[i] = merge->last;
	merge->bytes += sizeof(*merge->runs);
	merge->added->n_runs++;
	merge->last.at = merge->last.end;
}

bool perfetto_merge_add(struct perfetto_merge *merge, const struct perfetto_event *event,
			struct span bytes)
{
	struct perfetto_region_events *added = merge->added;
	size_t len = size_of(bytes.len);
	struct perfetto_event *copy;
	struct perfetto_run *last = &merge->last;

	if (!added || len > PERFETTO_EVENTS_MAX ||
	    !perfetto_grow((void **)&added->bytes, &added->size, added->len + len, 1,
			   PERFETTO_EVENTS_MAX))
		return false;
	if (last->at == last->end || event->time_ns < merge->last_ns) {
		end_run(merge);
		if (!perfetto_grow((void **)&merge->runs, &merge->capacity, merge->n + 1,
				   sizeof(*merge->runs), SIZE_MAX))
			return false;
		*last = (struct perfetto_run){ event->time_ns, last->order + 1, added, added->len,
					       added->len };
	}
	merge->last_ns = event->time_ns;
	copy = (struct perfetto_event *)(added->bytes + added->len);
	*copy = *event;
	copy->len = (uint32_t)bytes.len & 0xffffff; /* fewer than PERFETTO_EVENTS_MAX */
	if (bytes.len > 0)
		memcpy(copy + 1, bytes.ptr, bytes.len);
	added->len += len;
	last->end = added->len;
	return true;
}

static void free_region(struct perfetto_merge *merge, struct perfetto_region_events *region)
{
	merge->bytes -= region->size;
	free(region->bytes);
	free(region);
}

void perfetto_merge_end_region(struct perfetto_merge *merge)
{
	if (merge->added) {
		char *trimmed = realloc(merge->added->bytes, merge->added->len + 1);

		end_run(merge);
		if (trimmed) {
			merge->added->bytes = trimmed;
			merge->added->size = merge->added->len + 1;
		}
		merge->bytes += merge->added->size;
		if (merge->added->n_runs == 0)
			free_region(merge, merge->added);
	}
	merge->added = NULL;
}

/* --- removing --- */

static struct perfetto_event *event_of(const struct perfetto_run *run)
{
	return (struct perfetto_event *)(run->region->bytes + run->at);
}

struct perfetto_event *perfetto_merge_first(const struct perfetto_merge *merge)
{
	return event_of(&merge->runs[0]);
}

void perfetto_merge_remove_first(struct perfetto_merge *merge)
{
	struct perfetto_run first = merge->runs[0];
	size_t i = 0, child;

	first.at += size_of(event_of(&first)->len);
	if (first.at == first.end) {
		if (--first.region->n_runs == 0)
			free_region(merge, first.region);
		first = merge->runs[--merge->n];
		merge->bytes -= sizeof(first);
	} else {
		first.time_ns = event_of(&first)->time_ns;
	}
	for (; (child = 2 * i + 1) < merge->n; i = child) {
		if (child + 1 < merge->n && is_before(&merge->runs[child + 1], &merge->runs[child]))
			child++;
		if (!is_before(&merge->runs[child], &first))
			break;
		merge->runs[i] = merge->runs[child];
	}
	merge->runs[i] = first;
}

void perfetto_merge_free(struct perfetto_merge *merge)
{
	while (merge->n > 0)
		perfetto_merge_remove_first(merge);
	free(merge->runs);
}

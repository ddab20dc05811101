/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/perfetto_block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is stored of an event; its bytes follow. */
struct stored {
	uint64_t number;
	int32_t cpu, tid;
	uint32_t kind;
	uint32_t len;
};

static int make_space(struct perfetto_block *block, size_t len)
{
	if (block->n == block->capacity) {
		size_t capacity = block->capacity ? 2 * block->capacity : 256;
		void *entries = realloc(block->entries, capacity * sizeof(*block->entries));

		if (!entries)
			return -ENOMEM;
		block->entries = entries;
		block->capacity = capacity;
	}
	if (block->len + len > block->size) {
		size_t size = block->size ? block->size : 16384;
		char *bytes;

		while (size < block->len + len)
			size *= 2;
		bytes = realloc(block->bytes, size);
		if (!bytes)
			return -ENOMEM;
		block->bytes = bytes;
		block->size = size;
	}
	return 0;
}

int perfetto_block_add(struct perfetto_block *block, const struct perfetto_event *event)
{
	struct stored stored = {
		.number = event->number,
		.cpu = event->cpu,
		.tid = event->tid,
		.kind = event->kind,
		.len = (uint32_t)event->bytes.len,
	};
	size_t len = sizeof(stored) + event->bytes.len;
	int error;

	if (len > PERFETTO_BLOCK_MAX ||
	    block->len + len + (block->n + 1) * sizeof(*block->entries) > PERFETTO_BLOCK_MAX)
		return -ENOSPC;
	error = make_space(block, len);
	if (error < 0)
		return error;
	block->entries[block->n++] = (struct perfetto_block_entry){ event->time_ns, block->len };
	memcpy(block->bytes + block->len, &stored, sizeof(stored));
	if (event->bytes.len > 0)
		memcpy(block->bytes + block->len + sizeof(stored), event->bytes.ptr,
		       event->bytes.len);
	block->len += len;
	return 0;
}

/* The end of the stretch in order that begins at @begin. */
static size_t run_end(const struct perfetto_block_entry *entries, size_t n, size_t begin)
{
	size_t end = begin + 1;

	while (end < n && entries[end - 1].time_ns <= entries[end].time_ns)
		end++;
	return end < n ? end : n;
}

/* Merges two stretches, which are one after the other. */
static void merge(struct perfetto_block_entry *to, const struct perfetto_block_entry *a,
		  const struct perfetto_block_entry *b, const struct perfetto_block_entry *end)
{
	const struct perfetto_block_entry *a_end = b;

	while (a < a_end && b < end)
		*to++ = b->time_ns < a->time_ns ? *b++ : *a++;
	while (a < a_end)
		*to++ = *a++;
	while (b < end)
		*to++ = *b++;
}

/* Merges stretches by pairs. Returns true if they were two at most: now all is in order. */
static bool merge_runs(const struct perfetto_block_entry *from, struct perfetto_block_entry *to,
		       size_t n)
{
	size_t begin = 0, end = 0;

	for (; end < n; begin = end) {
		size_t middle = run_end(from, n, begin);

		end = middle < n ? run_end(from, n, middle) : n;
		merge(to + begin, from + begin, from + middle, from + end);
		if (begin == 0 && end == n)
			return true;
	}
	return false;
}

/* A region has some bundles, and each of them is in order. */
int perfetto_block_sort(struct perfetto_block *block)
{
	struct perfetto_block_entry *from = block->entries, *to, *copy;
	bool is_sorted = false;

	if (block->n < 2 || run_end(from, block->n, 0) == block->n)
		return 0;
	copy = malloc(block->n * sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	for (to = copy; !is_sorted; to = from == copy ? block->entries : copy) {
		is_sorted = merge_runs(from, to, block->n);
		from = to;
	}
	if (from == copy)
		memcpy(block->entries, copy, block->n * sizeof(*copy));
	free(copy);
	return 0;
}

uint64_t perfetto_block_time(const struct perfetto_block *block)
{
	return block->next < block->n ? block->entries[block->next].time_ns : UINT64_MAX;
}

void perfetto_block_pop(struct perfetto_block *block, struct perfetto_event *event)
{
	const struct perfetto_block_entry *entry = &block->entries[block->next++];
	struct stored stored;

	memcpy(&stored, block->bytes + entry->at, sizeof(stored));
	*event = (struct perfetto_event){
		.time_ns = entry->time_ns,
		.kind = (enum perfetto_event_kind)stored.kind,
		.cpu = stored.cpu,
		.tid = stored.tid,
		.number = stored.number,
		.bytes = { block->bytes + entry->at + sizeof(stored), stored.len },
	};
}

size_t perfetto_block_memory(const struct perfetto_block *block)
{
	return block->capacity * sizeof(*block->entries) + block->size;
}

void perfetto_block_clear(struct perfetto_block *block)
{
	block->n = block->next = 0;
	block->len = 0;
}

void perfetto_block_free(struct perfetto_block *block)
{
	free(block->entries);
	free(block->bytes);
	*block = (struct perfetto_block){ 0 };
}

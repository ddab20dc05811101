/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/perfetto_block.h"

#include <stdlib.h>
#include <string.h>

/* What is stored of an event; its bytes follow. */
struct stored {
	uint64_t number;
	int32_t cpu, tid;
	uint32_t kind;
	uint32_t len;
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

bool perfetto_block_add(struct perfetto_block *block, const struct perfetto_event *event)
{
	struct stored stored = {
		.number = event->number,
		.cpu = event->cpu,
		.tid = event->tid,
		.kind = event->kind,
		.len = (uint32_t)event->bytes.len,
	};
	size_t len = sizeof(stored) + event->bytes.len;

	if (len > PERFETTO_BLOCK_MAX ||
	    block->len + len + (block->n + 1) * sizeof(*block->entries) > PERFETTO_BLOCK_MAX ||
	    !perfetto_grow((void **)&block->entries, &block->capacity, block->n + 1,
			   sizeof(*block->entries), PERFETTO_BLOCK_MAX) ||
	    !perfetto_grow((void **)&block->bytes, &block->size, block->len + len, 1,
			   PERFETTO_BLOCK_MAX))
		return false;
	block->entries[block->n++] = (struct perfetto_block_entry){ event->time_ns, block->len };
	memcpy(block->bytes + block->len, &stored, sizeof(stored));
	if (event->bytes.len > 0)
		memcpy(block->bytes + block->len + sizeof(stored), event->bytes.ptr,
		       event->bytes.len);
	block->len += len;
	return true;
}

/* Events of the same time were stored one behind the other. */
static int compare(const void *left, const void *right)
{
	const struct perfetto_block_entry *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

void perfetto_block_sort(struct perfetto_block *block)
{
	if (block->n > 1)
		qsort(block->entries, block->n, sizeof(*block->entries), compare);
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

void perfetto_block_free(struct perfetto_block *block)
{
	free(block->entries);
	free(block->bytes);
	*block = (struct perfetto_block){ 0 };
}

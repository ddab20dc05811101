/* SPDX-License-Identifier: Apache-2.0 */
/* The events of one region of a perfetto trace, in the order of time. */
#ifndef JANKD_DAEMON_TRACE_PERFETTO_BLOCK_H
#define JANKD_DAEMON_TRACE_PERFETTO_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/span.h"

/* The most bytes of a block. Only a hostile region has more. */
#define PERFETTO_BLOCK_MAX (4u << 20)

enum perfetto_event_kind { PERFETTO_EVENT_PRINT, PERFETTO_EVENT_LOST, PERFETTO_EVENT_TIMELINE };

struct perfetto_event {
	uint64_t time_ns;
	enum perfetto_event_kind kind;
	int32_t cpu, tid; /* or TRACE_ID_UNKNOWN */
	uint64_t number;  /* PERFETTO_EVENT_TIMELINE: the sequence */
	struct span bytes;
};

struct perfetto_block_entry {
	uint64_t time_ns;
	size_t at; /* in the bytes */
};

struct perfetto_block {
	struct perfetto_block_entry *entries;
	size_t n, capacity, next;
	char *bytes;
	size_t len, size;
};

/* Makes space for @n elements of @size bytes in all, @max at most. Returns false if there is none.
 */
bool perfetto_grow(void **array, size_t *capacity, size_t n, size_t size, size_t max);

/* Copies an event. Returns false if the block is full, or memory is short. */
bool perfetto_block_add(struct perfetto_block *block, const struct perfetto_event *event);

/* All events were added: brings them into order, events of the same time as they were added. */
void perfetto_block_sort(struct perfetto_block *block);

/* The time of the next event; UINT64_MAX: there is none. */
uint64_t perfetto_block_time(const struct perfetto_block *block);

/* Removes the next event, which must exist. *event borrows from the block. */
void perfetto_block_pop(struct perfetto_block *block, struct perfetto_event *event);

/* Bytes of memory that it uses. */
size_t perfetto_block_memory(const struct perfetto_block *block);

void perfetto_block_free(struct perfetto_block *block);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Merges the events of a perfetto trace into the order of time.
 *
 * Events are added region by region. A bundle has events of one CPU, which are in order already; so
 * a region consists of some runs of events in order. Runs wait in a heap for their next event, and
 * nothing is sorted:
 *
 *     region:  12 14 18 | 11 13 | 10 19        heap:  10 11 12
 */
#ifndef JANKD_DAEMON_TRACE_PERFETTO_MERGE_H
#define JANKD_DAEMON_TRACE_PERFETTO_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/span.h"

/* The most bytes of a region's events. Only a hostile region has more. */
#define PERFETTO_EVENTS_MAX (4u << 20)

enum perfetto_event_kind { PERFETTO_EVENT_PRINT, PERFETTO_EVENT_LOST, PERFETTO_EVENT_TIMELINE };

/* Its bytes are behind it. */
struct perfetto_event {
	uint64_t time_ns;
	uint64_t number; /* PERFETTO_EVENT_TIMELINE: the sequence */
	enum perfetto_event_kind kind;
	int32_t cpu, tid; /* or TRACE_ID_UNKNOWN */
	uint32_t len;	  /* set by perfetto_merge_add() */
};

struct perfetto_region_events;

struct perfetto_run {
	uint64_t time_ns; /* of the next event */
	uint64_t order;	  /* of runs with the same time */
	struct perfetto_region_events *region;
	size_t at, end; /* in the bytes of the region */
};

/* All zeros: empty. */
struct perfetto_merge {
	struct perfetto_run *runs; /* a heap */
	size_t n, capacity;
	struct perfetto_region_events *added; /* the region that events are added to, or NULL */
	struct perfetto_run last;	      /* its last run, which is not in the heap yet, */
	uint64_t last_ns;		      /* and the time of that one's last event */
	size_t bytes;			      /* of all regions and runs */
};

/* Makes space for @n elements of @size bytes in all, @max at most. Returns false if there is none.
 */
bool perfetto_grow(void **array, size_t *capacity, size_t n, size_t size, size_t max);

/* Sorts @n elements of @size bytes, 128 at most, in their place: qsort() may copy all of them. Of
 * two that are equal either may be the first. */
void perfetto_sort(void *array, size_t n, size_t size,
		   int (*compare)(const void *left, const void *right));

/* A region's events follow. @order: its place in the trace. Events of the same time come in the
 * order of the regions, and then as they were added. */
void perfetto_merge_begin_region(struct perfetto_merge *merge, uint64_t order);

/* Copies an event and its bytes. Returns false if the region has too many, or memory is short. */
bool perfetto_merge_add(struct perfetto_merge *merge, const struct perfetto_event *event,
			struct span bytes);

void perfetto_merge_end_region(struct perfetto_merge *merge);

/* The time of the next event; UINT64_MAX: there is none. */
uint64_t perfetto_merge_time(const struct perfetto_merge *merge);

/* The next event, which must exist; valid until it is removed. */
struct perfetto_event *perfetto_merge_first(const struct perfetto_merge *merge);
void perfetto_merge_remove_first(struct perfetto_merge *merge);

void perfetto_merge_free(struct perfetto_merge *merge);

#endif

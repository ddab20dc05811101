/* SPDX-License-Identifier: Apache-2.0 */
/* Events that the trace causes, for events.csv. Their number is limited, whatever the trace is: an
 * app can cause most of them any number of times. */
#ifndef JANKD_RULES_STREAM_EVENTS_H
#define JANKD_RULES_STREAM_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/base/row.h"

struct event_writer {
	struct row_sink sink;
	const uint64_t *records; /* of the trace so far; borrowed */
	struct event_limit {
		uint64_t written;
		uint64_t last_record; /* number of the record of the last event */
		uint64_t suppressed;  /* events of this kind since then */
	} limits[TRACE_EVENT_KINDS];
};

/* False: an event of that kind is suppressed now, and counted: it needs no text. */
bool events_are_written(struct event_writer *events, enum trace_event_kind kind);

/**
 * events_write() - write an event
 * @text: up to 1 KB
 *
 * After the first 100 of a kind, at most one in a thousand records is written, with the number of
 * those suppressed before it. The limit counts records and not time, as rate_limit.h does: an app
 * can also forge times, and then the size of events.csv would not be bounded by the size of the
 * trace. Returns false if the event was suppressed.
 */
bool events_write(struct event_writer *events, uint64_t time_ns, enum trace_event_kind kind,
		  const char *text);

/* The trace ends: reports the number of suppressed events. */
void events_end(struct event_writer *events, uint64_t time_ns);

/* All zeros: nothing was reported yet. */
struct overflow {
	uint64_t reported; /* the sum of all counts then */
	uint64_t reported_ns;
};

struct overflow_count {
	const char *of; /* what a full table has no space for; NULL: the end of the list */
	uint64_t count;
};

/* Reports the overflow of full tables: at once, then from time to time, and with @last, as the
 * trace ends, the final numbers. @counts: since the start of the trace. */
void overflow_report(struct overflow *overflow, const struct overflow_count *counts,
		     struct event_writer *events, uint64_t time_ns, bool last);

#endif

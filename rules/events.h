/* SPDX-License-Identifier: Apache-2.0 */
/* What the trace gave reason for, to events.csv: bounded, whatever the trace does. */
#ifndef JANKD_RULES_EVENTS_H
#define JANKD_RULES_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/row.h"

struct event_writer {
	struct row_sink sink;
	uint64_t records; /* of the trace so far; the owner counts */
	struct event_limit {
		uint64_t written;
		uint64_t last_record; /* number of the record that the last one came with */
		uint64_t withheld;    /* since then */
	} limits[TRACE_EVENT_KINDS];
};

/**
 * events_write() - an event happened
 * @text: as far as 1 KB
 *
 * Any app can make events of most kinds happen, as often as it likes: after the first ones of a
 * kind, one in a thousand records is written and tells of those that were not.
 * Returns false where it was not written.
 */
bool events_write(struct event_writer *events, uint64_t time_ns, enum trace_event_kind kind,
		  const char *text);

/* The trace ends: tells of those that were not written and that none has told of. */
void events_end(struct event_writer *events, uint64_t time_ns);

#endif

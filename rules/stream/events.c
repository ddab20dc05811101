/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/stream/events.h"

#include <stdio.h>

#define EVENTS_FREE 100
#define RECORDS_PER_EVENT 1000
#define EVENT_TEXT_SIZE 1100

bool events_write(struct event_writer *events, uint64_t time_ns, enum trace_event_kind kind,
		  const char *text)
{
	struct event_limit *limit = &events->limits[kind];
	struct trace_event event = { time_ns, kind, text };
	char longer[EVENT_TEXT_SIZE];

	if (!events->sink.event)
		return false;
	if (limit->written >= EVENTS_FREE &&
	    events->records < limit->last_record + RECORDS_PER_EVENT) {
		limit->suppressed++;
		return false;
	}
	if (limit->suppressed > 0) {
		snprintf(longer, sizeof(longer), "%s (%llu similar events suppressed)", text,
			 (unsigned long long)limit->suppressed);
		event.text = longer;
	}
	*limit = (struct event_limit){ limit->written + 1, events->records, 0 };
	events->sink.event(events->sink.context, &event);
	return true;
}

void events_end(struct event_writer *events, uint64_t time_ns)
{
	for (int kind = 0; kind < TRACE_EVENT_KINDS; kind++) {
		struct event_limit *limit = &events->limits[kind];
		char text[64];
		struct trace_event event = { time_ns, (enum trace_event_kind)kind, text };

		if (limit->suppressed == 0 || !events->sink.event)
			continue;
		snprintf(text, sizeof(text), "%llu more events of this kind were suppressed",
			 (unsigned long long)limit->suppressed);
		limit->suppressed = 0;
		events->sink.event(events->sink.context, &event);
	}
}

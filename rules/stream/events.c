/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/stream/events.h"

#include <stdio.h>

#define EVENTS_FREE 100
#define RECORDS_PER_EVENT 1000
#define EVENT_TEXT_SIZE 1100

/* Interval between two reports, in trace time: an app can fill a table any number of times. */
#define REPORT_EVERY_NS UINT64_C(10000000000)

bool events_are_written(struct event_writer *events, enum trace_event_kind kind)
{
	struct event_limit *limit = &events->limits[kind];

	if (!events->sink.row)
		return false;
	if (limit->written < EVENTS_FREE ||
	    *events->records >= limit->last_record + RECORDS_PER_EVENT)
		return true;
	limit->suppressed++;
	return false;
}

bool events_write(struct event_writer *events, uint64_t time_ns, enum trace_event_kind kind,
		  const char *text)
{
	struct event_limit *limit = &events->limits[kind];
	struct trace_event event = { time_ns, kind, text };
	char longer[EVENT_TEXT_SIZE];

	if (!events_are_written(events, kind))
		return false;
	if (limit->suppressed > 0) {
		snprintf(longer, sizeof(longer), "%s (%llu similar events suppressed)", text,
			 (unsigned long long)limit->suppressed);
		event.text = longer;
	}
	*limit = (struct event_limit){ limit->written + 1, *events->records, 0 };
	events->sink.row(events->sink.context, ROW_EVENTS, &event);
	return true;
}

void events_end(struct event_writer *events, uint64_t time_ns)
{
	for (int kind = 0; kind < TRACE_EVENT_KINDS; kind++) {
		struct event_limit *limit = &events->limits[kind];
		char text[64];
		struct trace_event event = { time_ns, (enum trace_event_kind)kind, text };

		if (limit->suppressed == 0 || !events->sink.row)
			continue;
		snprintf(text, sizeof(text), "%llu more events of this kind were suppressed",
			 (unsigned long long)limit->suppressed);
		limit->suppressed = 0;
		events->sink.row(events->sink.context, ROW_EVENTS, &event);
	}
}

void overflow_report(struct overflow *overflow, const struct overflow_count *counts,
		     struct event_writer *events, uint64_t time_ns, bool last)
{
	const char *between = "tables full; so far: ";
	uint64_t total = 0;
	char text[512];
	size_t len = 0;

	for (const struct overflow_count *one = counts; one->of; one++)
		total += one->count;
	/* An earlier time is one of another clock. */
	if (total == overflow->reported ||
	    (!last && overflow->reported_ns > 0 && time_ns >= overflow->reported_ns &&
	     time_ns - overflow->reported_ns < REPORT_EVERY_NS))
		return;
	for (; counts->of; counts++) {
		if (counts->count == 0)
			continue;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%llu %s", between,
					(unsigned long long)counts->count, counts->of);
		between = ", ";
	}
	if (!events_write(events, time_ns, TRACE_EVENT_LOST, text))
		return;
	*overflow = (struct overflow){ total, time_ns };
}

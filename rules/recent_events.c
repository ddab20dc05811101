/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/recent_events.h"

#include <stdio.h>
#include <string.h>

#include "rules/surface.h"

static void add(struct recent_events *log, uint64_t time_ns, struct span name, bool is_tick)
{
	uint64_t space = RECENT_EVENTS_NAMES_SIZE - log->n_names % RECENT_EVENTS_NAMES_SIZE;
	char *text;

	/* A name does not wrap around the end. */
	if (space < RECENT_EVENTS_NAME_SIZE)
		log->n_names += space;
	text = &log->names[log->n_names % RECENT_EVENTS_NAMES_SIZE];
	name_copy(text, RECENT_EVENTS_NAME_SIZE, name);
	log->entries[log->n++ % RECENT_EVENTS_MAX] = (struct recent_event){
		.time_ns = time_ns,
		.name = log->n_names,
		.is_tick = is_tick,
	};
	log->n_names += strlen(text) + 1;
}

static const char *name_of(const struct recent_events *log, const struct recent_event *entry)
{
	return &log->names[entry->name % RECENT_EVENTS_NAMES_SIZE];
}

void recent_events_add_tick(struct recent_events *log, uint64_t time_ns, struct span name)
{
	add(log, time_ns, name, true);
}

void recent_events_add_counter(struct recent_events *log, uint64_t time_ns, struct span name)
{
	add(log, time_ns, name, false);
}

/* The entry @back entries before the last; NULL if it or its name is overwritten. */
static const struct recent_event *entry_at(const struct recent_events *log, uint64_t back)
{
	const struct recent_event *entry = &log->entries[(log->n - 1 - back) % RECENT_EVENTS_MAX];

	if (back >= log->n || back >= RECENT_EVENTS_MAX ||
	    log->n_names - entry->name > RECENT_EVENTS_NAMES_SIZE)
		return NULL;
	return entry;
}

static bool is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at++) {
		bool begins = at == list || (at - list >= 2 && at[-2] == ';' && at[-1] == ' ');
		bool ends = at[length] == '\0' || (at[length] == ';' && at[length + 1] == ' ');

		if (begins && ends)
			return true;
	}
	return false;
}

static void list_counter(struct recent_events *log, const char *name)
{
	size_t used = strlen(log->counters);

	if (used + strlen(name) + 3 > sizeof(log->counters) || is_listed(log->counters, name))
		return;
	snprintf(log->counters + used, sizeof(log->counters) - used, "%s%s", used ? "; " : "",
		 name);
}

void recent_events_describe(struct recent_events *log, uint64_t from_ns, uint64_t to_ns)
{
	const struct recent_event *entry;
	uint64_t back = 0;

	log->tick[0] = '\0';
	log->counters[0] = '\0';
	while ((entry = entry_at(log, back)) && (entry->time_ns >= from_ns || !log->tick[0])) {
		if (entry->is_tick && entry->time_ns < to_ns && !log->tick[0])
			name_copy(log->tick, sizeof(log->tick), span_of(name_of(log, entry)));
		back++;
	}
	/* From the oldest on, to list them in the order of the trace. */
	while (back-- > 0) {
		entry = entry_at(log, back);
		if (!entry->is_tick && entry->time_ns >= from_ns && entry->time_ns < to_ns)
			list_counter(log, name_of(log, entry));
	}
}

const char *recent_events_tick(const struct recent_events *log)
{
	return log->tick;
}

const char *recent_events_counters(const struct recent_events *log)
{
	return log->counters;
}

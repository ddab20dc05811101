/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/recent_events.h"

#include <string.h>

#include "rules/surface.h"

/* Updates the block of the entry that is added next. */
static void add_to_block(struct recent_events *log, uint64_t time_ns)
{
	uint64_t block = log->n / RECENT_EVENTS_BLOCK;
	uint64_t *earliest_ns =
		&log->earliest_ns[block % (RECENT_EVENTS_MAX / RECENT_EVENTS_BLOCK)];

	if (log->n % RECENT_EVENTS_BLOCK == 0 || time_ns < *earliest_ns)
		*earliest_ns = time_ns;
}

static void add(struct recent_events *log, uint64_t time_ns, struct span name, bool is_tick)
{
	uint32_t space = RECENT_EVENTS_NAMES_SIZE - log->n_names % RECENT_EVENTS_NAMES_SIZE;
	size_t length;
	char *text;

	/* A name does not wrap around the end. */
	if (space < RECENT_EVENTS_NAME_SIZE)
		log->n_names += space;
	text = &log->names[log->n_names % RECENT_EVENTS_NAMES_SIZE];
	name_copy(text, RECENT_EVENTS_NAME_SIZE, name);
	length = strlen(text);
	add_to_block(log, time_ns);
	log->entries[log->n++ % RECENT_EVENTS_MAX] = (struct recent_event){
		.time_ns = time_ns,
		.name = log->n_names,
		.length = length & 127,
		.is_tick = is_tick,
	};
	log->n_names += (uint32_t)length + 1;
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
static struct recent_event *entry_at(struct recent_events *log, uint64_t back)
{
	struct recent_event *entry = &log->entries[(log->n - 1 - back) % RECENT_EVENTS_MAX];

	if (back >= log->n || back >= RECENT_EVENTS_MAX ||
	    log->n_names - entry->name > RECENT_EVENTS_NAMES_SIZE)
		return NULL;
	return entry;
}

/* How many of the last entries are in blocks that have no event before @to_ns. */
static uint64_t skip_newer(const struct recent_events *log, uint64_t to_ns)
{
	uint64_t end = log->n;

	while (end > 0) {
		uint64_t block = (end - 1) / RECENT_EVENTS_BLOCK;
		uint64_t back = log->n - block * RECENT_EVENTS_BLOCK;

		/* The oldest block is overwritten in part. */
		if (back > RECENT_EVENTS_MAX - RECENT_EVENTS_BLOCK ||
		    log->earliest_ns[block % (RECENT_EVENTS_MAX / RECENT_EVENTS_BLOCK)] < to_ns)
			break;
		end = block * RECENT_EVENTS_BLOCK;
	}
	return log->n - end;
}

/* A name is in many texts, but its hash is computed once, and 8 bytes at a time. */
static uint32_t hash_of(const struct recent_events *log, struct recent_event *entry)
{
	const char *text = name_of(log, entry);
	uint64_t hash = entry->length;

	if (entry->hash != 0)
		return entry->hash;
	for (size_t at = 0; at < entry->length; at += 8) {
		size_t left = entry->length - at;
		uint64_t word = 0;

		memcpy(&word, text + at, left < 8 ? left : 8);
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	entry->hash = (hash | 1) & 0xffffff;
	return entry->hash;
}

static bool is_same(const struct recent_events *log, const struct recent_event *a,
		    const struct recent_event *b)
{
	return a->hash == b->hash && a->length == b->length &&
	       memcmp(name_of(log, a), name_of(log, b), a->length) == 0;
}

/* The place of the entry's name in the table, or the free place for it. */
static uint16_t *place_of(struct recent_events *log, struct recent_event *entry)
{
	uint32_t at = hash_of(log, entry) / 2;

	for (;; at++) {
		uint16_t *place = &log->listed[at % RECENT_EVENTS_LISTED];

		if (*place == 0 || is_same(log, &log->entries[*place - 1], entry))
			return place;
	}
}

static void append(struct recent_events *log, const char *text, size_t length)
{
	memcpy(log->counters + log->n_counters, text, length);
	log->n_counters += length;
	log->counters[log->n_counters] = '\0';
}

static void list_counter(struct recent_events *log, struct recent_event *entry)
{
	uint16_t *place;

	if (entry->length == 0 || log->n_counters + entry->length + 3 > sizeof(log->counters))
		return;
	place = place_of(log, entry);
	if (*place != 0)
		return;
	*place = (uint16_t)(1 + (entry - log->entries));
	if (log->n_counters > 0)
		append(log, "; ", 2);
	append(log, name_of(log, entry), entry->length);
}

void recent_events_describe(struct recent_events *log, uint64_t from_ns, uint64_t to_ns)
{
	struct recent_event *entry;
	uint64_t newer = skip_newer(log, to_ns), back = newer;

	log->tick[0] = '\0';
	log->counters[0] = '\0';
	log->n_counters = 0;
	memset(log->listed, 0, sizeof(log->listed));
	while ((entry = entry_at(log, back)) && (entry->time_ns >= from_ns || !log->tick[0])) {
		if (entry->is_tick && entry->time_ns < to_ns && !log->tick[0])
			name_copy(log->tick, sizeof(log->tick), span_of(name_of(log, entry)));
		back++;
	}
	/* From the oldest on, to list them in the order of the trace. */
	while (back-- > newer) {
		entry = entry_at(log, back);
		if (!entry->is_tick && entry->time_ns >= from_ns && entry->time_ns < to_ns)
			list_counter(log, entry);
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

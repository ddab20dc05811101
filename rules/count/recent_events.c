/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/recent_events.h"

#include <string.h>

#include "rules/language/surface.h"

/* Of recent_events.n_names. */
#define NAMES_MODULUS (UINT32_C(1) << 31)

_Static_assert(NAMES_MODULUS % RECENT_EVENTS_NAMES_SIZE == 0, "places do not change as it wraps");

/* Updates the block of the entry that is added next. */
static void add_to_block(struct recent_events *log, uint64_t time_ns)
{
	uint64_t block = log->n / RECENT_EVENTS_BLOCK;
	uint64_t *earliest_ns =
		&log->earliest_ns[block % (RECENT_EVENTS_MAX / RECENT_EVENTS_BLOCK)];

	if (log->n % RECENT_EVENTS_BLOCK == 0 || time_ns < *earliest_ns)
		*earliest_ns = time_ns;
}

/* Bytes of names so far, from @at to now. */
static uint32_t names_since(const struct recent_events *log, uint32_t at)
{
	return (log->n_names - at) % NAMES_MODULUS;
}

static struct recent_name *name_at(struct recent_events *log, uint32_t at)
{
	return (struct recent_name *)(void *)&log->names[at % RECENT_EVENTS_NAMES_SIZE];
}

static bool is_name(const struct recent_name *name, uint32_t hash, const char *text, size_t length)
{
	return name->hash == hash && name->length == length &&
	       memcmp(name->text, text, length) == 0;
}

static uint32_t add_name(struct recent_events *log, uint32_t hash, const char *text, size_t length)
{
	uint32_t space = RECENT_EVENTS_NAMES_SIZE - log->n_names % RECENT_EVENTS_NAMES_SIZE, at;
	struct recent_name *name;

	/* A name does not wrap around the end. */
	if (space < sizeof(*name))
		log->n_names += space;
	at = log->n_names % NAMES_MODULUS;
	name = name_at(log, at);
	name->hash = hash;
	name->length = (uint32_t)length;
	name->listed_in = 0;
	memcpy(name->text, text, length);
	log->n_names = at + (uint32_t)((offsetof(struct recent_name, text) + length + 7) & ~7U);
	return at;
}

/* Where the name is stored. One that will be overwritten soon is stored again. */
static uint32_t find_name(struct recent_events *log, struct span name)
{
	size_t most = RECENT_EVENTS_NAME_SIZE - 1;
	size_t length = name.len < most ? name.len : most;
	const char *text = length > 0 ? name.ptr : "";
	uint32_t hash = (uint32_t)name_hash((struct span){ text, length });
	uint32_t *known = &log->known[hash % RECENT_EVENTS_KNOWN];
	uint32_t since = names_since(log, *known);

	if (since == 0 || since > RECENT_EVENTS_NAMES_SIZE / 2 ||
	    !is_name(name_at(log, *known), hash, text, length))
		*known = add_name(log, hash, text, length);
	return *known;
}

void recent_events_add(struct recent_events *log, uint64_t time_ns, struct span name, bool is_tick)
{
	uint64_t place = log->n % RECENT_EVENTS_MAX;

	add_to_block(log, time_ns);
	log->time_ns[place] = time_ns;
	log->name[place] = (struct recent_event_name){
		.at = find_name(log, name) % NAMES_MODULUS,
		.is_tick = is_tick,
	};
	log->n++;
}

/* The end of the entries, without the last blocks that have no event before @to_ns. */
static uint64_t end_before(const struct recent_events *log, uint64_t to_ns)
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
	return end;
}

/* The place of the name in the table, or the free place for it. */
static struct recent_listed *place_of(struct recent_events *log, const struct recent_name *name)
{
	for (uint32_t at = name->hash;; at++) {
		struct recent_listed *place = &log->listed[at % RECENT_EVENTS_LISTED];

		if (place->in != log->n_texts ||
		    is_name(name_at(log, place->at), name->hash, name->text, name->length))
			return place;
	}
}

static void list_counter(struct recent_events *log, uint32_t at)
{
	struct recent_name *name = name_at(log, at);
	struct recent_listed *place;

	if (name->listed_in == log->n_texts || name->length == 0 ||
	    log->n_counters + name->length + 3 > sizeof(log->counters))
		return;
	name->listed_in = log->n_texts;
	place = place_of(log, name);
	if (place->in == log->n_texts)
		return;
	*place = (struct recent_listed){ .in = log->n_texts, .at = at };
	if (log->n_counters > 0) {
		log->counters[log->n_counters++] = ';';
		log->counters[log->n_counters++] = ' ';
	}
	memcpy(log->counters + log->n_counters, name->text, name->length);
	log->n_counters += name->length;
	log->counters[log->n_counters] = '\0';
}

static void set_tick(struct recent_events *log, uint32_t at)
{
	const struct recent_name *name = name_at(log, at);

	name_copy(log->tick, sizeof(log->tick), (struct span){ name->text, name->length });
}

/* Finds the last tick before @to_ns. Returns the first entry that may be of @from_ns or later,
 * @end at most; that entry and those after it are not overwritten, and neither are their names. */
static uint64_t find_tick(struct recent_events *log, uint64_t from_ns, uint64_t to_ns, uint64_t end)
{
	uint64_t oldest = log->n > RECENT_EVENTS_MAX ? log->n - RECENT_EVENTS_MAX : 0;

	for (; end > oldest; end--) {
		size_t place = (end - 1) % RECENT_EVENTS_MAX;
		struct recent_event_name name = log->name[place];

		if ((log->tick[0] && log->time_ns[place] < from_ns) ||
		    names_since(log, name.at) > RECENT_EVENTS_NAMES_SIZE)
			break;
		if (!log->tick[0] && name.is_tick && log->time_ns[place] < to_ns)
			set_tick(log, name.at);
	}
	return end;
}

void recent_events_describe(struct recent_events *log, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t end = end_before(log, to_ns);

	log->tick[0] = '\0';
	log->counters[0] = '\0';
	log->n_counters = 0;
	log->n_texts++;
	for (uint64_t i = find_tick(log, from_ns, to_ns, end); i < end; i++) {
		size_t place = i % RECENT_EVENTS_MAX;

		if (!log->name[place].is_tick && log->time_ns[place] >= from_ns &&
		    log->time_ns[place] < to_ns)
			list_counter(log, log->name[place].at);
	}
}

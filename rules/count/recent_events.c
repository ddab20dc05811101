/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/recent_events.h"

#include <string.h>

#include "rules/language/surface.h"

void recent_events_add(struct recent_events *log, uint64_t time_ns, struct span name, bool is_tick)
{
	size_t most = RECENT_EVENTS_NAME_SIZE - 1;
	const struct span cut = { name.len > 0 ? name.ptr : "", name.len < most ? name.len : most };
	/* The highest bits depend on all bytes of the name, also on the last ones. */
	uint32_t hash = (uint32_t)(name_hash(cut) >> 32), place = hash >> RECENT_EVENTS_SHIFT;
	struct recent_name *found = NULL, *oldest = &log->names[place];
	uint64_t at = log->n++ % RECENT_EVENTS_MAX;
	uint64_t *earliest_ns = &log->earliest_ns[at / RECENT_EVENTS_BLOCK];

	log->time_ns[at] = time_ns;
	if (at % RECENT_EVENTS_BLOCK == 0 || time_ns < *earliest_ns)
		*earliest_ns = time_ns;
	/* A new name replaces the one of its places that was not used for longest. */
	for (uint32_t i = 0; i < RECENT_EVENTS_WAYS && !found; i++) {
		struct recent_name *one = &log->names[(place + i) % RECENT_EVENTS_NAMES];

		if (one->last > 0 && one->hash == hash && one->length == cut.len &&
		    memcmp(one->text, cut.ptr, cut.len) == 0)
			found = one;
		else if (one->last < oldest->last)
			oldest = one;
	}
	if (!found) {
		found = oldest;
		*found = (struct recent_name){ log->n, log->n, 0, hash, (uint32_t)cut.len, "" };
		memcpy(found->text, cut.ptr, cut.len);
	}
	found->last = log->n;
	log->event[at].name = (uint16_t)(found - log->names) % RECENT_EVENTS_NAMES;
	log->event[at].is_tick = is_tick;
}

void recent_events_describe(struct recent_events *log, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t kept = log->n - log->forgotten;
	uint64_t oldest = log->n - (kept < RECENT_EVENTS_MAX ? kept : RECENT_EVENTS_MAX);
	uint64_t end = log->n, first;
	size_t length = 0;

	/* Several frames of one present have the same text. */
	if (kept > 0 && log->described_n == log->n && log->from_ns == from_ns &&
	    log->to_ns == to_ns)
		return;
	log->described_n = log->n;
	log->from_ns = from_ns;
	log->to_ns = to_ns;
	log->tick[0] = '\0';
	log->counters[0] = '\0';
	log->n_texts++;
	/* The last blocks may have none before @to_ns. The oldest one is overwritten in part. */
	while (end > oldest) {
		uint64_t begin = (end - 1) / RECENT_EVENTS_BLOCK * RECENT_EVENTS_BLOCK;

		if (begin < oldest ||
		    log->earliest_ns[begin % RECENT_EVENTS_MAX / RECENT_EVENTS_BLOCK] < to_ns)
			break;
		end = begin;
	}
	for (first = end; first > oldest; first--) {
		size_t at = (first - 1) % RECENT_EVENTS_MAX;
		const struct recent_name *name = &log->names[log->event[at].name];

		if (log->tick[0] && log->time_ns[at] < from_ns)
			break;
		if (!log->tick[0] && log->event[at].is_tick && log->time_ns[at] < to_ns &&
		    first >= name->first)
			name_copy(log->tick, sizeof(log->tick),
				  (struct span){ name->text, name->length });
	}
	for (; first < end; first++) {
		size_t at = first % RECENT_EVENTS_MAX;
		struct recent_name *name = &log->names[log->event[at].name];

		/* Another name may have taken the place since then. */
		if (log->event[at].is_tick || log->time_ns[at] < from_ns ||
		    log->time_ns[at] >= to_ns || first + 1 < name->first ||
		    name->listed_in == log->n_texts || name->length == 0 ||
		    length + name->length + 3 > sizeof(log->counters))
			continue;
		name->listed_in = log->n_texts;
		if (length > 0) {
			memcpy(log->counters + length, "; ", 2);
			length += 2;
		}
		memcpy(log->counters + length, name->text, name->length);
		length += name->length;
		log->counters[length] = '\0';
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/threads/candidate.h"

/* A candidate that is silent for this long is dropped. */
#define SILENT_NS UINT64_C(1000000000)

int candidate_init(struct candidate *c)
{
	*c = (struct candidate){ .last_ns = 0 };
	return held_init(&c->held, HELD_SIZE);
}

void candidate_free(struct candidate *c)
{
	held_free(&c->held);
}

bool candidate_is(const struct candidate *c, const struct trace_record *record)
{
	return c->sf.known && surfaceflinger_is(&c->sf, record->pid, record->tgid);
}

bool candidate_can_be_replaced(const struct candidate *c, const struct trace_record *record,
			       bool named)
{
	return !c->sf.known || (named && c->presents == 0) ||
	       record->time_ns > c->last_ns + SILENT_NS;
}

void candidate_begin(struct candidate *c, const struct trace_record *record)
{
	struct held_records held = c->held;

	held_remove(&held, held.used);
	*c = (struct candidate){ .sf = SURFACEFLINGER_UNKNOWN,
				 .last_ns = record->time_ns,
				 .held = held };
	c->sf.known = true;
	c->sf.pid = record->pid;
	c->sf.tgid = record->tgid;
}

bool candidate_hold(struct candidate *c, enum held_kind kind, const struct trace_record *record,
		    uint32_t open)
{
	struct trace_record its = *record;

	its.writer = TRACE_WRITER_UNKNOWN;
	its.cpu = TRACE_ID_UNKNOWN;
	its.tgid = c->sf.tgid;
	its.pid = c->sf.pid;
	its.comm = its.track = SPAN_NULL;
	if (!held_add(&c->held, &its, (uint64_t)open << 2 | (uint64_t)kind))
		return false;
	c->last_ns = record->time_ns;
	return true;
}

bool candidate_next(const struct candidate *c, size_t *at, enum held_kind *kind,
		    struct trace_record *record, uint32_t *open)
{
	uint64_t note;

	if (*at >= c->held.used)
		return false;
	*at = held_read(&c->held, *at, record, &note);
	*kind = (enum held_kind)(note & 3);
	*open = (uint32_t)(note >> 2);
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/candidate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A candidate that is silent for this long is dropped. */
#define SILENT_NS UINT64_C(1000000000)

/* The name follows the struct. There is no padding between the name and the next struct. */
struct held_record {
	uint64_t time_ns;
	int64_t value;
	int32_t tid;
	uint32_t open;
	uint16_t length; /* of the name */
	uint8_t kind;
	uint8_t record_kind;
};

int candidate_init(struct candidate *c)
{
	*c = (struct candidate){ .held = calloc(1, HELD_SIZE) };
	return c->held ? 0 : -ENOMEM;
}

void candidate_free(struct candidate *c)
{
	free(c->held);
	c->held = NULL;
}

bool candidate_is(const struct candidate *c, const struct trace_record *record)
{
	return c->active && c->pid == record->pid &&
	       (c->tgid == record->tgid || c->tgid == TRACE_ID_UNKNOWN ||
		record->tgid == TRACE_ID_UNKNOWN);
}

bool candidate_can_be_replaced(const struct candidate *c, const struct trace_record *record,
			       bool named)
{
	return !c->active || (named && c->presents == 0) ||
	       record->time_ns > c->last_ns + SILENT_NS;
}

void candidate_begin(struct candidate *c, const struct trace_record *record)
{
	*c = (struct candidate){
		.active = true,
		.pid = record->pid,
		.tgid = record->tgid,
		.tid = TRACE_ID_UNKNOWN,
		.last_ns = record->time_ns,
		.held = c->held,
	};
}

bool candidate_hold(struct candidate *c, enum held_kind kind, const struct trace_record *record,
		    uint32_t open)
{
	struct held_record held = {
		.time_ns = record->time_ns,
		.value = record->value,
		.tid = record->tid,
		.open = open,
		.length = (uint16_t)record->name.len,
		.kind = (uint8_t)kind,
		.record_kind = (uint8_t)record->kind,
	};

	if (record->name.len > UINT16_MAX || sizeof(held) + record->name.len > HELD_SIZE - c->used)
		return false;
	memcpy(c->held + c->used, &held, sizeof(held));
	if (held.length > 0)
		memcpy(c->held + c->used + sizeof(held), record->name.ptr, held.length);
	c->used += sizeof(held) + held.length;
	c->last_ns = record->time_ns;
	return true;
}

bool candidate_next(const struct candidate *c, size_t *at, enum held_kind *kind,
		    struct trace_record *record, uint32_t *open)
{
	struct held_record held;

	if (*at >= c->used)
		return false;
	memcpy(&held, c->held + *at, sizeof(held));
	*record = (struct trace_record){
		.kind = (enum trace_kind)held.record_kind,
		.writer = TRACE_WRITER_UNKNOWN,
		.cpu = TRACE_ID_UNKNOWN,
		.tid = held.tid,
		.tgid = c->tgid,
		.pid = c->pid,
		.time_ns = held.time_ns,
		.value = held.value,
		.name = { c->held + *at + sizeof(held), held.length },
	};
	*kind = (enum held_kind)held.kind;
	*open = held.open;
	*at += sizeof(held) + held.length;
	return true;
}

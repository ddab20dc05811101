/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/trigger_gate.h"

#include <string.h>

bool trigger_gate_passes(const struct trigger_gate *gate, const struct trigger_gate_span *span)
{
	return gate->ever_open && span->end_ns >= gate->open.begin_ns &&
	       span->begin_ns <= gate->open.end_ns;
}

/* --- the kept rows --- */

/* Removes the oldest row. Its text is valid until the memory is used for others. */
static struct trigger_gate_row take_first(struct trigger_gate *gate)
{
	struct trigger_gate_row row;

	memcpy(&row, gate->bytes + gate->begin, sizeof(row));
	row.text.ptr = gate->bytes + gate->begin + sizeof(row);
	gate->begin += sizeof(row) + row.text.len;
	return row;
}

void trigger_gate_keep(struct trigger_gate *gate, const struct trigger_gate_row *row)
{
	size_t size = sizeof(*row) + row->text.len;

	/* Without space the oldest rows are dropped: at least a quarter of the memory is freed, so
	 * that the bytes are seldom moved. */
	if (gate->end + size > TRIGGER_GATE_BYTES) {
		while (gate->end - gate->begin > TRIGGER_GATE_BYTES / 4 * 3) {
			struct trigger_gate_row oldest = take_first(gate);

			/* It will be missing if the gate opens within five seconds. */
			if (oldest.span.end_ns + TRIGGER_GATE_BEFORE_NS < row->span.end_ns)
				continue;
			gate->dropped++;
			gate->dropped_ns = oldest.span.end_ns;
		}
		memmove(gate->bytes, gate->bytes + gate->begin, gate->end - gate->begin);
		gate->end -= gate->begin;
		gate->begin = 0;
	}
	memcpy(gate->bytes + gate->end, row, sizeof(*row));
	memcpy(gate->bytes + gate->end + sizeof(*row), row->text.ptr, row->text.len);
	gate->end += size;
}

/* --- open and closed --- */

uint64_t trigger_gate_open(struct trigger_gate *gate, uint64_t time_ns, void *context,
			   void (*pass)(void *context, const struct trigger_gate_row *row))
{
	uint64_t begin_ns = time_ns > TRIGGER_GATE_BEFORE_NS ? time_ns - TRIGGER_GATE_BEFORE_NS : 0;
	uint64_t missed = gate->dropped_ns >= begin_ns ? gate->dropped : 0;

	gate->ever_open = true;
	gate->open = (struct trigger_gate_span){ begin_ns, UINT64_MAX };
	while (gate->begin < gate->end) {
		const struct trigger_gate_row row = take_first(gate);

		if (trigger_gate_passes(gate, &row.span))
			pass(context, &row);
	}
	gate->begin = gate->end = 0;
	gate->dropped = 0;
	return missed;
}

void trigger_gate_close(struct trigger_gate *gate, uint64_t time_ns)
{
	gate->open.end_ns = time_ns;
}

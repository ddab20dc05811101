/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/stream/held_records.h"

#include <string.h>

/* The three texts follow the header. There is no padding between them and the next header. */
struct held_header {
	struct trace_record record;
	uint64_t note;
};

static void add_text(struct held_records *held, struct span text)
{
	if (text.len > 0)
		memcpy(held->bytes + held->used, text.ptr, text.len);
	held->used += text.len;
}

bool held_add(struct held_records *held, const struct trace_record *record, uint64_t note)
{
	struct held_header header = { *record, note };

	if (sizeof(header) + record->comm.len + record->name.len + record->track.len >
	    held->size - held->used)
		return false;
	memcpy(held->bytes + held->used, &header, sizeof(header));
	held->used += sizeof(header);
	add_text(held, record->comm);
	add_text(held, record->name);
	add_text(held, record->track);
	return true;
}

size_t held_read(const struct held_records *held, size_t at, struct trace_record *record,
		 uint64_t *note)
{
	struct held_header header;

	memcpy(&header, held->bytes + at, sizeof(header));
	at += sizeof(header);
	*record = header.record;
	*note = header.note;
	record->comm.ptr = held->bytes + at;
	at += record->comm.len;
	record->name.ptr = held->bytes + at;
	at += record->name.len;
	record->track.ptr = held->bytes + at;
	return at + record->track.len;
}

void held_remove(struct held_records *held, size_t at)
{
	held->used -= at;
	memmove(held->bytes, held->bytes + at, held->used);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/trigger_gate.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "rules/base/memory.h"

/* Five seconds of a dozen surfaces at 120 Hz, with every frame in frames.csv. */
#define TRIGGER_GATE_BYTES (2 * 1024 * 1024)

#define NAMES_MAX 5

/* For each file: the size of a row as a value, and the offsets of the names in it. */
static const struct layout {
	size_t size;
	unsigned int n;
	size_t names[NAMES_MAX];
} layouts[ROW_EVENTS] = {
	[ROW_FRAMES] = {
		sizeof(struct frame_row),
		3,
		{
			offsetof(struct frame_row, app),
			offsetof(struct frame_row, surface),
			offsetof(struct frame_row, layer),
		},
	},
	[ROW_DROPS] = {
		sizeof(struct drop_row),
		5,
		{
			offsetof(struct drop_row, tick),
			offsetof(struct drop_row, app),
			offsetof(struct drop_row, surface),
			offsetof(struct drop_row, info),
			offsetof(struct drop_row, layer),
		},
	},
	[ROW_DOFRAMES] = {
		sizeof(struct doframe_row),
		1,
		{
			offsetof(struct doframe_row, app),
		},
	},
	[ROW_TIMELINE] = {
		sizeof(struct timeline_row),
		3,
		{
			offsetof(struct timeline_row, app),
			offsetof(struct timeline_row, surface),
			offsetof(struct timeline_row, layer),
		},
	},
	[ROW_LATENCY] = {
		sizeof(struct latency_csv_row),
		3,
		{
			offsetof(struct latency_csv_row, app),
			offsetof(struct latency_csv_row, surface),
			offsetof(struct latency_csv_row, layer),
		},
	},
	[ROW_FPS] = {
		sizeof(struct fps_row),
		2,
		{
			offsetof(struct fps_row, app),
			offsetof(struct fps_row, surface),
		},
	},
};

/* The head of a kept row. The value follows, then its names with their NULs. */
struct kept {
	enum row_file which;
	struct trigger_gate_span span;
	size_t size; /* of head, value and names */
};

struct trigger_gate {
	bool ever_open; /* the gate was opened at least once */
	/* From five seconds before it was last opened until it was closed. */
	struct trigger_gate_span open;
	size_t begin, end;   /* of the kept rows */
	uint64_t dropped;    /* rows since then for which the memory had no space */
	uint64_t dropped_ns; /* the end of the last one */
	char bytes[TRIGGER_GATE_BYTES];
};

struct trigger_gate *trigger_gate_new(void)
{
	return memory_new(1, sizeof(struct trigger_gate));
}

struct trigger_gate *trigger_gate_free(struct trigger_gate *gate)
{
	free(gate);
	return NULL;
}

bool trigger_gate_passes(const struct trigger_gate *gate, const struct trigger_gate_span *span)
{
	return gate->ever_open && span->end_ns >= gate->open.begin_ns &&
	       span->begin_ns <= gate->open.end_ns;
}

/* --- the kept rows --- */

static struct kept first_kept(const struct trigger_gate *gate)
{
	struct kept kept;

	memcpy(&kept, gate->bytes + gate->begin, sizeof(kept));
	return kept;
}

/* Counts a dropped row. It will be missing if the gate opens within five seconds. */
static void count_dropped(struct trigger_gate *gate, const struct trigger_gate_span *span,
			  uint64_t now_ns)
{
	if (span->end_ns + TRIGGER_GATE_BEFORE_NS < now_ns)
		return;
	gate->dropped++;
	gate->dropped_ns = span->end_ns;
}

/* Drops the oldest rows if there is no space for @size bytes. Frees at least a quarter of the
 * memory, so that the bytes are seldom moved. */
static void make_space(struct trigger_gate *gate, size_t size, uint64_t now_ns)
{
	size_t wanted = size > TRIGGER_GATE_BYTES / 4 ? size : TRIGGER_GATE_BYTES / 4;

	if (gate->end + size <= TRIGGER_GATE_BYTES)
		return;
	while (gate->begin < gate->end && gate->end - gate->begin + wanted > TRIGGER_GATE_BYTES) {
		struct kept oldest = first_kept(gate);

		gate->begin += oldest.size;
		count_dropped(gate, &oldest.span, now_ns);
	}
	memmove(gate->bytes, gate->bytes + gate->begin, gate->end - gate->begin);
	gate->end -= gate->begin;
	gate->begin = 0;
}

static void append(struct trigger_gate *gate, const void *bytes, size_t len)
{
	memcpy(gate->bytes + gate->end, bytes, len);
	gate->end += len;
}

void trigger_gate_keep(struct trigger_gate *gate, const struct trigger_gate_row *row)
{
	const struct layout *layout = &layouts[row->which];
	struct kept kept = { row->which, row->span, sizeof(kept) + layout->size };
	size_t sizes[NAMES_MAX];
	const char *names[NAMES_MAX];

	for (unsigned int i = 0; i < layout->n; i++) {
		memcpy(&names[i], (const char *)row->value + layout->names[i], sizeof(names[i]));
		sizes[i] = strlen(names[i]) + 1;
		kept.size += sizes[i];
	}
	if (kept.size > TRIGGER_GATE_BYTES) {
		count_dropped(gate, &row->span, row->span.end_ns);
		return;
	}
	make_space(gate, kept.size, row->span.end_ns);
	append(gate, &kept, sizeof(kept));
	append(gate, row->value, layout->size);
	for (unsigned int i = 0; i < layout->n; i++)
		append(gate, names[i], sizes[i]);
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
		struct kept kept = first_kept(gate);
		const struct layout *layout = &layouts[kept.which];
		const char *at = gate->bytes + gate->begin + sizeof(kept);
		union {
			struct fps_row fps;
			struct drop_row drop;
			struct frame_row frame;
			struct doframe_row doframe;
			struct timeline_row timeline;
			struct latency_csv_row latency;
		} value;
		const struct trigger_gate_row row = { kept.which, kept.span, { &value } };

		gate->begin += kept.size;
		if (!trigger_gate_passes(gate, &kept.span))
			continue;
		memcpy(&value, at, layout->size);
		at += layout->size;
		for (unsigned int i = 0; i < layout->n; i++) {
			memcpy((char *)&value + layout->names[i], &at, sizeof(at));
			at += strlen(at) + 1;
		}
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

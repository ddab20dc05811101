/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/gate.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "rules/memory.h"

/* Five seconds of a dozen surfaces at 120 Hz, with every frame in frames.csv. */
#define GATE_BYTES (2 * 1024 * 1024)

#define NAMES_MAX 5

/* The size of each file's values, and the places of their names. */
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
	[ROW_FPS] = {
		sizeof(struct fps_row),
		2,
		{
			offsetof(struct fps_row, app),
			offsetof(struct fps_row, surface),
		},
	},
};

/* A kept row. The value and its names, with their NULs, follow. */
struct kept {
	enum row_file which;
	struct gate_span span;
	size_t size; /* with value and names */
};

struct gate {
	bool ever;	       /* the gate was opened at least once */
	struct gate_span open; /* the last time that it was open, with the five seconds before */
	size_t begin, end;     /* of the kept rows */
	uint64_t dropped;      /* rows since then that the full memory had no space for */
	uint64_t dropped_ns;   /* the end of the last of them */
	char bytes[GATE_BYTES];
};

struct gate *gate_new(void)
{
	return memory_new(1, sizeof(struct gate));
}

struct gate *gate_free(struct gate *gate)
{
	free(gate);
	return NULL;
}

bool gate_passes(const struct gate *gate, const struct gate_span *span)
{
	return gate->ever && span->end_ns >= gate->open.begin_ns &&
	       span->begin_ns <= gate->open.end_ns;
}

/* --- the kept rows --- */

static struct kept first_kept(const struct gate *gate)
{
	struct kept kept;

	memcpy(&kept, gate->bytes + gate->begin, sizeof(kept));
	return kept;
}

/* Counts a dropped row, which is missing if the gate opens soon. */
static void count_dropped(struct gate *gate, const struct gate_span *span, uint64_t now_ns)
{
	if (span->end_ns + GATE_BEFORE_NS < now_ns)
		return;
	gate->dropped++;
	gate->dropped_ns = span->end_ns;
}

/* Drops the oldest rows if there is no space for @size bytes. At least a quarter becomes free, so
 * that the bytes are moved seldom. */
static void make_space(struct gate *gate, size_t size, uint64_t now_ns)
{
	size_t wanted = size > GATE_BYTES / 4 ? size : GATE_BYTES / 4;

	if (gate->end + size <= GATE_BYTES)
		return;
	while (gate->begin < gate->end && gate->end - gate->begin + wanted > GATE_BYTES) {
		struct kept oldest = first_kept(gate);

		gate->begin += oldest.size;
		count_dropped(gate, &oldest.span, now_ns);
	}
	memmove(gate->bytes, gate->bytes + gate->begin, gate->end - gate->begin);
	gate->end -= gate->begin;
	gate->begin = 0;
}

static void append(struct gate *gate, const void *bytes, size_t len)
{
	memcpy(gate->bytes + gate->end, bytes, len);
	gate->end += len;
}

void gate_keep(struct gate *gate, const struct gate_row *row)
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
	if (kept.size > GATE_BYTES) {
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

uint64_t gate_open(struct gate *gate, uint64_t time_ns, void *context,
		   void (*pass)(void *context, const struct gate_row *row))
{
	uint64_t begin_ns = time_ns > GATE_BEFORE_NS ? time_ns - GATE_BEFORE_NS : 0;
	uint64_t missed = gate->dropped_ns >= begin_ns ? gate->dropped : 0;

	gate->ever = true;
	gate->open = (struct gate_span){ begin_ns, UINT64_MAX };
	while (gate->begin < gate->end) {
		struct kept kept = first_kept(gate);
		const struct layout *layout = &layouts[kept.which];
		const char *at = gate->bytes + gate->begin + sizeof(kept);
		union {
			struct fps_row fps;
			struct drop_row drop;
			struct frame_row frame;
		} value;
		const struct gate_row row = { kept.which, kept.span, { &value } };

		gate->begin += kept.size;
		if (!gate_passes(gate, &kept.span))
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

void gate_close(struct gate *gate, uint64_t time_ns)
{
	gate->open.end_ns = time_ns;
}

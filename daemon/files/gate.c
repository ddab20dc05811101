/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/gate.h"

#include <stdlib.h>
#include <string.h>

#include "rules/memory.h"

/* Five seconds of a dozen surfaces at 120 Hz, with every frame in frames.csv. */
#define GATE_BYTES (2 * 1024 * 1024)

/* A row that waits: this, then its bytes. */
struct waiting {
	unsigned int which;
	struct gate_span span;
	size_t len;
};

struct gate {
	bool ever;	       /* was it ever open? */
	struct gate_span open; /* the last time that it was: from five seconds before on */
	size_t begin, end;     /* of the rows that wait */
	uint64_t forgotten;    /* rows that found no room since it was open */
	uint64_t forgotten_ns; /* the end of the last of them */
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

/* --- the rows that wait --- */

static struct waiting waiting_at(const struct gate *gate, size_t at)
{
	struct waiting waiting;

	memcpy(&waiting, gate->bytes + at, sizeof(waiting));
	return waiting;
}

/* The oldest row goes. It is missed where the gate may still open in time for it. */
static void forget_oldest(struct gate *gate, uint64_t now_ns)
{
	struct waiting oldest = waiting_at(gate, gate->begin);

	gate->begin += sizeof(oldest) + oldest.len;
	if (oldest.span.end_ns + GATE_BEFORE_NS < now_ns)
		return;
	gate->forgotten++;
	gate->forgotten_ns = oldest.span.end_ns;
}

/* Whenever the end is reached, a quarter at least is made free: bytes are moved seldom. */
static void make_room(struct gate *gate, size_t size, uint64_t now_ns)
{
	size_t wanted = size > GATE_BYTES / 4 ? size : GATE_BYTES / 4;

	if (gate->end + size <= GATE_BYTES)
		return;
	while (gate->begin < gate->end && gate->end - gate->begin + wanted > GATE_BYTES)
		forget_oldest(gate, now_ns);
	memmove(gate->bytes, gate->bytes + gate->begin, gate->end - gate->begin);
	gate->end -= gate->begin;
	gate->begin = 0;
}

void gate_keep(struct gate *gate, unsigned int which, const struct gate_span *span, const char *row,
	       size_t len)
{
	struct waiting waiting = { which, *span, len };

	make_room(gate, sizeof(waiting) + len, span->end_ns);
	memcpy(gate->bytes + gate->end, &waiting, sizeof(waiting));
	memcpy(gate->bytes + gate->end + sizeof(waiting), row, len);
	gate->end += sizeof(waiting) + len;
}

/* --- open and closed --- */

uint64_t gate_open(struct gate *gate, uint64_t time_ns, void *context,
		   void (*row)(void *context, unsigned int which, const struct gate_span *span,
			       const char *row, size_t len))
{
	uint64_t begin_ns = time_ns > GATE_BEFORE_NS ? time_ns - GATE_BEFORE_NS : 0;
	uint64_t missed = gate->forgotten_ns >= begin_ns ? gate->forgotten : 0;

	gate->ever = true;
	gate->open = (struct gate_span){ begin_ns, UINT64_MAX };
	while (gate->begin < gate->end) {
		struct waiting waiting = waiting_at(gate, gate->begin);
		const char *bytes = gate->bytes + gate->begin + sizeof(waiting);

		gate->begin += sizeof(waiting) + waiting.len;
		if (gate_passes(gate, &waiting.span))
			row(context, waiting.which, &waiting.span, bytes, waiting.len);
	}
	gate->begin = gate->end = 0;
	gate->forgotten = 0;
	return missed;
}

void gate_close(struct gate *gate, uint64_t time_ns)
{
	gate->open.end_ns = time_ns;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Writes perfetto traces: messages of fields, packets of messages. */
#ifndef JANKD_TESTS_PACKETS_H
#define JANKD_TESTS_PACKETS_H

#include <stddef.h>
#include <stdint.h>

#include "parser/span.h"

/* Initialise with zeros; packets_free() frees it. */
struct packets {
	char *bytes;
	size_t len, size;
};

void packets_free(struct packets *packets);
struct span packets_span(const struct packets *packets);

/* Append a field. */
void packets_number(struct packets *message, unsigned int field, uint64_t value);
void packets_text(struct packets *message, unsigned int field, const char *text);
void packets_raw(struct packets *message, const void *bytes, size_t len);

/* Appends @part as a field, and empties it. */
void packets_add(struct packets *message, unsigned int field, struct packets *part);

/* Append a print event to a bundle, a bundle of one CPU to a trace. */
void packets_print(struct packets *bundle, uint64_t time_ns, int tid, const char *text);
void packets_bundle(struct packets *trace, unsigned int sequence, int cpu, struct packets *bundle);

/* A frame of FrameTimeline: expected and actual. @layer: NULL: of the display. */
struct packets_frame {
	uint64_t cookie; /* and the next one */
	uint64_t expected_ns, expected_end_ns, start_ns, end_ns;
	uint64_t token, display_token;
	const char *layer;
	uint64_t jank_type;
};

void packets_frame(struct packets *trace, const struct packets_frame *frame);

#endif

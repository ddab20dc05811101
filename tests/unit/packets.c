/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/packets.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "parser/perfetto.h"

void packets_free(struct packets *packets)
{
	free(packets->bytes);
	*packets = (struct packets){ 0 };
}

struct span packets_span(const struct packets *packets)
{
	return (struct span){ packets->bytes, packets->len };
}

void packets_raw(struct packets *message, const void *bytes, size_t len)
{
	if (message->len + len > message->size) {
		message->size = 2 * (message->len + len);
		message->bytes = realloc(message->bytes, message->size);
		if (!message->bytes)
			abort();
	}
	if (len > 0)
		memcpy(message->bytes + message->len, bytes, len);
	message->len += len;
}

static void varint(struct packets *message, uint64_t value)
{
	do {
		uint8_t byte = (uint8_t)(value & 0x7f);

		value >>= 7;
		byte |= value ? 0x80 : 0;
		packets_raw(message, &byte, 1);
	} while (value);
}

void packets_number(struct packets *message, unsigned int field, uint64_t value)
{
	varint(message, (uint64_t)field << 3);
	varint(message, value);
}

static void bytes(struct packets *message, unsigned int field, const void *from, size_t len)
{
	varint(message, (uint64_t)field << 3 | 2);
	varint(message, len);
	packets_raw(message, from, len);
}

void packets_text(struct packets *message, unsigned int field, const char *text)
{
	bytes(message, field, text, strlen(text));
}

void packets_add(struct packets *message, unsigned int field, struct packets *part)
{
	bytes(message, field, part->bytes, part->len);
	packets_free(part);
}

void packets_print(struct packets *bundle, uint64_t time_ns, int tid, const char *text)
{
	struct packets event = { 0 }, print = { 0 };

	packets_number(&event, 1, time_ns);
	packets_number(&event, 2, (uint64_t)tid);
	packets_number(&print, 1, 0xffffff8000000000);
	packets_text(&print, 2, text);
	packets_add(&event, 3, &print);
	packets_add(bundle, 2, &event);
}

void packets_bundle(struct packets *trace, unsigned int sequence, int cpu, struct packets *bundle)
{
	struct packets packet = { 0 };

	packets_number(bundle, 1, (uint64_t)cpu);
	packets_add(&packet, 1, bundle);
	packets_number(&packet, 10, sequence);
	packets_add(trace, 1, &packet);
}

/* Appends a packet with an event of FrameTimeline, on CLOCK_BOOTTIME. */
static void timeline(struct packets *trace, uint64_t time_ns, unsigned int kind,
		     struct packets *event)
{
	struct packets packet = { 0 }, message = { 0 };

	packets_add(&message, kind, event);
	packets_number(&packet, 58, 6);
	packets_number(&packet, 8, time_ns);
	packets_add(&packet, 76, &message);
	packets_number(&packet, 10, 4);
	packets_add(trace, 1, &packet);
}

/* The fields of an actual frame after its names; @at: the number of the first. */
static void actual(struct packets *event, unsigned int at, const struct packets_frame *frame)
{
	packets_number(event, at, 2);
	packets_number(event, at + 1, 0);
	packets_number(event, at + 2, 1);
	packets_number(event, at + 3, frame->jank_type);
	packets_number(event, at + 4, 1);
	if (frame->layer)
		packets_number(event, ++at + 4, 1);
	packets_number(event, at + 5, 3);
}

static void begin(struct packets *trace, const struct packets_frame *frame, bool is_actual)
{
	struct packets event = { 0 };
	unsigned int kind = is_actual ? TIMELINE_ACTUAL_DISPLAY : TIMELINE_EXPECTED_DISPLAY;

	packets_number(&event, 1, frame->cookie + is_actual);
	packets_number(&event, 2, frame->token);
	if (frame->layer) {
		packets_number(&event, 3, frame->display_token);
		packets_number(&event, 4, 300);
		packets_text(&event, 5, frame->layer);
		kind += 2;
	} else {
		packets_number(&event, 3, 100);
	}
	if (is_actual)
		actual(&event, frame->layer ? 6 : 4, frame);
	timeline(trace, is_actual ? frame->start_ns : frame->expected_ns, kind, &event);
}

static void end(struct packets *trace, uint64_t cookie, uint64_t time_ns)
{
	struct packets event = { 0 };

	packets_number(&event, 1, cookie);
	timeline(trace, time_ns, TIMELINE_END, &event);
}

void packets_frame(struct packets *trace, const struct packets_frame *frame)
{
	if (frame->expected_ns) {
		begin(trace, frame, false);
		end(trace, frame->cookie, frame->expected_end_ns);
	}
	begin(trace, frame, true);
	end(trace, frame->cookie + 1, frame->end_ns);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/timeline_stream.h"

#include <string.h>

#include "daemon/base/loop.h"
#include "daemon/trace/input.h"

/* The first byte of each packet: field 1, bytes. */
#define PACKET_TAG 0x0a

/* How long an event waits for earlier ones. */
#define HOLD_NS NS_PER_S

/* perfetto passes on what it has every second. A frame may have begun long before its end. */
#define OLDEST_NS (60 * NS_PER_S)
#define NEWEST_NS (10 * NS_PER_S)

void timeline_stream_init(struct timeline_stream *stream, int64_t boot_minus_monotonic_ns)
{
	stream->offset_ns[PERFETTO_CLOCK_MONOTONIC] = boot_minus_monotonic_ns;
	stream->has_offset[PERFETTO_CLOCK_MONOTONIC] = true;
}

/* --- what is held --- */

static void pass_first(struct timeline_stream *stream)
{
	const struct timeline_held *first = &stream->held[stream->begin++];
	const struct trace_record record = {
		.kind = TRACE_TIMELINE,
		.cpu = TRACE_ID_UNKNOWN,
		.tid = TRACE_ID_UNKNOWN,
		.tgid = TRACE_ID_UNKNOWN,
		.pid = TRACE_ID_UNKNOWN,
		.time_ns = first->time_ns,
		.value = (int64_t)first->sequence,
		.name = { stream->bytes[stream->half] + first->at, first->len },
	};

	stream->record(stream->context, &record);
}

void timeline_stream_pass(struct timeline_stream *stream, uint64_t until_ns)
{
	while (stream->begin < stream->end && stream->held[stream->begin].time_ns <= until_ns)
		pass_first(stream);
	if (stream->begin == stream->end)
		stream->begin = stream->end = stream->bytes_end = 0;
}

static bool has_space(const struct timeline_stream *stream, size_t len)
{
	return stream->end < TIMELINE_HELD_MAX && stream->bytes_end + len <= TIMELINE_HELD_BYTES;
}

/* Frees the space of events that were passed on: the others move to the other half. */
static void compact(struct timeline_stream *stream)
{
	const char *from = stream->bytes[stream->half];
	char *to = stream->bytes[stream->half ^= 1];

	stream->end -= stream->begin;
	memmove(stream->held, stream->held + stream->begin, stream->end * sizeof(stream->held[0]));
	stream->begin = stream->bytes_end = 0;
	for (unsigned int i = 0; i < stream->end; i++) {
		struct timeline_held *held = &stream->held[i];

		memcpy(to + stream->bytes_end, from + held->at, held->len);
		held->at = stream->bytes_end;
		stream->bytes_end += held->len;
	}
}

/* --- packets --- */

/* Returns NULL if the packet names no writer, or there are too many. */
static struct timeline_writer *writer_of(struct timeline_stream *stream, uint64_t id)
{
	for (unsigned int i = 0; i < TIMELINE_WRITERS && id != 0; i++) {
		struct timeline_writer *writer = &stream->writers[i];

		if (writer->id != 0 && writer->id != id)
			continue;
		writer->id = id;
		return writer;
	}
	return NULL;
}

static void read_packet(struct timeline_stream *stream, struct span bytes, uint64_t now_ns)
{
	struct perfetto_packet packet;
	bool whole = perfetto_packet_read(bytes, &packet), has_time = packet.has_time;
	struct timeline_writer *writer = writer_of(stream, packet.sequence);
	uint64_t boot_ns, clock = packet.clock, time_ns = packet.time_ns;
	struct perfetto_clocks clocks;
	unsigned int at;

	if (writer) {
		/* perfetto sets it in the first packet of each writer, too. */
		stream->counts.lost += packet.lost_before && writer->has_sent;
		writer->has_sent = true;
		if (packet.has_defaults)
			writer->clock = packet.default_clock;
	}
	if (packet.clocks.ptr) {
		whole &= perfetto_clocks_read(packet.clocks, &clocks);
		boot_ns = clocks.times_ns[PERFETTO_CLOCK_BOOTTIME];
		for (unsigned int i = 0; i < PERFETTO_CLOCKS; i++) {
			if (boot_ns == 0 || clocks.times_ns[i] == 0)
				continue;
			stream->offset_ns[i] = (int64_t)(boot_ns - clocks.times_ns[i]);
			stream->has_offset[i] = true;
		}
	}
	if (!whole)
		stream->damage = "a packet is corrupt";
	if (!whole || !packet.timeline.ptr)
		return;

	/* An event: its time on the boot clock. */
	stream->counts.events++;
	if (packet.timeline.len == 0)
		return;
	if (clock == PERFETTO_CLOCK_UNKNOWN && writer)
		clock = writer->clock;
	if (clock != PERFETTO_CLOCK_UNKNOWN && clock != PERFETTO_CLOCK_BOOTTIME) {
		int64_t ns = -1;

		has_time &=
			clock < PERFETTO_CLOCKS && stream->has_offset[clock] &&
			time_ns <= INT64_MAX &&
			!__builtin_add_overflow((int64_t)time_ns, stream->offset_ns[clock], &ns) &&
			ns >= 0;
		time_ns = (uint64_t)ns;
	}
	if (!has_time || time_ns == 0 || time_ns + OLDEST_NS < now_ns ||
	    time_ns > now_ns + NEWEST_NS) {
		stream->counts.untimely++;
		return;
	}

	/* It is held; what is held for long enough is passed on. */
	if (!has_space(stream, packet.timeline.len))
		compact(stream);
	/* Several at once, as all others are moved. */
	while (!has_space(stream, packet.timeline.len)) {
		for (at = stream->end / 8 + 1; at > 0; at--)
			pass_first(stream);
		compact(stream);
	}
	for (at = stream->end++; at > stream->begin; at--) {
		if (stream->held[at - 1].time_ns <= time_ns)
			break;
		stream->held[at] = stream->held[at - 1];
	}
	stream->held[at] = (struct timeline_held){
		.time_ns = time_ns,
		.sequence = packet.sequence,
		.at = stream->bytes_end,
		.len = (uint32_t)packet.timeline.len,
	};
	memcpy(stream->bytes[stream->half] + stream->bytes_end, packet.timeline.ptr,
	       packet.timeline.len);
	stream->bytes_end += (uint32_t)packet.timeline.len;
	if (time_ns > HOLD_NS)
		timeline_stream_pass(stream, time_ns - HOLD_NS);
}

void timeline_stream_add(struct timeline_stream *stream, struct span bytes, uint64_t now_ns)
{
	while (bytes.len > 0 && !stream->damage) {
		uint64_t skip = stream->skip < bytes.len ? stream->skip : bytes.len;
		enum perfetto_frame frame;
		struct span rest, packet;
		uint64_t needed;

		stream->skip -= skip;
		bytes = span_skip(bytes, (size_t)skip);
		stream->len += input_take(&bytes, stream->packet + stream->len,
					  sizeof(stream->packet) - stream->len);
		rest = (struct span){ stream->packet, stream->len };
		while ((frame = perfetto_frame(&rest, &packet, &needed)) == PERFETTO_FRAME_PACKET) {
			read_packet(stream, packet, now_ns);
			if (stream->damage)
				return;
		}
		if (frame != PERFETTO_FRAME_NONE || (rest.len > 0 && rest.ptr[0] != PACKET_TAG)) {
			stream->damage = "it is not a perfetto trace";
			return;
		}
		memmove(stream->packet, rest.ptr, rest.len);
		stream->len = rest.len;
		if (needed <= sizeof(stream->packet))
			continue;
		stream->counts.too_large++;
		stream->skip = needed - stream->len;
		stream->len = 0;
	}
}

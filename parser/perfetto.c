/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/perfetto.h"

#include "parser/protobuf.h"

/* The first byte of each packet: field 1, bytes. */
#define PACKET_TAG 0x0a

/* --- the stream --- */

/* A packet with its length; nearly all fields of a trace are packets. */
static enum perfetto_frame packet_frame(struct span *rest, struct span *packet, uint64_t *needed)
{
	struct span at = span_skip(*rest, 1);
	uint64_t len;

	if (!protobuf_varint(&at, &len)) {
		*needed = rest->len + 1;
		return at.len < 10 ? PERFETTO_FRAME_NONE : PERFETTO_FRAME_INVALID;
	}
	if (len > at.len) {
		uint64_t head = rest->len - at.len;

		*needed = len > UINT64_MAX - head ? UINT64_MAX : head + len;
		return PERFETTO_FRAME_NONE;
	}
	*packet = (struct span){ at.ptr, (size_t)len };
	*rest = span_skip(at, (size_t)len);
	return PERFETTO_FRAME_PACKET;
}

/* The most bytes of a field that is no packet: perfetto writes none. */
#define OTHER_MAX 4096

enum perfetto_frame perfetto_frame(struct span *rest, struct span *packet, uint64_t *needed)
{
	struct protobuf_field field;

	*needed = 0;
	if (rest->len == 0)
		return PERFETTO_FRAME_NONE;
	if ((uint8_t)rest->ptr[0] == PACKET_TAG)
		return packet_frame(rest, packet, needed);
	if (protobuf_next(rest, &field))
		return PERFETTO_FRAME_OTHER;
	*needed = rest->len + 1;
	return rest->len < OTHER_MAX ? PERFETTO_FRAME_NONE : PERFETTO_FRAME_INVALID;
}

/* --- a packet --- */

static bool read_defaults(struct span bytes, struct perfetto_packet *packet)
{
	struct protobuf_field field, part;

	packet->has_defaults = true;
	while (protobuf_next(&bytes, &field))
		if (field.number == 58) {
			packet->default_clock = field.value;
		} else if (field.number == 11) {
			struct span track = field.bytes;

			while (protobuf_next(&track, &part))
				if (part.number == 11) {
					packet->has_default_track = true;
					packet->default_track = part.value;
				}
		}
	return bytes.len == 0;
}

bool perfetto_packet_read(struct span bytes, struct perfetto_packet *packet)
{
	struct protobuf_field field;
	bool whole = true;

	*packet = (struct perfetto_packet){ .time_ns = 0 };
	while (protobuf_next(&bytes, &field)) {
		switch (field.number) {
		case 1:
			packet->ftrace = field.bytes;
			break;
		case 2:
			packet->processes = field.bytes;
			break;
		case 6:
			packet->clocks = field.bytes;
			break;
		case 8:
			packet->has_time = true;
			packet->time_ns = field.value;
			break;
		case 10:
			packet->sequence = field.value;
			break;
		case 11:
			packet->track_event = field.bytes;
			break;
		case 12:
			packet->interned = field.bytes;
			break;
		case 60:
			packet->track = field.bytes;
			break;
		case 13: /* flags */
			packet->cleared |= field.value & 1;
			packet->needs_state = field.value & 2;
			break;
		case 41:
			packet->cleared |= field.value != 0;
			break;
		case 42:
			packet->lost_before = field.value != 0;
			break;
		case 50:
		case 133:
			/* There is one of them. Of two, perfetto's own reader takes zlib's. */
			whole &= !packet->compressed.ptr;
			if (field.number == 133 && packet->compressed.ptr && !packet->is_zstd)
				break;
			packet->compressed = field.bytes;
			packet->is_zstd = field.number == 133;
			break;
		case 58:
			packet->clock = field.value;
			break;
		case 59:
			whole &= read_defaults(field.bytes, packet);
			break;
		case 87:
			packet->is_first = field.value != 0;
			break;
		case 76:
			packet->timeline = field.bytes;
			break;
		}
	}
	return whole && bytes.len == 0;
}

/* --- ftrace --- */

/* The first times of the switches and of the wakeups, each an array of differences. */
static uint64_t compact_begin(struct span bytes)
{
	struct protobuf_field field;
	uint64_t first_ns = 0, time_ns;

	while (protobuf_next(&bytes, &field))
		if ((field.number == 1 || field.number == 7) &&
		    protobuf_varint(&field.bytes, &time_ns) &&
		    (first_ns == 0 || time_ns < first_ns))
			first_ns = time_ns;
	return first_ns;
}

bool perfetto_bundle_read(struct span bytes, struct perfetto_bundle *bundle)
{
	struct protobuf_field field;

	*bundle = (struct perfetto_bundle){ .cpu = -1 };
	while (protobuf_next(&bytes, &field)) {
		switch (field.number) {
		case 1:
			bundle->cpu = (int32_t)field.value;
			break;
		case 3:
			bundle->lost = field.value != 0;
			break;
		case 4:
			bundle->sched_ns = compact_begin(field.bytes);
			break;
		case 5:
			bundle->clock = field.value;
			break;
		case 6:
			bundle->ftrace_ns = field.value;
			break;
		case 7:
			bundle->boot_ns = field.value;
			break;
		}
	}
	return bytes.len == 0;
}

static struct span print_text(struct span bytes)
{
	struct protobuf_field field;

	while (protobuf_next(&bytes, &field))
		if (field.number == 2 && field.type == PROTOBUF_BYTES)
			return field.bytes;
	return SPAN_NULL;
}

/* Returns true if the event is a marker. */
static bool read_event(struct span bytes, struct perfetto_print *print)
{
	struct protobuf_field field;

	*print = (struct perfetto_print){ .tid = -1 };
	while (protobuf_next(&bytes, &field)) {
		if (field.number == 1)
			print->time_ns = field.value;
		else if (field.number == 2)
			print->tid = (int32_t)field.value;
		else if (field.number == 3)
			print->text = print_text(field.bytes);
	}
	return print->text.ptr != NULL;
}

bool perfetto_print_next(struct span *rest, struct perfetto_print *print, uint64_t *first_ns)
{
	struct protobuf_field field;

	while (protobuf_next(rest, &field)) {
		bool is_print;

		if (field.number != 2)
			continue;
		is_print = read_event(field.bytes, print);
		if (*first_ns == 0)
			*first_ns = print->time_ns;
		if (is_print)
			return true;
	}
	return false;
}

/* --- names --- */

bool perfetto_thread_next(struct span *rest, struct perfetto_thread *thread)
{
	struct protobuf_field field, part;

	while (protobuf_next(rest, &field)) {
		struct span bytes = field.bytes;

		if (field.number != 1 && field.number != 2)
			continue;
		*thread = (struct perfetto_thread){ .tid = -1, .tgid = -1 };
		thread->is_process = field.number == 1;
		while (protobuf_next(&bytes, &part)) {
			unsigned int name = thread->is_process ? 3 : 2;

			if (part.number == 1)
				thread->tid = (int32_t)part.value;
			else if (part.number == name && !thread->name.ptr)
				thread->name = part.bytes;
			else if (part.number == 3 && !thread->is_process)
				thread->tgid = (int32_t)part.value;
		}
		if (thread->is_process)
			thread->tgid = thread->tid;
		if (thread->tid > 0)
			return true;
	}
	return false;
}

/* --- clocks --- */

bool perfetto_clocks_read(struct span bytes, uint64_t times_ns[static PERFETTO_CLOCKS])
{
	struct protobuf_field field, part;

	for (unsigned int i = 0; i < PERFETTO_CLOCKS; i++)
		times_ns[i] = 0;
	while (protobuf_next(&bytes, &field)) {
		struct span clock = field.bytes;
		uint64_t id = 0, time_ns = 0;

		if (field.number != 1)
			continue;
		while (protobuf_next(&clock, &part)) {
			if (part.number == 1)
				id = part.value;
			else if (part.number == 2)
				time_ns = part.value;
		}
		if (id < PERFETTO_CLOCKS)
			times_ns[id] = time_ns;
	}
	return bytes.len == 0;
}

bool perfetto_own_clock_read(struct span bytes, struct perfetto_own_clock *clock)
{
	struct protobuf_field field, part;

	*clock = (struct perfetto_own_clock){ .number = 0 };
	while (protobuf_next(&bytes, &field)) {
		struct span rest = field.bytes;
		uint64_t id = 0, time_ns = 0, unit_ns = 1;
		bool is_incremental = false;

		if (field.number != 1)
			continue;
		while (protobuf_next(&rest, &part)) {
			if (part.number == 1)
				id = part.value;
			else if (part.number == 2)
				time_ns = part.value;
			else if (part.number == 3)
				is_incremental = part.value != 0;
			else if (part.number == 4 && part.value > 0)
				unit_ns = part.value;
		}
		if (id > 0 && id < PERFETTO_CLOCKS &&
		    (clock->base_clock == 0 || id == PERFETTO_CLOCK_BOOTTIME)) {
			clock->base_clock = id;
			clock->base_ns = time_ns;
		} else if (id >= 64 && is_incremental) {
			clock->number = id;
			clock->unit_ns = unit_ns;
		}
	}
	return bytes.len == 0;
}

/* --- track events --- */

bool perfetto_track_event_read(struct span bytes, struct perfetto_track_event *event)
{
	struct protobuf_field field;

	*event = (struct perfetto_track_event){ .type = PERFETTO_TRACK_OTHER };
	while (protobuf_next(&bytes, &field)) {
		switch (field.number) {
		case 9:
			event->type = field.value;
			break;
		case 10:
			event->name_id = field.value;
			break;
		case 11:
			event->has_track = true;
			event->track = field.value;
			break;
		case 22:
			if (!event->category.ptr)
				event->category = field.bytes;
			break;
		case 23:
			event->name = field.bytes;
			break;
		case 30:
			event->has_value = true;
			event->value = (int64_t)field.value;
			break;
		}
	}
	return bytes.len == 0;
}

/* A thread, or a process. */
static bool read_owner(struct span bytes, struct perfetto_track *track, bool is_thread)
{
	struct protobuf_field field;

	while (protobuf_next(&bytes, &field)) {
		if (field.number == 1)
			track->pid = (int32_t)field.value;
		else if (field.number == 2 && is_thread)
			track->tid = (int32_t)field.value;
		else if (field.number == 5 && is_thread)
			track->thread_name = field.bytes;
		else if (field.number == 6 && !is_thread)
			track->process_name = field.bytes;
	}
	return bytes.len == 0;
}

bool perfetto_track_read(struct span bytes, struct perfetto_track *track)
{
	struct protobuf_field field;
	bool whole = true;

	*track = (struct perfetto_track){ .pid = -1, .tid = -1 };
	while (protobuf_next(&bytes, &field)) {
		if (field.number == 1)
			track->id = field.value;
		else if (field.number == 2 || field.number == 10 || field.number == 13)
			track->name = field.bytes;
		else if (field.number == 3 || field.number == 4)
			whole &= read_owner(field.bytes, track, field.number == 4);
	}
	return whole && bytes.len == 0;
}

bool perfetto_name_next(struct span *rest, enum perfetto_names kind, uint64_t *id,
			struct span *name)
{
	struct protobuf_field field, part;

	while (protobuf_next(rest, &field)) {
		struct span bytes = field.bytes;

		if (field.number != kind)
			continue;
		*id = 0;
		*name = SPAN_NULL;
		while (protobuf_next(&bytes, &part)) {
			if (part.number == 1)
				*id = part.value;
			else if (part.number == 2)
				*name = part.bytes;
		}
		return true;
	}
	return false;
}

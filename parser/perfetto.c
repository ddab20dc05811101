/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/perfetto.h"

#include "parser/protobuf.h"

/* The first byte of each packet: field 1, bytes. */
#define PACKET_TAG 0x0a

/* --- the stream --- */

/* The most bytes of a field that is no packet: perfetto writes none. */
#define OTHER_MAX 4096

enum perfetto_frame perfetto_frame(struct span *rest, struct span *packet, uint64_t *needed)
{
	struct protobuf_field field;
	uint64_t len, head;
	struct span at;

	*needed = 0;
	if (rest->len == 0)
		return PERFETTO_FRAME_NONE;
	if ((uint8_t)rest->ptr[0] != PACKET_TAG) {
		if (protobuf_next(rest, &field))
			return PERFETTO_FRAME_OTHER;
		*needed = rest->len + 1;
		return rest->len < OTHER_MAX ? PERFETTO_FRAME_NONE : PERFETTO_FRAME_INVALID;
	}

	at = span_skip(*rest, 1);
	if (!protobuf_varint(&at, &len)) {
		*needed = rest->len + 1;
		return at.len < 10 ? PERFETTO_FRAME_NONE : PERFETTO_FRAME_INVALID;
	}
	head = rest->len - at.len;
	if (len > at.len) {
		*needed = len > UINT64_MAX - head ? UINT64_MAX : head + len;
		return PERFETTO_FRAME_NONE;
	}
	*packet = (struct span){ at.ptr, (size_t)len };
	*rest = span_skip(at, (size_t)len);
	return PERFETTO_FRAME_PACKET;
}

/* --- a packet --- */

#define PACKET(as, member) PROTOBUF_MEMBER(as, perfetto_packet, member)

static const struct protobuf_member packet_members[] = {
	[1] = PACKET(SPAN, ftrace),
	[2] = PACKET(SPAN, processes),
	[6] = PACKET(SPAN, clocks),
	[8] = PROTOBUF_MEMBER_HAS(U64, perfetto_packet, time_ns, has_time),
	[10] = PACKET(U64, sequence),
	[11] = PACKET(SPAN, track_event),
	[12] = PACKET(SPAN, interned),
	[13] = PACKET(U64, flags),
	[41] = PACKET(BOOL, cleared),
	[42] = PACKET(BOOL, lost_before),
	[50] = PACKET(SPAN, compressed),
	[58] = PACKET(U64, clock),
	[59] = PROTOBUF_MEMBER_HAS(SPAN, perfetto_packet, defaults, has_defaults),
	[60] = PACKET(SPAN, track),
	[76] = PACKET(SPAN, timeline),
	[87] = PACKET(BOOL, is_first),
	[133] = PACKET(SPAN, zstd),
};

static const struct protobuf_member defaults_members[] = {
	[11] = PACKET(SPAN, track_defaults),
	[58] = PACKET(U64, default_clock),
};

static const struct protobuf_member track_defaults_members[] = {
	[11] = PROTOBUF_MEMBER_HAS(U64, perfetto_packet, default_track, has_default_track),
};

bool perfetto_packet_read(struct span bytes, struct perfetto_packet *packet)
{
	struct protobuf_field field;
	unsigned int n = 0;
	bool whole;

	*packet = (struct perfetto_packet){ .time_ns = 0 };
	whole = PROTOBUF_READ(bytes, packet_members, packet);
	packet->cleared |= packet->flags & 1;
	packet->needs_state = packet->flags & 2;
	if (packet->has_defaults) {
		whole &= PROTOBUF_READ(packet->defaults, defaults_members, packet);
		PROTOBUF_READ(packet->track_defaults, track_defaults_members, packet);
	}
	packet->is_zstd = packet->zstd.ptr && !packet->compressed.ptr;
	if (packet->is_zstd)
		packet->compressed = packet->zstd;
	/* There is one of them. Of two, perfetto's own reader takes zlib's, and the last of a kind.
	 */
	while (packet->compressed.ptr && protobuf_next(&bytes, &field))
		n += field.number == 50 || field.number == 133;
	return whole && n <= 1;
}

/* --- ftrace --- */

#define EVENT_TAG 0x12	/* in a bundle: field 2, bytes */
#define TIME_TAG 0x08	/* in an event: field 1, a number */
#define THREAD_TAG 0x10 /* field 2, a number */
#define PRINT_TAG 0x1a	/* field 3, bytes */
#define TEXT_TAG 0x12	/* in a print: field 2, bytes */

static const struct protobuf_member print_members[] = {
	[2] = PROTOBUF_MEMBER(FIRST_SPAN, perfetto_print, text),
};

/* Reads bytes if they are the next field, with that tag. */
static inline bool take_bytes(struct span *rest, char tag, struct span *bytes)
{
	struct span at = *rest;
	uint64_t len;

	if (at.len == 0 || at.ptr[0] != tag)
		return false;
	at = (struct span){ at.ptr + 1, at.len - 1 };
	if (!protobuf_varint(&at, &len) || len > at.len)
		return false;
	*bytes = (struct span){ at.ptr, (size_t)len };
	*rest = (struct span){ at.ptr + len, at.len - (size_t)len };
	return true;
}

/* An event as nearly all are: its time, its thread, and one more field, of bytes. Returns false if
 * it is another one, which must be read field by field. */
static inline bool read_usual_event(struct span bytes, struct perfetto_print *print)
{
	const char *at = bytes.ptr, *end;
	struct span rest, marker;
	uint64_t tid, tag, len;

	if (bytes.len < 18 || *at != TIME_TAG)
		return false;
	end = at + bytes.len;
	at = protobuf_short(at + 1, &print->time_ns);
	if (!at || *at != THREAD_TAG)
		return false;
	at = protobuf_short(at + 1, &tid);
	if (!at || at == end)
		return false;
	rest = (struct span){ at, (size_t)(end - at) };
	print->tid = (int32_t)tid;
	if (*at == PRINT_TAG)
		return take_bytes(&rest, PRINT_TAG, &marker) && rest.len == 0 &&
		       take_bytes(&marker, TEXT_TAG, &print->text) && marker.len == 0;
	print->text = SPAN_NULL;
	return protobuf_varint(&rest, &tag) && tag != PRINT_TAG && (tag & 7) == PROTOBUF_BYTES &&
	       protobuf_varint(&rest, &len) && len == rest.len;
}

/* Returns true if the event is a marker. */
static bool read_event(struct span bytes, struct perfetto_print *print)
{
	struct protobuf_field field;

	if (read_usual_event(bytes, print))
		return print->text.ptr != NULL;
	*print = (struct perfetto_print){ .tid = -1 };
	while (protobuf_next(&bytes, &field)) {
		if (field.number == 1)
			print->time_ns = field.value;
		else if (field.number == 2)
			print->tid = (int32_t)field.value;
		if (field.number != 3)
			continue;
		print->text = SPAN_NULL;
		PROTOBUF_READ(field.bytes, print_members, print);
	}
	return print->text.ptr != NULL;
}

#define BUNDLE(as, member) PROTOBUF_MEMBER(as, perfetto_bundle, member)

static const struct protobuf_member bundle_members[] = {
	[1] = BUNDLE(I32, cpu),	  [3] = BUNDLE(BOOL, lost),	[4] = BUNDLE(SPAN, compact),
	[5] = BUNDLE(U64, clock), [6] = BUNDLE(U64, ftrace_ns), [7] = BUNDLE(U64, boot_ns),
};

bool perfetto_bundle_read(struct span bytes, struct perfetto_bundle *bundle)
{
	struct protobuf_field field;
	struct perfetto_print first;
	struct span event, rest;
	uint64_t time_ns;

	*bundle = (struct perfetto_bundle){ .cpu = -1 };
	while (protobuf_next(&bytes, &field)) {
		if (field.number == 2 && bundle->first_ns == 0) {
			read_event(field.bytes, &first);
			bundle->first_ns = first.time_ns;
		}
		if (field.number < sizeof(bundle_members) / sizeof(bundle_members[0]))
			protobuf_set(&bundle_members[field.number], &field, bundle);
		while (bundle->first_ns > 0 && take_bytes(&bytes, EVENT_TAG, &event))
			;
	}
	/* The first times of the switches and of the wakeups, each an array of differences. */
	rest = bundle->compact;
	while (protobuf_next(&rest, &field))
		if ((field.number == 1 || field.number == 7) &&
		    protobuf_varint(&field.bytes, &time_ns) &&
		    (bundle->first_ns == 0 || (time_ns > 0 && time_ns < bundle->first_ns)))
			bundle->first_ns = time_ns;
	return bytes.len == 0;
}

bool perfetto_print_next(struct span *rest, struct perfetto_print *print)
{
	struct protobuf_field field;
	struct span event;

	for (;;) {
		if (!take_bytes(rest, EVENT_TAG, &event)) {
			if (!protobuf_next(rest, &field))
				return false;
			event = field.number == 2 ? field.bytes : SPAN_NULL;
		}
		if (read_event(event, print))
			return true;
	}
}

/* --- names --- */

#define THREAD(as, member) PROTOBUF_MEMBER(as, perfetto_thread, member)

static const struct protobuf_member process_members[] = {
	[1] = THREAD(I32, tid),
	[3] = THREAD(FIRST_SPAN, name),
};

static const struct protobuf_member thread_members[] = {
	[1] = THREAD(I32, tid),
	[2] = THREAD(FIRST_SPAN, name),
	[3] = THREAD(I32, tgid),
};

bool perfetto_thread_next(struct span *rest, struct perfetto_thread *thread)
{
	struct protobuf_field field;

	while (protobuf_next(rest, &field)) {
		*thread = (struct perfetto_thread){ .tid = -1, .tgid = -1 };
		thread->is_process = field.number == 1;
		if (field.number == 1)
			PROTOBUF_READ(field.bytes, process_members, thread);
		else if (field.number == 2)
			PROTOBUF_READ(field.bytes, thread_members, thread);
		if (thread->is_process)
			thread->tgid = thread->tid;
		if (thread->tid > 0)
			return true;
	}
	return false;
}

/* --- clocks --- */

struct clock_time {
	uint64_t id, time_ns, unit_ns;
	bool is_incremental;
};

bool perfetto_clocks_read(struct span bytes, struct perfetto_clocks *clocks)
{
	static const struct protobuf_member members[] = {
		[1] = PROTOBUF_MEMBER(U64, clock_time, id),
		[2] = PROTOBUF_MEMBER(U64, clock_time, time_ns),
		[3] = PROTOBUF_MEMBER(BOOL, clock_time, is_incremental),
		[4] = PROTOBUF_MEMBER(U64, clock_time, unit_ns),
	};
	struct protobuf_field field;

	*clocks = (struct perfetto_clocks){ .own = 0 };
	while (protobuf_next(&bytes, &field)) {
		struct clock_time clock = { 0 };

		if (field.number != 1)
			continue;
		PROTOBUF_READ(field.bytes, members, &clock);
		if (clock.id < PERFETTO_CLOCKS) {
			clocks->times_ns[clock.id] = clock.time_ns;
			if (clocks->base_clock == 0 || clock.id == PERFETTO_CLOCK_BOOTTIME)
				clocks->base_clock = clock.id;
		} else if (clock.id >= 64 && clock.is_incremental) {
			clocks->own = clock.id;
			clocks->unit_ns = clock.unit_ns > 0 ? clock.unit_ns : 1;
		}
	}
	return bytes.len == 0;
}

/* --- track events --- */

#define TRACK_EVENT(as, member) PROTOBUF_MEMBER(as, perfetto_track_event, member)

static const struct protobuf_member track_event_members[] = {
	[9] = TRACK_EVENT(U64, type),
	[10] = TRACK_EVENT(U64, name_id),
	[11] = PROTOBUF_MEMBER_HAS(U64, perfetto_track_event, track, has_track),
	[22] = TRACK_EVENT(FIRST_SPAN, category),
	[23] = TRACK_EVENT(SPAN, name),
	[30] = PROTOBUF_MEMBER_HAS(U64, perfetto_track_event, value, has_value),
};

bool perfetto_track_event_read(struct span bytes, struct perfetto_track_event *event)
{
	*event = (struct perfetto_track_event){ .type = PERFETTO_TRACK_OTHER };
	return PROTOBUF_READ(bytes, track_event_members, event);
}

#define TRACK(as, member) PROTOBUF_MEMBER(as, perfetto_track, member)

static const struct protobuf_member track_process_members[] = {
	[1] = TRACK(I32, pid),
	[6] = TRACK(SPAN, process_name),
};

static const struct protobuf_member track_thread_members[] = {
	[1] = TRACK(I32, pid),
	[2] = TRACK(I32, tid),
	[5] = TRACK(SPAN, thread_name),
};

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
		else if (field.number == 3)
			whole &= PROTOBUF_READ(field.bytes, track_process_members, track);
		else if (field.number == 4)
			whole &= PROTOBUF_READ(field.bytes, track_thread_members, track);
	}
	return whole && bytes.len == 0;
}

struct interned_name {
	uint64_t id;
	struct span name;
};

bool perfetto_name_next(struct span *rest, enum perfetto_names kind, uint64_t *id,
			struct span *name)
{
	static const struct protobuf_member members[] = {
		[1] = PROTOBUF_MEMBER(U64, interned_name, id),
		[2] = PROTOBUF_MEMBER(SPAN, interned_name, name),
	};
	struct protobuf_field field;

	while (protobuf_next(rest, &field)) {
		struct interned_name interned = { 0 };

		if (field.number != kind)
			continue;
		PROTOBUF_READ(field.bytes, members, &interned);
		*id = interned.id;
		*name = interned.name;
		return true;
	}
	return false;
}

/* --- FrameTimeline --- */

#define EVENT(as, member) PROTOBUF_MEMBER(as, timeline_event, member)

/* An actual frame's fields from the type of its present on are the same in both kinds, @n numbers
 * later, up to the prediction. */
#define ACTUAL(n)                                                                                  \
	[n + 1] = EVENT(I32, present_type), [n + 2] = EVENT(FLAG, on_time_finish),                 \
	     [n + 3] = EVENT(FLAG, gpu_composition), [n + 4] = EVENT(U64, jank_type),              \
	     [n + 5] = EVENT(I32, prediction)

#define DISPLAY [1] = EVENT(U64, cookie), [2] = EVENT(U64, token), [3] = EVENT(I32, pid)
#define SURFACE                                                                                    \
	[1] = EVENT(U64, cookie), [2] = EVENT(U64, token), [3] = EVENT(U64, display_token),        \
	[4] = EVENT(I32, pid), [5] = EVENT(SPAN, layer)

static const struct protobuf_member members[][13] = {
	[TIMELINE_EXPECTED_DISPLAY] = { DISPLAY },
	[TIMELINE_ACTUAL_DISPLAY] = { DISPLAY, ACTUAL(3), [9] = EVENT(I32, severity) },
	[TIMELINE_EXPECTED_SURFACE] = { SURFACE },
	[TIMELINE_ACTUAL_SURFACE] = { SURFACE, ACTUAL(5), [11] = EVENT(FLAG, is_buffer),
				      [12] = EVENT(I32, severity) },
	[TIMELINE_END] = { [1] = EVENT(U64, cookie) },
};

bool timeline_event_read(struct span bytes, struct timeline_event *event)
{
	struct protobuf_field field;

	while (protobuf_next(&bytes, &field)) {
		if (field.number < TIMELINE_EXPECTED_DISPLAY || field.number > TIMELINE_END ||
		    field.type != PROTOBUF_BYTES)
			continue;
		*event = (struct timeline_event){
			.kind = (enum timeline_kind)field.number,
			.cookie = -1,
			.token = -1,
			.display_token = -1,
			.pid = -1,
			.present_type = -1,
			.prediction = -1,
			.severity = -1,
			.on_time_finish = -1,
			.gpu_composition = -1,
			.is_buffer = -1,
			.jank_type = -1,
		};
		return PROTOBUF_READ(field.bytes, members[field.number], event);
	}
	return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/packet_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/trace/input.h"
#include "daemon/trace/perfetto_merge.h"
#include "daemon/trace/source_archive.h"

#define BUFFER_SIZE (256u << 10)

/* --- buffers --- */

/* Makes space for @needed unread bytes in all, more than there are, if only one. */
static int buffer_make_space(struct packet_buffer *buffer, size_t needed)
{
	size_t unread = buffer->end - buffer->begin;

	if (!perfetto_grow((void **)&buffer->bytes, &buffer->capacity,
			   needed > BUFFER_SIZE ? needed : BUFFER_SIZE, 1, SIZE_MAX))
		return -ENOMEM;
	memmove(buffer->bytes, buffer->bytes + buffer->begin, unread);
	buffer->end = unread;
	buffer->begin = 0;
	return 0;
}

static struct span buffer_unread(const struct packet_buffer *buffer)
{
	return (struct span){ buffer->bytes + buffer->begin, buffer->end - buffer->begin };
}

int packet_stream_open(struct packet_stream *stream, int fd, uint64_t base, struct span whole)
{
	*stream = (struct packet_stream){ .fd = fd, .base = base, .whole = whole };
	return inflateInit(&stream->zlib) == Z_OK ? 0 : -ENOMEM;
}

void packet_stream_close(struct packet_stream *stream)
{
	free(stream->outer.bytes);
	free(stream->inner.bytes);
	source_archive_close(stream->zstd);
	/* Of one that was not begun, this does nothing. */
	inflateEnd(&stream->zlib);
}

/* Bytes that are in the buffer already are not read again. */
void packet_stream_seek(struct packet_stream *stream, uint64_t offset)
{
	struct packet_buffer *outer = &stream->outer;
	uint64_t first = stream->offset - outer->end;

	stream->is_inner = false;
	stream->outer_over = false;
	if (offset >= first && offset <= stream->offset) {
		outer->begin = (size_t)(offset - first);
		return;
	}
	outer->begin = outer->end = 0;
	stream->offset = offset;
}

/* --- the outer stream --- */

static ssize_t read_at(const struct packet_stream *stream, char *to, size_t size)
{
	if (stream->fd < 0) {
		struct span rest = stream->offset < stream->whole.len
					   ? span_skip(stream->whole, (size_t)stream->offset)
					   : SPAN_NULL;

		return (ssize_t)input_take(&rest, to, size);
	}
	return input_read(stream->fd, to, size, (off_t)(stream->base + stream->offset));
}

/* Reads more bytes, until there are @needed unread ones or the trace ends. */
static int fill_outer(struct packet_stream *stream, size_t needed)
{
	struct packet_buffer *outer = &stream->outer;
	int error = buffer_make_space(outer, needed);

	if (error < 0)
		return error;
	do {
		ssize_t n =
			read_at(stream, outer->bytes + outer->end, outer->capacity - outer->end);

		if (n < 0)
			return (int)n;
		stream->offset += (uint64_t)n;
		outer->end += (size_t)n;
		stream->outer_over = n == 0;
	} while (outer->end < needed && !stream->outer_over);
	return 0;
}

static void set_damage(struct packet_stream *stream, const char *damage)
{
	if (!stream->damage)
		stream->damage = damage;
}

/* More bytes are @needed for a packet. Returns 1: there are some; 0: the trace ends; -errno. */
static int more_outer(struct packet_stream *stream, uint64_t needed)
{
	uint64_t unread = stream->outer.end - stream->outer.begin;
	int error;

	if (needed > PACKET_MAX && needed > unread) {
		uint64_t at = stream->offset - unread;

		stream->too_large++;
		if (needed > INT64_MAX - at) {
			set_damage(stream, "the trace is truncated: its last packet is incomplete");
			return 0;
		}
		packet_stream_seek(stream, at + needed);
		return 1;
	}
	if (stream->outer_over) {
		if (unread > 0)
			set_damage(stream, "the trace is truncated: its last packet is incomplete");
		return 0;
	}
	error = fill_outer(stream, (size_t)needed);
	return error < 0 ? error : 1;
}

static int next_outer(struct packet_stream *stream, struct span *packet)
{
	struct packet_buffer *outer = &stream->outer;

	for (;;) {
		struct span rest = buffer_unread(outer);
		uint64_t needed;
		enum perfetto_frame frame = perfetto_frame(&rest, packet, &needed);
		int result;

		stream->packet_begin = stream->offset - (outer->end - outer->begin);
		if (frame == PERFETTO_FRAME_NONE) {
			result = more_outer(stream, needed);
			if (result <= 0)
				return result;
			continue;
		}
		if (frame == PERFETTO_FRAME_INVALID) {
			set_damage(stream,
				   "a packet is corrupt; the rest of the trace is not read");
			return 0;
		}
		outer->begin = outer->end - rest.len;
		stream->packet_end = stream->offset - rest.len;
		if (frame == PERFETTO_FRAME_PACKET)
			return 1;
	}
}

/* --- compressed packets --- */

/* Unpacks once into the inner buffer. Returns false at the end, or at damage. */
static bool inflate_some(struct packet_stream *stream)
{
	struct packet_buffer *inner = &stream->inner;
	z_stream *zlib = &stream->zlib;
	size_t space = inner->capacity - inner->end;
	int result;

	zlib->next_in = (Bytef *)stream->packed.ptr;
	zlib->avail_in = (uInt)stream->packed.len;
	zlib->next_out = (Bytef *)inner->bytes + inner->end;
	zlib->avail_out = (uInt)space;
	result = inflate(zlib, Z_SYNC_FLUSH);
	inner->end = inner->capacity - zlib->avail_out;
	stream->packed = span_skip(stream->packed, stream->packed.len - zlib->avail_in);
	if (result == Z_STREAM_END) {
		stream->is_over = stream->packed.len == 0;
		stream->packed = SPAN_NULL;
	}
	return result == Z_OK || result == Z_STREAM_END;
}

/* The same of zstd. The packed bytes are in the library's hands until the end. */
static bool zstd_some(struct packet_stream *stream)
{
	struct packet_buffer *inner = &stream->inner;
	ssize_t n = source_archive_read(stream->zstd, inner->bytes + inner->end,
					inner->capacity - inner->end);

	if (n > 0)
		inner->end += (size_t)n;
	else
		stream->packed = SPAN_NULL;
	return n > 0 || (n == 0 && !source_archive_damage(stream->zstd));
}

/* Returns 1: there are more bytes; 0: there are none, which is the end of zstd, and damage of zlib;
 * -1: damage. */
static int unpack_some(struct packet_stream *stream)
{
	size_t before = stream->inner.end;
	bool is_whole = stream->zstd ? zstd_some(stream) : inflate_some(stream);

	stream->unpacked += stream->inner.end - before;
	if (!is_whole || stream->unpacked > PACKET_UNPACKED_MAX)
		return -1;
	return stream->inner.end > before;
}

/* Returns 1 with a packet; 0 at the end of the compressed packet; -errno. */
static int next_inner(struct packet_stream *stream, struct span *packet)
{
	struct packet_buffer *inner = &stream->inner;

	for (;;) {
		struct span rest = buffer_unread(inner);
		uint64_t needed;
		enum perfetto_frame frame = perfetto_frame(&rest, packet, &needed);
		int result;

		inner->begin = inner->end - rest.len;
		if (frame == PERFETTO_FRAME_PACKET)
			return 1;
		if (frame == PERFETTO_FRAME_OTHER)
			continue;
		if (frame == PERFETTO_FRAME_INVALID || needed > PACKET_MAX)
			break;
		if (stream->packed.len == 0 && rest.len == 0 && stream->is_over)
			return 0;
		if (input_is_stopped())
			return -EINTR;
		if (buffer_make_space(inner, (size_t)needed) < 0)
			return -ENOMEM;
		result = unpack_some(stream);
		if (result == 0 && rest.len == 0 && stream->zstd)
			return 0;
		if (result <= 0)
			break;
	}
	stream->corrupt++;
	return 0;
}

int packet_stream_next(struct packet_stream *stream, struct span *packet)
{
	if (stream->is_inner) {
		int result = next_inner(stream, packet);

		if (result != 0)
			return result;
		stream->is_inner = false;
	}
	return next_outer(stream, packet);
}

int packet_stream_unpack(struct packet_stream *stream, const struct perfetto_packet *packet)
{
	if (stream->is_inner)
		return 1;
	stream->zstd = source_archive_close(stream->zstd);
	if (packet->is_zstd) {
		int error = source_archive_open_packet(&stream->zstd, packet->compressed);

		if (error < 0)
			return error;
	}
	stream->is_inner = true;
	stream->packed = packet->compressed;
	stream->is_over = packet->is_zstd || stream->packed.len == 0;
	stream->unpacked = 0;
	stream->inner.begin = stream->inner.end = 0;
	inflateReset(&stream->zlib);
	return 0;
}

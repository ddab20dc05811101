/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/perfetto_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/trace/input.h"
#include "daemon/trace/source_archive.h"

#define BUFFER_SIZE (256u << 10)

/* Of a file, at least that much is read at a time. */
#define WINDOW_SIZE (128u << 10)

int packet_stream_open(struct packet_stream *stream, int fd, off_t base, struct span whole)
{
	struct stat info = { .st_size = base };

	*stream = (struct packet_stream){ .fd = fd, .base = base, .window = whole };
	stream->size = whole.len;
	if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > base)
		stream->size = (uint64_t)(info.st_size - base);
	return inflateInit(&stream->zlib) == Z_OK ? 0 : -ENOMEM;
}

void packet_stream_close(struct packet_stream *stream)
{
	free(stream->bytes);
	free(stream->inner_bytes);
	source_archive_close(stream->zstd);
	/* Of one that was not begun, this does nothing. */
	inflateEnd(&stream->zlib);
}

void packet_stream_seek(struct packet_stream *stream, uint64_t offset)
{
	stream->is_inner = false;
	stream->packet_end = offset;
}

/* --- compressed packets --- */

/* Returns 1 with a packet; 0 at the end of the compressed packet; -errno. */
static int next_inner(struct packet_stream *stream, struct span *packet)
{
	struct span *inner = &stream->inner;
	z_stream *zlib = &stream->zlib;

	for (;;) {
		uint64_t needed;
		enum perfetto_frame frame = perfetto_frame(inner, packet, &needed);
		size_t before = inner->len, space;
		char *to;

		if (frame == PERFETTO_FRAME_PACKET)
			return 1;
		if (frame == PERFETTO_FRAME_OTHER)
			continue;
		if (frame == PERFETTO_FRAME_INVALID || needed > PACKET_MAX)
			break;
		if (stream->packed.len == 0 && before == 0 && stream->is_over)
			return 0;
		if (input_is_stopped())
			return -EINTR;
		/* Space for the unread bytes, and at least one more. */
		if (before > 0)
			memmove(stream->inner_bytes, inner->ptr, before);
		if (!perfetto_grow((void **)&stream->inner_bytes, &stream->inner_capacity,
				   needed > BUFFER_SIZE ? (size_t)needed : BUFFER_SIZE, 1,
				   SIZE_MAX))
			return -ENOMEM;
		inner->ptr = stream->inner_bytes;
		to = stream->inner_bytes + before;
		space = stream->inner_capacity - before;
		if (stream->zstd) {
			const char *damage;
			ssize_t n = source_archive_read(stream->zstd, to, space, &damage);

			if (n > 0)
				inner->len += (size_t)n;
			else /* only now the library needs the packed bytes no longer */
				stream->packed = SPAN_NULL;
			if (n < 0 || (n == 0 && damage))
				break;
		} else {
			int result;

			zlib->next_in = (Bytef *)stream->packed.ptr;
			zlib->avail_in = (uInt)stream->packed.len;
			zlib->next_out = (Bytef *)to;
			zlib->avail_out = (uInt)space;
			result = inflate(zlib, Z_SYNC_FLUSH);
			inner->len += space - zlib->avail_out;
			stream->packed =
				span_skip(stream->packed, stream->packed.len - zlib->avail_in);
			if (result == Z_STREAM_END) {
				stream->is_over = stream->packed.len == 0;
				stream->packed = SPAN_NULL;
			} else if (result != Z_OK) {
				break;
			}
		}
		stream->unpacked += inner->len - before;
		/* No more bytes are the end of zstd, and damage of zlib. */
		if (inner->len == 0 && stream->zstd)
			return 0;
		if (inner->len == before || stream->unpacked > PACKET_UNPACKED_MAX)
			break;
	}
	stream->corrupt++;
	return 0;
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
	stream->inner = SPAN_NULL;
	inflateReset(&stream->zlib);
	return 0;
}

/* --- the stream --- */

int packet_stream_next(struct packet_stream *stream, struct span *packet)
{
	int result = stream->is_inner ? next_inner(stream, packet) : 0;

	if (result != 0)
		return result;
	stream->is_inner = false;
	for (;;) {
		uint64_t at = stream->packet_end - stream->window_begin, needed, left;
		struct span rest =
			at < stream->window.len ? span_skip(stream->window, (size_t)at) : SPAN_NULL;
		uint64_t before = rest.len;
		enum perfetto_frame frame = perfetto_frame(&rest, packet, &needed);
		size_t len = 0, size;
		ssize_t n;

		if (input_is_stopped())
			return -EINTR;
		stream->packet_begin = stream->packet_end;
		stream->packet_end += before - rest.len;
		if (frame == PERFETTO_FRAME_INVALID) {
			stream->damage = "a packet is corrupt; the rest of the trace is not read";
			return 0;
		}
		if (frame == PERFETTO_FRAME_PACKET && packet->len <= PACKET_MAX)
			return 1;
		stream->too_large += frame == PERFETTO_FRAME_PACKET;
		if (frame != PERFETTO_FRAME_NONE)
			continue;

		/* The next packet, or its begin, is not all in memory. */
		left = stream->size > stream->packet_end ? stream->size - stream->packet_end : 0;
		stream->too_large += needed > PACKET_MAX;
		if (left == 0 || needed > left) {
			if (left > 0 && !stream->damage)
				stream->damage =
					"the trace is truncated: its last packet is incomplete";
			stream->packet_end += left;
			return 0;
		}
		if (needed > PACKET_MAX) {
			stream->packet_end += needed;
			continue;
		}
		size = needed > WINDOW_SIZE ? (size_t)needed : WINDOW_SIZE;
		stream->window = SPAN_NULL;
		if (!perfetto_grow((void **)&stream->bytes, &stream->capacity, size, 1, SIZE_MAX))
			return -ENOMEM;
		do {
			n = input_read(stream->fd, stream->bytes + len, size - len,
				       stream->base + (off_t)(stream->packet_end + len));
			if (n < 0)
				return (int)n;
			len += (size_t)n;
		} while (n > 0 && len < needed);
		stream->window_begin = stream->packet_end;
		stream->window = (struct span){ stream->bytes, len };
		if (n == 0) {
			stream->size = stream->packet_end + len;
			stream->damage = "the file became shorter while it was read";
		}
	}
}

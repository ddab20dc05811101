/* SPDX-License-Identifier: Apache-2.0 */
/* The packets of a perfetto trace, one after the other. */
#ifndef JANKD_DAEMON_TRACE_PACKET_STREAM_H
#define JANKD_DAEMON_TRACE_PACKET_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <zlib.h>

#include "parser/perfetto.h"

/* A larger packet is left out. perfetto divides what it writes into packets of less than 1 MB. */
#define PACKET_MAX (8u << 20)

/* The most bytes that are unpacked from one compressed packet. perfetto packs 1 MB at a time. */
#define PACKET_UNPACKED_MAX (64u << 20)

struct source_archive;

struct packet_stream {
	int fd;		    /* of a file; -1: all is in memory */
	off_t base;	    /* where the trace begins in it */
	uint64_t size;	    /* of the trace */
	struct span window; /* of the trace, in memory: all of it, or in ->bytes */
	uint64_t window_begin;
	char *bytes;
	size_t capacity;
	uint64_t packet_begin, packet_end; /* of the outer packet that was returned last */

	struct span inner; /* unread bytes of the unpacked packet, in: */
	char *inner_bytes;
	size_t inner_capacity;
	struct span packed;	     /* of the compressed packet, not unpacked yet */
	bool is_over;		     /* its end was reached, with nothing behind it */
	struct source_archive *zstd; /* unpacks it, or NULL: zlib does */
	bool is_inner;
	uint64_t unpacked; /* bytes from this compressed packet */
	z_stream zlib;

	/* Counts; packets that are read twice count twice. */
	uint64_t too_large, corrupt;
	const char *damage; /* why the rest of the trace is missing, or NULL */
};

/* @fd: of a plain file, whose trace begins at @base; -1: the trace is @whole. Both are borrowed.
 * Returns 0 or -ENOMEM; in both cases packet_stream_close() follows. */
int packet_stream_open(struct packet_stream *stream, int fd, off_t base, struct span whole);
void packet_stream_close(struct packet_stream *stream);

/* Continues with the outer packet that begins at @offset of the trace. */
void packet_stream_seek(struct packet_stream *stream, uint64_t offset);

/**
 * packet_stream_next() - the next packet
 * @packet: valid until the next call
 *
 * Returns 1; 0 at the end; -EINTR after a signal; -errno if the file cannot be read; -ENOMEM.
 */
int packet_stream_next(struct packet_stream *stream, struct span *packet);

/* Continues with the compressed packets in the @packet that was returned last. Returns 0; 1: that
 * one was inside of another, too; -ENOTSUP: this program cannot unpack it; -ENOMEM. */
int packet_stream_unpack(struct packet_stream *stream, const struct perfetto_packet *packet);

#endif

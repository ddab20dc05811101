/* SPDX-License-Identifier: Apache-2.0 */
/* FrameTimeline as a perfetto program streams it, beside a live trace: pieces of bytes to records
 * of TRACE_TIMELINE, on the boot clock, in the order of time.
 *
 *     bytes ──► packets ──► events, on the boot clock ──► held for a second ──► records
 *                  └─► clock snapshots ──┘
 *
 * SurfaceFlinger writes the events of a frame when it was presented, with the times at which they
 * happened, so they go back in time. All space is fixed: if it is short, events are held for less
 * time. perfetto writes nothing but whole packets: after any damage the rest is not read. */
#ifndef JANKD_DAEMON_TRACE_TIMELINE_STREAM_H
#define JANKD_DAEMON_TRACE_TIMELINE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/perfetto.h"
#include "parser/record.h"
#include "parser/span.h"

/* A larger packet is left out. One of FrameTimeline has some hundred bytes. */
#define TIMELINE_PACKET_MAX (16u << 10)

#define TIMELINE_HELD_MAX 2048
#define TIMELINE_HELD_BYTES (128u << 10)

/* Writers whose clocks and losses are followed. SurfaceFlinger has some. */
#define TIMELINE_WRITERS 64

struct timeline_stream_counts {
	uint64_t events;    /* of FrameTimeline */
	uint64_t lost;	    /* times that a writer of packets lost some */
	uint64_t too_large; /* packets that were left out */
	uint64_t untimely;  /* events without a time of these minutes */
};

struct timeline_held {
	uint64_t time_ns;
	uint64_t sequence;
	uint32_t at, len; /* of its bytes */
};

struct timeline_writer {
	uint64_t id; /* 0: unused */
	uint64_t clock;
	bool has_sent; /* a packet */
};

struct timeline_stream {
	struct timeline_stream_counts counts;
	const char *damage; /* why the rest is not read, a constant; or NULL */
	void (*record)(void *context, const struct trace_record *record);
	void *context;

	char packet[TIMELINE_PACKET_MAX]; /* the begin of one that is not complete */
	size_t len;
	uint64_t skip; /* bytes of a packet that is left out */

	/* Boot clock minus other clock, by the last snapshot. */
	int64_t offset_ns[PERFETTO_CLOCKS];
	bool has_offset[PERFETTO_CLOCKS];
	struct timeline_writer writers[TIMELINE_WRITERS];

	/* Those from ->begin on are held, by time, and their bytes in one of the halves. */
	struct timeline_held held[TIMELINE_HELD_MAX];
	unsigned int begin, end;
	char bytes[2][TIMELINE_HELD_BYTES];
	unsigned int half;
	uint32_t bytes_end;
};

/* @stream: all zeros but for ->record and ->context. @record gets the records; their text is valid
 * only during the call. They come in order as far as they come in time. */
void timeline_stream_init(struct timeline_stream *stream, int64_t boot_minus_monotonic_ns);

/* More bytes of perfetto's output. @now_ns: on the boot clock. */
void timeline_stream_add(struct timeline_stream *stream, struct span bytes, uint64_t now_ns);

/* Passes on what is held up to @until_ns on the boot clock; UINT64_MAX: all. */
void timeline_stream_pass(struct timeline_stream *stream, uint64_t until_ns);

#endif

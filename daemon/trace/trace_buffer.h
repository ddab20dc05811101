/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer that a session reads into. Where it is asked to, it remembers: text is read behind
 * what was read before, round and round, and is taken apart where it lies. Nothing is copied but
 * the line that is begun where a round ends.
 *
 *     0             begin    head                                            lap_end   size
 *     |--- this round ---|line..|-- next read --|--- the round before, oldest first ---|  |
 */
#ifndef JANKD_DAEMON_TRACE_TRACE_BUFFER_H
#define JANKD_DAEMON_TRACE_TRACE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/span.h"

/* Whole lines of the text, with the time of the last record in them. */
struct trace_buffer_chunk {
	size_t begin;
	uint64_t last_ns;
};

/* More than a round has: those that end for their size, and those that end for their time. */
#define TRACE_BUFFER_CHUNKS 1024

struct trace_buffer {
	char *bytes;
	size_t size;
	bool remembers;
	size_t begin;	/* of the line that has no end yet */
	size_t head;	/* where the next read goes */
	size_t lap_end; /* end of the whole lines of the round before */
	/* Oldest first. The last one is open: lines are added to it. */
	struct trace_buffer_chunk chunks[TRACE_BUFFER_CHUNKS];
	size_t chunk_first, chunk_count;
	uint64_t open_ns;  /* time of the open chunk's first record */
	uint64_t chunk_ns; /* a chunk ends behind so much time */
};

/**
 * trace_buffer_open() - get the memory
 * @remember_ns: about so much trace time is remembered, as far as bounded memory goes; 0: nothing
 *
 * All of it is there from now on: it does not grow. Returns 0 or -ENOMEM.
 */
int trace_buffer_open(struct trace_buffer *buffer, uint64_t remember_ns);
void trace_buffer_close(struct trace_buffer *buffer);

/* What the next trace_buffer_space() gives away: whoever still needs the text there saves it first.
 */
struct span trace_buffer_overwrites(const struct trace_buffer *buffer);

/* Would that be text of @since_ns or later? */
bool trace_buffer_would_lose(const struct trace_buffer *buffer, uint64_t since_ns);

/* Where the next bytes are to be read to; *size is set to how many at most. */
char *trace_buffer_space(struct trace_buffer *buffer, size_t *size);

/* @len bytes were read there. Returns what has not been taken apart. */
struct span trace_buffer_filled(struct trace_buffer *buffer, size_t len);

/* Everything up to @rest, which trace_buffer_filled() returned, is taken apart. @last_ns: the time
 * of the last record there. */
void trace_buffer_done(struct trace_buffer *buffer, struct span rest, uint64_t last_ns);

/* The source has ended, maybe within a line: that ends there, or is @dropped. To be called before
 * the last trace_buffer_done(). */
void trace_buffer_end_line(struct trace_buffer *buffer, bool dropped);

/* Where the lines end that have been taken apart. */
const char *trace_buffer_end(const struct trace_buffer *buffer);

/**
 * trace_buffer_find() - the lines that are remembered of a stretch of time
 * @begin_ns: from the first marker of that time on, or the oldest there is
 * @end: where the stretch ends: in what trace_buffer_filled() returned last, or trace_buffer_end()
 * @parts: the text, in order; the second is empty where the first has all
 */
void trace_buffer_find(const struct trace_buffer *buffer, uint64_t begin_ns, const char *end,
		       struct span parts[2]);

#endif

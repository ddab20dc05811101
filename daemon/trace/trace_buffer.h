/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer that text is read into and parsed in. Where it is to remember the text, each read goes
 * behind the one before, round and round. Nothing is copied but the begun line at the end of a lap.
 *
 *     0             begin    head                                            lap_end   size
 *     |--- this lap -----|line..|-- next read --|--- the lap before, oldest first -----|  |
 *
 * An index of chunks finds the text of a time in it.
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

/* More than a lap has: chunks end by their size, or by their time. */
#define TRACE_BUFFER_CHUNKS 1024

struct trace_buffer {
	char *bytes;
	size_t size;
	bool remembers;
	size_t begin;	/* of the line that has no end yet */
	size_t head;	/* where the next read goes */
	size_t lap_end; /* end of the whole lines of the lap before */
	/* Oldest first. The last one is open: lines are added to it. */
	struct trace_buffer_chunk chunks[TRACE_BUFFER_CHUNKS];
	size_t chunk_first, chunk_count;
	uint64_t open_ns;  /* time of the open chunk's first record */
	uint64_t chunk_ns; /* a chunk ends after this time */
};

/**
 * trace_buffer_open() - allocate the memory
 * @remember_ns: about so much trace time is remembered, within a limit of memory; 0: nothing
 *
 * It does not grow later. Returns 0 or -ENOMEM.
 */
int trace_buffer_open(struct trace_buffer *buffer, uint64_t remember_ns);
void trace_buffer_close(struct trace_buffer *buffer);

/* The memory that the next read overwrites: text there that is still needed has to be saved first.
 */
struct span trace_buffer_overwrites(const struct trace_buffer *buffer);

/* Does that memory hold text of @since_ns or later? */
bool trace_buffer_would_lose(const struct trace_buffer *buffer, uint64_t since_ns);

/* Where the next bytes are to be read to; *size is set to how many at most. */
char *trace_buffer_space(struct trace_buffer *buffer, size_t *size);

/* @len bytes were read there. Returns all that is not parsed yet. */
struct span trace_buffer_filled(struct trace_buffer *buffer, size_t len);

/* All of what trace_buffer_filled() returned is parsed, but @rest. @last_ns: the time of the last
 * record. */
void trace_buffer_done(struct trace_buffer *buffer, struct span rest, uint64_t last_ns);

/* No more is read. A begun line ends here, or is @dropped. To be called before the last
 * trace_buffer_filled(). */
void trace_buffer_end_line(struct trace_buffer *buffer, bool dropped);

/* The end of the lines that are parsed. */
const char *trace_buffer_end(const struct trace_buffer *buffer);

/**
 * trace_buffer_find() - the remembered lines of a stretch of time
 * @begin_ns: the time of its first marker; or the oldest there is
 * @end: a place in its last line: in what trace_buffer_filled() returned, or trace_buffer_end()
 * @parts: the text, in order; the second is empty where the first has all
 */
void trace_buffer_find(const struct trace_buffer *buffer, uint64_t begin_ns, const char *end,
		       struct span parts[2]);

#endif

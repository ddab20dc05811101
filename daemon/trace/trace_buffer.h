/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer that text is read into and parsed in. If it remembers text, it is a ring: each read is
 * stored after the previous one. Only the incomplete line at the end of a lap is copied.
 *
 *     0             begin    head             old                            lap_end   size
 *     |--- this lap -----|line..|-- next read --|--- previous lap, oldest first -------|  |
 */
#ifndef JANKD_DAEMON_TRACE_TRACE_BUFFER_H
#define JANKD_DAEMON_TRACE_TRACE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/span.h"

struct trace_buffer {
	char *bytes;
	size_t size;
	bool remembers;
	size_t begin; /* of the incomplete line */
	size_t head;  /* where the next read is stored */
	/* The whole lines that are left of the previous lap. */
	size_t old, lap_end;
};

/* Allocates all memory. @remember_ns: trace time of the text that is remembered, about, within a
 * limit of memory; 0: none. Returns 0 or -ENOMEM. */
int trace_buffer_open(struct trace_buffer *buffer, uint64_t remember_ns);
void trace_buffer_close(struct trace_buffer *buffer);

/* The memory that the next read overwrites. Save its text first if it is still needed. */
struct span trace_buffer_overwrites(const struct trace_buffer *buffer);

/* Returns true if that memory has text of @since_ns or later. */
bool trace_buffer_would_lose(const struct trace_buffer *buffer, uint64_t since_ns);

/* Returns where to store the next bytes. *size: set to the most bytes. */
char *trace_buffer_space(struct trace_buffer *buffer, size_t *size);

/* Call it after @len bytes were stored there. Returns all text that is not parsed yet. */
struct span trace_buffer_filled(struct trace_buffer *buffer, size_t len);

/* Call it when that text is parsed. @rest: the part that is not. */
void trace_buffer_done(struct trace_buffer *buffer, struct span rest);

/* Call it at the end of the input, before the last trace_buffer_filled(). Ends an incomplete line,
 * or drops it if @dropped. */
void trace_buffer_end_line(struct trace_buffer *buffer, bool dropped);

/* Finds the remembered lines as source_remembered() does. @end: a place in the last line, in the
 * text of trace_buffer_filled(); NULL: all lines that are parsed. */
void trace_buffer_find(const struct trace_buffer *buffer, uint64_t begin_ns, const char *end,
		       struct span parts[2]);

#endif

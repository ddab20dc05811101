/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a line of ftrace text that is left of the function:
 *
 *     surfaceflinger-990   (  990) [001] ....  28306.044232
 *     |comm        |tid    |tgid   |cpu  |flags|seconds
 *
 * It is read from right to left, because comm may contain anything (spaces, '-', ':', brackets),
 * and only the columns to the right of it have a fixed form. All columns except for the first and
 * the last one are optional or of varying width.
 */
#ifndef JANKD_PARSER_FTRACE_HEADER_H
#define JANKD_PARSER_FTRACE_HEADER_H

#include <stdbool.h>

#include "parser/record.h"

/**
 * ftrace_header_read() - read a header of any shape
 * @head: ends after the time. On success it is set to the text to the left of comm: empty, except
 * for a line that is glued to the end of another one
 *
 * Sets comm, tid, tgid, cpu, time and writer of @record; comm borrows from @head's memory. Returns
 * false if it is no header; then nothing is set.
 */
bool ftrace_header_read(struct span *head, struct trace_record *record);

/* Most lines repeat the text before the decimal point of the time, as a thread writes several
 * markers in a second. To read it again costs several times as much as to compare it. */
#define FTRACE_HEADERS_CACHED 256
#define FTRACE_HEADER_CACHED_MIN 32
#define FTRACE_HEADER_CACHED_MAX 64

struct ftrace_header_cached {
	char text[FTRACE_HEADER_CACHED_MAX]; /* from the start of the line to the point */
	uint32_t len;			     /* 0: none */
	uint16_t comm_at, comm_len;
	int32_t cpu, tgid, tid;
	uint64_t seconds_ns;
};

/* All zeros: empty. */
struct ftrace_headers {
	unsigned int
		last; /* the one that was found last: most lines repeat that of the line before */
	struct ftrace_header_cached cached[FTRACE_HEADERS_CACHED];
};

/**
 * ftrace_header_read_cached() - read a header at the start of a line, fast if it is in the cache
 * @headers: the cache
 * @begin: start of the readable memory
 * @from: start of the unread bytes: the header does not begin before it
 * @at: end of the header
 *
 * The time must have six decimals, and no anchor may be in the header. Returns the start of the
 * line, or NULL: it is no such header; then @record is undefined, and the caller uses
 * ftrace_header_read(). Both give the same result.
 */
const char *ftrace_header_read_cached(struct ftrace_headers *headers, const char *begin,
				      const char *from, const char *at,
				      struct trace_record *record);

#endif

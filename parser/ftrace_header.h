/* SPDX-License-Identifier: Apache-2.0 */
/* What stands on a line of ftrace text left of the function:
 *
 *     surfaceflinger-990   (  990) [001] ....  28306.044232
 *     |comm        |tid    |tgid   |cpu  |flags|seconds
 *
 * It is read from right to left, because comm may hold anything (spaces, '-', ':', brackets) and
 * only what stands right of it has a shape. All but the first and the last column are optional or
 * of varying width.
 */
#ifndef JANKD_PARSER_FTRACE_HEADER_H
#define JANKD_PARSER_FTRACE_HEADER_H

#include <stdbool.h>

#include "parser/record.h"

/**
 * ftrace_header_read() - read a header of any shape
 * @head: ends behind the time. On success it is what stands left of the column of comm: empty,
 *        but for a line that is glued to another
 *
 * Sets comm, tid, tgid, cpu, time and writer of @record; comm borrows from @head's memory. False:
 * it is none, and nothing is set.
 */
bool ftrace_header_read(struct span *head, struct trace_record *record);

/* What stands before the point of the time is the same on most lines: a thread writes several
 * markers in a second. Headers that were read are cached and compared with, which costs a third of
 * reading them again. */
#define FTRACE_HEADERS_CACHED 64
#define FTRACE_HEADER_CACHED_MIN 32
#define FTRACE_HEADER_CACHED_MAX 64

struct ftrace_header_cached {
	char text[FTRACE_HEADER_CACHED_MAX]; /* from the begin of the line to the point */
	uint32_t len;			     /* 0: none */
	uint16_t comm_at, comm_len;
	int32_t cpu, tgid, tid;
	uint64_t seconds_ns;
};

/* All zeros at the begin. */
struct ftrace_headers {
	struct ftrace_header_cached cached[FTRACE_HEADERS_CACHED];
};

/**
 * ftrace_header_read_fast() - the same for one of the usual widths at the begin of a line
 * @headers: those that were read before
 * @begin: of the memory that may be read
 * @from: of what is unread: the header does not begin before it
 * @at: its end
 *
 * False: it is another one, and what is set of @record is nothing. Both give the same.
 */
bool ftrace_header_read_fast(struct ftrace_headers *headers, const char *begin, const char *from,
			     const char *at, struct trace_record *record);

#endif

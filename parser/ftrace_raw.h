/* SPDX-License-Identifier: Apache-2.0 */
/* One sub-buffer of trace_pipe_raw to markers: the kernel's ring buffer as it is.
 *
 * Nothing is printed on this way, so nothing can be forged in a line: what a process wrote stays
 * one event, whatever bytes it holds.
 */
#ifndef JANKD_PARSER_FTRACE_RAW_H
#define JANKD_PARSER_FTRACE_RAW_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

/* Where things are, as events/ftrace/print/format and events/header_page of the kernel say. Offsets
 * in bytes; those of the print event from its begin. */
struct ftrace_format {
	uint16_t print_id;
	uint16_t pid_offset;	/* of the writer's thread, the kernel's number */
	uint16_t text_offset;	/* of what was written */
	uint16_t commit_offset; /* of the page's length and flags */
	uint16_t commit_size;	/* a long of the kernel: 8, or 4 */
	uint16_t data_offset;	/* of the first event */
	uint32_t page_size;	/* of the top level's sub-buffers */
};

/* Read the texts of the two files. Both have to be read. Return true, or false where the text is
 * not what it should be. */
bool ftrace_format_read_print(struct ftrace_format *format, struct span text);
bool ftrace_format_read_page(struct ftrace_format *format, struct span text);

/* A page while it is read. */
struct ftrace_page {
	const struct ftrace_format *format;
	const char *at;
	const char *end;
	uint64_t time_ns; /* of the last event */
	/* Lost before this page: their number; FTRACE_LOST_UNKNOWN; 0: none. */
	int64_t lost;
	bool damaged; /* an event did not fit into the page: the rest of it was given up */
};

#define FTRACE_LOST_UNKNOWN INT64_C(-1)

/* A marker, borrowed from the page. */
struct ftrace_print {
	uint64_t time_ns;
	int32_t tid;
	struct span text; /* up to the first line end or NUL */
};

/**
 * ftrace_page_begin() - look into a sub-buffer
 * @bytes: what one read of trace_pipe_raw gave; kept until the page is done
 *
 * Returns false where this is no page.
 */
bool ftrace_page_begin(struct ftrace_page *page, const struct ftrace_format *format,
		       struct span bytes);

/* The next marker of the page; other events are passed over. False at the end. */
bool ftrace_page_next(struct ftrace_page *page, struct ftrace_print *print);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of trace_pipe_raw to markers: the kernel's ring buffer in its binary form.
 *
 * Nothing is formatted as text, so no line can be forged: each write of a process is one event,
 * whatever its bytes are.
 */
#ifndef JANKD_PARSER_FTRACE_RAW_H
#define JANKD_PARSER_FTRACE_RAW_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

/* The layout, from the kernel's files events/ftrace/print/format and events/header_page. Offsets
 * are in bytes from the start of the page; those of pid and text from that of the print event. */
struct ftrace_format {
	uint16_t print_id;
	uint16_t pid_offset;	/* of the writer's thread (the kernel's number) */
	uint16_t text_offset;	/* of the text that was written */
	uint16_t commit_offset; /* of the page's length and flags */
	uint16_t commit_size;	/* size of the kernel's long: 8 or 4 */
	uint16_t data_offset;	/* of the first event */
	uint32_t page_size;	/* in the top-level instance */
};

/* Parse the two files; both are needed. Return false if the text has another format. */
bool ftrace_format_read_print(struct ftrace_format *format, struct span text);
bool ftrace_format_read_page(struct ftrace_format *format, struct span text);

/* A page that is being read. */
struct ftrace_page {
	const struct ftrace_format *format;
	const char *at;
	const char *end;
	uint64_t time_ns; /* of the last event */
	size_t least;	  /* size of a print event without text */
	/* Number of events lost before this page; FTRACE_LOST_UNKNOWN; 0: none. */
	int64_t lost;
	bool damaged; /* an event exceeded the page: the rest of the page was dropped */
};

#define FTRACE_LOST_UNKNOWN INT64_C(-1)

/* A marker, borrowed from the page. */
struct ftrace_print {
	uint64_t time_ns;
	int32_t tid;
	struct span text; /* up to the first line end or NUL */
};

/**
 * ftrace_page_begin() - begin to read a page
 * @bytes: from one read of trace_pipe_raw; must stay valid until the page has been read
 *
 * Returns false if it is not a valid page.
 */
bool ftrace_page_begin(struct ftrace_page *page, const struct ftrace_format *format,
		       struct span bytes);

/* The next marker of the page; other events are skipped. Returns false at the end. */
bool ftrace_page_next(struct ftrace_page *page, struct ftrace_print *print);

#endif

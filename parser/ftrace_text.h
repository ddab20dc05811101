/* SPDX-License-Identifier: Apache-2.0 */
/* ftrace text, as trace_pipe, trace and systrace files hold it, to records.
 *
 * Copies: none here. The caller keeps the bytes that ftrace_text_next() leaves in its input (the
 * beginning of a line whose end has not been read) and presents them again, followed by more.
 */
#ifndef JANKD_PARSER_FTRACE_TEXT_H
#define JANKD_PARSER_FTRACE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/anchor.h"
#include "parser/ftrace_header.h"
#include "parser/record.h"

/* A longer line is no line of ftrace's: the kernel cuts a marker at 4096 bytes. */
#define FTRACE_TEXT_LINE_MAX 16384

struct ftrace_text {
	uint64_t markers;   /* marker lines found, readable or not */
	uint64_t malformed; /* of these: a header or a payload that is none */
	uint64_t glued;	    /* of these: found behind another on one line, after a NUL */
	uint64_t too_long;  /* marker lines of FTRACE_TEXT_LINE_MAX bytes and more, dropped */
	uint64_t last_ns;   /* time of the last record */
	bool in_long_line;  /* dropping until the next line end */

	/* Between two records of the same input: what the scan has found already. */
	struct anchor_scan scan; /* of the complete lines; its end is NULL before the first */
	size_t n_anchors, next_anchor;
	const char *anchors[ANCHORS_MAX];

	struct ftrace_headers headers;
};

#define FTRACE_TEXT_INIT ((struct ftrace_text){ 0 })

enum ftrace_text_result {
	FTRACE_TEXT_MORE,   /* every complete line is done: read more behind what is left */
	FTRACE_TEXT_RECORD, /* *record is set; call again */
};

/**
 * ftrace_text_next() - the next marker record, or loss, in a stream of text
 * @text: state of the stream; begin with FTRACE_TEXT_INIT
 * @input: unread bytes; advanced past what is done. With FTRACE_TEXT_MORE fewer than
 *         FTRACE_TEXT_LINE_MAX bytes are left, so a buffer twice as long always has room
 * @last: no bytes come after @input: its last line may lack a line end
 * @record: set with FTRACE_TEXT_RECORD; borrows from @input's memory
 *
 * After FTRACE_TEXT_RECORD the rest of the input has to stay where it is until the next call.
 *
 * Lines of other events and lines that are none are passed over, at the cost of a scan. However
 * the stream is split into reads, the records are the same.
 */
enum ftrace_text_result ftrace_text_next(struct ftrace_text *text, struct span *input, bool last,
					 struct trace_record *record);

#endif

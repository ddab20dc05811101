/* SPDX-License-Identifier: Apache-2.0 */
/* ftrace text (trace_pipe, trace, systrace files) to records.
 *
 * Nothing is copied. The caller keeps the bytes that ftrace_text_read() leaves in its input (the
 * first part of a line) and passes them again, followed by more.
 */
#ifndef JANKD_PARSER_FTRACE_TEXT_H
#define JANKD_PARSER_FTRACE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/anchor.h"
#include "parser/ftrace_header.h"
#include "parser/record.h"

/* No line of ftrace is longer: the kernel cuts a marker at 4096 bytes. */
#define FTRACE_TEXT_LINE_MAX 16384

/* CPUs whose last event of any kind is known at a loss. */
#define FTRACE_TEXT_CPUS 64

/* The text before the first loss in which the last event of its CPU is looked for. */
#define FTRACE_TEXT_LOOK_BACK 32768

struct ftrace_text {
	uint64_t markers;   /* marker lines found, valid or not */
	uint64_t malformed; /* markers with an invalid header or payload */
	uint64_t glued;	    /* markers with another line glued to them, after a NUL */
	uint64_t too_long;  /* marker lines of FTRACE_TEXT_LINE_MAX bytes and more, dropped */
	uint64_t last_ns;   /* time of the last record */
	bool in_long_line;  /* skipping to the next line end */

	/* The state between two records of the same input: anchors found so far. */
	struct anchor_scan scan; /* of the complete lines; end is NULL before the first */
	size_t n_anchors, next_anchor;
	const char *anchors[ANCHORS_MAX];
	struct span line;    /* around the last anchor that was not on the fast path */
	const char *unusual; /* the last text that the fast path could not read */

	struct ftrace_headers headers;
	size_t header_len; /* of the last usual line, up to its anchor; 0: there was none */

	/* Set by the owner: the stream has markers only, as that of a capture. Then the text before
	 * a loss shows nothing that the markers do not, and none is kept. */
	bool has_markers_only;

	/* From the first loss on: the time of each CPU's last event of any kind in the lines before
	 * ->noted; 0: there was none. */
	bool has_lost;
	const char *noted;
	uint64_t cpu_ns[FTRACE_TEXT_CPUS];

	/* Before it: the end of the complete lines before this input. */
	size_t tail_len;
	char tail[FTRACE_TEXT_LOOK_BACK];
};

#define FTRACE_TEXT_INIT ((struct ftrace_text){ 0 })

/**
 * ftrace_text_read() - the next records, markers or losses, in a stream of text
 * @text: state of the stream; initialise with FTRACE_TEXT_INIT
 * @input: unread bytes; advanced past those that were processed. With 0 records fewer than
 * FTRACE_TEXT_LINE_MAX bytes are left, so a buffer of twice that size always has space
 * @last: no bytes follow @input: its last line may lack a line end
 * @records: set; they borrow from @input's memory
 * @max: of these
 *
 * A loss has the time of the last event of its CPU, if that is not more than FTRACE_TEXT_LOOK_BACK
 * bytes before the first loss.
 *
 * Returns the number of records; 0: every complete line was read, append more bytes to the rest.
 * Else the rest of the input must stay in place until the next call. Between two records of a call
 * nothing was skipped: the counts are those before the first.
 *
 * Other lines are skipped. The records do not depend on how the stream is split.
 */
size_t ftrace_text_read(struct ftrace_text *text, struct span *input, bool last,
			struct trace_record *records, size_t max);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace comes wrapped in: recognised by its bytes, never by a file's name.
 *
 * Nothing is decompressed here: whoever has a zlib asks again with the bytes that came out of it
 * (a compressed file may hold plain text, an HTML file or a perfetto trace).
 */
#ifndef JANKD_PARSER_CONTAINER_H
#define JANKD_PARSER_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>

#include "parser/span.h"

enum container_kind {
	CONTAINER_MORE,	    /* too few bytes to tell */
	CONTAINER_TEXT,	    /* ftrace text, and whatever is none of the others */
	CONTAINER_HTML,	    /* systrace: read it through container_html_next() */
	CONTAINER_GZIP,	    /* RFC 1952 */
	CONTAINER_ZLIB,	    /* RFC 1950; behind a few lines of text in what 'atrace -z' prints */
	CONTAINER_PERFETTO, /* protobuf: no text in it */
};

/* So many bytes always suffice to tell. */
#define CONTAINER_HEAD_MAX 4096

/**
 * container_recognise() - what a stream is, by its first bytes
 * @head: the stream's begin, as much of it as has been read
 * @last: the stream ends behind @head
 * @skip: set to the number of bytes before the content (lines that atrace prints)
 *
 * CONTAINER_MORE is returned only while @head is short of CONTAINER_HEAD_MAX and not the last.
 */
enum container_kind container_recognise(struct span head, bool last, size_t *skip);

/* Where in an HTML file the reader is. */
enum html_place {
	HTML_MARKUP,
	HTML_COMMENT,
	HTML_TAG,     /* inside "<script ...", before its '>' */
	HTML_SCRIPT,  /* the viewer's JavaScript: passed over */
	HTML_SECTION, /* at the begin of a trace-data section: blanks before its content */
	HTML_TRACE,   /* ftrace text of a trace-data section */
	HTML_OTHER,   /* a trace-data section of another format (JSON): passed over */
	HTML_STRING,  /* var linuxPerfData = "...": lines end in \n\ (Android 4.x) */
};

struct container_html {
	enum html_place place;
	bool tag_has_trace; /* HTML_TAG: "trace-data" was seen */
};

#define CONTAINER_HTML_INIT ((struct container_html){ HTML_MARKUP, false })

/* A piece of HTML longer than this never has to be seen at once. */
#define CONTAINER_HTML_KEEP_MAX 64

/**
 * container_html_next() - the next stretch of ftrace text in a systrace HTML file
 * @html: state of the stream; begin with CONTAINER_HTML_INIT
 * @input: unread bytes; advanced past what is done
 * @last: no bytes come after @input
 * @text: set to a stretch of text, borrowed from @input's memory or constant
 *
 * Returns true with a stretch; false where more bytes are needed: less than
 * CONTAINER_HTML_KEEP_MAX are left then, to be presented again in front of the next ones. The
 * text put together is the same however the stream is split.
 */
bool container_html_next(struct container_html *html, struct span *input, bool last,
			 struct span *text);

#endif

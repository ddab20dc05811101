/* SPDX-License-Identifier: Apache-2.0 */
/* The format of the file around a trace: recognised by its bytes, never by the file's name.
 *
 * Nothing is decompressed here. The caller decompresses, and calls again with the resulting bytes
 * (a compressed file may contain plain text, an HTML file or a perfetto trace).
 */
#ifndef JANKD_PARSER_CONTAINER_H
#define JANKD_PARSER_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>

#include "parser/span.h"

enum container_kind {
	CONTAINER_TEXT,	    /* ftrace text, or any other bytes */
	CONTAINER_HTML,	    /* systrace: use container_html_next() */
	CONTAINER_JSON,	    /* Chrome's, which may have ftrace text: the same */
	CONTAINER_GZIP,	    /* RFC 1952 */
	CONTAINER_ZLIB,	    /* RFC 1950; in the output of 'atrace -z' after a few lines of text */
	CONTAINER_PERFETTO, /* protobuf: no text */
};

/* This number of bytes is enough to decide. */
#define CONTAINER_HEAD_MAX 4096

/**
 * container_recognise() - recognise a stream by its first bytes
 * @head: at least CONTAINER_HEAD_MAX bytes of it, or all
 * @skip: set to the number of bytes before the content (lines that atrace prints)
 */
enum container_kind container_recognise(struct span head, size_t *skip);

/* True: @text is printable ASCII and UTF-8. Its last character may be cut. */
bool container_is_text(struct span text);

/* The position in an HTML file. */
enum html_place {
	HTML_MARKUP,
	HTML_COMMENT,
	HTML_TAG,	   /* inside "<script ...", before its '>' */
	HTML_TAG_OF_TRACE, /* the same, behind "trace-data" */
	HTML_SCRIPT,	   /* the viewer's JavaScript: ignored */
	HTML_JSON,	   /* a trace-data section of JSON, or a file of JSON */
	HTML_SECTION,	   /* at the start of a trace-data section: blanks before its content */
	/* What follows has the text of the trace. */
	HTML_TRACE,	  /* ftrace text of a trace-data section */
	HTML_STRING,	  /* var linuxPerfData = "...": lines end in \n\ (Android 4.x) */
	HTML_JSON_STRING, /* "systemTraceEvents": "..." in it */
};

struct container_html {
	enum html_place place;
	bool is_json; /* the file is JSON: no tag ends it */
	char utf8[4]; /* a character of a string that is written as its number */
};

#define CONTAINER_HTML_INIT ((struct container_html){ .place = HTML_MARKUP })
#define CONTAINER_JSON_INIT ((struct container_html){ .place = HTML_JSON, .is_json = true })

/* Fewer bytes of HTML than this have to be kept for the next call. */
#define CONTAINER_HTML_KEEP_MAX 64

/**
 * container_html_next() - the next piece of ftrace text in a file of HTML or JSON
 * @html: state of the stream; initialise with CONTAINER_HTML_INIT or CONTAINER_JSON_INIT
 * @input: unread bytes; advanced past those that were processed
 * @last: no bytes follow @input
 * @text: set to a piece of text, borrowed from @input's memory or @html, or constant
 *
 * Returns true with a piece of text; false if more bytes are needed. Then fewer than
 * CONTAINER_HTML_KEEP_MAX bytes are left, which the caller passes again with the next ones. The
 * resulting text does not depend on how the stream is split.
 */
bool container_html_next(struct container_html *html, struct span *input, bool last,
			 struct span *text);

/* True: a file that ends now is cut: a tag, a script, a section or a string is not closed. */
bool container_html_is_open(const struct container_html *html);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/container.h"

#include <stdint.h>
#include <strings.h>

#include "parser/anchor.h"
#include "parser/protobuf.h"
#include "parser/swar.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
}

/* True: @text begins with @word, ignoring case. */
static bool starts_with_word(struct span text, struct span word)
{
	return text.len >= word.len && strncasecmp(text.ptr, word.ptr, word.len) == 0;
}

/* --- recognition --- */

bool container_is_text(struct span text)
{
	for (size_t at = 0, n; at < text.len; at += n) {
		unsigned char first = (unsigned char)text.ptr[at];

		n = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
		if ((first < ' ' && !is_blank(text.ptr[at])) || (first >= 0x7f && first < 0xc2) ||
		    first > 0xf4)
			return false;
		for (size_t i = at + 1; i < at + n && i < text.len; i++)
			if (((unsigned char)text.ptr[i] & 0xc0) != 0x80)
				return false;
	}
	return true;
}

/* Bytes in which compressed data has at least one that is in no text. */
#define BINARY_WITHIN 64

/* The header of a zlib stream: deflate, window of 32 KB at most, checksum, no dictionary. Some are
 * letters, too, and a text may be cut anywhere: "8O", "hC", "x^". Then the bytes after them
 * decide. */
static bool is_zlib(struct span head)
{
	const unsigned char *byte = (const unsigned char *)head.ptr;

	if (head.len < 2 || (byte[0] & 0x0f) != 8 || byte[0] >> 4 > 7 || byte[1] & 0x20 ||
	    (byte[0] << 8 | byte[1]) % 31 != 0)
		return false;
	head.len = head.len < BINARY_WITHIN ? head.len : BINARY_WITHIN;
	return !container_is_text(head);
}

static struct span skip_blanks(struct span text)
{
	while (text.len > 0 && is_blank(text.ptr[0]))
		text = span_skip(text, 1);
	return text;
}

/* True: a whole line of @head has the header of a marker. In JSON the lines of a trace are parts of
 * a string, with a backslash between them. */
static bool has_marker_line(struct span head)
{
	const char *end = head.ptr + head.len, *at = head.ptr;

	while (at && (at = anchor_find(head.ptr, at, end))) {
		const char *begin = memrchr(head.ptr, '\n', (size_t)(at - head.ptr));
		const char *next = memchr(at, '\n', (size_t)(end - at));

		begin = begin ? begin : head.ptr;
		if (next && !memmem(begin, (size_t)(next - begin), "\\n", 2))
			return true;
		at = next; /* the same is true of other anchors of the line */
	}
	return false;
}

/* An object with a name. A text may have been cut there, in a layer's name or in a marker. */
static bool is_json(struct span head)
{
	struct span rest = skip_blanks(head);

	if (rest.len == 0 || rest.ptr[0] != '{')
		return false;
	rest = skip_blanks(span_skip(rest, 1));
	return rest.len > 0 && rest.ptr[0] == '"' && !has_marker_line(head);
}

/* True: @message consists of fields. The last one may be cut. */
static bool are_fields(struct span message)
{
	struct protobuf_field field;
	uint64_t tag;

	while (protobuf_next(&message, &field))
		;
	if (!protobuf_varint(&message, &tag))
		return message.len < 10;
	switch (tag & 7) {
	case PROTOBUF_VARINT:
		return tag >> 3 != 0 && message.len < 10;
	case PROTOBUF_BYTES:
	case PROTOBUF_FIXED64:
	case PROTOBUF_FIXED32:
		return tag >> 3 != 0 && tag >> 32 == 0;
	}
	return false;
}

/* A perfetto trace is a sequence of packets, each of them field 1 of the whole: 0x0a, length,
 * fields. 0x0a is also a line end, so a stream without any binary byte is no perfetto trace. The
 * first packets tell: damage behind them is that of a perfetto trace. */
static bool is_perfetto(struct span head)
{
	struct span rest = { head.ptr,
			     head.len < CONTAINER_HEAD_MAX ? head.len : CONTAINER_HEAD_MAX };
	bool binary = false;
	uint64_t length;

	for (size_t i = 0; i < head.len && i < 256; i++)
		binary |= (unsigned char)head.ptr[i] < 8 || (unsigned char)head.ptr[i] >= 0x80;
	while (binary && rest.len > 1) {
		struct span packet;

		if (rest.ptr[0] != '\n')
			return false;
		rest = span_skip(rest, 1);
		if (!protobuf_varint(&rest, &length))
			return rest.len < 10;
		packet = (struct span){ rest.ptr, length < rest.len ? (size_t)length : rest.len };
		if (length == 0 || !are_fields(packet))
			return false;
		rest = span_skip(rest, packet.len);
	}
	return binary;
}

/* 'atrace -z' prints "capturing trace... done", "TRACE:" and then the zlib stream. Returns the
 * number of bytes before that; 0: it is none. */
static size_t before_zlib(struct span head)
{
	struct span rest = head;
	const char *newline;

	while ((newline = memchr(rest.ptr, '\n', rest.len))) {
		struct span line = { rest.ptr, (size_t)(newline - rest.ptr) };

		rest = span_skip(rest, line.len + 1);
		if (line.len > 0 && line.ptr[line.len - 1] == '\r')
			line.len--;
		/* A line of a trace begins so, or is long; those that atrace prints do not. */
		if (line.len > 0 && (line.ptr[0] == '#' || line.ptr[0] == ' ' || line.len > 200))
			return 0;
		if (span_equal(line, SPAN_LITERAL("TRACE:")))
			return is_zlib(rest) ? (size_t)(rest.ptr - head.ptr) : 0;
	}
	return 0;
}

enum container_kind container_recognise(struct span head, size_t *skip)
{
	static const struct span html[] = {
		SPAN_INIT("<!doctype"), SPAN_INIT("<html"), SPAN_INIT("<head"),
		SPAN_INIT("<script"),	SPAN_INIT("<!--"),  SPAN_INIT("<?xml"),
	};
	static const struct span bom = SPAN_INIT("\xef\xbb\xbf");
	struct span text = span_skip(head, span_starts_with(head, bom) ? bom.len : 0);

	*skip = 0;
	if (head.len < 2)
		return CONTAINER_TEXT;
	if (span_starts_with(head, SPAN_LITERAL("\x1f\x8b")))
		return CONTAINER_GZIP;
	if (is_zlib(head))
		return CONTAINER_ZLIB;
	if (head.ptr[0] == '\n' && is_perfetto(head))
		return CONTAINER_PERFETTO;
	/* A text trace may begin with "<...>-123", so the first word decides. */
	for (size_t i = 0; i < ARRAY_SIZE(html); i++)
		if (starts_with_word(skip_blanks(text), html[i]))
			return CONTAINER_HTML;
	if (is_json(text))
		return CONTAINER_JSON;
	*skip = before_zlib(head);
	return *skip > 0 ? CONTAINER_ZLIB : CONTAINER_TEXT;
}

/* --- HTML of systrace, and JSON --- */

/* In each place: the texts at which another one begins. */
static const struct html_end {
	enum html_place in, next;
	struct span text;
	bool is_line; /* the next text of the trace is on another line */
} ends[] = {
	{ HTML_MARKUP, HTML_COMMENT, SPAN_INIT("<!--"), false },
	{ HTML_MARKUP, HTML_TAG, SPAN_INIT("<script"), false },
	{ HTML_COMMENT, HTML_MARKUP, SPAN_INIT("-->"), false },
	{ HTML_TAG, HTML_SCRIPT, SPAN_INIT(">"), false },
	{ HTML_TAG, HTML_TAG_OF_TRACE, SPAN_INIT("trace-data"), false },
	{ HTML_TAG_OF_TRACE, HTML_SECTION, SPAN_INIT(">"), false },
	{ HTML_SCRIPT, HTML_MARKUP, SPAN_INIT("</script"), false },
	{ HTML_JSON, HTML_MARKUP, SPAN_INIT("</script"), false },
	{ HTML_TRACE, HTML_MARKUP, SPAN_INIT("</script"), true },
	{ HTML_STRING, HTML_SCRIPT, SPAN_INIT("\";"), false },
	{ HTML_STRING, HTML_MARKUP, SPAN_INIT("</script"), false },
	{ HTML_JSON_STRING, HTML_JSON, SPAN_INIT("\""), true },
};

/* The characters with which these begin, and escapes. */
static const char stops[][4] = {
	[HTML_MARKUP] = "<<<",	       [HTML_COMMENT] = "---", [HTML_TAG] = ">tT",
	[HTML_TAG_OF_TRACE] = ">>>",   [HTML_TRACE] = "<<<",   [HTML_STRING] = "\\\"<",
	[HTML_JSON_STRING] = "\\\"\"",
};

/* The longest text that is searched for, with the blanks of '"systemTraceEvents" : "'. */
#define LOOK_AHEAD 32
_Static_assert(LOOK_AHEAD < CONTAINER_HTML_KEEP_MAX, "what is kept must suffice");

/* What is before the string with the trace: 'linuxPerfData = "', '"systemTraceEvents": "'. */
static struct span name_in(enum html_place place)
{
	return place == HTML_JSON ? SPAN_LITERAL("\"systemTraceEvents\"")
				  : SPAN_LITERAL("linuxPerfData");
}

/* The number of bytes before the next one of @any. */
static size_t before_any(struct span text, const char any[3])
{
	size_t n = 0;

#ifdef BLOCK_SIZE
	for (; text.len - n >= BLOCK_SIZE; n += BLOCK_SIZE) {
		uint32_t found = block_find(text.ptr + n, any);

		if (found)
			return n + (unsigned int)__builtin_ctz(found);
	}
#endif
	while (n < text.len && !memchr(any, text.ptr[n], 3))
		n++;
	return n;
}

static const struct html_end *end_at(enum html_place place, struct span text)
{
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends[i].in == place && starts_with_word(text, ends[i].text))
			return &ends[i];
	return NULL;
}

/* True: there are enough bytes to compare with each text that is searched for. */
static bool is_enough(struct span input, bool last)
{
	return input.len > 0 && (last || input.len >= LOOK_AHEAD);
}

/* The number of bytes before those at which there is something to do, or too few to know it. */
static size_t before_stop(const struct container_html *html, struct span input, bool last)
{
	struct span rest = input, name = name_in(html->place);

	/* The columns of a first line of ftrace text are found without its blanks. */
	if (html->place == HTML_SECTION)
		return input.len - skip_blanks(input).len;
	/* The next '<', but not in JSON, or the name, in what may be megabytes of JavaScript. */
	if (html->place == HTML_SCRIPT || html->place == HTML_JSON) {
		const char *tag = html->is_json ? NULL : memchr(input.ptr, '<', input.len);
		size_t before = tag ? (size_t)(tag - input.ptr) : input.len;
		const char *at = memmem(input.ptr, before, name.ptr, name.len);

		if (at || tag)
			return (size_t)((at ? at : tag) - input.ptr);
		/* The last bytes may be the first part of the name. */
		return before >= name.len ? before - name.len + 1 : 0;
	}
	for (;; rest = span_skip(rest, 1)) {
		rest = span_skip(rest, before_any(rest, stops[html->place]));
		if (!is_enough(rest, last) || rest.ptr[0] == '\\' || end_at(html->place, rest))
			return (size_t)(rest.ptr - input.ptr);
	}
}

/* Returns the meaning of the escape at @input. A '\\' before a line end joins lines. */
static struct span unescape(struct span *input)
{
	struct span whole = *input;
	char c = whole.len > 1 ? whole.ptr[1] : '\0';

	*input = span_skip(*input, 2);
	if (c == 'n')
		return SPAN_LITERAL("\n");
	if (c == 't')
		return SPAN_LITERAL("\t");
	if (c == 'r')
		return SPAN_LITERAL("\r");
	if (c == '\r' && input->len > 0 && input->ptr[0] == '\n')
		*input = span_skip(*input, 1);
	if (c == '\r' || c == '\n')
		return SPAN_NULL;
	if (c == '"' || c == '\\' || c == '/' || c == '\'')
		return (struct span){ whole.ptr + 1, 1 };
	return (struct span){ whole.ptr, whole.len < 2 ? whole.len : 2 };
}

/* Reads "\uXXXX" at @text. Returns false if it is none. */
static bool read_unit(struct span text, uint32_t *unit)
{
	*unit = 0;
	if (text.len < 6 || text.ptr[0] != '\\' || text.ptr[1] != 'u')
		return false;
	for (int i = 2; i < 6; i++) {
		char c = is_letter(text.ptr[i]) ? (char)(text.ptr[i] | 0x20) : text.ptr[i];

		if (!is_hex_digit(c))
			return false;
		*unit = *unit << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return true;
}

/* Reads "\uXXXX", of characters above U+FFFF two of them. */
static struct span number_character(struct container_html *html, struct span *input, uint32_t unit)
{
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	uint32_t second;
	size_t n;

	*input = span_skip(*input, 6);
	if (unit >= 0xd800 && unit < 0xe000) {
		if (unit < 0xdc00 && read_unit(*input, &second) && second >= 0xdc00 &&
		    second < 0xe000) {
			*input = span_skip(*input, 6);
			unit = 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00);
		} else {
			unit = 0xfffd; /* half of a pair */
		}
	}
	n = unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit < 0x10000 ? 3 : 4;
	for (size_t i = n; i-- > 1; unit >>= 6)
		html->utf8[i] = (char)(0x80 | (unit & 0x3f));
	html->utf8[0] = (char)(n == 1 ? unit : first[n] | unit);
	return (struct span){ html->utf8, n };
}

bool container_html_next(struct container_html *html, struct span *input, bool last,
			 struct span *text)
{
	*text = SPAN_NULL;
	while (text->len == 0) {
		struct span before = { input->ptr, before_stop(html, *input, last) };
		const struct html_end *end;
		uint32_t unit;

		*input = span_skip(*input, before.len);
		if (before.len > 0 && html->place >= HTML_TRACE) {
			*text = before;
			return true;
		}
		if (!is_enough(*input, last))
			return false;
		/* No tag ends JSON, which may end with the text of one. */
		end = html->is_json && html->place == HTML_JSON ? NULL
								: end_at(html->place, *input);
		if (end) {
			*input = span_skip(*input, end->text.len);
			html->place = end->next;
			*text = (struct span){ "\n", end->is_line };
		} else if (html->place == HTML_SECTION) {
			html->place = input->ptr[0] == '{' || input->ptr[0] == '[' ? HTML_JSON
										   : HTML_TRACE;
		} else if (html->place == HTML_SCRIPT || html->place == HTML_JSON) {
			/* Advances behind the begin of the string with the trace, or by a byte.
			 * That begin must fit into the look-ahead, so that pieces of any size give
			 * the same result. */
			bool in_json = html->place == HTML_JSON, is_named;
			struct span name = name_in(html->place), rest = *input;

			rest.len = rest.len < LOOK_AHEAD ? rest.len : LOOK_AHEAD;
			is_named = span_starts_with(rest, name);
			rest = skip_blanks(span_skip(rest, name.len));
			is_named &= rest.len > 0 && rest.ptr[0] == (in_json ? ':' : '=');
			rest = skip_blanks(span_skip(rest, 1));
			is_named &= rest.len > 0 && rest.ptr[0] == '"';
			*input = span_skip(*input,
					   is_named ? (size_t)(rest.ptr + 1 - input->ptr) : 1);
			if (is_named)
				html->place = in_json ? HTML_JSON_STRING : HTML_STRING;
		} else if (html->place == HTML_JSON_STRING && read_unit(*input, &unit)) {
			*text = number_character(html, input, unit);
		} else {
			*text = unescape(input);
		}
	}
	return true;
}

/* Nothing of the trace can follow the string of a file of JSON, so its last brackets may be cut. */
bool container_html_is_open(const struct container_html *html)
{
	return html->place != (html->is_json ? HTML_JSON : HTML_MARKUP);
}

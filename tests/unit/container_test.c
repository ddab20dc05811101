/* SPDX-License-Identifier: Apache-2.0 */
/* The kind of a file by its first bytes, and the text in HTML and JSON, in reads of any size. */
#include "tests/unit/unit.h"

#include "parser/container.h"
#include "tests/unit/guarded.h"

static size_t skip;

FIXTURE(guarded_set_up, guarded_tear_down)

static enum container_kind recognise(struct span head)
{
	char *at = guarded.end - head.len;

	if (head.len != 0)
		memcpy(at, head.ptr, head.len);
	return container_recognise((struct span){ at, head.len }, &skip);
}

#define LINE "  surfaceflinger-406   [001] .... 790.283314: tracing_mark_write: E|406\n"

#define BYTES(text)                                                                                \
	{                                                                                          \
		(text), sizeof(text) - 1                                                           \
	}

static const struct {
	struct span head;
	enum container_kind kind;
	size_t skip;
} files[] = {
	{ BYTES(""), CONTAINER_TEXT, 0 },
	{ BYTES("x"), CONTAINER_TEXT, 0 },
	{ BYTES(LINE), CONTAINER_TEXT, 0 },
	{ BYTES("# tracer: nop\n#\n" LINE), CONTAINER_TEXT, 0 },
	{ BYTES("\n\n" LINE), CONTAINER_TEXT, 0 },
	{ BYTES("<...>-406   [001] .... 790.283314: print: E|406\n"), CONTAINER_TEXT, 0 },
	{ BYTES("<idle>-0   [001] .... 790.283314: print: E|406\n"), CONTAINER_TEXT, 0 },
	{ BYTES("TRACE:\n# tracer: nop\n" LINE), CONTAINER_TEXT, 0 },
	{ BYTES("hello, this is no trace"), CONTAINER_TEXT, 0 },
	{ BYTES("<!DOCTYPE html>\n<html>"), CONTAINER_HTML, 0 },
	{ BYTES("<!doctype html>"), CONTAINER_HTML, 0 },
	{ BYTES("\xef\xbb\xbf\r\n <HTML>\n"), CONTAINER_HTML, 0 },
	{ BYTES("<!-- saved -->"), CONTAINER_HTML, 0 },
	{ BYTES("\x1f\x8b\x08\x00\x00"), CONTAINER_GZIP, 0 },
	{ BYTES("\x78\x9c\xed\xbd"), CONTAINER_ZLIB, 0 },
	{ BYTES("\x78\x01\xed\xbd"), CONTAINER_ZLIB, 0 },
	{ BYTES("capturing trace... done\nTRACE:\n\x78\x9c\xed"), CONTAINER_ZLIB, 31 },
	{ BYTES("TRACE:\r\n\x78\xda\xed"), CONTAINER_ZLIB, 8 },
	{ BYTES("x\n# y\nTRACE:\n\x78\x9c"), CONTAINER_TEXT, 0 },
	{ BYTES("x\n y\nTRACE:\n\x78\x9c"), CONTAINER_TEXT, 0 },
	{ BYTES("{ \"traceEvents\": []}"), CONTAINER_JSON, 0 },
	{ BYTES("\n{\"systemTraceEvents\": \"#\\n" LINE "\\n"), CONTAINER_JSON, 0 },
	{ BYTES("{\"\": 1}|x#1|0\n" LINE), CONTAINER_TEXT, 0 },
	{ BYTES("{5e6 a/b}#1|0\n" LINE), CONTAINER_TEXT, 0 },
	{ BYTES("[{\"pid\": 1}]"), CONTAINER_TEXT, 0 },
	/* Texts that were cut: two letters are the header of a zlib stream. */
	{ BYTES("80.283314: print: E|406\n" LINE), CONTAINER_TEXT, 0 },
	{ BYTES("hCb-406   [001] .... 790.2: print: E|406\n" LINE), CONTAINER_TEXT, 0 },
	{ BYTES("x^\xc3\xa9 [001] .... 790.2: print: E|406\n" LINE), CONTAINER_TEXT, 0 },
	{ BYTES("x^"), CONTAINER_TEXT, 0 },
	{ BYTES("x^\xe4\xbd\xd1o\xdb"), CONTAINER_ZLIB, 0 },
	{ BYTES("\x0a\x04\x08\x01\x10\x02\x0a\x02\x08\x01"), CONTAINER_PERFETTO, 0 },
	/* Numbers of 64 and 32 bits, a text, and a number of two bytes; the last packet is cut. */
	{ BYTES("\x0a\x14\x09\1\2\3\4\5\6\7\x88\x15\1\2\3\4\x1a\x01\x05\x20\x80\x01\x0a\x09\x08"),
	  CONTAINER_PERFETTO, 0 },
	{ BYTES("\x0a\x02\x08\x01\x0b\x02\x08\x01"), CONTAINER_TEXT, 0 },
	{ BYTES("\x0a\x02\x00\x01"), CONTAINER_TEXT, 0 },
	{ BYTES("\x0a\x02\x0b\x01"), CONTAINER_TEXT, 0 },
	{ BYTES("\x0a\x00\x0a\x00"), CONTAINER_TEXT, 0 },
	{ BYTES("\x0a\x0c\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), CONTAINER_TEXT, 0 },
};

TEST(test_kinds_of_files_are_recognised)
{
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		enum container_kind kind = recognise(files[i].head);

		if (kind != files[i].kind || skip != files[i].skip)
			fail_msg("file %zu: kind %d, skip %zu", i, (int)kind, skip);
	}
}

/* Damage behind the first bytes changes nothing. */
TEST(test_damage_behind_the_head_is_not_looked_at)
{
	static char more[2 * CONTAINER_HEAD_MAX];

	for (size_t i = 0; i < sizeof(more); i += 4)
		memcpy(more + i, i < CONTAINER_HEAD_MAX ? "\x0a\x02\x08\x01" : "\xff\xff\xff\xff",
		       4);
	assert_int_equal(recognise((struct span){ more, sizeof(more) }), CONTAINER_PERFETTO);
}

static const char html_new[] =
	"<!DOCTYPE html>\n<html><head><script>var a = '<script '; if (1 < 2) {}</script>\n"
	"<!-- <script class=\"trace-data\">hidden</script> -->\n"
	"<SCRIPT CLASS=\"trace-data\" type=\"application/text\">\n"
	"# tracer: nop\n" LINE "          <idle>-0     [001] .... 790.283315: print: E</script>\n"
	"<script class=\"trace-data\" "
	"type=\"application/json\">{\"systemTraceEvents\":\"x\"}</script>\n"
	"<script class=trace-data>\n" LINE "</script></html>\n";

/* The first line of the second section has lost its leading blanks: columns are found without them.
 * A line end after each section separates their lines. */
static const char html_new_text[] =
	"# tracer: nop\n" LINE "          <idle>-0     [001] .... 790.283315: print: E\nx\n"
	"surfaceflinger-406   [001] .... 790.283314: tracing_mark_write: E|406\n\n";

static const char html_old[] =
	"<html><script>\n  var linuxPerf;\n  var linuxPerfData = \"\\\n# tracer: nop\\n\\\n"
	"  hwc-336   [000] 5.929925: 0: "
	"C|124|\\\"a\\\\b\\t<c\\\r\nd|1\\n\\\n\";\n</script></html>\n";

static const char html_old_text[] =
	"# tracer: nop\n  hwc-336   [000] 5.929925: 0: C|124|\"a\\b\t<cd|1\n";

static const char json[] =
	"{\"traceEvents\": [{\"name\": \"\\\"systemTraceEvents\\\": \\\"no\\\" </script\"}], "
	"\"systemTraceEvents\" :\n\"# tracer: nop\\n  a\\u00e9-1 "
	"\\u0080\\u07ff\\u0800\\u4F60\\ud83d\\ude00 \\ud83d\\\\ "
	"\\u12g4\\/\\r\\n"
	"<...>-1 </script\\t\\\"\", \"a\": \"\\n\", \"systemTraceEvents\": \"b\"}";

static const char json_text[] =
	"# tracer: nop\n  a\u00e9-1 \xc2\x80\u07ff\u0800\u4f60\U0001f600 \ufffd\\ "
	"\\u12g4/\r\n<...>-1 </script\t\"\nb\n";

/* Returns all text of @html, which is read @piece bytes at a time. */
static size_t unwrapped(struct span html, size_t piece, char *out)
{
	struct container_html reader =
		html.ptr[0] == '{' ? CONTAINER_JSON_INIT : CONTAINER_HTML_INIT;
	size_t left = 0, done = 0, len = 0;

	for (bool last = false; !last; done += piece) {
		size_t n = html.len - done < piece ? html.len - done : piece;
		char *first = guarded.end - left - n;
		struct span input = { first, left + n };
		struct span text;

		memmove(first, guarded.end - left, left);
		memcpy(guarded.end - n, html.ptr + done, n);
		last = done + n == html.len;
		while (container_html_next(&reader, &input, last, &text)) {
			memcpy(out + len, text.ptr, text.len);
			len += text.len;
		}
		left = input.len;
		if (!last)
			assert_true(left < CONTAINER_HTML_KEEP_MAX);
	}
	return len;
}

static void assert_unwrapped(struct span html, struct span expected)
{
	char out[1000];

	for (size_t piece = 1; piece <= html.len; piece++) {
		size_t len = unwrapped(html, piece, out);

		assert_int_equal(len, expected.len);
		assert_memory_equal(out, expected.ptr, len);
	}
}

TEST(test_text_in_html_and_json_is_equal_for_any_read_size)
{
	assert_unwrapped(SPAN_LITERAL(html_new), SPAN_LITERAL(html_new_text));
	assert_unwrapped(SPAN_LITERAL(html_old), SPAN_LITERAL(html_old_text));
	assert_unwrapped(SPAN_LITERAL(json), SPAN_LITERAL(json_text));
}

TEST(test_no_tag_ends_json)
{
	struct container_html reader = CONTAINER_JSON_INIT;
	struct span input = SPAN_LITERAL("{\"a\": \"</script>\"}"), text;

	while (container_html_next(&reader, &input, true, &text))
		;
	assert_false(container_html_is_open(&reader));
}

/* All text before the cut; the start of a tag may be at its end. */
TEST(test_truncated_html_gives_the_text_before_the_cut)
{
	char out[1000];

	for (size_t len = 1; len < sizeof(html_new); len++) {
		size_t n = unwrapped((struct span){ html_new, len }, 16, out);

		if (n > sizeof("</script") - 1)
			assert_memory_equal(out, html_new_text, n - (sizeof("</script") - 1));
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The fast parser of a header, with its cache of earlier ones, gives what the full parser does. */
#include "tests/unit/unit.h"

#include "parser/ftrace_header.h"

#define LINES 200000
#define FRONT 128 /* bytes that may be read before the line */

static struct ftrace_headers headers;

static int any(int n)
{
	return rand() % n;
}

/* A header as kernels print it, up to the point of the time. */
static void print_header(char *text, size_t size)
{
	static const char *const comms[] = { "surfaceflinger",	 "<...>", "a b: [1] (2)", "x", "",
					     "\tcom.example.app" };
	static const char *const tgids[] = { "", "(  683) ", "(-----) ", "(    990) ",
					     "( 12345) " };
	static const char *const flags[] = { "....", "d..2", ".....", "d.h.1", "" };
	static const int tids[] = { 7, 683, 12345, 1234567 };

	snprintf(text, size, "%16s-%-*d %s[%03d] %s %5d", comms[any(6)], any(2) ? 5 : 7,
		 tids[any(4)], tgids[any(5)], any(3), flags[any(5)], any(2) ? 28306 : 9 + any(3));
}

/* True if the header is in the cache. */
static bool is_remembered(const char *line, const char *end)
{
	size_t len = (size_t)(end - 7 - line);

	for (int i = 0; i < FTRACE_HEADERS_CACHED; i++)
		if (headers.cached[i].len == len && memcmp(headers.cached[i].text, line, len) == 0)
			return true;
	return false;
}

TEST(fast_and_full_parser_agree)
{
	static const char bytes[] = "  0129.:-[]()\n\tad\xff";
	static char headers_of_threads[100][100];
	char text[FRONT + 128];
	char *line = text + FRONT;
	unsigned int usual = 0, remembered = 0;

	srand(2);
	memset(text, ' ', sizeof(text));
	for (int i = 0; i < 100; i++)
		print_header(headers_of_threads[i], sizeof(headers_of_threads[i]));
	for (int n = 0; n < LINES; n++) {
		size_t size = (size_t)snprintf(line, sizeof(text) - FRONT, "%s.%06d",
					       headers_of_threads[any(100)], any(1000000));
		struct span head = { line, size };
		struct trace_record expected = { 0 }, record = { 0 };
		bool read;

		line[-1] = any(50) ? '\n' : 'x';
		if (any(4) == 0)
			line[any((int)size)] = bytes[any(sizeof(bytes) - 1)];
		remembered += is_remembered(line, line + size);
		for (const char *at; (at = memchr(head.ptr, '\n', head.len));)
			head = span_skip(head, (size_t)(at - head.ptr) + 1); /* another line */
		read = ftrace_header_read(&head, &expected);
		if (!ftrace_header_read_cached(&headers, text, line, any(2) && line[-1] == '\n',
					       line + size, &record))
			continue;
		usual++;
		assert_true(read);
		assert_int_equal(head.len, 0);
		assert_true(span_equal(record.comm, expected.comm));
		assert_ptr_equal(record.comm.ptr, expected.comm.ptr);
		assert_fields(&record, time_ns == expected.time_ns, cpu == expected.cpu,
			      tid == expected.tid, tgid == expected.tgid,
			      writer == expected.writer);
	}
	assert_true(usual > LINES / 3);
	assert_true(remembered > LINES / 10);
}

/* The line of one may be too long, which only the slow path of the reader sees. */
TEST(a_header_that_is_longer_than_those_of_the_cache_is_not_read)
{
	char text[FRONT + 256];
	struct trace_record record;

	for (int blanks = 1; blanks <= 100; blanks += 99) {
		int size = snprintf(text, sizeof(text), "%*sapp-123 (%*s123) [001] .... 1.000001",
				    FRONT, "\n", blanks, "");

		assert_int_equal(ftrace_header_read_cached(&headers, text, text + FRONT, false,
							   text + size, &record) != NULL,
				 blanks == 1);
	}
}

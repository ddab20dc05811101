/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of clients of the control socket, which may send any bytes. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/control/control_request.h"

/* Exactly @len bytes on the heap: the sanitizer detects reads beyond them. */
static const char *parse(struct control_request *request, const char *line, size_t len)
{
	char *copy = malloc(len ? len : 1);
	const char *error;

	assert_non_null(copy);
	memcpy(copy, line, len);
	error = control_request_parse(request, copy, len);
	free(copy);
	return error;
}

TEST(valid_requests_are_parsed)
{
	static const struct {
		const char *line;
		enum control_verb verb;
		unsigned int columns, lines;
	} good[] = {
		{ "status", CONTROL_STATUS, 0, 0 },
		{ "status text 80", CONTROL_STATUS_TEXT, 80, 0 },
		{ "top 80 24", CONTROL_TOP, 80, 24 },
		{ "top 4096 4096", CONTROL_TOP, 4096, 4096 },
		{ "rotate", CONTROL_ROTATE, 0, 0 },
		{ "stop", CONTROL_STOP, 0, 0 },
	};
	struct control_request request;

	for (size_t i = 0; i < COUNT_OF(good); i++) {
		assert_null(parse(&request, good[i].line, strlen(good[i].line)));
		assert_int_equal(request.verb, good[i].verb);
		assert_int_equal(request.columns, good[i].columns);
		assert_int_equal(request.lines, good[i].lines);
	}
}

TEST(invalid_requests_are_refused)
{
	static const char *const bad[] = {
		"",
		" ",
		"stat",
		"statuses",
		"status ",
		"status text",
		"status text 0",
		"status text 80 ",
		"status text -1",
		"top",
		"top 80",
		"top 80 ",
		"top 80 24 7",
		"top 80 4097",
		"top 99999999999999999999 24",
		"top 0x50 24",
		"stop now",
		"STOP",
		" stop",
		"rotate\r",
		"mark",
		"mark ",
		"mark a\\",
		"mark a\\t",
		"GET / HTTP/1.1",
	};
	struct control_request request;

	for (size_t i = 0; i < COUNT_OF(bad); i++)
		if (!parse(&request, bad[i], strlen(bad[i])))
			fail_msg("'%s' was understood", bad[i]);
	assert_non_null(parse(&request, "mark a\0b", 8));
	assert_non_null(parse(&request, "mark a\\\0", 8));
	assert_non_null(parse(&request, "stop\0", 5));
}

TEST(random_requests_are_read_within_bounds)
{
	char line[5 + CONTROL_MARK_MAX];
	struct control_request request;

	srand(1);
	for (int n = 0; n < 20000; n++) {
		size_t len = (size_t)rand() % 64;

		for (size_t i = 0; i < len; i++)
			line[i] = (char)rand();
		memcpy(line, "mark ", len < 5 ? len : 5);
		parse(&request, line, len);
	}
}

static void check_mark(const char *text)
{
	char line[CONTROL_LINE_MAX];
	struct control_request request;
	size_t len = control_request_mark(line, text);

	assert_true(len > 0);
	assert_ptr_equal(memchr(line, '\n', len), line + len - 1);
	assert_null(parse(&request, line, len - 1));
	assert_int_equal(request.verb, CONTROL_MARK);
	assert_string_equal(request.text, text);
}

TEST(mark_text_is_escaped_and_unescaped)
{
	char text[CONTROL_MARK_MAX + 2], line[CONTROL_LINE_MAX];

	check_mark("x");
	check_mark("  two  blanks ");
	check_mark("a\nb\\n\\\\c\r\x01\xff");
	memset(text, '\n', sizeof(text));
	text[CONTROL_MARK_MAX] = '\0';
	check_mark(text);
	text[CONTROL_MARK_MAX] = '\n';
	text[CONTROL_MARK_MAX + 1] = '\0';
	assert_int_equal(control_request_mark(line, text), 0);
	assert_int_equal(control_request_mark(line, ""), 0);
}

TEST(mark_above_the_maximum_is_refused)
{
	char line[5 + CONTROL_MARK_MAX + 1];
	struct control_request request;

	memset(line, 'x', sizeof(line));
	memcpy(line, "mark ", 5);
	assert_null(parse(&request, line, sizeof(line) - 1));
	assert_int_equal(strlen(request.text), CONTROL_MARK_MAX);
	assert_non_null(parse(&request, line, sizeof(line)));
}

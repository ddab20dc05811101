/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parser/ftrace_text.h"

static const char head[] = "app-7     [000] .... ";

static void next_line(struct lines *lines)
{
	static const char name[] =
		"................................................................";
	uint64_t ms = ++lines->ms;

	lines->len = (size_t)snprintf(lines->line, sizeof(lines->line),
				      "%s%5u.%03u000: tracing_mark_write: B|7|%.*s\n", head,
				      (unsigned int)(ms / 1000), (unsigned int)(ms % 1000),
				      (int)(ms % sizeof(name)), name);
	lines->given = 0;
}

static size_t give(struct lines *lines, char *to, size_t size)
{
	size_t n = 0;

	while (n < size) {
		size_t part;

		if (lines->given == lines->len)
			next_line(lines);
		part = lines->len - lines->given;
		if (part > size - n)
			part = size - n;
		memcpy(to + n, lines->line + lines->given, part);
		lines->given += part;
		n += part;
	}
	return n;
}

uint64_t lines_read(struct lines *lines, struct trace_buffer *buffer, size_t most)
{
	struct ftrace_text state = FTRACE_TEXT_INIT;
	struct trace_record record;
	size_t size;
	char *space = trace_buffer_space(buffer, &size);
	struct span input =
		trace_buffer_filled(buffer, give(lines, space, size < most ? size : most));

	while (ftrace_text_next(&state, &input, false, &record) == FTRACE_TEXT_RECORD)
		;
	if (state.last_ns > 0)
		lines->last_ns = state.last_ns;
	trace_buffer_done(buffer, input, lines->last_ns);
	return lines->last_ns;
}

uint64_t lines_ms(const char *line)
{
	char *point;
	uint64_t seconds;

	assert_memory_equal(line, head, sizeof(head) - 1);
	seconds = strtoul(line + sizeof(head) - 1, &point, 10);
	assert_int_equal(*point, '.');
	return seconds * 1000 + strtoul(point + 1, NULL, 10) / 1000;
}

uint64_t lines_check(struct span text, uint64_t first_ms)
{
	uint64_t ms = first_ms;

	while (text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);

		assert_non_null(end);
		assert_int_equal(lines_ms(text.ptr), ms++);
		text = span_skip(text, (size_t)(end + 1 - text.ptr));
	}
	return ms;
}

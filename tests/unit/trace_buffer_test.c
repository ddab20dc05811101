/* SPDX-License-Identifier: Apache-2.0 */
/* The trace buffer returns whole lines of what was read, from a given time on. */
#include "daemon/trace/trace_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/lines.h"

TEST(lines_of_any_time_range_are_found)
{
	struct lines lines = { .ms = 0 };
	struct trace_buffer buffer;

	assert_int_equal(trace_buffer_open(&buffer, 1000 * MS), 0);
	srand(1);
	for (int i = 0; i < 2000; i++) {
		uint64_t last_ms = lines_read(&lines, &buffer, 1 + (size_t)rand() % 70000) / MS;
		uint64_t back_ms = (uint64_t)rand() % 5000;
		uint64_t first_ms = last_ms > back_ms ? last_ms - back_ms : 1;
		struct span parts[2];

		if (last_ms == 0)
			continue;
		trace_buffer_find(&buffer, first_ms * MS, trace_buffer_end(&buffer), parts);
		assert_int_equal(lines_check(parts[1], lines_check(parts[0], first_ms)),
				 last_ms + 1);
	}
	assert_true(lines.ms > 600000);
	trace_buffer_close(&buffer);
}

TEST(time_before_the_oldest_line_returns_all_lines)
{
	struct lines lines = { .ms = 0 };
	struct span parts[2];
	struct trace_buffer buffer;
	uint64_t last_ms = 0, first_ms;

	assert_int_equal(trace_buffer_open(&buffer, 1000 * MS), 0);
	while (lines.ms < 500000)
		last_ms = lines_read(&lines, &buffer, 300000) / MS;
	trace_buffer_find(&buffer, 0, trace_buffer_end(&buffer), parts);
	assert_true(parts[1].len > 0 || parts[0].len > buffer.size / 2);
	first_ms = lines_ms(parts[0].ptr);
	assert_int_equal(lines_check(parts[1], lines_check(parts[0], first_ms)), last_ms + 1);
	/* Text that was overwritten long ago cannot be lost any more; text in the buffer can. */
	assert_false(trace_buffer_would_lose(&buffer, last_ms * MS));
	assert_true(trace_buffer_would_lose(&buffer, first_ms * MS));
	trace_buffer_close(&buffer);
}

/* A file that ends within a line, and another file after it. */
TEST(incomplete_line_at_the_end_of_a_file_is_ended)
{
	static const char line[] = "app-7     [000] .... 1.000001: tracing_mark_write: B|7|x";
	struct span parts[2];
	struct trace_buffer buffer;
	size_t size;

	assert_int_equal(trace_buffer_open(&buffer, 1000 * MS), 0);
	for (int i = 0; i < 2; i++) {
		struct span rest;

		memcpy(trace_buffer_space(&buffer, &size), line, sizeof(line) - 1);
		trace_buffer_filled(&buffer, sizeof(line) - 1);
		trace_buffer_end_line(&buffer, i == 1);
		rest = trace_buffer_filled(&buffer, 0);
		trace_buffer_done(&buffer, span_skip(rest, rest.len), 1000001000);
	}
	trace_buffer_find(&buffer, 0, trace_buffer_end(&buffer), parts);
	assert_int_equal(parts[0].len, sizeof(line));
	assert_memory_equal(parts[0].ptr, line, sizeof(line) - 1);
	assert_int_equal(parts[0].ptr[sizeof(line) - 1], '\n');
	trace_buffer_close(&buffer);
}

TEST(buffer_without_memory_keeps_only_an_incomplete_line)
{
	struct lines lines = { .ms = 0 };
	struct trace_buffer buffer;

	assert_int_equal(trace_buffer_open(&buffer, 0), 0);
	for (int i = 0; i < 1000; i++) {
		lines_read(&lines, &buffer, 1 + (size_t)i * 13 % 5000);
		assert_int_equal(buffer.begin, 0);
		assert_true(buffer.head < sizeof(lines.line));
	}
	assert_true(buffer.size <= 262144);
	trace_buffer_close(&buffer);
}

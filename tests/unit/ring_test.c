/* SPDX-License-Identifier: Apache-2.0 */
/* A ring gives back what was read, whole lines of it, from the time that is asked for on. */
#include "daemon/ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parser/ftrace_text.h"
#include "tests/unit/unit.h"

#define NS_PER_MS UINT64_C(1000000)

/* Lines of a millisecond each, as they come out of a source: in pieces of any length. */
struct writer {
	uint64_t ms, last_ns;
	char line[256];
	size_t len, given;
};

static void next_line(struct writer *writer)
{
	uint64_t ms = ++writer->ms;

	writer->len = (size_t)snprintf(
		writer->line, sizeof(writer->line),
		"app-7     [000] .... %5u.%03u000: tracing_mark_write: "
		"B|7|%.*s\n",
		(unsigned int)(ms / 1000), (unsigned int)(ms % 1000), (int)(ms % 97),
		"..................................................................."
		"..............................");
	writer->given = 0;
}

static size_t give(struct writer *writer, char *to, size_t size)
{
	size_t n = 0;

	while (n < size) {
		size_t part;

		if (writer->given == writer->len)
			next_line(writer);
		part = writer->len - writer->given;
		if (part > size - n)
			part = size - n;
		memcpy(to + n, writer->line + writer->given, part);
		writer->given += part;
		n += part;
	}
	return n;
}

/* Reads once, and takes apart what was read. Returns the time of the last record. */
static uint64_t read_once(struct ring *ring, struct writer *writer, size_t most)
{
	struct ftrace_text state = FTRACE_TEXT_INIT;
	struct trace_record record;
	size_t size;
	char *room = ring_room(ring, &size);
	struct span input = ring_filled(ring, give(writer, room, size < most ? size : most));

	while (ftrace_text_next(&state, &input, false, &record) == FTRACE_TEXT_RECORD)
		;
	if (state.last_ns > 0)
		writer->last_ns = state.last_ns;
	ring_done(ring, input, writer->last_ns);
	return writer->last_ns;
}

/* The time of a line that a writer made, in ms. */
static uint64_t line_ms(const char *line)
{
	static const char head[] = "app-7     [000] .... ";
	char *point;
	uint64_t seconds;

	assert_memory_equal(line, head, sizeof(head) - 1);
	seconds = strtoul(line + sizeof(head) - 1, &point, 10);
	assert_int_equal(*point, '.');
	return seconds * 1000 + strtoul(point + 1, NULL, 10) / 1000;
}

/* Every line of @parts is whole, and they follow each other. Returns their number. */
static uint64_t check_lines(const struct span parts[2], uint64_t first_ms)
{
	uint64_t ms = first_ms;

	for (int i = 0; i < 2; i++) {
		struct span text = parts[i];

		while (text.len > 0) {
			const char *end = memchr(text.ptr, '\n', text.len);

			assert_non_null(end);
			assert_int_equal(line_ms(text.ptr), ms++);
			text = span_skip(text, (size_t)(end + 1 - text.ptr));
		}
	}
	return ms - first_ms;
}

static void finds_any_stretch(void **state)
{
	struct writer writer = { .ms = 0 };
	struct ring ring;

	(void)state;
	assert_int_equal(ring_open(&ring, 1000 * NS_PER_MS), 0);
	srand(1);
	for (int i = 0; i < 2000; i++) {
		uint64_t last_ms =
			read_once(&ring, &writer, 1 + (size_t)rand() % 70000) / NS_PER_MS;
		uint64_t back_ms = (uint64_t)rand() % 5000;
		uint64_t first_ms = last_ms > back_ms ? last_ms - back_ms : 1;
		struct span parts[2];

		if (last_ms == 0)
			continue;
		ring_find(&ring, first_ms * NS_PER_MS, ring_end(&ring), parts);
		assert_int_equal(check_lines(parts, first_ms), last_ms - first_ms + 1);
	}
	assert_true(writer.ms > 600000);
	ring_close(&ring);
}

/* What is older than memory begins with the oldest line there is. */
static void begins_with_the_oldest(void **state)
{
	struct writer writer = { .ms = 0 };
	struct span parts[2];
	struct ring ring;
	uint64_t last_ms = 0, count;

	(void)state;
	assert_int_equal(ring_open(&ring, 1000 * NS_PER_MS), 0);
	while (writer.ms < 500000)
		last_ms = read_once(&ring, &writer, 300000) / NS_PER_MS;
	ring_find(&ring, 0, ring_end(&ring), parts);
	assert_true(parts[1].len > 0 || parts[0].len > ring.size / 2);
	count = check_lines(parts, line_ms(parts[0].ptr));
	assert_int_equal(line_ms(parts[0].ptr) + count - 1, last_ms);
	/* Seconds that are long gone cannot be lost any more, those that are there can. */
	assert_false(ring_would_lose(&ring, last_ms * NS_PER_MS));
	assert_true(ring_would_lose(&ring, line_ms(parts[0].ptr) * NS_PER_MS));
	ring_close(&ring);
}

/* A file that ends within a line, and the next one. */
static void ends_a_line(void **state)
{
	static const char line[] = "app-7     [000] .... 1.000001: tracing_mark_write: B|7|x";
	struct span parts[2];
	struct ring ring;
	size_t size;

	(void)state;
	assert_int_equal(ring_open(&ring, 1000 * NS_PER_MS), 0);
	for (int i = 0; i < 2; i++) {
		struct span rest;

		memcpy(ring_room(&ring, &size), line, sizeof(line) - 1);
		ring_filled(&ring, sizeof(line) - 1);
		ring_end_line(&ring, i == 1);
		rest = ring_filled(&ring, 0);
		ring_done(&ring, span_skip(rest, rest.len), 1000001000);
	}
	ring_find(&ring, 0, ring_end(&ring), parts);
	assert_int_equal(parts[0].len, sizeof(line));
	assert_memory_equal(parts[0].ptr, line, sizeof(line) - 1);
	assert_int_equal(parts[0].ptr[sizeof(line) - 1], '\n');
	ring_close(&ring);
}

/* Without memory a line that is begun waits at the front. */
static void keeps_nothing(void **state)
{
	struct writer writer = { .ms = 0 };
	struct ring ring;

	(void)state;
	assert_int_equal(ring_open(&ring, 0), 0);
	for (int i = 0; i < 1000; i++) {
		read_once(&ring, &writer, 1 + (size_t)i * 13 % 5000);
		assert_int_equal(ring.begin, 0);
		assert_true(ring.head < sizeof(writer.line));
	}
	assert_true(ring.size <= 262144);
	ring_close(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_any_stretch),
		cmocka_unit_test(begins_with_the_oldest),
		cmocka_unit_test(ends_a_line),
		cmocka_unit_test(keeps_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

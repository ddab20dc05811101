/* SPDX-License-Identifier: Apache-2.0 */
/* The trace buffer returns whole lines of what was read, from a given time on; a snapshot is
 * complete, even if it is saved in pieces while more is read. */
#include "tests/unit/unit.h"

#include "daemon/files/output.h"
#include "daemon/files/snapshot.h"
#include "daemon/trace/source_text.h"
#include "daemon/trace/trace_buffer.h"
#include "parser/ftrace_text.h"
#include "tests/unit/scratch.h"

/* --- lines of trace text --- */

/* One for each millisecond. Each contains its number, so that missing lines are detected. */
struct lines {
	uint64_t ms;	  /* number of ->line */
	uint64_t last_ns; /* of the last record that was parsed */
	char line[256];
	size_t len, given;
};

static const char head[] = "app-7     [000] .... ";

static size_t give(struct lines *lines, char *to, size_t size)
{
	static const char name[] =
		"................................................................";

	for (size_t n = 0, part; n < size; n += part, lines->given += part) {
		if (lines->given == lines->len) {
			unsigned int ms = (unsigned int)++lines->ms;

			lines->len = (size_t)snprintf(
				lines->line, sizeof(lines->line),
				"%s%5u.%03u000: tracing_mark_write: B|7|%.*s\n", head, ms / 1000,
				ms % 1000, (int)(ms % sizeof(name)), name);
			lines->given = 0;
		}
		part = lines->len - lines->given < size - n ? lines->len - lines->given : size - n;
		memcpy(to + n, lines->line + lines->given, part);
	}
	return size;
}

/* Reads up to @most bytes into @buffer, as from a source, and parses them. Returns the time of the
 * last record. */
static uint64_t lines_read(struct lines *lines, struct trace_buffer *buffer, size_t most)
{
	struct ftrace_text state = FTRACE_TEXT_INIT;
	struct trace_record record;
	size_t size;
	char *space = trace_buffer_space(buffer, &size);
	struct span input =
		trace_buffer_filled(buffer, give(lines, space, size < most ? size : most));

	while (ftrace_text_read(&state, &input, false, &record, 1) > 0)
		;
	if (state.last_ns > 0)
		lines->last_ns = state.last_ns;
	trace_buffer_done(buffer, input);
	return lines->last_ns;
}

/* Returns the number in a line. */
static uint64_t lines_ms(const char *line)
{
	char *point;
	uint64_t seconds;

	assert_memory_equal(line, head, sizeof(head) - 1);
	seconds = strtoul(line + sizeof(head) - 1, &point, 10);
	assert_int_equal(*point, '.');
	return seconds * 1000 + strtoul(point + 1, NULL, 10) / 1000;
}

/* Checks that @text has whole lines, numbered from @first_ms on. Returns the number after them. */
static uint64_t lines_check(struct span text, uint64_t first_ms)
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

/* --- the buffer --- */

TEST(lines_of_any_time_range_are_found)
{
	struct lines lines = { .ms = 0 };
	struct span parts[2];
	struct trace_buffer buffer;
	uint64_t last_ms = 0, first_ms;
	const char *end;

	assert_int_equal(trace_buffer_open(&buffer, 1000 * MS), 0);
	srand(1);
	for (int i = 0; i < 2000; i++) {
		uint64_t back_ms = (uint64_t)rand() % 5000;

		last_ms = lines_read(&lines, &buffer, 1 + (size_t)rand() % 70000) / MS;
		first_ms = last_ms > back_ms ? last_ms - back_ms : 1;
		if (last_ms == 0)
			continue;
		trace_buffer_find(&buffer, first_ms * MS, NULL, parts);
		assert_int_equal(lines_check(parts[1], lines_check(parts[0], first_ms)),
				 last_ms + 1);
	}
	assert_true(lines.ms > 600000);
	/* All lines that are left. */
	for (int i = 0; i < 10; i++)
		last_ms = lines_read(&lines, &buffer, 300000) / MS;
	trace_buffer_find(&buffer, 0, NULL, parts);
	assert_true(parts[1].len > 0 || parts[0].len > buffer.size / 2);
	first_ms = lines_ms(parts[0].ptr);
	assert_int_equal(lines_check(parts[1], lines_check(parts[0], first_ms)), last_ms + 1);
	/* Text that was overwritten long ago cannot be lost any more; text in the buffer can. */
	assert_false(trace_buffer_would_lose(&buffer, last_ms * MS));
	assert_true(trace_buffer_would_lose(&buffer, first_ms * MS));
	/* Up to a line that was not complete then. */
	end = buffer.bytes + buffer.begin;
	lines_read(&lines, &buffer, 1000);
	trace_buffer_find(&buffer, last_ms * MS, end, parts);
	assert_int_equal(lines_check(parts[1], lines_check(parts[0], last_ms)), last_ms + 2);
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
		trace_buffer_done(&buffer, span_skip(rest, rest.len));
	}
	trace_buffer_find(&buffer, 0, NULL, parts);
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

/* --- snapshots --- */

#define SURFACE "com.example.app/Main"

static struct bench {
	struct options options;
	struct folder folder;
	struct output output;
	struct snapshot snapshot;
	struct source_text text;
	struct lines lines;
} bench;

static void begin(uint64_t length_ns, bool live)
{
	bench = (struct bench){
		.options = { .command = OPTIONS_ANALYZE,
			     .snapshot_ns = 100 * MS,
			     .snapshot_length_ns = length_ns },
		.snapshot = SNAPSHOT_NONE,
	};
	assert_int_equal(folder_open(&bench.folder, scratch_root), 0);
	assert_int_equal(output_open(&bench.output, &bench.options, &bench.folder, false), 0);
	snapshot_open(&bench.snapshot, &bench.output, &bench.text.source, &bench.options, live);
	assert_int_equal(source_text_open(&bench.text, length_ns, NULL), 0);
}

static int tear_down(void **state)
{
	source_text_close(&bench.text);
	output_close(&bench.output);
	folder_close(&bench.folder);
	return scratch_tear_down_closed(state);
}

FIXTURE(scratch_set_up, tear_down)

/* Reads once, as a session does. */
static uint64_t read_once(size_t most)
{
	uint64_t last_ns;

	snapshot_make_way(&bench.snapshot);
	last_ns = lines_read(&bench.lines, &bench.text.buffer, most);
	if (last_ns >= bench.snapshot.due_ns)
		snapshot_begin(&bench.snapshot);
	return last_ns;
}

static uint64_t read_until(uint64_t ns)
{
	uint64_t last_ns;

	do
		last_ns = read_once(4096);
	while (last_ns < ns);
	return last_ns;
}

static void late_at(uint64_t present_ns, uint64_t interval_ns)
{
	const struct late_frame frame = { present_ns, interval_ns, SURFACE };

	snapshot_late(&bench.snapshot, &frame);
}

/* Of the file that was checked last. */
static uint64_t first_ms, last_ms;

/* Checks that snapshot @number has whole lines. Sets first_ms and last_ms to their times. */
static void check_file(unsigned int number)
{
	struct span text = span_of(scratch_get(formatted("snapshot-%06u.txt", number)));

	assert_true(text.len > 0);
	while (text.len > 0 && text.ptr[0] == '#') {
		const char *end = memchr(text.ptr, '\n', text.len);

		text = span_skip(text, (size_t)(end + 1 - text.ptr));
	}
	first_ms = lines_ms(text.ptr);
	last_ms = lines_check(text, first_ms) - 1;
}

/* Saved in pieces during a flood: unsaved lines are not overwritten. */
TEST(snapshot_is_complete_during_a_flood)
{
	for (size_t reads = 1; reads < 400; reads = reads * 19 + 1) {
		uint64_t present_ns;

		if (reads > 1) {
			tear_down(NULL);
			scratch_set_up(NULL);
		}
		begin(100 * SECOND, true);
		/* The buffer has wrapped one and a half times. */
		present_ns = read_until(bench.text.buffer.size / 80 * 3 / 2 * MS);
		late_at(present_ns, 200 * MS);
		for (size_t i = 0; bench.snapshot.written == 0; i++) {
			read_once(262144);
			if (i % reads == 0)
				snapshot_save(&bench.snapshot);
		}
		check_file(1);
		assert_int_equal(first_ms, present_ns / MS - 99000);
		assert_in_range(last_ms, present_ns / MS + 1000, present_ns / MS + 5000);
	}
}

TEST(snapshot_is_saved_before_its_frame_is_overwritten)
{
	uint64_t present_ns;

	begin(10 * SECOND, false);
	present_ns = read_until(600 * SECOND);
	late_at(present_ns, 60 * SECOND);
	/* More lines than fit, all within a second. */
	bench.snapshot.due_ns = present_ns + 1000 * SECOND;
	for (int i = 0; i < 400 && bench.snapshot.written == 0; i++)
		read_once(65536);
	assert_int_equal(bench.snapshot.written, 1);
	check_file(1);
	assert_true(first_ms <= (present_ns - bench.snapshot.interval_ns) / MS);
	assert_true(last_ms > present_ns / MS);
}

TEST(snapshots_are_limited_to_one_in_10_s)
{
	begin(SECOND, false);
	for (uint64_t s = 20; s < 60; s += 3) {
		uint64_t now = read_until(s * SECOND);

		late_at(now, 200 * MS);
	}
	snapshot_end(&bench.snapshot);
	/* At 20, 32, 44 and 56 s. */
	assert_fields(&bench.snapshot, written == 4, suppressed == 10);
}

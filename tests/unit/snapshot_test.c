/* SPDX-License-Identifier: Apache-2.0 */
/* A source of text returns whole lines of what was read, from a given time on; a snapshot is
 * complete, even if it is saved in pieces while more is read. */
#include "tests/unit/unit.h"

#include "daemon/files/output.h"
#include "daemon/files/snapshot.h"
#include "daemon/trace/source_text.h"
#include "tests/unit/scratch.h"

/* --- lines of trace text --- */

/* One for each millisecond. Each contains its number, so that missing lines are detected. */
static struct lines {
	uint64_t ms;	  /* number of ->line */
	uint64_t last_ns; /* of the last record that was parsed */
	char line[256];
	size_t len, given;
	size_t most; /* of the next read */
} lines;

static struct source_text source; /* its text is remembered, and is the lines */

static const char head[] = "app-7     [000] .... ";

static ssize_t give(struct source_text *text, void *to, size_t size)
{
	static const char name[] =
		"................................................................";

	size = size < lines.most ? size : lines.most;
	for (size_t n = 0, part; n < size; n += part, lines.given += part) {
		if (lines.given == lines.len) {
			unsigned int ms = (unsigned int)++lines.ms;

			lines.len = (size_t)snprintf(
				lines.line, sizeof(lines.line),
				"%s%5u.%03u000: tracing_mark_write: B|7|%.*s\n", head, ms / 1000,
				ms % 1000, (int)(ms % sizeof(name)), name);
			lines.given = 0;
		}
		part = lines.len - lines.given < size - n ? lines.len - lines.given : size - n;
		memcpy((char *)to + n, lines.line + lines.given, part);
	}
	return (ssize_t)size;
}

static void on_records(void *context, const struct trace_record *records, size_t n)
{
	lines.last_ns = records[n - 1].time_ns;
}

static const struct record_sink sink = { .records = on_records };

/* Reads up to @most bytes. Returns the time of the last record. */
static uint64_t lines_read(size_t most)
{
	lines.most = most;
	source_text_read(&source.source, SOURCE_NORMAL, &sink);
	return lines.last_ns;
}

static void open_source(uint64_t remember_ns)
{
	lines = (struct lines){ .ms = 0 };
	source = (struct source_text){ .bytes = give };
	assert_int_equal(source_text_open(&source, remember_ns, NULL), 0);
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

/* --- remembered text --- */

static int close_source(void **state)
{
	source_text_close(&source);
	return 0;
}

FIXTURE(NULL, close_source)

TEST(lines_of_any_time_range_are_found)
{
	const struct text_buffer *buffer = &source.buffer;
	uint64_t last_ms = 0, first_ms;
	struct span parts[2];
	const char *end;

	open_source(1000 * MS);
	srand(1);
	for (int i = 0; i < 2000; i++) {
		uint64_t back_ms = (uint64_t)rand() % 5000;

		last_ms = lines_read(1 + (size_t)rand() % 70000) / MS;
		first_ms = last_ms > back_ms ? last_ms - back_ms : 1;
		if (last_ms == 0)
			continue;
		source_remembered(&source.source, first_ms * MS, parts);
		assert_int_equal(lines_check(parts[1], lines_check(parts[0], first_ms)),
				 last_ms + 1);
	}
	assert_true(lines.ms > 600000);
	/* All lines that are left. */
	for (int i = 0; i < 10; i++)
		last_ms = lines_read(300000) / MS;
	source_remembered(&source.source, 0, parts);
	assert_true(parts[1].len > 0 || parts[0].len > buffer->size / 2);
	first_ms = lines_ms(parts[0].ptr);
	assert_int_equal(lines_check(parts[1], lines_check(parts[0], first_ms)), last_ms + 1);
	/* Text that was overwritten long ago cannot be lost any more; text in the buffer can. */
	assert_false(source_would_lose(&source.source, last_ms * MS));
	assert_true(source_would_lose(&source.source, first_ms * MS));
	/* Up to a line that was not complete then. */
	end = buffer->bytes + buffer->begin;
	lines_read(1000);
	source.at = end;
	source_remembered(&source.source, last_ms * MS, parts);
	assert_int_equal(lines_check(parts[1], lines_check(parts[0], last_ms)), last_ms + 2);
}

/* A file that ends within a line, and another file after it that is cut. */
TEST(incomplete_line_at_the_end_of_a_file_is_ended)
{
	struct span parts[2];

	open_source(1000 * MS);
	for (int i = 0; i < 2; i++) {
		lines.given = 0;
		lines_read(50);
		source.source.damage = i == 1 ? "it is truncated" : NULL;
		lines_read(0);
	}
	source_remembered(&source.source, 0, parts);
	assert_int_equal(parts[0].len, 51);
	assert_memory_equal(parts[0].ptr, lines.line, 50);
	assert_int_equal(parts[0].ptr[50], '\n');
}

TEST(buffer_without_memory_keeps_only_an_incomplete_line)
{
	open_source(0);
	for (size_t i = 0; i < 1000; i++) {
		lines_read(1 + i * 13 % 5000);
		assert_int_equal(source.buffer.begin, 0);
		assert_true(source.buffer.head < sizeof(lines.line));
	}
	assert_true(source.buffer.size <= 262144);
}

/* --- snapshots --- */

#define SURFACE "com.example.app/Main"

static struct bench {
	struct options options;
	struct folder folder;
	struct output output;
	struct snapshot snapshot;
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
	snapshot_open(&bench.snapshot, &bench.output, &source.source, &bench.options, live);
	open_source(length_ns);
}

static int tear_down(void **state)
{
	source_text_close(&source);
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
	last_ns = lines_read(most);
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
		present_ns = read_until(source.buffer.size / 80 * 3 / 2 * MS);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* Every fixture, NAME.txt, gives the records in NAME.expect, however the stream is read.
 *
 * usage: fixture_test FOLDER | --print FILE
 *
 * All input ends (or begins) at an unreadable page, so a read beyond it is a fault in any build.
 */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/guarded.h"
#include "tests/unit/record_text.h"

#define FIXTURES_MAX 200

struct file {
	char *bytes;
	size_t len;
};

struct fixture {
	char *path;
	struct file input, expect;
};

/* The buffer of a reader: the unread input ends right before the unreadable page. */
struct stream {
	struct guarded memory;
	struct ftrace_text text;
	struct span left;
	struct text_buffer out;
};

static struct file file_read(const char *path)
{
	struct file file = { 0 };
	FILE *in = fopen(path, "rb");

	if (!in)
		return file;
	fseek(in, 0, SEEK_END);
	file.len = (size_t)ftell(in);
	rewind(in);
	file.bytes = malloc(file.len + 1);
	if (!file.bytes || fread(file.bytes, 1, file.len, in) != file.len)
		abort();
	file.bytes[file.len] = '\0';
	fclose(in);
	return file;
}

static void assert_borrowed(struct span span, const char *first, const char *end)
{
	if (span.len == 0)
		return;
	assert_true(span.ptr >= first);
	assert_true(span.ptr + span.len <= end);
}

static void drain(struct stream *stream, bool last)
{
	const char *first = stream->left.ptr;
	const char *end = first + stream->left.len;
	struct trace_record record;

	memset(&record, 0x5a, sizeof(record));
	while (ftrace_text_next(&stream->text, &stream->left, last, &record) ==
	       FTRACE_TEXT_RECORD) {
		assert_borrowed(record.name, first, end);
		assert_borrowed(record.comm, first, end);
		assert_borrowed(record.track, first, end);
		record_print(&stream->out, &record);
		memset(&record, 0x5a, sizeof(record));
	}
	assert_true(stream->left.len < FTRACE_TEXT_LINE_MAX);
	assert_ptr_equal(stream->left.ptr + stream->left.len, end);
	if (last)
		assert_int_equal(stream->left.len, 0);
}

static struct stream stream_new(size_t input_len)
{
	struct stream stream = { .text = FTRACE_TEXT_INIT };

	stream.memory = guarded_new(input_len + FTRACE_TEXT_LINE_MAX);
	stream.left = (struct span){ stream.memory.end, 0 };
	return stream;
}

/* Appends @len bytes to the rest of the input, which then ends at the unreadable page. */
static void feed(struct stream *stream, const char *bytes, size_t len, bool last)
{
	char *first = stream->memory.end - stream->left.len - len;

	memmove(first, stream->left.ptr, stream->left.len);
	if (len != 0)
		memcpy(stream->memory.end - len, bytes, len);
	stream->left = (struct span){ first, stream->left.len + len };
	drain(stream, last);
}

static const char *way; /* how the stream is read */

/* Compares the records, and starts again in the same memory. */
static void check(struct stream *stream, const struct fixture *fixture)
{
	counters_print(&stream->out, &stream->text);
	if (strcmp(stream->out.text, fixture->expect.bytes) != 0)
		fail_msg("%s:\n%sis not\n%s", way, stream->out.text, fixture->expect.bytes);
	stream->out.len = 0;
	stream->text = FTRACE_TEXT_INIT;
	stream->left = (struct span){ stream->memory.end, 0 };
}

static void finish(struct stream *stream, const struct fixture *fixture)
{
	check(stream, fixture);
	free(stream->out.text);
	guarded_free(&stream->memory);
}

static void before_an_unreadable_page(const struct fixture *fixture)
{
	struct stream stream = stream_new(fixture->input.len);

	feed(&stream, fixture->input.bytes, fixture->input.len, true);
	finish(&stream, fixture);
}

static void after_an_unreadable_page(const struct fixture *fixture)
{
	struct stream stream = stream_new(fixture->input.len);

	memcpy(stream.memory.first, fixture->input.bytes, fixture->input.len);
	stream.left = (struct span){ stream.memory.first, fixture->input.len };
	drain(&stream, true);
	finish(&stream, fixture);
}

static void in_pieces(const struct fixture *fixture, size_t piece)
{
	struct stream stream = stream_new(fixture->input.len);

	for (size_t at = 0; at < fixture->input.len; at += piece) {
		size_t len = fixture->input.len - at;

		feed(&stream, fixture->input.bytes + at, len < piece ? len : piece, false);
	}
	feed(&stream, NULL, 0, true);
	finish(&stream, fixture);
}

static void cut_at_every_byte(const struct fixture *fixture)
{
	struct stream stream = stream_new(fixture->input.len);

	for (size_t cut = 0; cut < fixture->input.len; cut++) {
		feed(&stream, fixture->input.bytes, cut, false);
		feed(&stream, fixture->input.bytes + cut, fixture->input.len - cut, true);
		check(&stream, fixture);
	}
	feed(&stream, fixture->input.bytes, fixture->input.len, true);
	finish(&stream, fixture);
}

static void test_fixture(void **state)
{
	const struct fixture *fixture = *state;

	way = "whole, before a guard page";
	before_an_unreadable_page(fixture);
	way = "whole, after a guard page";
	after_an_unreadable_page(fixture);
	way = "one byte at a time";
	in_pieces(fixture, 1);
	way = "seven bytes at a time";
	in_pieces(fixture, 7);
	way = "cut at every byte";
	cut_at_every_byte(fixture);
}

static struct fixture fixtures[FIXTURES_MAX];
static struct CMUnitTest tests[FIXTURES_MAX];

static struct fixture fixture_load(const char *folder, const char *name)
{
	struct fixture fixture;
	char *expect;
	int stem = (int)strlen(name) - 4;

	if (asprintf(&fixture.path, "%s/%s", folder, name) < 0 ||
	    asprintf(&expect, "%s/%.*s.expect", folder, stem, name) < 0)
		abort();
	fixture.input = file_read(fixture.path);
	fixture.expect = file_read(expect);
	if (!fixture.expect.bytes) {
		fprintf(stderr, "fixture_test: %s: %s\n", expect, strerror(errno));
		exit(1);
	}
	free(expect);
	return fixture;
}

static int is_input(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 4 && strcmp(entry->d_name + len - 4, ".txt") == 0;
}

static size_t load_all(const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, is_input, alphasort);

	if (n <= 0 || n > FIXTURES_MAX) {
		fprintf(stderr, "fixture_test: %s: %d fixtures\n", folder, n);
		exit(1);
	}
	for (int i = 0; i < n; i++) {
		fixtures[i] = fixture_load(folder, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return (size_t)n;
}

/* Prints the records of one file: a draft of a new .expect, to be checked by hand. */
static int print(const char *path)
{
	struct file input = file_read(path);
	struct stream stream = stream_new(input.len);

	feed(&stream, input.bytes, input.len, true);
	counters_print(&stream.out, &stream.text);
	fputs(stream.out.text, stdout);
	free(stream.out.text);
	guarded_free(&stream.memory);
	free(input.bytes);
	return 0;
}

int main(int argc, char **argv)
{
	size_t n;

	if (argc == 3 && strcmp(argv[1], "--print") == 0)
		return print(argv[2]);
	if (argc != 2) {
		fprintf(stderr, "usage: fixture_test FOLDER | --print FILE\n");
		return 2;
	}
	n = load_all(argv[1]);
	for (size_t i = 0; i < n; i++)
		tests[i] = (struct CMUnitTest){ .name = fixtures[i].path,
						.test_func = test_fixture,
						.initial_state = &fixtures[i] };
	return _cmocka_run_group_tests("fixture", tests, n, NULL, NULL);
}

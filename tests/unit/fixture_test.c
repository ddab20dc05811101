/* SPDX-License-Identifier: Apache-2.0 */
/* Every fixture, NAME.txt, gives the records in NAME.expect, however the stream is read.
 *
 * usage: fixture_test FOLDER | --print FILE
 *
 * All input ends (or begins) at an unreadable page, so a read beyond it is a fault in any build.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

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
	struct file input;
	struct file expect;
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

/* Compares the records, and starts again in the same memory. */
static void check(struct stream *stream, const struct fixture *fixture)
{
	counters_print(&stream->out, &stream->text);
	assert_string_equal(stream->out.text, fixture->expect.bytes);
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

static void test_input_before_an_unreadable_page(void **state)
{
	const struct fixture *fixture = *state;
	struct stream stream = stream_new(fixture->input.len);

	feed(&stream, fixture->input.bytes, fixture->input.len, true);
	finish(&stream, fixture);
}

static void test_input_after_an_unreadable_page(void **state)
{
	const struct fixture *fixture = *state;
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

static void test_input_in_pieces_of_one_byte(void **state)
{
	in_pieces(*state, 1);
}

static void test_input_in_pieces_of_seven_bytes(void **state)
{
	in_pieces(*state, 7);
}

static void test_input_cut_at_every_byte(void **state)
{
	const struct fixture *fixture = *state;
	struct stream stream = stream_new(fixture->input.len);

	for (size_t cut = 0; cut < fixture->input.len; cut++) {
		feed(&stream, fixture->input.bytes, cut, false);
		feed(&stream, fixture->input.bytes + cut, fixture->input.len - cut, true);
		check(&stream, fixture);
	}
	feed(&stream, fixture->input.bytes, fixture->input.len, true);
	finish(&stream, fixture);
}

static const struct {
	const char *name;
	CMUnitTestFunction function;
} ways[] = {
	{ "whole, before a guard page", test_input_before_an_unreadable_page },
	{ "whole, after a guard page", test_input_after_an_unreadable_page },
	{ "one byte at a time", test_input_in_pieces_of_one_byte },
	{ "seven bytes at a time", test_input_in_pieces_of_seven_bytes },
	{ "cut at every byte", test_input_cut_at_every_byte },
};

#define N_WAYS (sizeof(ways) / sizeof(ways[0]))

static struct fixture fixtures[FIXTURES_MAX];
static struct CMUnitTest tests[FIXTURES_MAX * N_WAYS];

static char *path_of(const char *folder, const char *name, const char *ending)
{
	int stem = (int)(strrchr(name, '.') - name);
	char *path = NULL;

	if (asprintf(&path, "%s/%.*s%s", folder, stem, name, ending) < 0)
		abort();
	return path;
}

static struct fixture fixture_load(const char *folder, const char *name)
{
	char *expect = path_of(folder, name, ".expect");
	struct fixture fixture = { .path = path_of(folder, name, ".txt") };

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

static void tests_of(struct fixture *fixture, struct CMUnitTest *test)
{
	const char *name = strrchr(fixture->path, '/') + 1;

	for (size_t i = 0; i < N_WAYS; i++) {
		char *title = NULL;

		if (asprintf(&title, "%s: %s", name, ways[i].name) < 0)
			abort();
		test[i] = (struct CMUnitTest){ .name = title,
					       .test_func = ways[i].function,
					       .initial_state = fixture };
	}
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
		tests_of(&fixtures[i], &tests[i * N_WAYS]);
	return _cmocka_run_group_tests("fixture", tests, n * N_WAYS, NULL, NULL);
}

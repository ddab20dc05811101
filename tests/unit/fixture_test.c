/* SPDX-License-Identifier: Apache-2.0 */
/* Every fixture, NAME.txt, gives the records in NAME.expect, however the stream is read.
 *
 * usage: test-fixture FOLDER
 *
 * All input ends (or begins) at an unreadable page, so a read beyond it is a fault in any build.
 */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/guarded.h"
#include "tests/unit/record_text.h"

struct file {
	char *bytes;
	size_t len;
};

static struct file input, expected;
static char name[100];	/* of the fixture, without its ending */
static const char *way; /* how the stream is read */
static unsigned int failed;

/* The buffer of a reader: the unread input ends right before the unreadable page. */
struct stream {
	struct guarded memory;
	struct ftrace_text text;
	struct span left;
	struct text_buffer out;
};

static struct file file_read(const char *ending)
{
	struct file file = { 0 };
	char path[4096];
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s%s", unit_argument, name, ending);
	in = fopen(path, "rb");
	if (!in)
		fail_msg("%s is missing", path);
	fseek(in, 0, SEEK_END);
	file.len = (size_t)ftell(in);
	rewind(in);
	file.bytes = calloc(1, file.len + 1);
	assert_int_equal(fread(file.bytes, 1, file.len, in), file.len);
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

static struct stream stream_new(const char *how)
{
	struct stream stream = { .text = FTRACE_TEXT_INIT };

	way = how;
	stream.memory = guarded_new(input.len + FTRACE_TEXT_LINE_MAX);
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
static void check(struct stream *stream)
{
	counters_print(&stream->out, &stream->text);
	if (strcmp(stream->out.text, expected.bytes) != 0) {
		printf("%s, %s:\n%sis not\n%s", name, way, stream->out.text, expected.bytes);
		failed++;
	}
	stream->out.len = 0;
	stream->text = FTRACE_TEXT_INIT;
	stream->left = (struct span){ stream->memory.end, 0 };
}

static void finish(struct stream *stream)
{
	check(stream);
	free(stream->out.text);
	guarded_free(&stream->memory);
}

static void read_in_all_ways(void)
{
	struct stream stream = stream_new("after an unreadable page");

	memcpy(stream.memory.first, input.bytes, input.len);
	stream.left = (struct span){ stream.memory.first, input.len };
	drain(&stream, true);
	finish(&stream);
	stream = stream_new("byte by byte");
	for (size_t at = 0; at < input.len; at++)
		feed(&stream, input.bytes + at, 1, false);
	feed(&stream, NULL, 0, true);
	finish(&stream);
	stream = stream_new("cut in two, before an unreadable page");
	for (size_t cut = 0; cut < input.len; cut++) {
		feed(&stream, input.bytes, cut, false);
		feed(&stream, input.bytes + cut, input.len - cut, true);
		check(&stream);
	}
	feed(&stream, input.bytes, input.len, true);
	finish(&stream);
}

TEST(every_fixture_gives_its_records)
{
	DIR *folder = opendir(unit_argument);
	unsigned int n = 0;
	int end;

	assert_non_null(folder);
	for (struct dirent *entry; (entry = readdir(folder));) {
		end = 0;
		if (sscanf(entry->d_name, "%99[^.].txt%n", name, &end) != 1 || end == 0)
			continue;
		input = file_read(".txt");
		expected = file_read(".expect");
		read_in_all_ways();
		free(input.bytes);
		free(expected.bytes);
		n++;
	}
	closedir(folder);
	assert_true(n > 30);
	assert_int_equal(failed, 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Every fixture, NAME.txt, gives the records in NAME.expect, however the stream is read.
 *
 * usage: test-fixture FOLDER
 *
 * All input ends (or begins) at an unreadable page, so a read beyond it is a fault in any build. */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <inttypes.h>

#include "parser/ftrace_text.h"
#include "tests/unit/guarded.h"

struct file {
	char *bytes;
	size_t len;
};

static struct file input, expected;
static char name[100];	/* of the fixture, without its ending */
static const char *way; /* how the stream is read */
static size_t max;	/* records that are read at once, each time another number */
static unsigned int failed;

/* The records and counters as text, so that the differences can be printed. */
static FILE *out;
static char *got;
static size_t got_len;

/* The reader: the unread input ends right before the unreadable page. */
static struct {
	struct ftrace_text text;
	struct span left;
} stream;

static const char *const kind_names[] = {
	[TRACE_SLICE_BEGIN] = "B",   [TRACE_SLICE_END] = "E", [TRACE_COUNTER] = "C",
	[TRACE_ASYNC_BEGIN] = "S",   [TRACE_ASYNC_END] = "F", [TRACE_INSTANT] = "I",
	[TRACE_TRACK_BEGIN] = "G",   [TRACE_TRACK_END] = "H", [TRACE_TRACK_INSTANT] = "N",
	[TRACE_CLOCK_SYNC] = "SYNC", [TRACE_LOST] = "LOST",
};

static void id_print(const char *key, int32_t id)
{
	if (id == TRACE_ID_UNKNOWN)
		fprintf(out, " %s=-", key);
	else
		fprintf(out, " %s=%" PRId32, key, id);
}

static void span_print(const char *key, struct span span)
{
	fprintf(out, " %s=\"", key);
	for (size_t i = 0; i < span.len; i++) {
		unsigned char byte = (unsigned char)span.ptr[i];

		if (byte < ' ' || byte > '~' || byte == '"' || byte == '\\')
			fprintf(out, "\\x%02x", byte);
		else
			fputc(byte, out);
	}
	fprintf(out, "\"");
}

/* One line: time, letter, ids, and quoted names, with \xNN for bytes that are not printable. */
static void record_print(const struct trace_record *record)
{
	const enum trace_kind kind = record->kind;

	fprintf(out, "%" PRIu64 ".%09" PRIu64 " %s", record->time_ns / 1000000000,
		record->time_ns % 1000000000, kind_names[kind]);
	id_print("cpu", record->cpu);
	if (kind != TRACE_LOST) {
		id_print("tid", record->tid);
		id_print("tgid", record->tgid);
		id_print("pid", record->pid);
		span_print("comm", record->comm);
	}
	if (kind == TRACE_TRACK_BEGIN || kind == TRACE_TRACK_END || kind == TRACE_TRACK_INSTANT)
		span_print("track", record->track);
	if (record->name.len != 0)
		span_print("name", record->name);
	if (kind == TRACE_COUNTER || kind == TRACE_ASYNC_BEGIN || kind == TRACE_ASYNC_END ||
	    kind == TRACE_TRACK_BEGIN || kind == TRACE_TRACK_END || record->value != 0)
		fprintf(out, " value=%" PRId64, record->value);
	if (kind == TRACE_LOST)
		fprintf(out, " from=%" PRIu64 ".%09" PRIu64, record->from_ns / SECOND,
			record->from_ns % SECOND);
	fprintf(out, "\n");
}

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
	assert_true(span.len == 0 || (span.ptr >= first && span.ptr + span.len <= end));
}

static void drain(bool last)
{
	const char *first = stream.left.ptr;
	const char *end = first + stream.left.len;
	struct trace_record records[32];
	size_t n;

	memset(records, 0x5a, sizeof(records));
	while ((n = ftrace_text_read(&stream.text, &stream.left, last, records, max)) > 0) {
		for (size_t i = 0; i < n; i++) {
			assert_borrowed(records[i].name, first, end);
			assert_borrowed(records[i].comm, first, end);
			assert_borrowed(records[i].track, first, end);
			record_print(&records[i]);
		}
		if (records[n - 1].kind != TRACE_LOST)
			assert_int_equal(stream.text.last_ns, records[n - 1].time_ns);
		memset(records, 0x5a, sizeof(records));
	}
	assert_true(stream.left.len < FTRACE_TEXT_LINE_MAX);
	assert_ptr_equal(stream.left.ptr + stream.left.len, end);
	if (last)
		assert_int_equal(stream.left.len, 0);
}

static void begin(const char *how)
{
	way = how;
	out = open_memstream(&got, &got_len);
	max = max % 32 + 1;
	stream.text = FTRACE_TEXT_INIT;
	stream.left = (struct span){ guarded.end, 0 };
}

/* Appends @len bytes to the rest of the input, which then ends at the unreadable page. */
static void feed(const char *bytes, size_t len, bool last)
{
	char *first = guarded.end - stream.left.len - len;

	memmove(first, stream.left.ptr, stream.left.len);
	if (len != 0)
		memcpy(guarded.end - len, bytes, len);
	stream.left = (struct span){ first, stream.left.len + len };
	drain(last);
}

static void check(void)
{
	fprintf(out,
		"markers=%" PRIu64 " malformed=%" PRIu64 " glued=%" PRIu64 " too_long=%" PRIu64
		"\n",
		stream.text.markers, stream.text.malformed, stream.text.glued,
		stream.text.too_long);
	fclose(out);
	if (strcmp(got, expected.bytes) != 0) {
		printf("%s, %s:\n%sis not\n%s", name, way, got, expected.bytes);
		failed++;
	}
	free(got);
}

static void read_in_all_ways(void)
{
	begin("after an unreadable page");
	memcpy(guarded.first, input.bytes, input.len);
	stream.left = (struct span){ guarded.first, input.len };
	drain(true);
	check();
	begin("byte by byte");
	for (size_t at = 0; at < input.len; at++)
		feed(input.bytes + at, 1, false);
	feed(NULL, 0, true);
	check();
	/* Of a long one, not each place. */
	for (size_t cut = 0; cut <= input.len; cut += 1 + input.len / 20000 * 40) {
		begin("cut off, before an unreadable page");
		feed(input.bytes, cut, true);
		fclose(out);
		free(got);
		begin("cut in two, before an unreadable page");
		feed(input.bytes, cut, false);
		feed(input.bytes + cut, input.len - cut, true);
		check();
	}
}

FIXTURE(guarded_set_up, guarded_tear_down)

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
		assert_true(input.len + FTRACE_TEXT_LINE_MAX < GUARDED_SIZE);
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

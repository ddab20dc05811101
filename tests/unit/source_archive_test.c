/* SPDX-License-Identifier: Apache-2.0 */
/* Traces that people have packed: xz, zstd and bzip2 files, and zip archives of one or more files.
 */
#include "tests/unit/unit.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/trace/source_text.h"
#include "tests/unit/printed.h"
#include "tests/unit/scratch.h"
#include "tests/unit/trace_text.h"

#define LAYER "com.example.mail/com.example.mail.Main#1"
#define TEXT_MAX (4 << 20)

static struct scratch scratch;
static char *trace;
static const char *printed;

static int set_up(void **state)
{
	(void)state;
	scratch_make(&scratch, "/tmp");
	trace = trace_text_of(LAYER, 100000000, 16667, 300);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(trace);
	scratch_remove(&scratch);
	return 0;
}

/* --- packing --- */

struct packed {
	const char *name, *text;
};

static void put_entry(struct archive *archive, const struct packed *file)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, file->name);
	archive_entry_set_size(entry, (la_int64_t)strlen(file->text));
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(archive, file->text, strlen(file->text)),
			 strlen(file->text));
	archive_entry_free(entry);
}

static void put_zip(const char *name, const struct packed *files, size_t n)
{
	struct archive *archive = archive_write_new();

	assert_int_equal(archive_write_set_format_zip(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(archive, scratch_path(&scratch, name)),
			 ARCHIVE_OK);
	for (size_t i = 0; i < n; i++)
		put_entry(archive, &files[i]);
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_write_free(archive);
}

static void put_packed(const char *name, const char *text, int (*filter)(struct archive *))
{
	const struct packed file = { "data", text };
	struct archive *archive = archive_write_new();

	assert_int_equal(filter(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_set_format_raw(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(archive, scratch_path(&scratch, name)),
			 ARCHIVE_OK);
	put_entry(archive, &file);
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_write_free(archive);
}

static const struct {
	const char *name;
	int (*filter)(struct archive *);
} kinds[] = {
	{ "trace.xz", archive_write_add_filter_xz },
	{ "trace.zst", archive_write_add_filter_zstd },
	{ "trace.bz2", archive_write_add_filter_bzip2 },
};

/* --- reading --- */

static struct {
	char text[TEXT_MAX];
	size_t len;
	ssize_t result;
	bool damaged;
} out;

/* Reads what the parser of the source would get. */
static void read_path(const char *path)
{
	struct source *source = NULL;
	struct source_text *bytes;
	ssize_t n;

	out.len = 0;
	printed_begin(2);
	n = source_file_open(&source, "analyze", path, 0);
	bytes = (struct source_text *)source;
	while (n >= 0 && out.len + 4096 < TEXT_MAX) {
		n = bytes->bytes(bytes, out.text + out.len, 4096);
		if (n <= 0)
			break;
		out.len += (size_t)n;
	}
	out.text[out.len] = '\0';
	out.result = n;
	out.damaged = source && source->damage;
	source_close(source);
	printed = printed_end();
}

static void read_file(const char *name)
{
	read_path(scratch_path(&scratch, name));
}

static void assert_trace(const char *name)
{
	if (out.result != 0 || out.damaged || strcmp(out.text, trace) != 0)
		fail_msg("%s: %zd, %zu bytes: %s", name, out.result, out.len, printed);
}

static void cut_file(const char *name, int of_100)
{
	struct stat info;

	assert_int_equal(stat(scratch_path(&scratch, name), &info), 0);
	assert_int_equal(truncate(scratch_path(&scratch, name), info.st_size * of_100 / 100), 0);
}

static void streams_are_unpacked(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		put_packed(kinds[i].name, trace, kinds[i].filter);
		read_file(kinds[i].name);
		assert_trace(kinds[i].name);
		assert_string_equal(printed, "");
	}
}

static void streams_that_are_cut_are_damaged(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		put_packed(kinds[i].name, trace, kinds[i].filter);
		cut_file(kinds[i].name, 60);
		read_file(kinds[i].name);
		assert_true(out.damaged || out.result < 0);
		assert_true(out.len < strlen(trace));
		assert_memory_equal(out.text, trace, out.len);
	}
}

static void an_empty_stream_is_refused(void **state)
{
	(void)state;
	put_packed("empty.xz", "", archive_write_add_filter_xz);
	read_file("empty.xz");
	assert_int_equal(out.result, -ENOTSUP);
	assert_non_null(strstr(printed, "empty"));
}

static void a_zip_of_one_file_is_unpacked(void **state)
{
	const struct packed files[] = { { "trace.txt", trace } };

	(void)state;
	put_zip("trace.zip", files, 1);
	read_file("trace.zip");
	assert_trace("trace.zip");
	assert_string_equal(printed, "");
}

/* The one that holds markers counts, which is printed. */
static void of_a_zip_of_several_the_trace_counts(void **state)
{
	const struct packed files[] = {
		{ "README", "It was a dark and stormy night.\n" },
		{ "a/trace.txt", trace },
		{ "empty", "" },
	};

	(void)state;
	put_zip("trace.zip", files, COUNT_OF(files));
	read_file("trace.zip");
	assert_trace("trace.zip");
	assert_non_null(strstr(printed, "a/trace.txt"));
}

static void a_zip_of_two_traces_is_refused(void **state)
{
	const struct packed files[] = { { "one.txt", trace }, { "two.txt", trace } };

	(void)state;
	put_zip("two.zip", files, COUNT_OF(files));
	read_file("two.zip");
	assert_int_equal(out.result, -ENOTSUP);
	assert_non_null(strstr(printed, "one.txt, two.txt"));
}

static void a_zip_without_a_trace_is_refused(void **state)
{
	struct packed files[40] = { { "first", "prose\n" } };

	(void)state;
	for (size_t i = 1; i < COUNT_OF(files); i++)
		files[i] = (struct packed){ "a/folder/with/a/long/name.txt", "prose\n" };
	put_zip("none.zip", files, COUNT_OF(files));
	read_file("none.zip");
	assert_int_equal(out.result, -ENOTSUP);
	assert_non_null(strstr(printed, "first, a/folder"));
	/* Not all of their names are printed. */
	assert_non_null(strstr(printed, "..."));
	assert_true(strlen(printed) < 600);
}

static void a_zip_through_a_pipe_is_unpacked(void **state)
{
	const struct packed files[] = { { "prose", "prose\n" }, { "trace.txt", trace } };
	char path[128], command[512];

	(void)state;
	put_zip("trace.zip", files, COUNT_OF(files));
	snprintf(path, sizeof(path), "%s/fifo", scratch.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(command, sizeof(command), "cat %s/trace.zip > %s &", scratch.path, path);
	assert_int_equal(system(command), 0);
	read_path(path);
	assert_trace("a pipe");
}

static void a_zip_that_is_cut_is_damaged(void **state)
{
	const struct packed files[] = { { "trace.txt", trace } };

	(void)state;
	put_zip("trace.zip", files, 1);
	cut_file("trace.zip", 50);
	read_file("trace.zip");
	assert_true(out.damaged || out.result < 0);
	assert_true(out.len < strlen(trace));
	assert_memory_equal(out.text, trace, out.len);
}

/* What is packed twice is unpacked twice. */
static void html_in_a_zip_is_unwrapped(void **state)
{
	char *html;

	(void)state;
	assert_true(asprintf(&html,
			     "<!DOCTYPE html>\n<html><script class=\"trace-data\" "
			     "type=\"application/text\">\n# tracer: nop\n%s</script></html>\n",
			     trace) > 0);
	put_zip("trace.zip", &(struct packed){ "trace.html", html }, 1);
	free(html);
	read_file("trace.zip");
	assert_int_equal(out.result, 0);
	assert_non_null(strstr(out.text, trace));
	assert_null(strstr(out.text, "</html>"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(streams_are_unpacked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(streams_that_are_cut_are_damaged, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_empty_stream_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_zip_of_one_file_is_unpacked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_a_zip_of_several_the_trace_counts, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_zip_of_two_traces_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_zip_without_a_trace_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_zip_through_a_pipe_is_unpacked, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_zip_that_is_cut_is_damaged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(html_in_a_zip_is_unwrapped, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

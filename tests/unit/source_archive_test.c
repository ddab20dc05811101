/* SPDX-License-Identifier: Apache-2.0 */
/* Packed traces: xz, zstd and bzip2 files, and zip archives of one or more files. */
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

#include "tests/unit/recorded_trace.h"

static struct recorded_trace recorded;

FIXTURE_OF(recorded_trace_set_up, recorded_trace_tear_down, &recorded)

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
	assert_int_equal(
		archive_write_open_filename(archive, scratch_path(&recorded.scratch, name)),
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
	assert_int_equal(
		archive_write_open_filename(archive, scratch_path(&recorded.scratch, name)),
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

static void read_file(const char *name)
{
	recorded_trace_read(&recorded, scratch_path(&recorded.scratch, name), 4096);
}

static void assert_trace(const char *name)
{
	if (recorded.result != 0 || recorded.damage[0] ||
	    strcmp(recorded.text, recorded.trace) != 0)
		fail_msg("%s: %zd, %zu bytes: %s", name, recorded.result, recorded.len,
			 recorded.printed);
}

static void cut_file(const char *name, int of_100)
{
	struct stat info;

	assert_int_equal(stat(scratch_path(&recorded.scratch, name), &info), 0);
	assert_int_equal(
		truncate(scratch_path(&recorded.scratch, name), info.st_size * of_100 / 100), 0);
}

TEST(compressed_streams_are_unpacked)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		put_packed(kinds[i].name, recorded.trace, kinds[i].filter);
		read_file(kinds[i].name);
		assert_trace(kinds[i].name);
		assert_string_equal(recorded.printed, "");
	}
}

TEST(truncated_streams_are_reported_damaged)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		put_packed(kinds[i].name, recorded.trace, kinds[i].filter);
		cut_file(kinds[i].name, 60);
		read_file(kinds[i].name);
		assert_true(recorded.damage[0] || recorded.result < 0);
		assert_true(recorded.len < strlen(recorded.trace));
		assert_memory_equal(recorded.text, recorded.trace, recorded.len);
	}
}

TEST(an_empty_compressed_stream_is_refused)
{
	put_packed("empty.xz", "", archive_write_add_filter_xz);
	read_file("empty.xz");
	assert_int_equal(recorded.result, -ENOTSUP);
	assert_non_null(strstr(recorded.printed, "empty"));
}

TEST(a_zip_of_one_file_is_unpacked)
{
	const struct packed files[] = { { "trace.txt", recorded.trace } };

	put_zip("trace.zip", files, 1);
	read_file("trace.zip");
	assert_trace("trace.zip");
	assert_string_equal(recorded.printed, "");
}

/* The file with markers is read, and a message says so. */
TEST(the_trace_in_a_zip_of_several_files_is_read)
{
	const struct packed files[] = {
		{ "README", "It was a dark and stormy night.\n" },
		{ "a/trace.txt", recorded.trace },
		{ "empty", "" },
	};

	put_zip("trace.zip", files, COUNT_OF(files));
	read_file("trace.zip");
	assert_trace("trace.zip");
	assert_non_null(strstr(recorded.printed, "a/trace.txt"));
}

TEST(a_zip_of_two_traces_is_refused)
{
	const struct packed files[] = { { "one.txt", recorded.trace },
					{ "two.txt", recorded.trace } };

	put_zip("two.zip", files, COUNT_OF(files));
	read_file("two.zip");
	assert_int_equal(recorded.result, -ENOTSUP);
	assert_non_null(strstr(recorded.printed, "one.txt, two.txt"));
}

TEST(a_zip_without_a_trace_is_refused)
{
	struct packed files[40] = { { "first", "prose\n" } };

	for (size_t i = 1; i < COUNT_OF(files); i++)
		files[i] = (struct packed){ "a/folder/with/a/long/name.txt", "prose\n" };
	put_zip("none.zip", files, COUNT_OF(files));
	read_file("none.zip");
	assert_int_equal(recorded.result, -ENOTSUP);
	assert_non_null(strstr(recorded.printed, "first, a/folder"));
	/* Not all names are printed. */
	assert_non_null(strstr(recorded.printed, "..."));
	assert_true(strlen(recorded.printed) < 600);
}

TEST(a_zip_through_a_pipe_is_unpacked)
{
	const struct packed files[] = { { "prose", "prose\n" }, { "trace.txt", recorded.trace } };
	char path[128], command[512];

	put_zip("trace.zip", files, COUNT_OF(files));
	snprintf(path, sizeof(path), "%s/fifo", recorded.scratch.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(command, sizeof(command), "cat %s/trace.zip > %s &", recorded.scratch.path, path);
	assert_int_equal(system(command), 0);
	recorded_trace_read(&recorded, path, 4096);
	assert_trace("a pipe");
}

TEST(a_truncated_zip_is_reported_damaged)
{
	const struct packed files[] = { { "trace.txt", recorded.trace } };

	put_zip("trace.zip", files, 1);
	cut_file("trace.zip", 50);
	read_file("trace.zip");
	assert_true(recorded.damage[0] || recorded.result < 0);
	assert_true(recorded.len < strlen(recorded.trace));
	assert_memory_equal(recorded.text, recorded.trace, recorded.len);
}

/* A file that is packed twice is unpacked twice. */
TEST(html_in_a_zip_is_unwrapped)
{
	char *html;

	assert_true(asprintf(&html,
			     "<!DOCTYPE html>\n<html><script class=\"trace-data\" "
			     "type=\"application/text\">\n# tracer: nop\n%s</script></html>\n",
			     recorded.trace) > 0);
	put_zip("trace.zip", &(struct packed){ "trace.html", html }, 1);
	free(html);
	read_file("trace.zip");
	assert_int_equal(recorded.result, 0);
	assert_non_null(strstr(recorded.text, recorded.trace));
	assert_null(strstr(recorded.text, "</html>"));
}

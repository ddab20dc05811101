/* SPDX-License-Identifier: Apache-2.0 */
/* Packed traces: xz, zstd and bzip2 files, and zip archives of one or more files. */
#include "tests/unit/unit.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/printed.h"
#include "tests/unit/recorded_trace.h"

FIXTURE(recorded_trace_set_up, recorded_trace_tear_down)

/* --- packing --- */

struct packed {
	const char *name, *text;
};

/* Writes an archive with a filter, which may be NULL. */
static void put_archive(const char *name, int (*format)(struct archive *),
			int (*filter)(struct archive *), const struct packed *files, size_t n)
{
	struct archive *archive = archive_write_new();

	assert_int_equal(format(archive), ARCHIVE_OK);
	if (filter)
		assert_int_equal(filter(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(archive, scratch_path(name)), ARCHIVE_OK);
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(files[i].text);
		struct archive_entry *entry = archive_entry_new();

		archive_entry_set_pathname(entry, files[i].name);
		archive_entry_set_size(entry, (la_int64_t)len);
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_perm(entry, 0644);
		assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
		assert_int_equal(archive_write_data(archive, files[i].text, len), len);
		archive_entry_free(entry);
	}
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_write_free(archive);
}

static void put_zip(const char *name, const struct packed *files, size_t n)
{
	put_archive(name, archive_write_set_format_zip, NULL, files, n);
}

static void put_packed(const char *name, const char *text, int (*filter)(struct archive *))
{
	put_archive(name, archive_write_set_format_raw, filter, &(struct packed){ "data", text },
		    1);
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

TEST(compressed_streams_are_unpacked)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		put_packed(kinds[i].name, recorded.trace, kinds[i].filter);
		recorded_trace_is_whole(kinds[i].name);
		assert_string_equal(recorded.printed, "");
		recorded_trace_is_cut(kinds[i].name, 60);
	}
	put_packed("empty.xz", "", archive_write_add_filter_xz);
	recorded_trace_is_refused("empty.xz", "empty");
}

TEST(a_zip_of_one_file_is_unpacked)
{
	const struct packed files[] = { { "trace.txt", recorded.trace } };

	put_zip("trace.zip", files, 1);
	recorded_trace_is_whole("trace.zip");
	assert_string_equal(recorded.printed, "");
	recorded_trace_is_cut("trace.zip", 50);
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
	recorded_trace_is_whole("trace.zip");
	assert_contains(recorded.printed, "a/trace.txt");
}

TEST(a_zip_without_one_trace_is_refused)
{
	const struct packed two[] = { { "one.txt", recorded.trace },
				      { "two.txt", recorded.trace } };
	struct packed files[40] = { { "first", "prose\n" } };

	put_zip("two.zip", two, COUNT_OF(two));
	recorded_trace_is_refused("two.zip", "one.txt, two.txt");
	for (size_t i = 1; i < COUNT_OF(files); i++)
		files[i] = (struct packed){ "a/folder/with/a/long/name.txt", "prose\n" };
	put_zip("none.zip", files, COUNT_OF(files));
	recorded_trace_is_refused("none.zip", "first, a/folder");
	/* Not all names are printed. */
	assert_contains(recorded.printed, "...");
	assert_true(strlen(recorded.printed) < 600);
}

TEST(a_zip_through_a_pipe_is_unpacked)
{
	const struct packed files[] = { { "prose", "prose\n" }, { "trace.txt", recorded.trace } };

	put_zip("trace.zip", files, COUNT_OF(files));
	assert_int_equal(mkfifo(scratch_path("fifo"), 0600), 0);
	assert_int_equal(
		system(formatted("cat %s/trace.zip > %s/fifo &", scratch_root, scratch_root)), 0);
	recorded_trace_read(scratch_path("fifo"), 4096);
	assert_int_equal(recorded.result, 0);
	assert_string_equal(recorded.text, recorded.trace);
}

/* A file that is packed twice is unpacked twice. */
TEST(html_in_a_zip_is_unwrapped)
{
	char *html = recorded_trace_html();

	put_zip("trace.zip", &(struct packed){ "trace.html", html }, 1);
	free(html);
	recorded_trace_read(scratch_path("trace.zip"), 4096);
	assert_int_equal(recorded.result, 0);
	assert_contains(recorded.text, recorded.trace);
	assert_lacks(recorded.text, "</html>");
}

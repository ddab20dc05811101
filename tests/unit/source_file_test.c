/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded traces in their containers: each gives the same text, no matter how it is packed; of a
 * damaged file the part before the damage is read; a message says what a file is that is not a
 * trace. */
#include "tests/unit/unit.h"

#include <sys/stat.h>
#include <zlib.h>
#ifdef HAVE_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

#include "daemon/trace/source_text.h"
#include "tests/unit/printed.h"
#include "tests/unit/scratch.h"
#include "tests/unit/trace_text.h"

#define LAYER "com.example.mail/com.example.mail.Main#1"
#define TEXT_MAX (4 << 20)
#define PACKED_MAX (4 << 20)

static struct recorded_trace {
	char *trace; /* text of a trace with 300 frames */
	/* Results of read_trace(). */
	char *text; /* valid until the next call */
	size_t len;
	ssize_t result;	     /* of the last read: 0 or -errno */
	char damage[128];    /* "": no data is missing */
	const char *printed; /* on standard error */
} recorded;

static int set_up(void **state)
{
	recorded = (struct recorded_trace){ .trace = trace_text_of(LAYER, 100000000, 16667, 300) };
	return scratch_set_up(state);
}

static int tear_down(void **state)
{
	free(recorded.trace);
	return scratch_tear_down_closed(state);
}

/* Reads the file at @path in pieces of @piece bytes. */
static void read_trace(const char *path, size_t piece)
{
	static char text[TEXT_MAX];
	struct source *source = NULL;
	struct source_text *bytes;
	ssize_t n;

	recorded.text = text;
	recorded.len = 0;
	printed_begin(2);
	n = source_file_open(&source, "analyze", path, 0);
	bytes = (struct source_text *)source;
	while (n >= 0 && recorded.len + piece < TEXT_MAX) {
		n = bytes->bytes(bytes, text + recorded.len, piece);
		if (n <= 0)
			break;
		recorded.len += (size_t)n;
	}
	text[recorded.len] = '\0';
	recorded.result = n;
	snprintf(recorded.damage, sizeof(recorded.damage), "%s",
		 source && source->damage ? source->damage : "");
	source_close(source);
	recorded.printed = printed_end();
}

/* A file of the scratch folder has the whole trace. */
static void is_whole(const char *name)
{
	static const size_t pieces[] = { 1, 100, 65536 };

	for (size_t i = 0; i < COUNT_OF(pieces); i++) {
		read_trace(scratch_path(name), pieces[i]);
		if (recorded.result != 0 || recorded.damage[0] ||
		    strcmp(recorded.text, recorded.trace) != 0)
			fail_msg("%s in pieces of %zu: %zd, %zu bytes of %zu: %s", name, pieces[i],
				 recorded.result, recorded.len, strlen(recorded.trace),
				 recorded.printed);
	}
}

/* It is refused with one message, which has @word. */
static void is_refused(const char *name, const char *word)
{
	read_trace(scratch_path(name), 4096);
	assert_fields(&recorded, result == -ENOTSUP, len == 0);
	assert_contains(recorded.printed, name, word);
}

/* It is cut to this part of its size: at most the text before the cut is read. */
static void is_cut(const char *name, int percent)
{
	const char *path = scratch_path(name);
	struct stat info;

	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(truncate(path, info.st_size * percent / 100), 0);
	read_trace(path, 4096);
	assert_true(recorded.damage[0] || recorded.result < 0);
	assert_true(recorded.len < strlen(recorded.trace));
	assert_memory_equal(recorded.text, recorded.trace, recorded.len);
}

/* Through a pipe that cannot seek. */
static void is_whole_in_a_pipe(const char *name)
{
	unlink(scratch_path("fifo"));
	assert_int_equal(mkfifo(scratch_path("fifo"), 0600), 0);
	assert_int_equal(
		system(formatted("cat %s/%s > %s/fifo &", scratch_root, name, scratch_root)), 0);
	read_trace(scratch_path("fifo"), 4096);
	assert_int_equal(recorded.result, 0);
	assert_string_equal(recorded.text, recorded.trace);
}

FIXTURE(set_up, tear_down)

static void put_gzip(const char *name, const char *text, const char *mode)
{
	gzFile file = gzopen(scratch_path(name), mode);

	assert_non_null(file);
	assert_int_equal(gzwrite(file, text, (unsigned int)strlen(text)), strlen(text));
	assert_int_equal(gzclose(file), Z_OK);
}

TEST(plain_text_is_read_unchanged)
{
	scratch_put("trace.txt", recorded.trace);
	is_whole("trace.txt");
	assert_string_equal(recorded.printed, "");
	is_whole_in_a_pipe("trace.txt");
}

/* Concatenated files are one trace; other bytes after them are ignored. */
TEST(gzip_is_unpacked)
{
	static const char *const others[] = { "something else\n", "\x1f", "\x1f\x8c", "\x1e\x8b" };
	size_t half = strlen(recorded.trace) / 2;
	char *first = strndup(recorded.trace, half);
	FILE *file;

	put_gzip("trace.gz", recorded.trace, "w");
	is_whole("trace.gz");
	put_gzip("trace.gz", first, "w");
	put_gzip("trace.gz", recorded.trace + half, "a");
	is_whole("trace.gz");
	free(first);
	for (size_t i = 0; i < COUNT_OF(others); i++) {
		put_gzip("trace.gz", recorded.trace, "w");
		file = fopen(scratch_path("trace.gz"), "a");
		fputs(others[i], file);
		fclose(file);
		is_whole("trace.gz");
	}
	assert_string_equal(recorded.printed, "");
}

TEST(atrace_z_is_unpacked)
{
	static const char head[] = "capturing trace... done\nTRACE:\n";
	static char bytes[sizeof(head) + PACKED_MAX];
	uLongf size = PACKED_MAX;

	strcpy(bytes, head);
	assert_int_equal(compress((Bytef *)bytes + strlen(head), &size, (Bytef *)recorded.trace,
				  strlen(recorded.trace)),
			 Z_OK);
	scratch_put_bytes("trace.z", bytes, strlen(head) + size);
	is_whole("trace.z");
	scratch_put_bytes("bare.z", bytes + strlen(head), size);
	is_whole("bare.z");
}

TEST(html_of_systrace_is_unwrapped)
{
	char *html = NULL;

	if (asprintf(&html,
		     "<!DOCTYPE html>\n<html>\n<body>\n"
		     "<script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n%s"
		     "</script>\n</body>\n</html>\n",
		     recorded.trace) < 0)
		abort();
	put_gzip("trace.gz", html, "w");
	free(html);
	read_trace(scratch_path("trace.gz"), 1000);
	assert_int_equal(recorded.result, 0);
	assert_contains(recorded.text, recorded.trace);
	assert_lacks(recorded.text, "</html>");
}

TEST(damaged_gzip_is_read_up_to_the_damage)
{
	static const char zeros[64];
	struct stat info;
	int fd;

	put_gzip("trace.gz", recorded.trace, "w");
	is_cut("trace.gz", 50);
	assert_fields(&recorded, result == 0, len >= 1000);
	put_gzip("trace.gz", recorded.trace, "w");
	fd = open(scratch_path("trace.gz"), O_WRONLY);
	assert_int_equal(fstat(fd, &info), 0);
	assert_int_equal(pwrite(fd, zeros, sizeof(zeros), info.st_size / 2), sizeof(zeros));
	close(fd);
	read_trace(scratch_path("trace.gz"), 4096);
	assert_int_equal(recorded.result, 0);
	assert_true(recorded.damage[0] != '\0');
}

/* Other kinds: tests/badinput/failures.py. */
TEST(message_names_the_kind_of_a_file_that_is_no_trace)
{
	scratch_put("other", "\x89PNG\r\n\x1a\n");
	is_refused("other", "PNG");
	scratch_put_bytes("other", "\xfe\xff\0#", 4);
	is_refused("other", "UTF-16");
	put_gzip("csv.gz", "time(s),wall time,kind,text\n", "w");
	is_refused("csv.gz", "CSV");
	read_trace(scratch_path("gone.txt"), 1);
	assert_int_equal(recorded.result, -ENOENT);
	assert_contains(recorded.printed, "gone.txt");
	read_trace(scratch_root, 1);
	assert_int_equal(recorded.result, -EISDIR);
}

/* --- xz, zstd, bzip2 and zip --- */

#ifdef HAVE_ARCHIVE

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

TEST(compressed_streams_are_unpacked)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		put_packed(kinds[i].name, recorded.trace, kinds[i].filter);
		is_whole(kinds[i].name);
		assert_string_equal(recorded.printed, "");
		is_cut(kinds[i].name, 60);
	}
	put_packed("empty.xz", "", archive_write_add_filter_xz);
	is_refused("empty.xz", "empty");
}

/* If there are several files, the one with markers is read, and a message says so. */
TEST(the_trace_in_a_zip_is_read)
{
	const struct packed files[] = {
		{ "a/trace.txt", recorded.trace },
		{ "README", "It was a dark and stormy night.\n" },
		{ "empty", "" },
	};

	put_zip("trace.zip", files, 1);
	is_whole("trace.zip");
	assert_string_equal(recorded.printed, "");
	is_cut("trace.zip", 50);
	put_zip("trace.zip", files, COUNT_OF(files));
	is_whole("trace.zip");
	assert_contains(recorded.printed, "a/trace.txt");
	put_zip("trace.zip", (const struct packed[]){ files[1], files[0] }, 2);
	is_whole_in_a_pipe("trace.zip");
}

TEST(a_zip_without_one_trace_is_refused)
{
	const struct packed two[] = { { "one.txt", recorded.trace },
				      { "two.txt", recorded.trace } };
	struct packed files[40] = { { "first", "prose\n" } };

	put_zip("two.zip", two, COUNT_OF(two));
	is_refused("two.zip", "one.txt, two.txt");
	for (size_t i = 1; i < COUNT_OF(files); i++)
		files[i] = (struct packed){ "a/folder/with/a/long/name.txt", "prose\n" };
	put_zip("none.zip", files, COUNT_OF(files));
	is_refused("none.zip", "first, a/folder");
	/* Not all names are printed. */
	assert_contains(recorded.printed, "...");
	assert_true(strlen(recorded.printed) < 600);
}

#endif

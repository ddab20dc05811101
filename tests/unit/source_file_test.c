/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded traces in their containers: each gives the same text, no matter how it is packed; of a
 * damaged file the part before the damage is read; a message says what a file is that is not a
 * trace. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/unit/recorded_trace.h"

#define PACKED_MAX (4 << 20)

static struct recorded_trace recorded;

FIXTURE_OF(recorded_trace_set_up, recorded_trace_tear_down, &recorded)

static void assert_trace(const char *name)
{
	static const size_t pieces[] = { 1, 100, 65536 };

	for (size_t i = 0; i < COUNT_OF(pieces); i++) {
		recorded_trace_read(&recorded, scratch_path(&recorded.scratch, name), pieces[i]);
		assert_int_equal(recorded.result, 0);
		assert_string_equal(recorded.damage, "");
		if (strcmp(recorded.text, recorded.trace) != 0)
			fail_msg("%s in pieces of %zu: %zu bytes of %zu", name, pieces[i],
				 recorded.len, strlen(recorded.trace));
	}
	assert_string_equal(recorded.printed, "");
}

static void put_gzip(const char *name, const char *text, const char *mode)
{
	gzFile file = gzopen(scratch_path(&recorded.scratch, name), mode);

	assert_non_null(file);
	assert_int_equal(gzwrite(file, text, (unsigned int)strlen(text)), strlen(text));
	assert_int_equal(gzclose(file), Z_OK);
}

/* As atrace -z writes it. Returns its length. */
static uLongf pack(Bytef *packed, uLongf size, const char *text)
{
	assert_int_equal(compress(packed, &size, (const Bytef *)text, strlen(text)), Z_OK);
	return size;
}

static void put_two(const char *name, const char *head, const void *bytes, size_t len)
{
	FILE *file = fopen(scratch_path(&recorded.scratch, name), "w");

	fputs(head, file);
	fwrite(bytes, 1, len, file);
	fclose(file);
}

TEST(plain_text_is_read_unchanged)
{
	scratch_put(&recorded.scratch, "trace.txt", recorded.trace);
	assert_trace("trace.txt");
}

TEST(gzip_is_unpacked)
{
	put_gzip("trace.gz", recorded.trace, "w");
	assert_trace("trace.gz");
}

/* Concatenated files are one trace. */
TEST(concatenated_gzip_is_one_trace)
{
	size_t half = strlen(recorded.trace) / 2;
	char *first = strndup(recorded.trace, half);

	put_gzip("trace.gz", first, "w");
	put_gzip("trace.gz", recorded.trace + half, "a");
	assert_trace("trace.gz");
	free(first);
}

TEST(atrace_z_is_unpacked)
{
	static Bytef packed[PACKED_MAX];
	uLongf size = pack(packed, sizeof(packed), recorded.trace);

	put_two("trace.z", "capturing trace... done\nTRACE:\n", packed, size);
	assert_trace("trace.z");
	put_two("bare.z", "", packed, size);
	assert_trace("bare.z");
}

TEST(html_of_systrace_is_unwrapped)
{
	char *html;

	assert_true(
		asprintf(
			&html,
			"<!DOCTYPE html>\n<html>\n<body>\n"
			"<script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n%s"
			"</script>\n</body>\n</html>\n",
			recorded.trace) > 0);
	scratch_put(&recorded.scratch, "trace.html", html);
	put_gzip("trace.html.gz", html, "w");
	for (int i = 0; i < 2; i++) {
		recorded_trace_read(
			&recorded,
			scratch_path(&recorded.scratch, i ? "trace.html.gz" : "trace.html"), 1000);
		assert_int_equal(recorded.result, 0);
		assert_non_null(strstr(recorded.text, recorded.trace));
		assert_null(strstr(recorded.text, "</html>"));
	}
	free(html);
}

/* --- damage --- */

TEST(truncated_gzip_gives_the_text_before_the_cut)
{
	struct stat info;

	put_gzip("trace.gz", recorded.trace, "w");
	assert_int_equal(stat(scratch_path(&recorded.scratch, "trace.gz"), &info), 0);
	assert_int_equal(truncate(scratch_path(&recorded.scratch, "trace.gz"), info.st_size / 2),
			 0);
	recorded_trace_read(&recorded, scratch_path(&recorded.scratch, "trace.gz"), 4096);
	assert_int_equal(recorded.result, 0);
	assert_true(recorded.damage[0] != '\0');
	assert_in_range(recorded.len, 1000, strlen(recorded.trace) - 1);
	assert_memory_equal(recorded.text, recorded.trace, recorded.len);
}

TEST(damaged_gzip_is_read_up_to_the_damage)
{
	static const char wrong[64];
	struct stat info;
	int fd;

	put_gzip("trace.gz", recorded.trace, "w");
	assert_int_equal(stat(scratch_path(&recorded.scratch, "trace.gz"), &info), 0);
	fd = open(scratch_path(&recorded.scratch, "trace.gz"), O_WRONLY);
	assert_int_equal(pwrite(fd, wrong, sizeof(wrong), info.st_size / 2), sizeof(wrong));
	close(fd);
	recorded_trace_read(&recorded, scratch_path(&recorded.scratch, "trace.gz"), 4096);
	assert_int_equal(recorded.result, 0);
	assert_true(recorded.damage[0] != '\0');
}

TEST(bytes_after_gzip_are_ignored)
{
	FILE *file;

	put_gzip("trace.gz", recorded.trace, "w");
	file = fopen(scratch_path(&recorded.scratch, "trace.gz"), "a");
	fputs("something else\n", file);
	fclose(file);
	assert_trace("trace.gz");
}

/* --- files that are not traces --- */

TEST(message_names_the_kind_of_a_file_that_is_no_trace)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *word;
	} cases[] = {
		{ "", 0, "empty" },
		{ "\x89PNG\r\n\x1a\n", 8, "PNG" },
		{ "\xff\xd8\xff\xe0", 4, "JPEG" },
		{ "\xff\xfe#\0", 4, "UTF-16" },
		{ "\xfe\xff\0#", 4, "UTF-16" },
		{ "{\n  \"schema\":1", 14, "session.json" },
		{ "time(s),wall time,kind,text\n", 28, "CSV" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		scratch_put_bytes(&recorded.scratch, "other", cases[i].bytes, cases[i].len);
		recorded_trace_read(&recorded, scratch_path(&recorded.scratch, "other"), 4096);
		assert_int_equal(recorded.result, -ENOTSUP);
		assert_int_equal(recorded.len, 0);
		if (!strstr(recorded.printed, cases[i].word) || !strstr(recorded.printed, "other"))
			fail_msg("of '%s' was printed: %s", cases[i].word, recorded.printed);
	}
}

TEST(contents_of_gzip_are_checked_too)
{
	put_gzip("empty.gz", "", "w");
	recorded_trace_read(&recorded, scratch_path(&recorded.scratch, "empty.gz"), 4096);
	assert_int_equal(recorded.result, -ENOTSUP);
	put_gzip("csv.gz", "time(s),wall time,kind,text\n", "w");
	recorded_trace_read(&recorded, scratch_path(&recorded.scratch, "csv.gz"), 4096);
	assert_int_equal(recorded.result, -ENOTSUP);
	assert_non_null(strstr(recorded.printed, "CSV"));
}

TEST(file_that_cannot_be_opened_is_named)
{
	recorded_trace_read(&recorded, scratch_path(&recorded.scratch, "gone.txt"), 1);
	assert_int_equal(recorded.result, -ENOENT);
	assert_non_null(strstr(recorded.printed, "gone.txt"));
	recorded_trace_read(&recorded, recorded.scratch.path, 1);
	assert_int_equal(recorded.result, -EISDIR);
	assert_non_null(strstr(recorded.printed, "analyze: "));
}

/* --- streams --- */

static void *write_fifo(void *path)
{
	int fd = open(path, O_WRONLY);
	size_t len = strlen(recorded.trace), done = 0;

	while (done < len) {
		ssize_t n = write(fd, recorded.trace + done, len - done > 777 ? 777 : len - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	close(fd);
	return NULL;
}

TEST(a_fifo_is_read_to_its_end)
{
	char path[128];
	pthread_t writer;

	snprintf(path, sizeof(path), "%s/fifo", recorded.scratch.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pthread_create(&writer, NULL, write_fifo, path), 0);
	recorded_trace_read(&recorded, path, 4096);
	pthread_join(writer, NULL);
	assert_int_equal(recorded.result, 0);
	assert_string_equal(recorded.text, recorded.trace);
}

TEST(dash_is_standard_input)
{
	int usual = dup(STDIN_FILENO), fd;

	scratch_put(&recorded.scratch, "trace.txt", recorded.trace);
	fd = open(scratch_path(&recorded.scratch, "trace.txt"), O_RDONLY);
	dup2(fd, STDIN_FILENO);
	close(fd);
	recorded_trace_read(&recorded, "-", 4096);
	assert_int_equal(recorded.result, 0);
	assert_string_equal(recorded.text, recorded.trace);
	/* Standard input is not closed. */
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
	scratch_put(&recorded.scratch, "trace.txt", "");
	fd = open(scratch_path(&recorded.scratch, "trace.txt"), O_RDONLY);
	dup2(fd, STDIN_FILENO);
	close(fd);
	recorded_trace_read(&recorded, "-", 4096);
	assert_int_equal(recorded.result, -ENOTSUP);
	assert_non_null(strstr(recorded.printed, "standard input"));
	dup2(usual, STDIN_FILENO);
	close(usual);
}

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

#include "tests/unit/printed.h"
#include "tests/unit/recorded_trace.h"

#define PACKED_MAX (4 << 20)

FIXTURE(recorded_trace_set_up, recorded_trace_tear_down)

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
	recorded_trace_is_whole("trace.txt");
	assert_string_equal(recorded.printed, "");
}

/* Concatenated files are one trace; other bytes after them are ignored. */
TEST(gzip_is_unpacked)
{
	size_t half = strlen(recorded.trace) / 2;
	char *first = strndup(recorded.trace, half);
	FILE *file;

	put_gzip("trace.gz", recorded.trace, "w");
	recorded_trace_is_whole("trace.gz");
	put_gzip("trace.gz", first, "w");
	put_gzip("trace.gz", recorded.trace + half, "a");
	recorded_trace_is_whole("trace.gz");
	free(first);
	file = fopen(scratch_path("trace.gz"), "a");
	fputs("something else\n", file);
	fclose(file);
	recorded_trace_is_whole("trace.gz");
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
	recorded_trace_is_whole("trace.z");
	scratch_put_bytes("bare.z", bytes + strlen(head), size);
	recorded_trace_is_whole("bare.z");
}

TEST(html_of_systrace_is_unwrapped)
{
	static const char *const names[] = { "trace.html", "trace.html.gz" };
	char *html = recorded_trace_html();

	scratch_put(names[0], html);
	put_gzip(names[1], html, "w");
	free(html);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		recorded_trace_read(scratch_path(names[i]), 1000);
		assert_int_equal(recorded.result, 0);
		assert_contains(recorded.text, recorded.trace);
		assert_lacks(recorded.text, "</html>");
	}
}

/* --- damage --- */

TEST(damaged_gzip_is_read_up_to_the_damage)
{
	static const char zeros[64];
	struct stat info;
	int fd;

	put_gzip("trace.gz", recorded.trace, "w");
	recorded_trace_is_cut("trace.gz", 50);
	assert_int_equal(recorded.result, 0);
	assert_true(recorded.len >= 1000);
	put_gzip("trace.gz", recorded.trace, "w");
	fd = open(scratch_path("trace.gz"), O_WRONLY);
	assert_int_equal(fstat(fd, &info), 0);
	assert_int_equal(pwrite(fd, zeros, sizeof(zeros), info.st_size / 2), sizeof(zeros));
	close(fd);
	recorded_trace_read(scratch_path("trace.gz"), 4096);
	assert_int_equal(recorded.result, 0);
	assert_true(recorded.damage[0] != '\0');
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
		scratch_put_bytes("other", cases[i].bytes, cases[i].len);
		recorded_trace_is_refused("other", cases[i].word);
	}
	put_gzip("empty.gz", "", "w");
	recorded_trace_is_refused("empty.gz", "");
	put_gzip("csv.gz", "time(s),wall time,kind,text\n", "w");
	recorded_trace_is_refused("csv.gz", "CSV");
}

TEST(file_that_cannot_be_opened_is_named)
{
	recorded_trace_read(scratch_path("gone.txt"), 1);
	assert_int_equal(recorded.result, -ENOENT);
	assert_contains(recorded.printed, "gone.txt");
	recorded_trace_read(scratch_root, 1);
	assert_int_equal(recorded.result, -EISDIR);
	assert_contains(recorded.printed, "analyze: ");
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

	snprintf(path, sizeof(path), "%s/fifo", scratch_root);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pthread_create(&writer, NULL, write_fifo, path), 0);
	recorded_trace_read(path, 4096);
	pthread_join(writer, NULL);
	assert_int_equal(recorded.result, 0);
	assert_string_equal(recorded.text, recorded.trace);
}

static void read_standard_input(const char *text)
{
	int usual = dup(STDIN_FILENO), fd;

	scratch_put("input", text);
	fd = open(scratch_path("input"), O_RDONLY);
	dup2(fd, STDIN_FILENO);
	close(fd);
	recorded_trace_read("-", 4096);
	/* Standard input is not closed. */
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
	dup2(usual, STDIN_FILENO);
	close(usual);
}

TEST(dash_is_standard_input)
{
	read_standard_input(recorded.trace);
	assert_int_equal(recorded.result, 0);
	assert_string_equal(recorded.text, recorded.trace);
	read_standard_input("");
	assert_int_equal(recorded.result, -ENOTSUP);
	assert_contains(recorded.printed, "standard input");
}

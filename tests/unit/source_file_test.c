/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded traces in their containers: the same text comes out of each, however it is packed; what
 * is damaged gives what came before, and what is no trace is refused by its name. */
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

/* What came out of a file. */
static struct {
	char *text;
	size_t len;
	ssize_t result;	  /* of the last read: 0 or -errno */
	char damage[128]; /* "": the data do not end early */
} out;

/* Reads it in pieces of @piece bytes: what the parser of the source would get. */
static void read_from(const char *path, size_t piece)
{
	static char text[TEXT_MAX];
	struct source *source = NULL;
	struct source_text *bytes;
	ssize_t n;

	memset(&out, 0, sizeof(out));
	out.text = text;
	printed_begin(2);
	n = source_file_open(&source, "analyze", path, 0);
	bytes = (struct source_text *)source;
	while (n >= 0 && out.len + piece < TEXT_MAX) {
		n = bytes->bytes(bytes, text + out.len, piece);
		if (n <= 0)
			break;
		out.len += (size_t)n;
	}
	text[out.len] = '\0';
	out.result = n;
	snprintf(out.damage, sizeof(out.damage), "%s",
		 source && source->damage ? source->damage : "");
	source_close(source);
	printed = printed_end();
}

static void assert_trace(const char *name)
{
	static const size_t pieces[] = { 1, 100, 65536 };

	for (size_t i = 0; i < COUNT_OF(pieces); i++) {
		read_from(scratch_path(&scratch, name), pieces[i]);
		assert_int_equal(out.result, 0);
		assert_string_equal(out.damage, "");
		if (strcmp(out.text, trace) != 0)
			fail_msg("%s in pieces of %zu: %zu bytes of %zu", name, pieces[i], out.len,
				 strlen(trace));
	}
	assert_string_equal(printed, "");
}

static void put_gzip(const char *name, const char *text, const char *mode)
{
	gzFile file = gzopen(scratch_path(&scratch, name), mode);

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
	FILE *file = fopen(scratch_path(&scratch, name), "w");

	fputs(head, file);
	fwrite(bytes, 1, len, file);
	fclose(file);
}

static void text_is_text(void **state)
{
	(void)state;
	scratch_put(&scratch, "trace.txt", trace);
	assert_trace("trace.txt");
}

static void gzip_is_unpacked(void **state)
{
	(void)state;
	put_gzip("trace.gz", trace, "w");
	assert_trace("trace.gz");
}

/* Files put together are one trace. */
static void gzip_in_parts_is_one(void **state)
{
	size_t half = strlen(trace) / 2;
	char *first = strndup(trace, half);

	(void)state;
	put_gzip("trace.gz", first, "w");
	put_gzip("trace.gz", trace + half, "a");
	assert_trace("trace.gz");
	free(first);
}

static void atrace_z_is_unpacked(void **state)
{
	static Bytef packed[TEXT_MAX];
	uLongf size = pack(packed, sizeof(packed), trace);

	(void)state;
	put_two("trace.z", "capturing trace... done\nTRACE:\n", packed, size);
	assert_trace("trace.z");
	put_two("bare.z", "", packed, size);
	assert_trace("bare.z");
}

static void html_of_systrace_is_unwrapped(void **state)
{
	char *html;

	(void)state;
	assert_true(
		asprintf(
			&html,
			"<!DOCTYPE html>\n<html>\n<body>\n"
			"<script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n%s"
			"</script>\n</body>\n</html>\n",
			trace) > 0);
	scratch_put(&scratch, "trace.html", html);
	put_gzip("trace.html.gz", html, "w");
	for (int i = 0; i < 2; i++) {
		read_from(scratch_path(&scratch, i ? "trace.html.gz" : "trace.html"), 1000);
		assert_int_equal(out.result, 0);
		assert_non_null(strstr(out.text, trace));
		assert_null(strstr(out.text, "</html>"));
	}
	free(html);
}

/* --- damage --- */

static void what_is_cut_gives_what_came_before(void **state)
{
	struct stat info;

	(void)state;
	put_gzip("trace.gz", trace, "w");
	assert_int_equal(stat(scratch_path(&scratch, "trace.gz"), &info), 0);
	assert_int_equal(truncate(scratch_path(&scratch, "trace.gz"), info.st_size / 2), 0);
	read_from(scratch_path(&scratch, "trace.gz"), 4096);
	assert_int_equal(out.result, 0);
	assert_true(out.damage[0] != '\0');
	assert_in_range(out.len, 1000, strlen(trace) - 1);
	assert_memory_equal(out.text, trace, out.len);
}

static void what_is_damaged_gives_what_came_before(void **state)
{
	static const char wrong[64];
	struct stat info;
	int fd;

	(void)state;
	put_gzip("trace.gz", trace, "w");
	assert_int_equal(stat(scratch_path(&scratch, "trace.gz"), &info), 0);
	fd = open(scratch_path(&scratch, "trace.gz"), O_WRONLY);
	assert_int_equal(pwrite(fd, wrong, sizeof(wrong), info.st_size / 2), sizeof(wrong));
	close(fd);
	read_from(scratch_path(&scratch, "trace.gz"), 4096);
	assert_int_equal(out.result, 0);
	assert_true(out.damage[0] != '\0');
}

static void what_stands_behind_gzip_is_no_part(void **state)
{
	FILE *file;

	(void)state;
	put_gzip("trace.gz", trace, "w");
	file = fopen(scratch_path(&scratch, "trace.gz"), "a");
	fputs("something else\n", file);
	fclose(file);
	assert_trace("trace.gz");
}

/* --- what is none --- */

static void others_are_refused_by_name(void **state)
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

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		scratch_put_bytes(&scratch, "other", cases[i].bytes, cases[i].len);
		read_from(scratch_path(&scratch, "other"), 4096);
		assert_int_equal(out.result, -ENOTSUP);
		assert_int_equal(out.len, 0);
		if (!strstr(printed, cases[i].word) || !strstr(printed, "other"))
			fail_msg("of '%s' was printed: %s", cases[i].word, printed);
	}
}

static void what_is_packed_in_gzip_is_looked_at_too(void **state)
{
	(void)state;
	put_gzip("empty.gz", "", "w");
	read_from(scratch_path(&scratch, "empty.gz"), 4096);
	assert_int_equal(out.result, -ENOTSUP);
	put_gzip("csv.gz", "time(s),wall time,kind,text\n", "w");
	read_from(scratch_path(&scratch, "csv.gz"), 4096);
	assert_int_equal(out.result, -ENOTSUP);
	assert_non_null(strstr(printed, "CSV"));
}

static void what_cannot_be_opened_is_named(void **state)
{
	(void)state;
	read_from(scratch_path(&scratch, "gone.txt"), 1);
	assert_int_equal(out.result, -ENOENT);
	assert_non_null(strstr(printed, "gone.txt"));
	read_from(scratch.path, 1);
	assert_int_equal(out.result, -EISDIR);
	assert_non_null(strstr(printed, "analyze: "));
}

/* --- streams --- */

static void *write_fifo(void *path)
{
	int fd = open(path, O_WRONLY);
	size_t len = strlen(trace), done = 0;

	while (done < len) {
		ssize_t n = write(fd, trace + done, len - done > 777 ? 777 : len - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	close(fd);
	return NULL;
}

static void a_fifo_is_read_to_its_end(void **state)
{
	char path[128];
	pthread_t writer;

	(void)state;
	snprintf(path, sizeof(path), "%s/fifo", scratch.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pthread_create(&writer, NULL, write_fifo, path), 0);
	read_from(path, 4096);
	pthread_join(writer, NULL);
	assert_int_equal(out.result, 0);
	assert_string_equal(out.text, trace);
}

static void standard_input_is_a_dash(void **state)
{
	int usual = dup(STDIN_FILENO), fd;

	(void)state;
	scratch_put(&scratch, "trace.txt", trace);
	fd = open(scratch_path(&scratch, "trace.txt"), O_RDONLY);
	dup2(fd, STDIN_FILENO);
	close(fd);
	read_from("-", 4096);
	assert_int_equal(out.result, 0);
	assert_string_equal(out.text, trace);
	/* It stays open: it is not ours. */
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
	scratch_put(&scratch, "trace.txt", "");
	fd = open(scratch_path(&scratch, "trace.txt"), O_RDONLY);
	dup2(fd, STDIN_FILENO);
	close(fd);
	read_from("-", 4096);
	assert_int_equal(out.result, -ENOTSUP);
	assert_non_null(strstr(printed, "standard input"));
	dup2(usual, STDIN_FILENO);
	close(usual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(text_is_text, set_up, tear_down),
		cmocka_unit_test_setup_teardown(gzip_is_unpacked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(gzip_in_parts_is_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(atrace_z_is_unpacked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(html_of_systrace_is_unwrapped, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_cut_gives_what_came_before, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_damaged_gives_what_came_before, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_stands_behind_gzip_is_no_part, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(others_are_refused_by_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_packed_in_gzip_is_looked_at_too, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_opened_is_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_fifo_is_read_to_its_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(standard_input_is_a_dash, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

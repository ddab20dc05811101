/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of CSV files: whole, torn, quoted, too long, packed; and numbers. */
#include "tests/unit/unit.h"

#include <sys/stat.h>
#include <zlib.h>

#include "tools/report/csv_reader.h"
#include "tools/report/names.h"

static struct csv_reader csv;
static char path[] = "/tmp/jankd-csv-XXXXXX";

static int set_up(void **state)
{
	memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
	return close(mkstemp(path));
}

static int tear_down(void **state)
{
	csv_reader_close(&csv);
	return unlink(path);
}

FIXTURE(set_up, tear_down)

/* Writes @text as a file and opens it instead of the one before. */
static int open_text(const char *text, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
	csv_reader_close(&csv);
	return csv_reader_open(&csv, path);
}

static void assert_field(unsigned int i, const char *text)
{
	assert_int_equal(csv.fields[i].len, strlen(text));
	assert_memory_equal(csv.fields[i].ptr, text, strlen(text));
}

TEST(test_rows_and_quotes)
{
	static const char text[] = "a,b,\"c\"\"d\"\r\n1,\"x,\"\"y\"\"\",\n,\"two\nlines\",3\n";

	assert_int_equal(open_text(text, sizeof(text) - 1), 0);
	assert_int_equal(csv_reader_column(&csv, "c\"d"), 2);
	assert_int_equal(csv_reader_column(&csv, "x"), -1);
	assert_true(csv_reader_next(&csv));
	assert_field(0, "1");
	assert_field(1, "x,\"y\"");
	assert_field(2, "");
	assert_true(csv_reader_next(&csv));
	assert_field(1, "two\nlines");
	assert_false(csv_reader_next(&csv));
	assert_false(csv.is_torn);
	assert_int_equal(csv.rows, 2);
}

TEST(test_what_is_no_row_is_counted)
{
	static const char text[] = "a,b\n1,2\n3\n4,5,6\na,b\n7,8\n9,1";

	assert_int_equal(open_text(text, sizeof(text) - 1), 0);
	assert_true(csv_reader_next(&csv));
	assert_true(csv_reader_next(&csv));
	assert_field(0, "7");
	assert_false(csv_reader_next(&csv));
	assert_fields(&csv, is_torn, malformed == 2, headers == 1);
}

/* A quote that is never closed costs its line, not the file. */
TEST(test_an_open_quote_ends)
{
	size_t size = 300000, at;
	char *text = malloc(size);

	at = (size_t)sprintf(text, "a,b\n1,\"open\n");
	while (at < size - 10)
		at += (size_t)sprintf(text + at, "2,3\n");
	assert_int_equal(open_text(text, at), 0);
	assert_true(csv_reader_next(&csv));
	assert_field(0, "2");
	assert_int_equal(csv.malformed, 1);
	while (csv_reader_next(&csv))
		;
	assert_int_equal(csv.rows, (at - 12) / 4);
	/* Also at the end of the file. */
	assert_int_equal(open_text("a,b\n1,\"open\n2,3\n", 16), 0);
	assert_true(csv_reader_next(&csv));
	assert_field(1, "3");
	free(text);
}

TEST(test_a_row_that_is_too_long_is_left_out)
{
	size_t size = 3 * CSV_READER_ROW_MAX;
	char *text = malloc(size + 32);

	memset(text, 'x', size);
	memcpy(text, "a,b\n", 4);
	memcpy(text + size, "\n1,2\n", 5);
	assert_int_equal(open_text(text, size + 5), 0);
	assert_true(csv_reader_next(&csv));
	assert_field(1, "2");
	assert_int_equal(csv.too_long, 1);
	free(text);
}

TEST(test_packed_and_cut)
{
	gzFile file = gzopen(path, "w");
	struct stat info;

	gzputs(file, "a,b\n");
	for (int i = 0; i < 50000; i++)
		gzprintf(file, "%d,%d\n", i, rand());
	gzclose(file);
	assert_int_equal(csv_reader_open(&csv, path), 0);
	while (csv_reader_next(&csv))
		;
	assert_int_equal(csv.rows, 50000);
	assert_false(csv.is_torn);
	csv_reader_close(&csv);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(truncate(path, info.st_size / 2), 0);
	assert_int_equal(csv_reader_open(&csv, path), 0);
	while (csv_reader_next(&csv))
		;
	assert_in_range(csv.rows, 20000, 30000);
	assert_true(csv.is_torn);
}

TEST(test_what_has_no_header)
{
	assert_int_equal(open_text("", 0), CSV_READER_EMPTY);
	assert_int_equal(open_text("one column\n1\n", 13), CSV_READER_OTHER);
	csv_reader_close(&csv);
	assert_true(csv_reader_open(&csv, "/nonexistent/file") < 0);
}

TEST(test_numbers)
{
	static const struct {
		const char *text;
		unsigned int decimals;
		int64_t number; /* -1: none */
	} cases[] = {
		{ "1.5", 6, 1500000 },
		{ "1000.036944", 6, 1000036944 },
		{ "7", 0, 7 },
		{ "16.6666679", 3, 16666 },
		{ "1.23457e+06", 3, 1234570000 },
		{ "", 0, -1 },
		{ "-1", 0, -1 },
		{ "nan", 0, -1 },
		{ "0x10", 0, -1 },
		{ "1.2.3", 3, -1 },
		{ "99999999999999999999", 0, -1 },
		{ "1 ", 0, -1 },
		{ "12.", 1, 120 },
		{ "99999999999.999999", 6, -1 },
	};

	for (unsigned int i = 0; i < COUNT_OF(cases); i++) {
		int64_t number = -1;
		bool is_number = csv_number(span_of(cases[i].text), cases[i].decimals, &number);

		assert_int_equal(is_number ? number : -1, cases[i].number);
	}
}

TEST(test_names_are_text)
{
	struct names names;
	uint32_t one;

	assert_int_equal(names_init(&names), 0);
	assert_string_equal(names_text(&names, NAME_NONE), "");
	one = names_add(&names, (struct span){ "a\0b\n\xff\xe4\xb8\xad", 8 });
	assert_string_equal(names_text(&names, one), "a\\x00b\\x0A\\xFF\xe4\xb8\xad");
	assert_int_equal(names_add(&names, (struct span){ "a\0b\n\xff\xe4\xb8\xad", 8 }), one);
	assert_int_not_equal(names_add(&names, SPAN_LITERAL("a")), one);
	names_free(&names);
}

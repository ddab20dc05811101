/* SPDX-License-Identifier: Apache-2.0 */
/* CSV files that are truncated, full, removed or rotated: whole rows, and none twice. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/files/csv_file.h"
#include "daemon/files/csv_repair.h"
#include "daemon/files/segments.h"
#include "tests/unit/scratch.h"

#define HEADER "time(s),wall time,kind,text"
#define NAME "events.csv"

static int folder = -1;

static int set_up(void **state)
{
	scratch_set_up(state);
	folder = open(scratch_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	close(folder);
	return scratch_tear_down(state);
}

FIXTURE(set_up, tear_down)

static void create(struct csv_file *file)
{
	assert_int_equal(csv_file_create(file, folder, CSV_BUFFER_SIZE, NAME, HEADER), 0);
}

static void add_row(struct csv_file *file, const char *text)
{
	char row[128];
	int len = snprintf(row, sizeof(row), "1.000000,,mark,%s\n", text);

	assert_true(csv_file_reserve(file, (size_t)len));
	csv_file_append(file, row, (size_t)len);
}

/* --- repair --- */

/* Returns where the last whole row of the first @len bytes ends. */
static size_t whole_rows(const char *bytes, size_t len)
{
	bool quoted = false;
	size_t end = 0;

	for (size_t i = 0; i < len; i++) {
		quoted ^= bytes[i] == '"';
		if (bytes[i] == '\n' && !quoted)
			end = i + 1;
	}
	return end;
}

static const char rows_text[] = HEADER "\n"
				       "1.000000,,mark,plain\n"
				       "2.000000,,mark,\"a, \"\"b\"\"\nand a line\n\"\n"
				       "3.000000,,mark,last\n";

/* The file is repaired, and repaired again: of rows_text @end bytes are left. */
static void is_repaired(size_t end)
{
	for (int i = 0; i < 2; i++) {
		assert_int_equal(csv_repair_file(folder, NAME, HEADER), 0);
		assert_int_equal(scratch_has(NAME), end > 0);
		assert_int_equal(strlen(scratch_get(NAME)), end);
		assert_memory_equal(scratch_get(NAME), rows_text, end);
	}
}

/* After a power cut, a file may have its full length but NULs instead of the last data, or of some
 * in the middle. */
TEST(repair_keeps_whole_rows_of_a_cut_file)
{
	char bytes[sizeof(rows_text) + 64];

	for (size_t len = 0; len < sizeof(rows_text); len++) {
		memset(bytes, 0, sizeof(bytes));
		memcpy(bytes, rows_text, len);
		scratch_put_bytes(NAME, bytes, len);
		is_repaired(whole_rows(rows_text, len));
		scratch_put_bytes(NAME, bytes, sizeof(bytes));
		is_repaired(whole_rows(rows_text, len));
		memcpy(bytes, rows_text, sizeof(rows_text));
		bytes[len] = '\0';
		scratch_put_bytes(NAME, bytes, sizeof(rows_text) - 1);
		is_repaired(whole_rows(rows_text, len));
	}
}

TEST(repair_does_not_change_other_files)
{
	static const char *const others[] = { "precious", "precious\nhalf", "time(s)x\n",
					      "time(s),wall timx,kind,text\nhalf" };

	for (size_t i = 0; i < COUNT_OF(others); i++) {
		scratch_put(NAME, others[i]);
		assert_int_equal(csv_repair_file(folder, NAME, HEADER), 0);
		assert_string_equal(scratch_get(NAME), others[i]);
	}
	assert_int_equal(unlinkat(folder, NAME, 0), 0);
	assert_int_equal(symlinkat("/dev/null", folder, NAME), 0);
	assert_int_equal(csv_repair_file(folder, NAME, HEADER), 0);
	assert_true(scratch_has(NAME));
	assert_int_equal(csv_repair_file(folder, "none.csv", HEADER), 0);
}

TEST(repair_accepts_additional_columns)
{
	scratch_put(NAME, HEADER ",more\n1,,mark,x,y\n2,,ma");
	assert_int_equal(csv_repair_file(folder, NAME, HEADER), 0);
	assert_string_equal(scratch_get(NAME), HEADER ",more\n1,,mark,x,y\n");
}

/* --- a full disk --- */

static void limit_files(rlim_t bytes)
{
	struct rlimit limit = { bytes, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(full_disk_leaves_whole_rows)
{
	static const char expected[] = HEADER "\n"
					      "1.000000,,mark,one\n"
					      "1.000000,,mark,\"\"\"two\"\"\n\"\n"
					      "1.000000,,mark,three\n";

	for (rlim_t limit = sizeof(HEADER); limit < 90; limit++) {
		struct csv_file file;
		const char *bytes;

		create(&file);
		limit_files(limit);
		add_row(&file, "one");
		add_row(&file, "\"\"\"two\"\"\n\"");
		csv_file_flush(&file);
		assert_int_equal(csv_file_rows_lost(&file) == 0, file.error == 0);
		bytes = scratch_get(NAME);
		assert_int_equal(whole_rows(bytes, strlen(bytes)), strlen(bytes));
		limit_files(RLIM_INFINITY);
		add_row(&file, "three");
		assert_int_equal(csv_file_close(&file), 0);
		assert_string_equal(scratch_get(NAME), expected);
		assert_int_equal(unlinkat(folder, NAME, 0), 0);
	}
}

TEST(removed_file_is_recreated)
{
	struct csv_file file;

	create(&file);
	add_row(&file, "gone with the file");
	assert_int_equal(csv_file_flush(&file), 0);
	assert_false(csv_file_is_gone(&file));
	assert_int_equal(unlinkat(folder, NAME, 0), 0);
	add_row(&file, "kept");
	assert_true(csv_file_is_gone(&file));
	assert_int_equal(csv_file_flush(&file), -ENOENT);
	assert_int_equal(csv_file_rows_lost(&file), 1);
	csv_file_recreate(&file, folder);
	assert_int_equal(csv_file_flush(&file), 0);
	assert_int_equal(csv_file_rows_lost(&file), 0);
	assert_string_equal(scratch_get(NAME), HEADER "\n1.000000,,mark,kept\n");
	assert_int_equal(csv_file_close(&file), 0);
}

TEST(file_that_is_opened_again_gets_more_rows)
{
	struct csv_file file;

	create(&file);
	add_row(&file, "one");
	assert_int_equal(csv_file_close(&file), 0);
	assert_int_equal(csv_file_open_again(&file, folder, CSV_BUFFER_SIZE, NAME, HEADER), 0);
	add_row(&file, "two");
	assert_int_equal(csv_file_close(&file), 0);
	assert_string_equal(scratch_get(NAME), HEADER "\n1.000000,,mark,one\n1.000000,,mark,two\n");
	assert_int_equal(
		csv_file_open_again(&file, folder, CSV_BUFFER_SIZE, NAME, HEADER ",another"),
		-EPROTO);
	csv_file_flush(&file);
	csv_file_close(&file);
	assert_string_equal(scratch_get(NAME), HEADER "\n1.000000,,mark,one\n1.000000,,mark,two\n");
	assert_int_equal(unlinkat(folder, NAME, 0), 0);
	assert_int_equal(csv_file_open_again(&file, folder, CSV_BUFFER_SIZE, NAME, HEADER), 0);
	assert_int_equal(csv_file_close(&file), 0);
	assert_string_equal(scratch_get(NAME), HEADER "\n");
}

/* More than the limit is waiting in memory: the rest is for the next file. */
TEST(rows_above_the_size_limit_go_to_the_next_file)
{
	struct csv_file file;
	int files = 0;

	create(&file);
	csv_file_set_limit(&file, 100);
	for (int i = 0; i < 20; i++)
		add_row(&file, "twenty of them");
	assert_true(csv_file_is_full(&file, 0));
	while (csv_file_flush(&file) > 0) {
		assert_true(strlen(scratch_get(NAME)) <= 100);
		assert_int_equal(segments_close(folder, NAME, (unsigned long)++files), 0);
		csv_file_recreate(&file, folder);
	}
	assert_int_equal(files, 9);
	assert_int_equal(csv_file_close(&file), 0);
}

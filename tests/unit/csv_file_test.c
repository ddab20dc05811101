/* SPDX-License-Identifier: Apache-2.0 */
/* CSV files that are truncated, full, removed or rotated: whole rows, and none twice. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/files/csv_file.h"
#include "daemon/files/csv_repair.h"
#include "daemon/files/segments.h"

#define HEADER "time(s),wall time,kind,text"
#define NAME "events.csv"

static char folder_path[] = "/tmp/jankd-test-XXXXXX";
static int folder = -1;

static int make_folder(void **state)
{
	strcpy(folder_path + strlen(folder_path) - 6, "XXXXXX");
	if (!mkdtemp(folder_path))
		return -1;
	folder = open(folder_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder < 0 ? -1 : 0;
}

static int remove_folder(void **state)
{
	char command[64];

	close(folder);
	snprintf(command, sizeof(command), "rm -rf %s", folder_path);
	return system(command) == 0 ? 0 : -1;
}

FIXTURE(make_folder, remove_folder)

static void put(const char *name, const char *bytes, size_t len)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

/* The file's size, -1 if there is none; *bytes is its text. */
static ssize_t get(const char *name, char bytes[static 8192])
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	bytes[0] = '\0';
	if (fd < 0)
		return -1;
	n = read(fd, bytes, 8191);
	close(fd);
	assert_true(n >= 0);
	bytes[n] = '\0';
	return n;
}

static bool is_there(const char *name)
{
	return faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
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

static void check_repaired(size_t end)
{
	char bytes[8192];

	assert_int_equal(csv_repair_file(folder, NAME, HEADER), 0);
	if (end == 0) {
		assert_false(is_there(NAME));
		return;
	}
	assert_int_equal(get(NAME, bytes), end);
	assert_memory_equal(bytes, rows_text, end);
}

TEST(test_repair_keeps_whole_rows_of_a_cut_file)
{
	for (size_t len = 0; len < sizeof(rows_text); len++) {
		put(NAME, rows_text, len);
		check_repaired(whole_rows(rows_text, len));
		check_repaired(whole_rows(rows_text, len));
	}
}

/* After a power cut, a file may have its full length but NULs instead of the last data. */
TEST(test_repair_removes_nuls_after_a_power_cut)
{
	char bytes[sizeof(rows_text) + 64];

	for (size_t len = 0; len < sizeof(rows_text); len++) {
		memset(bytes, 0, sizeof(bytes));
		memcpy(bytes, rows_text, len);
		put(NAME, bytes, sizeof(bytes));
		check_repaired(whole_rows(rows_text, len));
	}
}

TEST(test_repair_does_not_change_other_files)
{
	static const char *const others[] = { "precious", "precious\nhalf", "time(s)x\n",
					      "time(s),wall timx,kind,text\nhalf" };
	char bytes[8192];

	for (size_t i = 0; i < COUNT_OF(others); i++) {
		put(NAME, others[i], strlen(others[i]));
		assert_int_equal(csv_repair_file(folder, NAME, HEADER), 0);
		assert_int_equal(get(NAME, bytes), strlen(others[i]));
	}
	assert_int_equal(unlinkat(folder, NAME, 0), 0);
	assert_int_equal(symlinkat("/dev/null", folder, NAME), 0);
	assert_int_equal(csv_repair_file(folder, NAME, HEADER), 0);
	assert_true(is_there(NAME));
	assert_int_equal(csv_repair_file(folder, "none.csv", HEADER), 0);
}

/* A file of another version that has more columns is repaired, too. */
TEST(test_repair_accepts_additional_columns)
{
	static const char text[] = "time(s),wall time,kind,text,more\n1,,mark,x,y\n2,,ma";
	char bytes[8192];

	put(NAME, text, strlen(text));
	assert_int_equal(csv_repair_file(folder, NAME, HEADER), 0);
	assert_int_equal(get(NAME, bytes), strlen(text) - strlen("2,,ma"));
}

/* --- a full disk --- */

static void limit_files(rlim_t bytes)
{
	struct rlimit limit = { bytes, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(test_full_disk_leaves_whole_rows)
{
	static const char expected[] = HEADER "\n"
					      "1.000000,,mark,one\n"
					      "1.000000,,mark,\"\"\"two\"\"\n\"\n"
					      "1.000000,,mark,three\n";
	char bytes[8192];

	for (rlim_t limit = sizeof(HEADER); limit < 90; limit++) {
		struct csv_file file;

		assert_int_equal(csv_file_create(&file, folder, CSV_BUFFER_SIZE, NAME, HEADER), 0);
		limit_files(limit);
		add_row(&file, "one");
		add_row(&file, "\"\"\"two\"\"\n\"");
		csv_file_flush(&file);
		assert_int_equal(csv_file_rows_lost(&file) == 0, file.error == 0);
		get(NAME, bytes);
		assert_int_equal(whole_rows(bytes, strlen(bytes)), strlen(bytes));
		limit_files(RLIM_INFINITY);
		add_row(&file, "three");
		assert_int_equal(csv_file_close(&file), 0);
		get(NAME, bytes);
		assert_string_equal(bytes, expected);
		assert_int_equal(unlinkat(folder, NAME, 0), 0);
	}
}

TEST(test_removed_file_is_recreated)
{
	struct csv_file file;
	char bytes[8192];

	assert_int_equal(csv_file_create(&file, folder, CSV_BUFFER_SIZE, NAME, HEADER), 0);
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
	get(NAME, bytes);
	assert_string_equal(bytes, HEADER "\n1.000000,,mark,kept\n");
	assert_int_equal(csv_file_close(&file), 0);
}

TEST(test_file_that_is_opened_again_gets_more_rows)
{
	struct csv_file file;
	char bytes[8192];

	assert_int_equal(csv_file_create(&file, folder, CSV_BUFFER_SIZE, NAME, HEADER), 0);
	add_row(&file, "one");
	assert_int_equal(csv_file_close(&file), 0);
	assert_int_equal(csv_file_open_again(&file, folder, CSV_BUFFER_SIZE, NAME, HEADER), 0);
	add_row(&file, "two");
	assert_int_equal(csv_file_close(&file), 0);
	get(NAME, bytes);
	assert_string_equal(bytes, HEADER "\n1.000000,,mark,one\n1.000000,,mark,two\n");
	assert_int_equal(
		csv_file_open_again(&file, folder, CSV_BUFFER_SIZE, NAME, HEADER ",another"),
		-EPROTO);
	csv_file_flush(&file);
	csv_file_close(&file);
	get(NAME, bytes);
	assert_string_equal(bytes, HEADER "\n1.000000,,mark,one\n1.000000,,mark,two\n");
	assert_int_equal(unlinkat(folder, NAME, 0), 0);
	assert_int_equal(csv_file_open_again(&file, folder, CSV_BUFFER_SIZE, NAME, HEADER), 0);
	assert_int_equal(csv_file_close(&file), 0);
	get(NAME, bytes);
	assert_string_equal(bytes, HEADER "\n");
}

/* More than the limit is waiting in memory: the rest is for the next file. */
TEST(test_rows_above_the_size_limit_go_to_the_next_file)
{
	struct csv_file file;
	char bytes[8192];
	int files = 0;

	assert_int_equal(csv_file_create(&file, folder, CSV_BUFFER_SIZE, NAME, HEADER), 0);
	csv_file_set_limit(&file, 100);
	for (int i = 0; i < 20; i++)
		add_row(&file, "twenty of them");
	assert_true(csv_file_is_full(&file, 0));
	while (csv_file_flush(&file) > 0) {
		assert_true(get(NAME, bytes) <= 100);
		assert_int_equal(segments_close(folder, NAME, (unsigned long)++files), 0);
		csv_file_recreate(&file, folder);
	}
	assert_int_equal(files, 9);
	assert_int_equal(csv_file_close(&file), 0);
}

/* --- segments --- */

#define REMOVE(keep, spared, enough) segments_remove_oldest(folder, keep, spared, enough, &removed)

TEST(test_segments_are_numbered_closed_and_removed)
{
	struct segments_removed removed = { .removed = NULL };
	unsigned long last;
	char highest[64];

	put("fps-000007.csv", "x", 1);
	put("frames-000007.csv", "x", 1);
	put("events-000007.csv", "x", 1);
	put("frames-000009.csv", "x", 1);
	/* Names of other files. */
	put("fps-12.csv", "x", 1);
	put("fps-0000013.csv", "x", 1);
	put("fps-000014.csv.old", "x", 1);
	put("other-000015.csv", "x", 1);
	put("fps--00016.csv", "x", 1);
	snprintf(highest, sizeof(highest), "fps-%lu.csv", ULONG_MAX);
	put(highest, "x", 1);
	assert_int_equal(segments_last(folder, &last), 0);
	assert_int_equal(last, 9);
	assert_int_equal(segments_next(folder, 6), 8);
	put(NAME, "y", 1);
	assert_int_equal(segments_close(folder, NAME, 7), -EEXIST);
	assert_int_equal(segments_close(folder, NAME, 10), 0);
	assert_int_equal(REMOVE(3, SEGMENTS_SPARE_NONE, UINT64_MAX), 0);
	assert_int_equal(removed.count, 0);
	assert_int_equal(REMOVE(0, SEGMENTS_SPARE_EVENTS, 1), 0);
	assert_true(removed.count == 1 && removed.first == 7 && removed.last == 7);
	assert_true(is_there("events-000007.csv") && !is_there("fps-000007.csv"));
	assert_int_equal(REMOVE(0, SEGMENTS_SPARE_EVENTS, 1), 0);
	assert_true(removed.count == 1 && removed.first == 9);
	assert_int_equal(REMOVE(0, SEGMENTS_SPARE_EVENTS, 1), 0);
	assert_int_equal(removed.count, 0);
	assert_int_equal(REMOVE(1, SEGMENTS_SPARE_NONE, 1), 0);
	assert_int_equal(removed.count, 1);
	assert_true(!is_there("events-000007.csv") && is_there("events-000010.csv"));
	assert_true(is_there("fps-12.csv") && is_there("fps-000014.csv.old"));
	segments_remove_above(folder, 0);
	assert_true(is_there(highest));
}

/* A segment that cannot be removed does not prevent the removal of others. */
TEST(test_segment_that_cannot_be_removed_is_skipped)
{
	struct segments_removed removed = { .removed = NULL };

	assert_int_equal(mkdirat(folder, "fps-000001.csv", 0777), 0);
	put("fps-000002.csv", "x", 1);
	put("events-000003.csv", "x", 1);
	put("fps-000004.csv", "x", 1);
	assert_int_equal(REMOVE(1, SEGMENTS_SPARE_NONE, UINT64_MAX), -EISDIR);
	assert_true(removed.count == 2 && removed.first == 2 && removed.last == 3);
	assert_true(is_there("fps-000004.csv") && !is_there("fps-000002.csv"));
}

/* A folder with many segments is scanned fast. */
TEST(test_many_segments_are_scanned_fast)
{
	struct segments_removed removed = { .removed = NULL };
	clock_t begin;
	char name[32];

	for (int i = 1; i <= 20000; i++) {
		snprintf(name, sizeof(name), "fps-%06d.csv", i);
		put(name, "", 0);
	}
	begin = clock();
	assert_int_equal(REMOVE(2, SEGMENTS_SPARE_NONE, UINT64_MAX), 0);
	assert_int_equal(removed.count, 19998);
	assert_true(clock() - begin < 5 * CLOCKS_PER_SEC);
	assert_true(is_there("fps-019999.csv") && !is_there("fps-019998.csv"));
}

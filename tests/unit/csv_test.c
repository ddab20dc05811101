/* SPDX-License-Identifier: Apache-2.0 */
/* Each row has as many columns as its header. And the files: truncated or on a full disk, they have
 * whole rows, and none twice. */
#include "tests/unit/unit.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include "daemon/base/csv_files.h"
#include "daemon/files/csv.h"
#include "daemon/files/csv_file.h"
#include "daemon/files/event_queue.h"
#include "tests/unit/scratch.h"

/* --- rows --- */

static struct csv_row row_text;
static char text[4096];

/* Returns the row without its line end. */
static const char *made(void)
{
	assert_true(row_text.len > 1 && row_text.bytes[row_text.len - 1] == '\n');
	snprintf(text, sizeof(text), "%.*s", (int)row_text.len - 1, row_text.bytes);
	return text;
}

#define MARK(time_ns, name) (&(struct queued_event){ time_ns, -1, 0, "mark", name })
#define PLAIN "~ }|{zyx.wvu_tsr-qpo/nml kji!hgf#edc$ba0"

TEST(names_are_escaped_and_quoted)
{
	static const struct {
		const char *part, *written, *quote;
	} parts[] = {
		{ ",", ",", "\"" },
		{ "\"", "\"\"", "\"" },
		{ "\n", "\\x0A", "" },
		{ "\x7f", "\\x7F", "" },
		{ "\xff", "\\xFF", "" },
		{ "\xc2\x80", "\\xC2\\x80", "" },
		{ "\xe4\xb8\xad", "\xe4\xb8\xad", "" },
	};
	struct drop_row drop = {
		.tick = "=1", .app = "a,b", .surface = "\"s\"", .info = "\nc", .layer = ""
	};

	/* Each between 0 to 39 plain bytes, of which 16 are compared at once. */
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		for (int at = 0; at < 40 * 40; at++) {
			const char *name = formatted("%.*s%s%.*s", at / 40, PLAIN, parts[i].part,
						     at % 40, PLAIN);

			csv_format(&row_text, ROW_EVENTS, MARK(0, name));
			name = formatted("0.000000,,mark,%s%.*s%s%.*s%s", parts[i].quote, at / 40,
					 PLAIN, parts[i].written, at % 40, PLAIN, parts[i].quote);
			assert_string_equal(made(), name);
		}
	for (const char *first = "=+-@"; *first; first++) {
		csv_format(&row_text, ROW_EVENTS, MARK(1000000000, formatted("%c", *first)));
		assert_string_equal(made(), formatted("1.000000,,mark,'%c", *first));
	}
	csv_format(&row_text, ROW_DROPS, &drop);
	assert_string_equal(made(), "0.000000,0.000000,0.000,'=1,0,\"a,b\",\"\"\"s\"\"\",\\x0Ac,"
				    "0,,,0");
	drop.legacy = true;
	csv_format(&row_text, ROW_DROPS, &drop);
	assert_string_equal(made(), "0.000000,0.000000,0,'=1,0,\"a,b\",\"\"\"s\"\"\",\"\nc\",,,,");
}

TEST(a_row_of_latency_has_each_value)
{
	csv_format(&row_text, ROW_LATENCY,
		   &(struct frame_row){ .latched_ns = 1500000000,
					.present_ns = 2500000000,
					.queued_ns = ROW_UNKNOWN,
					.interval_ns = 16666667,
					.vsyncs = 1,
					.app = "a",
					.surface = "b",
					.layer = "c" });
	assert_string_equal(made(), "1.500000,2.500000,,16.666667,1,a,b,c");
}

/* Names of the largest size in which each byte is escaped. */
TEST(the_longest_row_fits)
{
	static char name[1024], info[2048];
	struct drop_row drop = {
		.tick = name, .app = name, .surface = name, .info = info, .layer = name
	};

	memset(name, 1, sizeof(name) - 1);
	memset(info, 1, sizeof(info) - 1);
	csv_format(&row_text, ROW_DROPS, &drop);
	assert_false(row_text.is_too_long);
	assert_true(row_text.len > (4 * sizeof(name) + sizeof(info)) * 4 - 64);
	csv_format(&row_text, ROW_EVENTS, MARK(0, "x"));
	assert_string_equal(made(), "0.000000,,mark,x");
}

/* The field of the last row with that number, from 0. */
static const char *field(unsigned int number)
{
	static char copy[64];
	const char *at = made();

	while (number-- > 0)
		at = strchr(at, ',') + 1;
	snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(at, ","), at);
	return copy;
}

/* The same numbers on each run. */
static uint64_t random_number(void)
{
	static uint64_t state = 1;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

TEST(numbers_are_rounded_and_unknown_ones_are_empty)
{
	static const struct {
		double value;
		const char *written;
	} numbers[] = {
		{ 0.125, "0.12" }, { 0.375, "0.38" }, { 1.005, "1.00" }, { 0, "0.00" },
		{ 1e16, "" },	   { INFINITY, "" },  { NAN, "" },	 { -1, "" },
	};
	struct fps_row row = { .app = "", .surface = "", .stats.frames = 1 };

	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		row.fps = numbers[i].value;
		csv_format(&row_text, ROW_FPS, &row);
		assert_string_equal(field(2), numbers[i].written);
	}
}

TEST(times_are_truncated)
{
	struct frame_row row = { .app = "", .surface = "", .layer = "" };
	const char *expected;

	for (int i = 0; i < 10000; i++) {
		int64_t ns = (int64_t)(random_number() >> (1 + random_number() % 62));
		long long s = ns / 1000000000, ms = ns / 1000000;

		row.present_ns = (uint64_t)ns;
		row.interval_ns = row.vsyncs = ns;
		csv_format(&row_text, ROW_FRAMES, &row);
		expected = formatted("%lld.%06lld", s, (long long)ns % 1000000000 / 1000);
		assert_string_equal(field(0), expected);
		expected = formatted("%lld.%06lld", ms, (long long)ns % 1000000);
		assert_string_equal(field(2), expected);
		assert_string_equal(field(3), formatted("%lld", (long long)ns));
	}
}

/* --- files --- */

#define HEADER "time(s),wall time,kind,text"
#define NAME "events.csv"

static const struct csv_file_info *const info = &csv_files[ROW_EVENTS];
static int folder = -1;
static struct csv_file file;

static int set_up(void **state)
{
	scratch_set_up(state);
	folder = open(scratch_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	close(folder);
	return scratch_tear_down_closed(state);
}

FIXTURE(set_up, tear_down)

static void add_row(const char *what)
{
	char row[128];
	int len = snprintf(row, sizeof(row), "1.000000,,mark,%s\n", what);

	assert_int_equal(scratch_inherited(), 0);
	assert_true(csv_file_reserve(&file, (size_t)len));
	csv_file_append(&file, row, (size_t)len);
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
		assert_int_equal(csv_file_repair(folder, NAME, HEADER), 0);
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
		assert_int_equal(csv_file_repair(folder, NAME, HEADER), 0);
		assert_string_equal(scratch_get(NAME), others[i]);
	}
	assert_int_equal(unlinkat(folder, NAME, 0), 0);
	assert_int_equal(symlinkat("/dev/null", folder, NAME), 0);
	assert_int_equal(csv_file_repair(folder, NAME, HEADER), 0);
	assert_true(scratch_has(NAME));
	assert_int_equal(csv_file_repair(folder, "none.csv", HEADER), 0);
}

TEST(repair_accepts_additional_columns)
{
	scratch_put(NAME, HEADER ",more\n1,,mark,x,y\n2,,ma");
	assert_int_equal(csv_file_repair(folder, NAME, HEADER), 0);
	assert_string_equal(scratch_get(NAME), HEADER ",more\n1,,mark,x,y\n");
}

/* --- rows --- */

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
		const char *bytes;

		assert_int_equal(csv_file_open(&file, folder, CSV_BUFFER_SIZE, info, false), 0);
		limit_files(limit);
		add_row("one");
		add_row("\"\"\"two\"\"\n\"");
		csv_file_flush(&file);
		bytes = scratch_get(NAME);
		assert_int_equal(whole_rows(bytes, strlen(bytes)), strlen(bytes));
		limit_files(RLIM_INFINITY);
		assert_int_equal(csv_file_rows_lost(&file), limit < 47 ? 2 : limit < 73);
		add_row("three");
		assert_int_equal(csv_file_close(&file), 0);
		assert_string_equal(scratch_get(NAME), expected);
		assert_int_equal(unlinkat(folder, NAME, 0), 0);
	}
}

TEST(file_that_is_opened_again_gets_more_rows)
{
	static const char *const rows[] = { "one", "two" };
	const struct csv_file_info another = { NAME, HEADER ",another", false };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(csv_file_open(&file, folder, CSV_BUFFER_SIZE, info, true), 0);
		assert_int_equal(csv_file_has_rows(&file), i > 0);
		add_row(rows[i]);
		assert_true(csv_file_has_rows(&file) && csv_file_is_begun(&file) == (i > 0));
		assert_int_equal(csv_file_close(&file), 0);
	}
	assert_int_equal(csv_file_open(&file, folder, CSV_BUFFER_SIZE, &another, true), -EPROTO);
	csv_file_flush(&file);
	csv_file_close(&file);
	assert_string_equal(scratch_get(NAME), HEADER "\n1.000000,,mark,one\n1.000000,,mark,two\n");
}

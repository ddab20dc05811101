/* SPDX-License-Identifier: Apache-2.0 */
/* What all rooms of the daemon use: reports, clocks, streams, and the names of sessions. */
#include "tests/unit/unit.h"

#include <time.h>

#include "daemon/base/loop.h"
#include "daemon/base/report.h"
#include "daemon/base/stream.h"
#include "daemon/base/text_file.h"
#include "daemon/base/wall_clock.h"
#include "daemon/cli/cli.h"
#include "daemon/trace/trace_files.h"
#include "tests/unit/fake_tracefs.h"
#include "tests/unit/printed.h"

/* On 32 bits, too: see meson.build. */
_Static_assert(sizeof(time_t) == 8, "times after 2038");

/* --- reports --- */

TEST(a_report_is_one_line)
{
	char text[5000] = "";
	const char *printed;

	report_name("run");
	assert_string_equal(printed_by(report("%s: %d; do this", "a\nb\x1b[2J", 7)),
			    "jankd: run: a\\x0Ab\\x1B[2J: 7; do this\n");
	assert_string_equal(report_last(), "run: a\\x0Ab\\x1B[2J: 7; do this");
	/* A long one is cut. */
	memset(text, 'x', sizeof(text) - 1);
	printed = printed_by(report("%s", text));
	assert_in_range(strlen(printed), 1000, sizeof(text));
	assert_one_line(printed);
	assert_true(strlen(report_last()) < 1024);
}

/* The reader of a pipe pauses. One free page of it is less than a long line. */
TEST(a_report_waits_for_no_reader)
{
	char page[4096] = "";
	int fds[2], usual = dup(2), flags;
	uint64_t begin_ns;

	assert_int_equal(pipe(fds), 0);
	flags = fcntl(fds[1], F_GETFL);
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	while (write(fds[1], page, sizeof(page)) > 0)
		;
	fcntl(fds[1], F_SETFL, flags);
	assert_int_equal(read(fds[0], page, sizeof(page)), sizeof(page));
	memset(page, '\x1b', sizeof(page) - 1);
	page[sizeof(page) - 1] = '\0';
	begin_ns = loop_now();
	dup2(fds[1], 2);
	for (int i = 0; i < 20; i++)
		report("%s", page);
	dup2(usual, 2);
	assert_in_range(loop_now() - begin_ns, 0, 900 * UINT64_C(1000000));
	close(usual);
	close(fds[0]);
	close(fds[1]);
}

TEST(a_report_begins_with_its_command)
{
	report_name("start");
	assert_string_equal(printed_by(report("tracefs: %s", "gone")),
			    "jankd: start: tracefs: gone\n");
	assert_string_equal(report_last_reason(), "tracefs: gone");
	printed_by(report_warning("small"));
	assert_string_equal(report_last(), "warning: start: small");
	assert_string_equal(report_last_reason(), "small");
	report_name("");
	assert_string_equal(printed_by(report("rules: bad")), "jankd: rules: bad\n");
	assert_string_equal(report_last_reason(), "rules: bad");
}

TEST(advice_fits_the_error)
{
	assert_contains(report_advice(-EMFILE, "other"), "ulimit");
	assert_string_not_equal(report_advice(-ENOMEM, "other"), "other");
	assert_string_equal(report_advice(-EACCES, "other"), "other");
}

/* --- clocks --- */

TEST(offset_of_posix_clocks_is_measured)
{
	static const char *const same[] = { "boot", "mono", "mono_raw", "tai" };
	clockid_t id;

	for (size_t i = 0; i < COUNT_OF(same); i++) {
		struct wall_clock clock = wall_clock_measure(same[i]);
		int64_t wall;

		assert_true(clock.known);
		assert_true(wall_clock_same(same[i], &id));
		wall = clock_read(id) + clock.offset_ns - wall_clock_now();
		/* The machine may be busy. */
		assert_in_range(wall + 10 * (int64_t)SECOND, 0, 20 * SECOND);
	}
	assert_false(wall_clock_measure("local").known);
	assert_false(wall_clock_same("global", &id));
	assert_true(wall_clock_is_time("local"));
	assert_false(wall_clock_is_time("counter"));
	assert_false(wall_clock_is_time("x86-tsc"));
	assert_false(wall_clock_is_time("uptime"));
}

TEST(offset_of_kernel_clocks_is_read_from_stats)
{
	struct trace_files files;
	struct wall_clock clock;
	int64_t now_ns;

	fake_tracefs_set_up(NULL);
	trace_files_open(&files, fake_tracefs);
	clock = kernel_clock_measure("local", &files);
	assert_true(clock.known);
	/* "now ts" is 10 s. */
	now_ns = wall_clock_now();
	assert_in_range(now_ns - clock.offset_ns - 10 * (int64_t)SECOND, 0, 60 * SECOND);
	assert_false(kernel_clock_measure("counter", &files).known);
	assert_true(kernel_clock_measure("boot", &files).known);
	scratch_put("tr/per_cpu/cpu0/stats", "entries: 0\n");
	assert_false(kernel_clock_measure("local", &files).known);
	trace_files_close(&files);
	assert_int_equal(scratch_tear_down_closed(NULL), 0);
}

TEST(offset_is_read_from_the_marker_of_atrace)
{
	static const char *const others[] = { "realtime_ts=", "realtime_ts=x", "parent_ts=7",
					      "realtime_ts=99999999999999" };
	struct wall_clock clock = { .known = false };

	assert_true(wall_clock_read_marker(&clock, SPAN_LITERAL("realtime_ts=1700000000123"),
					   5 * SECOND));
	assert_true(clock.known);
	assert_int_equal(clock.offset_ns + 5 * (int64_t)SECOND, INT64_C(1700000000123000000));
	for (size_t i = 0; i < COUNT_OF(others); i++)
		assert_false(wall_clock_read_marker(&clock, span_of(others[i]), 0));
	assert_false(wall_clock_read_marker(&clock, SPAN_LITERAL("realtime_ts=9999999999999"), 0));
	assert_false(wall_clock_read_marker(&clock, SPAN_LITERAL("realtime_ts=1"), UINT64_MAX));
	assert_int_equal(clock.offset_ns + 5 * (int64_t)SECOND, INT64_C(1700000000123000000));
}

TEST(times_of_day_are_formatted_as_iso_8601)
{
	char text[WALL_CLOCK_TEXT];

	wall_clock_format(text, INT64_C(1700000000123456789));
	assert_string_equal(text, "2023-11-14T22:13:20.123Z");
	wall_clock_format(text, 0);
	assert_string_equal(text, "1970-01-01T00:00:00.000Z");
	wall_clock_format(text, -1);
	assert_string_equal(text, "");
}

/* --- streams --- */

TEST(writes_to_an_unread_stream_do_not_block)
{
	char bytes[4096];
	struct stream stream, closed = { .fd = -1 };
	int ends[2];
	size_t done, sum = 0;
	int64_t begin;
	int error;

	memset(bytes, 'x', sizeof(bytes));
	scratch_set_up(NULL);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	stream = stream_open(ends[1]);
	assert_true(stream.is_own);
	assert_int_equal(scratch_inherited(), 0);
	while ((error = stream_write_all(&stream, bytes, sizeof(bytes), 0, &done)) == 0)
		sum += done;
	assert_int_equal(error, -EAGAIN);
	begin = clock_read(CLOCK_MONOTONIC);
	assert_int_equal(stream_write_all(&stream, bytes, sizeof(bytes), 20, &done), -EAGAIN);
	assert_int_equal(done, 0);
	assert_true(clock_read(CLOCK_MONOTONIC) - begin >= 19 * (int64_t)MS);
	/* Reading frees space. */
	assert_int_equal(read(ends[0], bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(stream_write_all(&stream, bytes, sizeof(bytes), 20, &done), 0);
	assert_int_equal(done, sizeof(bytes));
	assert_true(sum >= sizeof(bytes));
	/* The flag for other users of the stream is unchanged: writes wait. */
	assert_false(fcntl(ends[1], F_GETFL) & O_NONBLOCK);
	stream_close(&stream);
	assert_true(fcntl(ends[1], F_GETFD) >= 0);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(scratch_tear_down_closed(NULL), 0);
	assert_int_equal(stream_write_all(&closed, "x", 1, 10, &done), -EBADF);
	assert_int_equal(done, 0);
}

/* --- text files --- */

TEST(a_text_file_is_read_up_to_its_longest_length_and_closed)
{
	char *text;
	int fd;

	scratch_set_up(NULL);
	scratch_put("text", "1234");
	for (size_t max = 3; max <= 5; max++) {
		fd = open(scratch_path("text"), O_RDONLY | O_CLOEXEC);
		assert_int_equal(text_file_read_all(&text, fd, max), max < 4 ? -EFBIG : 4);
		if (max >= 4)
			assert_string_equal(text, "1234");
		free(text);
		assert_int_equal(fcntl(fd, F_GETFD), -1);
	}
	scratch_tear_down_closed(NULL);
}

/* --- names of sessions --- */

TEST(sessions_are_named_after_files)
{
	static const struct {
		const char *path, *name;
	} cases[] = {
		{ "-", "stdin" },     { "stdin", "stdin-2" }, { "y.perfetto-trace", "y" },
		{ "z.tar", "z.tar" }, { ".txt", "_txt" },     { "a/", "_" },
		{ "a\nb", "a_b" },    { "a\\b", "a_b-2" },    { "\xc3\xb6.txt", "\xc3\xb6" },
	};
	struct session_name names[COUNT_OF(cases) + 1];
	char path[300];

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		session_name_make(names, (int)i, cases[i].path);
		assert_string_equal(names[i].text, cases[i].name);
	}
	/* A long name is cut, but not inside a character. */
	memset(path, 'x', sizeof(path));
	for (size_t i = 1; i + 2 < 254; i += 2)
		memcpy(path + i, "\xc3\xb6", 2);
	path[253] = '\0';
	session_name_make(names, (int)COUNT_OF(cases), path);
	assert_in_range(strlen(names[COUNT_OF(cases)].text), 200, SESSION_NAME_SIZE - 12);
	assert_int_equal(names[COUNT_OF(cases)].text[strlen(names[COUNT_OF(cases)].text) - 1],
			 '\xb6');
}

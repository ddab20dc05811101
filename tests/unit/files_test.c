/* SPDX-License-Identifier: Apache-2.0 */
/* 'jankd files': the list of a folder, and parts of its files. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/live_capture.h"

static struct live_capture capture;
static struct program jankd;

static int set_up(void **state)
{
	live_capture_make(&capture);
	scratch_mkdir(&capture.scratch, "out");
	return 0;
}

static int tear_down(void **state)
{
	live_capture_remove(&capture);
	return 0;
}

FIXTURE(set_up, tear_down)

static int list(void)
{
	return program_run(&jankd, &capture.scratch, "files", "-F", "out", NULL);
}

static int read_from(const char *name, const char *offset)
{
	return program_run(&jankd, &capture.scratch, "files", "-F", "out", "--read", name, "--from",
			   offset, NULL);
}

static void put(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "out/%s", name);
	scratch_put(&capture.scratch, path, text);
}

static bool is_listed(const char *line)
{
	char whole[128];

	snprintf(whole, sizeof(whole), "\n%s\n", line);
	return strstr(program_out(&jankd), whole) != NULL;
}

/* The numbers are those of POSIX cksum. */
TEST(closed_files_have_the_checksum_of_cksum)
{
	static char zeros[200000];

	put("fps.csv", "hello\n");
	put("fps-000001.csv", "");
	scratch_put_bytes(&capture.scratch, "out/snapshot-000001.txt", zeros, sizeof(zeros));
	assert_int_equal(list(), 0);
	assert_int_equal(strncmp(program_out(&jankd), "session - ended ", 16), 0);
	assert_true(is_listed("closed 3015617425 6 fps.csv"));
	assert_true(is_listed("closed 4294967295 0 fps-000001.csv"));
	assert_true(is_listed("closed 2581748673 200000 snapshot-000001.txt"));
}

/* Bit by bit, as POSIX describes it. */
static uint32_t cksum(const unsigned char *bytes, size_t len)
{
	uint32_t crc = 0;
	size_t rest = len, i = 0;

	while (i < len || rest > 0) {
		unsigned char byte = i < len ? bytes[i] : (unsigned char)(rest & 0xff);

		if (i >= len)
			rest >>= 8;
		i++;
		crc ^= (uint32_t)byte << 24;
		for (int bit = 0; bit < 8; bit++)
			crc = crc << 1 ^ (crc >> 31 ? UINT32_C(0x04c11db7) : 0);
	}
	return ~crc;
}

TEST(the_checksum_is_right_for_each_length)
{
	static unsigned char bytes[70000];
	static const size_t lengths[] = {
		1, 7, 8, 9, 15, 16, 255, 256, 65535, 65536, 65537, 70000
	};
	char name[32], line[64];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * i * 31 + i / 7);
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		snprintf(name, sizeof(name), "out/%zu.csv", lengths[i]);
		scratch_put_bytes(&capture.scratch, name, bytes, lengths[i]);
	}
	assert_int_equal(list(), 0);
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		snprintf(line, sizeof(line), "closed %u %zu %zu.csv", cksum(bytes, lengths[i]),
			 lengths[i], lengths[i]);
		assert_true(is_listed(line));
	}
}

TEST(other_than_plain_files_are_left_out)
{
	static const char *const names[] = { ".journal",	"-x.csv",      "a b.csv",
					     "a\nclosed 1 2 b", "\x1b[2J.csv", "\xff.csv",
					     "a\\b.csv" };

	put("fps.csv", "hello\n");
	for (size_t i = 0; i < COUNT_OF(names); i++)
		put(names[i], "x");
	scratch_mkdir(&capture.scratch, "out/folder.csv");
	assert_int_equal(symlink("fps.csv", scratch_path(&capture.scratch, "out/link.csv")), 0);
	assert_int_equal(mkfifo(scratch_path(&capture.scratch, "out/fifo.csv"), 0600), 0);
	assert_int_equal(list(), 0);
	assert_int_equal(strcspn(strchr(program_out(&jankd), '\n') + 1, "\n"),
			 strlen("closed 3015617425 6 fps.csv"));
	assert_true(is_listed("closed 3015617425 6 fps.csv"));
	assert_null(strchr(strstr(program_out(&jankd), "fps.csv\n") + 8, '\n'));
}

TEST(a_file_is_read_from_an_offset)
{
	put("fps.csv", "hello\n");
	assert_int_equal(read_from("fps.csv", "2"), 0);
	assert_string_equal(program_out(&jankd), "llo\n");
	assert_int_equal(read_from("fps.csv", "6"), 0);
	assert_string_equal(program_out(&jankd), "");
	assert_int_equal(read_from("fps.csv", "7"), 1);
	assert_non_null(strstr(program_err(&jankd), "6 bytes"));
}

TEST(only_listed_names_are_read)
{
	static const char *const names[] = { "../secret",  "./fps.csv",	  ".journal", "link.csv",
					     "folder.csv", "/etc/passwd", "none.csv", "-x" };

	scratch_put(&capture.scratch, "secret", "secret");
	put(".journal", "secret");
	scratch_mkdir(&capture.scratch, "out/folder.csv");
	assert_int_equal(symlink("../secret", scratch_path(&capture.scratch, "out/link.csv")), 0);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_int_equal(read_from(names[i], "0"), 1);
		assert_string_equal(program_out(&jankd), "");
		assert_non_null(strstr(program_err(&jankd), "jankd: files: --read "));
	}
	assert_int_equal(program_run(&jankd, &capture.scratch, "files", "-F", "nowhere", NULL), 1);
	assert_non_null(strstr(program_err(&jankd), "jankd: files: nowhere: "));
}

/* The id in session.json; valid until the next call. */
static const char *session_id(void)
{
	static char id[17];
	const char *at =
		strstr(scratch_get(&capture.scratch, "out/session.json"), "\"session_id\":\"");

	snprintf(id, sizeof(id), "%s", at ? at + 14 : "");
	return id;
}

TEST(files_of_a_running_capture_are_open)
{
	char first[64], line[128];

	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", NULL));
	live_capture_frames(&capture, 50);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 20));
	assert_int_equal(live_capture_ask(&capture, "rotate", NULL), 0);
	assert_int_equal(list(), 0);
	assert_int_equal(strlen(session_id()), 16);
	snprintf(first, sizeof(first), "session %s running ", session_id());
	assert_int_equal(strncmp(program_out(&jankd), first, strlen(first)), 0);
	assert_non_null(strstr(program_out(&jankd), "\nopen - "));
	assert_non_null(strstr(program_out(&jankd), " frames.csv\n"));
	assert_null(strstr(program_out(&jankd), "\nopen - 0 session.json"));
	assert_non_null(strstr(program_out(&jankd), " frames-000001.csv\n"));
	assert_non_null(strstr(program_out(&jankd), " session.json\n"));
	for (const char *at = strtok((char *)program_out(&jankd), "\n"); at;
	     at = strtok(NULL, "\n")) {
		const char *name = strrchr(at, ' ') + 1;
		bool grows = strchr(name, '-') == NULL && strstr(name, ".csv") &&
			     strcmp(name, "summary.csv") != 0;

		if (strncmp(at, "session ", 8) != 0)
			assert_int_equal(strncmp(at, "open - ", 7) == 0, grows);
	}
	assert_int_equal(live_capture_ask(&capture, "stop", NULL), 0);
	assert_int_equal(program_end(&capture.program), 0);
	assert_int_equal(list(), 0);
	snprintf(line, sizeof(line), "session %s ended ", session_id());
	assert_int_equal(strncmp(program_out(&jankd), line, strlen(line)), 0);
	assert_null(strstr(program_out(&jankd), "\nopen "));
	/* Each start has an id of its own. */
	snprintf(first, sizeof(first), "%s", session_id());
	assert_true(live_capture_run(&capture, "--no-atrace", NULL));
	assert_string_not_equal(session_id(), first);
}

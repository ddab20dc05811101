/* SPDX-License-Identifier: Apache-2.0 */
/* 'jankd files': the list of a folder, and parts of its files. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/live.h"

static int set_up(void **state)
{
	live_set_up(state);
	scratch_mkdir("out");
	return 0;
}

FIXTURE(set_up, live_tear_down)

static void list(void)
{
	assert_int_equal(program_run("files", "-F", "out", NULL), 0);
}

static int read_from(const char *name, const char *offset)
{
	return program_run("files", "-F", "out", "--read", name, "--from", offset, NULL);
}

static void put(const char *name, const char *text)
{
	scratch_put(formatted("out/%s", name), text);
}

static void is_listed(const char *line)
{
	assert_contains(program_out(), formatted("\n%s\n", line));
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

TEST(closed_files_have_the_checksum_of_cksum)
{
	static unsigned char bytes[70000];
	static const size_t lengths[] = { 0,   1,   7,	   8,	  9,	 15,   16,
					  255, 256, 65535, 65536, 65537, 70000 };

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * i * 31 + i / 7);
	for (size_t i = 0; i < COUNT_OF(lengths); i++)
		scratch_put_bytes(formatted("out/%zu.csv", lengths[i]), bytes, lengths[i]);
	put("fps.csv", "hello\n");
	list();
	assert_begins(program_out(), "session - ended ");
	for (size_t i = 0; i < COUNT_OF(lengths); i++)
		is_listed(formatted("closed %u %zu %zu.csv", cksum(bytes, lengths[i]), lengths[i],
				    lengths[i]));
	/* This number is from the program cksum. */
	is_listed("closed 3015617425 6 fps.csv");
}

TEST(other_than_plain_files_are_left_out)
{
	static const char *const names[] = { ".journal",	"-x.csv",      "a b.csv",
					     "a\nclosed 1 2 b", "\x1b[2J.csv", "\xff.csv",
					     "a\\b.csv" };

	put("fps.csv", "hello\n");
	for (size_t i = 0; i < COUNT_OF(names); i++)
		put(names[i], "x");
	scratch_mkdir("out/folder.csv");
	assert_int_equal(symlink("fps.csv", scratch_path("out/link.csv")), 0);
	assert_int_equal(mkfifo(scratch_path("out/fifo.csv"), 0600), 0);
	list();
	assert_string_equal(strchr(program_out(), '\n'), "\nclosed 3015617425 6 fps.csv\n");
}

TEST(a_file_is_read_from_an_offset)
{
	put("fps.csv", "hello\n");
	assert_int_equal(read_from("fps.csv", "2"), 0);
	assert_string_equal(program_out(), "llo\n");
	assert_int_equal(read_from("fps.csv", "6"), 0);
	assert_string_equal(program_out(), "");
	assert_int_equal(read_from("fps.csv", "7"), 1);
	assert_contains(program_err(), "6 bytes");
}

TEST(only_listed_names_are_read)
{
	static const char *const names[] = { "../secret",  "./fps.csv",	  ".journal", "link.csv",
					     "folder.csv", "/etc/passwd", "none.csv", "-x" };

	scratch_put("secret", "secret");
	put(".journal", "secret");
	scratch_mkdir("out/folder.csv");
	assert_int_equal(symlink("../secret", scratch_path("out/link.csv")), 0);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_int_equal(read_from(names[i], "0"), 1);
		assert_string_equal(program_out(), "");
		assert_contains(program_err(), "jankd: files: --read ");
	}
	assert_int_equal(program_run("files", "-F", "nowhere", NULL), 1);
	assert_contains(program_err(), "jankd: files: nowhere: ");
}

/* The id in session.json; valid until the next call. */
static const char *session_id(void)
{
	static char id[17];
	const char *at = strstr(scratch_get("out/session.json"), "\"session_id\":\"");

	snprintf(id, sizeof(id), "%s", at ? at + 14 : "");
	return id;
}

TEST(files_of_a_running_capture_are_open)
{
	char first[17];

	live_run("--no-atrace", "--frames-log", NULL);
	live_frames(50);
	live_wait_rows("frames.csv", 20);
	assert_int_equal(live_ask("rotate", NULL), 0);
	list();
	snprintf(first, sizeof(first), "%s", session_id());
	assert_int_equal(strlen(first), 16);
	assert_begins(program_out(), formatted("session %s running ", first));
	assert_contains(program_out(), " frames.csv\n");
	assert_contains(program_out(), " frames-000001.csv\n");
	assert_contains(program_out(), " session.json\n");
	for (const char *at = strtok((char *)program_out(), "\n"); at; at = strtok(NULL, "\n")) {
		const char *name = strrchr(at, ' ') + 1;
		bool grows = strchr(name, '-') == NULL && strstr(name, ".csv") &&
			     strcmp(name, "summary.csv") != 0;

		if (strncmp(at, "session ", 8) != 0)
			assert_int_equal(strncmp(at, "open - ", 7) == 0, grows);
	}
	assert_int_equal(live_ask("stop", NULL), 0);
	live_end();
	list();
	assert_begins(program_out(), formatted("session %s ended ", first));
	assert_lacks(program_out(), "\nopen ");
	/* Each start has an id of its own. */
	live_run("--no-atrace", NULL);
	assert_string_not_equal(session_id(), first);
}

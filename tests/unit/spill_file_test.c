/* SPDX-License-Identifier: Apache-2.0 */
/* The file for entries that do not fit in the tables. It has no name. */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/files/session_files.h"
#include "daemon/files/spill_file.h"
#include "tests/unit/scratch.h"

static struct folder folder;
static struct spill_file file;

static int set_up(void **state)
{
	scratch_set_up(state);
	snprintf(folder.path, sizeof(folder.path), "%s", scratch_root);
	folder.fd = open(scratch_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(spill_file_open(&file, &folder, 0), 0);
	return 0;
}

static int tear_down(void **state)
{
	spill_file_close(&file);
	close(folder.fd);
	return scratch_tear_down(state);
}

FIXTURE(set_up, tear_down)

static int write_text(uint64_t offset, const char *text)
{
	return file.spill.write(file.spill.context, offset, text, strlen(text));
}

static void assert_text(uint64_t offset, const char *text)
{
	char read[64] = "";

	assert_int_equal(file.spill.read(file.spill.context, offset, read, strlen(text)), 0);
	assert_string_equal(read, text);
}

TEST(written_entries_are_read_back)
{
	assert_int_equal(write_text(4096, "two"), 0);
	assert_int_equal(write_text(0, "one"), 0);
	assert_text(0, "one");
	assert_text(4096, "two");
	assert_int_equal(write_text(4096, "six"), 0);
	assert_text(4096, "six");
	assert_int_equal(file.error, 0);
}

/* After SIGKILL nothing is left in the folder, and the file can be used after the folder is
 * removed. */
TEST(file_has_no_name)
{
	DIR *entries = opendir(folder.path);
	unsigned int n = 0;

	assert_non_null(entries);
	while (readdir(entries))
		n++;
	closedir(entries);
	assert_int_equal(n, 2);
	assert_int_equal(write_text(0, "one"), 0);
	assert_int_equal(rmdir(folder.path), 0);
	assert_int_equal(write_text(4096, "two"), 0);
	assert_text(0, "one");
	assert_text(4096, "two");
}

/* On a nearly full disk existing entries can be rewritten, but none is added. */
TEST(frozen_file_does_not_grow)
{
	struct session_files_state disk = { .is_frozen = true };

	assert_int_equal(write_text(0, "one"), 0);
	spill_file_update(&file, &disk);
	assert_int_equal(write_text(0, "two"), 0);
	assert_int_equal(write_text(2, "two"), -ENOSPC);
	assert_int_equal(file.error, -ENOSPC);
	assert_text(0, "two");
	disk.is_frozen = false;
	spill_file_update(&file, &disk);
	assert_int_equal(write_text(2, "two"), 0);
}

TEST(full_disk_is_an_error)
{
	int full = open("/dev/full", O_RDWR | O_CLOEXEC);

	assert_true(full >= 0);
	assert_int_equal(dup2(full, file.fd), file.fd);
	close(full);
	assert_int_equal(write_text(0, "one"), -ENOSPC);
	assert_int_equal(file.error, -ENOSPC);
}

TEST(incomplete_entry_is_an_error)
{
	char read[8];

	assert_int_equal(write_text(0, "one"), 0);
	assert_int_equal(file.spill.read(file.spill.context, 0, read, sizeof(read)), -EIO);
	assert_int_equal(file.error, -EIO);
}

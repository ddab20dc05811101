/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a capture: created, locked, replaced, removed and created again. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/folder.h"
#include "tests/unit/printed.h"
#include "tests/unit/scratch.h"

static struct folder folder;
static const char *printed;

static int set_up(void **state)
{
	folder = (struct folder){ .fd = -1, .lock_fd = -1 };
	state_dir_close(&folder.state_dir);
	scratch_set_up(state);
	return 0;
}

static int tear_down(void **state)
{
	folder_close(&folder);
	return scratch_tear_down(state);
}

FIXTURE(set_up, tear_down)

static int open_folder(struct folder *which, const char *name)
{
	int error;

	printed = printed_by(error = folder_open(which, "run", scratch_path(name)));
	return error;
}

static void opens(const char *name)
{
	assert_int_equal(open_folder(&folder, name), 0);
}

TEST(folder_is_created_with_its_parents)
{
	opens("a/b/c");
	assert_true(scratch_has("a/b/c/.lock"));
	assert_int_equal(atol(scratch_get("a/b/c/.lock")), getpid());
	assert_false(folder_is_gone(&folder));
	folder_undo_open(&folder);
	assert_false(scratch_has("a"));
	assert_true(scratch_has("."));
	/* Only new parents are removed. */
	scratch_mkdir("a");
	opens("a//b/c/");
	folder_undo_open(&folder);
	assert_true(scratch_has("a") && !scratch_has("a/b"));
}

TEST(earlier_files_are_not_removed)
{
	scratch_mkdir("out");
	scratch_put("out/fps.csv", "mine\n");
	opens("out");
	folder_undo_open(&folder);
	assert_string_equal(scratch_get("out/fps.csv"), "mine\n");
	assert_false(scratch_has("out/.lock"));
	scratch_put("out/.lock", "1\n");
	opens("out");
	folder_undo_open(&folder);
	assert_true(scratch_has("out/.lock"));
}

TEST(folder_in_use_is_refused)
{
	struct folder second;
	int fd;

	opens("out");
	assert_int_equal(open_folder(&second, "out"), -EWOULDBLOCK);
	assert_contains(printed, formatted("pid %d", (int)getpid()));
	assert_int_equal(second.fd, -1);
	folder_close(&folder);
	assert_int_equal(open_folder(&second, "out"), 0);
	folder_close(&second);
	/* The lock is held by a program that is not jankd. */
	scratch_put("out/.lock", "");
	fd = open(scratch_path("out/.lock"), O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(open_folder(&folder, "out"), -EWOULDBLOCK);
	assert_contains(printed, "out/.lock");
	assert_lacks(printed, "pid");
	close(fd);
}

static void is_unusable(const char *name, int error, const char *named)
{
	assert_int_equal(open_folder(&folder, name), error);
	assert_contains(printed, named);
}

TEST(unusable_paths_are_reported)
{
	static char name[PATH_MAX + 8];

	scratch_put("file", "x");
	is_unusable("file", -ENOTDIR, "file");
	is_unusable("file/below", -ENOTDIR, "file/below");
	scratch_mkdir("one");
	assert_int_equal(symlink("/dev/null", scratch_path("one/.lock")), 0);
	is_unusable("one", -ELOOP, "one/.lock");
	assert_contains(printed, folder_why(-ELOOP));
	scratch_mkdir("two/.lock");
	is_unusable("two", -EISDIR, "two/.lock");
	scratch_mkdir("three");
	assert_int_equal(mkfifo(scratch_path("three/.lock"), 0600), 0);
	is_unusable("three", -EINVAL, "three/.lock");
	memset(name, 'x', sizeof(name) - 1);
	printed_begin(2);
	assert_int_equal(folder_open(&folder, "run", name), -ENAMETOOLONG);
	assert_contains(printed_end(), "-F");
}

/* A hard link to a file of another user is not written. */
TEST(hard_linked_lock_is_replaced)
{
	scratch_mkdir("out");
	scratch_put("precious", "keep me\n");
	assert_int_equal(link(scratch_path("precious"), scratch_path("out/.lock")), 0);
	opens("out");
	assert_string_equal(scratch_get("precious"), "keep me\n");
	assert_int_equal(atol(scratch_get("out/.lock")), getpid());
}

TEST(removed_lock_is_created_again)
{
	struct folder second;

	opens("out");
	assert_int_equal(folder_write_address(&folder, "jankd-abc"), 0);
	assert_contains(scratch_get("out/.lock"), "\njankd-abc\n");
	assert_int_equal(folder_watch_lock(&folder), 0);
	unlink(scratch_path("out/.lock"));
	assert_int_equal(folder_watch_lock(&folder), 1);
	assert_contains(scratch_get("out/.lock"), "\njankd-abc\n");
	assert_int_equal(folder_watch_lock(&folder), 0);
	/* Another process was faster. */
	unlink(scratch_path("out/.lock"));
	assert_int_equal(open_folder(&second, "out"), 0);
	assert_int_equal(folder_watch_lock(&folder), -EWOULDBLOCK);
	folder_close(&second);
	assert_int_equal(folder_watch_lock(&folder), 1);
}

/* --- files --- */

TEST(a_file_is_replaced_atomically)
{
	int fd;

	opens("out");
	scratch_put("out/summary.csv", "old\n");
	fd = folder_create_temporary(&folder, "summary.csv");
	assert_true(fd >= 0);
	assert_int_equal(folder_write(fd, "new\n", 4), 0);
	assert_string_equal(scratch_get("out/summary.csv"), "old\n");
	assert_int_equal(folder_replace(&folder, "summary.csv", fd, 0), 0);
	assert_string_equal(scratch_get("out/summary.csv"), "new\n");
	/* After an error the temporary file is removed. */
	fd = folder_create_temporary(&folder, "summary.csv");
	assert_int_equal(folder_write(fd, "half", 4), 0);
	assert_int_equal(folder_replace(&folder, "summary.csv", fd, -EIO), -EIO);
	assert_string_equal(scratch_get("out/summary.csv"), "new\n");
	assert_false(scratch_has("out/.summary.csv.tmp"));
	/* Without sync: */
	folder_skip_sync(&folder);
	fd = folder_create_temporary(&folder, "summary.csv");
	assert_int_equal(folder_replace(&folder, "summary.csv", fd, 0), 0);
	assert_string_equal(scratch_get("out/summary.csv"), "");
}

TEST(leftover_temporary_file_is_replaced)
{
	int fd;

	opens("out");
	assert_int_equal(mkfifo(scratch_path("out/.summary.csv.tmp"), 0600), 0);
	fd = folder_create_temporary(&folder, "summary.csv");
	assert_true(fd >= 0);
	assert_int_equal(folder_replace(&folder, "summary.csv", fd, 0), 0);
	scratch_put("out/.summary.csv.tmp", "half");
	folder_remove_temporary(&folder, "summary.csv");
	assert_false(scratch_has("out/.summary.csv.tmp"));
	scratch_mkdir("out/.summary.csv.tmp");
	assert_int_equal(folder_create_temporary(&folder, "summary.csv"), -EEXIST);
}

TEST(a_nameless_file_leaves_nothing_in_the_folder)
{
	char back[8] = "";
	int fd;

	opens("out");
	fd = folder_create_nameless(&folder);
	assert_true(fd >= 0);
	assert_int_equal(folder_write_at(fd, 100, "spill", 5), 0);
	assert_int_equal(pread(fd, back, 5, 100), 5);
	assert_string_equal(back, "spill");
	assert_int_equal(folder_sync(fd), 0);
	assert_int_equal(folder_sync_bytes(fd), 0);
	close(fd);
	folder_undo_open(&folder);
	assert_false(scratch_has("out"));
}

TEST(write_errors_are_returned)
{
	int ends[2];

	assert_int_equal(folder_write(-1, "x", 1), -EBADF);
	assert_int_equal(folder_write_at(-1, 0, "x", 1), -EBADF);
	assert_int_equal(folder_sync(-1), -EBADF);
	/* A pipe cannot be synced. */
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(folder_sync(ends[1]), 0);
	close(ends[0]);
	close(ends[1]);
}

/* --- moved and removed --- */

static int nothing_there(struct folder *again)
{
	(void)again;
	return 0;
}

static int refused(struct folder *again)
{
	(void)again;
	return -EIO;
}

static void put_journal(const char *text)
{
	int fd = folder_create_journal(&folder);

	assert_true(fd >= 0);
	assert_int_equal(folder_write(fd, text, strlen(text)), 0);
	assert_int_equal(folder_replace_journal(&folder, fd, 0), 0);
	assert_true(folder_has_journal(&folder));
}

TEST(moved_folder_is_created_again)
{
	opens("out");
	assert_int_equal(folder_write_address(&folder, "jankd-abc"), 0);
	put_journal("to be put back\n");
	assert_int_equal(rename(scratch_path("out"), scratch_path("moved")), 0);
	assert_true(folder_is_gone(&folder));
	/* After a failure nothing has changed. */
	assert_int_equal(folder_open_again(&folder, refused), -EIO);
	assert_true(folder_is_gone(&folder));
	assert_true(folder_has_journal(&folder));
	assert_int_equal(folder_open_again(&folder, nothing_there), 0);
	assert_false(folder_is_gone(&folder));
	/* The new folder has the lock with the socket's name, and the journal. */
	assert_contains(scratch_get("out/.lock"), "\njankd-abc\n");
	assert_string_equal(scratch_get("out/.journal"), "to be put back\n");
	assert_false(scratch_has("moved/.journal"));
}

TEST(replaced_folder_is_detected)
{
	opens("out");
	assert_int_equal(rename(scratch_path("out"), scratch_path("moved")), 0);
	scratch_mkdir("out");
	assert_true(folder_is_gone(&folder));
	scratch_put("file", "");
	assert_int_equal(rmdir(scratch_path("out")), 0);
	assert_int_equal(rename(scratch_path("file"), scratch_path("out")), 0);
	assert_true(folder_is_gone(&folder));
	assert_int_equal(folder_open_again(&folder, nothing_there), -ENOTDIR);
}

TEST(a_journal_is_opened_and_removed)
{
	char text[32] = "";
	int fd;

	opens("out");
	assert_int_equal(folder_open_journal(&folder), -ENOENT);
	put_journal("text\n");
	fd = folder_open_journal(&folder);
	assert_int_equal(read(fd, text, sizeof(text)), 5);
	close(fd);
	folder_remove_journal(&folder);
	assert_false(folder_has_journal(&folder));
}

/* --- messages --- */

TEST(every_error_has_a_text_and_advice)
{
	static const int errors[] = {
		ELOOP, EINVAL, ENXIO, EEXIST, EWOULDBLOCK, ENOSPC, EDQUOT,
		EFBIG, EISDIR, EIO,   EACCES, EMFILE,	   ENOMEM, ENOTEMPTY
	};

	for (size_t i = 0; i < COUNT_OF(errors); i++) {
		assert_true(folder_why(-errors[i])[0] != '\0');
		assert_true(folder_advice(-errors[i])[0] != '\0');
	}
	assert_string_equal(folder_why(-ENOSPC), strerror(ENOSPC));
	assert_string_not_equal(folder_advice(-ENOSPC), folder_advice(-ELOOP));
	assert_contains(folder_advice(-ELOOP), "-F");
	assert_contains(folder_advice(-EMFILE), "ulimit");
}

/* --- from outside --- */

TEST(lock_and_journal_of_a_folder_are_found)
{
	struct stat info, there;
	int fd;

	assert_int_equal(state_dir_find(scratch_path("out"), STATE_DIR_LOCK), -ENOENT);
	opens("out");
	fd = state_dir_find(folder.path, STATE_DIR_LOCK);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &info), 0);
	assert_int_equal(stat(scratch_path("out/.lock"), &there), 0);
	assert_true(folder_is_same(&info, &there));
	close(fd);
	assert_int_equal(state_dir_find(folder.path, STATE_DIR_JOURNAL), -ENOENT);
	put_journal("x\n");
	fd = state_dir_find(folder.path, STATE_DIR_JOURNAL);
	assert_true(fd >= 0);
	close(fd);
	/* It belongs to this user. */
	assert_int_equal(state_dir_find_others(folder.path, STATE_DIR_JOURNAL), -ENOENT);
	/* A link does not count. */
	unlink(scratch_path("out/.journal"));
	assert_int_equal(symlink("/dev/null", scratch_path("out/.journal")), 0);
	assert_int_equal(state_dir_find(folder.path, STATE_DIR_JOURNAL), -ELOOP);
}

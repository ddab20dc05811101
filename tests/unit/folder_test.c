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

static struct scratch scratch;
static struct folder folder;
static const char *printed;

static int set_up(void **state)
{
	folder = (struct folder){ .fd = -1, .lock_fd = -1 };
	state_dir_close(&folder.state_dir);
	scratch_make(&scratch, "/tmp");
	return 0;
}

static int tear_down(void **state)
{
	folder_close(&folder);
	scratch_remove(&scratch);
	return 0;
}

FIXTURE(set_up, tear_down)

static int open_folder(struct folder *which, const char *name)
{
	int error;

	printed_begin(2);
	error = folder_open(which, "run", scratch_path(&scratch, name));
	printed = printed_end();
	return error;
}

TEST(folder_is_created_with_its_parents)
{
	assert_int_equal(open_folder(&folder, "a/b/c"), 0);
	assert_true(scratch_has(&scratch, "a/b/c/.lock"));
	assert_int_equal(atol(scratch_get(&scratch, "a/b/c/.lock")), getpid());
	assert_false(folder_is_gone(&folder));
	folder_undo_open(&folder);
	assert_false(scratch_has(&scratch, "a"));
	assert_true(scratch_has(&scratch, "."));
}

TEST(only_new_parents_are_removed)
{
	scratch_mkdir(&scratch, "a");
	assert_int_equal(open_folder(&folder, "a//b/c/"), 0);
	folder_undo_open(&folder);
	assert_true(scratch_has(&scratch, "a"));
	assert_false(scratch_has(&scratch, "a/b"));
}

TEST(earlier_lock_is_not_removed)
{
	scratch_mkdir(&scratch, "out");
	scratch_put(&scratch, "out/.lock", "1\n");
	assert_int_equal(open_folder(&folder, "out"), 0);
	folder_undo_open(&folder);
	assert_true(scratch_has(&scratch, "out/.lock"));
}

TEST(folder_with_files_is_not_removed)
{
	scratch_mkdir(&scratch, "out");
	scratch_put(&scratch, "out/fps.csv", "mine\n");
	assert_int_equal(open_folder(&folder, "out"), 0);
	folder_undo_open(&folder);
	assert_string_equal(scratch_get(&scratch, "out/fps.csv"), "mine\n");
	assert_false(scratch_has(&scratch, "out/.lock"));
}

TEST(folder_in_use_is_refused)
{
	struct folder second;
	char pid[32];

	assert_int_equal(open_folder(&folder, "out"), 0);
	assert_int_equal(open_folder(&second, "out"), -EWOULDBLOCK);
	snprintf(pid, sizeof(pid), "pid %d", (int)getpid());
	assert_non_null(strstr(printed, pid));
	assert_int_equal(second.fd, -1);
	folder_close(&folder);
	assert_int_equal(open_folder(&second, "out"), 0);
	folder_close(&second);
}

TEST(a_lock_of_another_program_is_reported)
{
	int fd;

	scratch_mkdir(&scratch, "out");
	scratch_put(&scratch, "out/.lock", "");
	fd = open(scratch_path(&scratch, "out/.lock"), O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(open_folder(&folder, "out"), -EWOULDBLOCK);
	assert_non_null(strstr(printed, "out/.lock"));
	assert_null(strstr(printed, "pid"));
	close(fd);
}

TEST(unusable_paths_are_reported)
{
	static char name[PATH_MAX + 8];

	scratch_put(&scratch, "file", "x");
	assert_int_equal(open_folder(&folder, "file"), -ENOTDIR);
	assert_int_equal(open_folder(&folder, "file/below"), -ENOTDIR);
	assert_non_null(strstr(printed, "file/below"));
	scratch_mkdir(&scratch, "one");
	assert_int_equal(symlink("/dev/null", scratch_path(&scratch, "one/.lock")), 0);
	assert_int_equal(open_folder(&folder, "one"), -ELOOP);
	assert_non_null(strstr(printed, "one/.lock"));
	assert_non_null(strstr(printed, folder_why(-ELOOP)));
	scratch_mkdir(&scratch, "two/.lock");
	assert_int_equal(open_folder(&folder, "two"), -EISDIR);
	scratch_mkdir(&scratch, "three");
	assert_int_equal(mkfifo(scratch_path(&scratch, "three/.lock"), 0600), 0);
	assert_int_equal(open_folder(&folder, "three"), -EINVAL);
	memset(name, 'x', sizeof(name) - 1);
	printed_begin(2);
	assert_int_equal(folder_open(&folder, "run", name), -ENAMETOOLONG);
	assert_non_null(strstr(printed_end(), "-F"));
}

/* A hard link to a file of another user is not written. */
TEST(hard_linked_lock_is_replaced)
{
	scratch_mkdir(&scratch, "out");
	scratch_put(&scratch, "precious", "keep me\n");
	assert_int_equal(
		link(scratch_path(&scratch, "precious"), scratch_path(&scratch, "out/.lock")), 0);
	assert_int_equal(open_folder(&folder, "out"), 0);
	assert_string_equal(scratch_get(&scratch, "precious"), "keep me\n");
	assert_int_equal(atol(scratch_get(&scratch, "out/.lock")), getpid());
}

TEST(removed_lock_is_created_again)
{
	struct folder second;

	assert_int_equal(open_folder(&folder, "out"), 0);
	assert_int_equal(folder_write_address(&folder, "jankd-abc"), 0);
	assert_non_null(strstr(scratch_get(&scratch, "out/.lock"), "\njankd-abc\n"));
	assert_int_equal(folder_watch_lock(&folder), 0);
	unlink(scratch_path(&scratch, "out/.lock"));
	assert_int_equal(folder_watch_lock(&folder), 1);
	assert_non_null(strstr(scratch_get(&scratch, "out/.lock"), "\njankd-abc\n"));
	assert_int_equal(folder_watch_lock(&folder), 0);
	/* Another process was faster. */
	unlink(scratch_path(&scratch, "out/.lock"));
	assert_int_equal(open_folder(&second, "out"), 0);
	assert_int_equal(folder_watch_lock(&folder), -EWOULDBLOCK);
	folder_close(&second);
	assert_int_equal(folder_watch_lock(&folder), 1);
}

/* --- files --- */

TEST(a_file_is_replaced_atomically)
{
	int fd;

	assert_int_equal(open_folder(&folder, "out"), 0);
	scratch_put(&scratch, "out/summary.csv", "old\n");
	fd = folder_create_temporary(&folder, "summary.csv");
	assert_true(fd >= 0);
	assert_int_equal(folder_write(fd, "new\n", 4), 0);
	assert_string_equal(scratch_get(&scratch, "out/summary.csv"), "old\n");
	assert_int_equal(folder_replace(&folder, "summary.csv", fd, 0), 0);
	assert_string_equal(scratch_get(&scratch, "out/summary.csv"), "new\n");
	/* After an error the temporary file is removed. */
	fd = folder_create_temporary(&folder, "summary.csv");
	assert_int_equal(folder_write(fd, "half", 4), 0);
	assert_int_equal(folder_replace(&folder, "summary.csv", fd, -EIO), -EIO);
	assert_string_equal(scratch_get(&scratch, "out/summary.csv"), "new\n");
	assert_false(scratch_has(&scratch, "out/.summary.csv.tmp"));
	/* Without sync: */
	folder_skip_sync(&folder);
	fd = folder_create_temporary(&folder, "summary.csv");
	assert_int_equal(folder_replace(&folder, "summary.csv", fd, 0), 0);
	assert_string_equal(scratch_get(&scratch, "out/summary.csv"), "");
}

TEST(leftover_temporary_file_is_replaced)
{
	int fd;

	assert_int_equal(open_folder(&folder, "out"), 0);
	assert_int_equal(mkfifo(scratch_path(&scratch, "out/.summary.csv.tmp"), 0600), 0);
	fd = folder_create_temporary(&folder, "summary.csv");
	assert_true(fd >= 0);
	assert_int_equal(folder_replace(&folder, "summary.csv", fd, 0), 0);
	scratch_put(&scratch, "out/.summary.csv.tmp", "half");
	folder_remove_temporary(&folder, "summary.csv");
	assert_false(scratch_has(&scratch, "out/.summary.csv.tmp"));
	scratch_mkdir(&scratch, "out/.summary.csv.tmp");
	assert_int_equal(folder_create_temporary(&folder, "summary.csv"), -EEXIST);
}

TEST(a_nameless_file_leaves_nothing_in_the_folder)
{
	char back[8] = "";
	int fd;

	assert_int_equal(open_folder(&folder, "out"), 0);
	fd = folder_create_nameless(&folder);
	assert_true(fd >= 0);
	assert_int_equal(folder_write_at(fd, 100, "spill", 5), 0);
	assert_int_equal(pread(fd, back, 5, 100), 5);
	assert_string_equal(back, "spill");
	assert_int_equal(folder_sync(fd), 0);
	assert_int_equal(folder_sync_bytes(fd), 0);
	close(fd);
	folder_undo_open(&folder);
	assert_false(scratch_has(&scratch, "out"));
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
	assert_int_equal(open_folder(&folder, "out"), 0);
	assert_int_equal(folder_write_address(&folder, "jankd-abc"), 0);
	put_journal("to be put back\n");
	assert_int_equal(rename(scratch_path(&scratch, "out"), scratch_path(&scratch, "moved")), 0);
	assert_true(folder_is_gone(&folder));
	/* After a failure nothing has changed. */
	assert_int_equal(folder_open_again(&folder, refused), -EIO);
	assert_true(folder_is_gone(&folder));
	assert_true(folder_has_journal(&folder));
	assert_int_equal(folder_open_again(&folder, nothing_there), 0);
	assert_false(folder_is_gone(&folder));
	/* The new folder has the lock with the socket's name, and the journal. */
	assert_non_null(strstr(scratch_get(&scratch, "out/.lock"), "\njankd-abc\n"));
	assert_string_equal(scratch_get(&scratch, "out/.journal"), "to be put back\n");
	assert_false(scratch_has(&scratch, "moved/.journal"));
}

TEST(replaced_folder_is_detected)
{
	assert_int_equal(open_folder(&folder, "out"), 0);
	assert_int_equal(rename(scratch_path(&scratch, "out"), scratch_path(&scratch, "moved")), 0);
	scratch_mkdir(&scratch, "out");
	assert_true(folder_is_gone(&folder));
	scratch_put(&scratch, "file", "");
	assert_int_equal(rmdir(scratch_path(&scratch, "out")), 0);
	assert_int_equal(rename(scratch_path(&scratch, "file"), scratch_path(&scratch, "out")), 0);
	assert_true(folder_is_gone(&folder));
	assert_int_equal(folder_open_again(&folder, nothing_there), -ENOTDIR);
}

TEST(a_journal_is_opened_and_removed)
{
	char text[32] = "";
	int fd;

	assert_int_equal(open_folder(&folder, "out"), 0);
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
	assert_non_null(strstr(folder_advice(-ELOOP), "-F"));
	assert_non_null(strstr(folder_advice(-EMFILE), "ulimit"));
}

/* --- from outside --- */

TEST(lock_and_journal_of_a_folder_are_found)
{
	struct stat info, there;
	int fd;

	assert_int_equal(state_dir_find(scratch_path(&scratch, "out"), STATE_DIR_LOCK), -ENOENT);
	assert_int_equal(open_folder(&folder, "out"), 0);
	fd = state_dir_find(folder.path, STATE_DIR_LOCK);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &info), 0);
	assert_int_equal(stat(scratch_path(&scratch, "out/.lock"), &there), 0);
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
	unlink(scratch_path(&scratch, "out/.journal"));
	assert_int_equal(symlink("/dev/null", scratch_path(&scratch, "out/.journal")), 0);
	assert_int_equal(state_dir_find(folder.path, STATE_DIR_JOURNAL), -ELOOP);
}

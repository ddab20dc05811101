/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a capture: created, locked, replaced, removed and created again. Its closed files:
 * their numbers, which are removed first, what a start keeps, and what is undone after a start that
 * failed; and snapshots. */
#include "tests/unit/unit.h"

#include <limits.h>
#include <sys/wait.h>
#include <time.h>

#include "daemon/base/csv_files.h"
#include "daemon/base/folder.h"
#include "daemon/base/loop.h"
#include "daemon/files/numbered_files.h"
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
	return scratch_tear_down_closed(state);
}

FIXTURE(set_up, tear_down)

static int open_folder(struct folder *which, const char *name)
{
	int error;

	printed = printed_by(error = folder_open(which, scratch_path(name)));
	return error;
}

static void opens(const char *name)
{
	assert_int_equal(open_folder(&folder, name), 0);
	assert_int_equal(scratch_inherited(), 0);
}

static void undo(void)
{
	folder_undo_open(&folder);
	folder_close(&folder);
}

TEST(folder_is_created_with_its_parents)
{
	opens("a/b/c");
	assert_true(scratch_has("a/b/c/.lock"));
	assert_int_equal(atol(scratch_get("a/b/c/.lock")), getpid());
	assert_false(folder_is_gone(&folder));
	undo();
	assert_false(scratch_has("a"));
	assert_true(scratch_has("."));
	/* Only new parents are removed. */
	scratch_mkdir("a");
	opens("a//b/c/");
	undo();
	assert_true(scratch_has("a") && !scratch_has("a/b"));
}

/* 'stop' must not restore the settings of a capture that runs, nor wait for one that does not. */
TEST(a_folder_without_its_lock_may_be_in_use)
{
	const char *path = scratch_path("out");
	uint64_t begin_ns;
	pid_t pid;

	opens("out");
	scratch_put("out/.lock", "");
	begin_ns = loop_now();
	pid = fork();
	if (pid == 0) {
		usleep(300000);
		scratch_put("out/.lock", "1\n");
		_exit(0);
	}
	folder_wait_for_lock(path);
	waitpid(pid, NULL, 0);
	assert_in_range(loop_now() - begin_ns, 250 * MS, 4000 * MS);
	folder_close(&folder);
	unlink(scratch_path("out/.lock"));
	scratch_put("out/.journal", "");
	begin_ns = loop_now();
	folder_wait_for_lock(path);
	assert_in_range(loop_now() - begin_ns, 0, 1000 * MS);
}

/* Whoever can write to a folder above can put a link into it, for root to follow. */
TEST(links_of_other_users_are_not_followed)
{
	scratch_mkdir("real/in");
	assert_int_equal(symlink("../real/../real//in/", scratch_path("real/link")), 0);
	assert_int_equal(symlink(scratch_path("real/link"), scratch_path("link")), 0);
	assert_int_equal(symlink("gone", scratch_path("dangling")), 0);
	assert_int_equal(symlink("loop", scratch_path("loop")), 0);
	opens("./link/x//y/");
	assert_true(scratch_has("real/in/x/y/.lock"));
	undo();
	assert_false(scratch_has("real/in/x"));
	assert_int_equal(open_folder(&folder, "dangling/x"), -ENOENT);
	assert_false(scratch_has("gone"));
	assert_int_equal(open_folder(&folder, "loop/x"), -ELOOP);
	if (geteuid() != 0)
		return;
	assert_int_equal(lchown(scratch_path("real/link"), 12345, 12345), 0);
	assert_int_equal(open_folder(&folder, "link/x"), -ELOOP);
	assert_contains(printed, "another user");
	assert_int_equal(open_folder(&folder, "real/link"), -ELOOP);
	assert_false(scratch_has("real/in/x") || scratch_has("real/in/.lock"));
}

TEST(earlier_files_are_not_removed)
{
	scratch_put("out/fps.csv", "mine\n");
	opens("out");
	undo();
	assert_string_equal(scratch_get("out/fps.csv"), "mine\n");
	assert_false(scratch_has("out/.lock"));
	scratch_put("out/.lock", "1\n");
	opens("out");
	undo();
	assert_true(scratch_has("out/.lock"));
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
	assert_int_equal(folder_watch_lock(&folder), 0);
	assert_int_equal(open_folder(&second, "out"), -EWOULDBLOCK);
	assert_contains(printed, formatted("pid %d", (int)getpid()));
	assert_int_equal(second.fd, -1);
	/* Another process was faster. */
	unlink(scratch_path("out/.lock"));
	assert_int_equal(open_folder(&second, "out"), 0);
	assert_int_equal(folder_watch_lock(&folder), -EWOULDBLOCK);
	folder_close(&second);
	assert_int_equal(folder_watch_lock(&folder), 1);
	assert_int_equal(folder_watch_lock(&folder), 0);
}

/* --- files --- */

TEST(a_file_is_replaced_atomically)
{
	int fd;

	opens("out");
	scratch_put("out/summary.csv", "old\n");
	scratch_put("out/.summary.csv.tmp", "of a start that was killed\n");
	fd = folder_create_temporary(folder.fd, "summary.csv", 0666);
	assert_true(fd >= 0);
	assert_int_equal(folder_write(fd, "new\n", 4), 0);
	assert_int_equal(scratch_inherited(), 0);
	assert_string_equal(scratch_get("out/summary.csv"), "old\n");
	assert_int_equal(folder_replace(folder.fd, "summary.csv", fd, folder.skip_sync, 0), 0);
	assert_string_equal(scratch_get("out/summary.csv"), "new\n");
	/* After an error the temporary file is removed. */
	fd = folder_create_temporary(folder.fd, "summary.csv", 0666);
	assert_int_equal(folder_write(fd, "half", 4), 0);
	assert_int_equal(folder_replace(folder.fd, "summary.csv", fd, false, -EIO), -EIO);
	assert_string_equal(scratch_get("out/summary.csv"), "new\n");
	assert_false(scratch_has("out/.summary.csv.tmp"));
	/* Without sync: */
	folder.skip_sync = true;
	fd = folder_create_temporary(folder.fd, "summary.csv", 0666);
	assert_int_equal(folder_replace(folder.fd, "summary.csv", fd, folder.skip_sync, 0), 0);
	assert_string_equal(scratch_get("out/summary.csv"), "");
}

TEST(errors_are_returned_with_text_and_advice)
{
	static char name[PATH_MAX + 8];
	struct stat info;
	int ends[2], error;

	memset(name, 'x', sizeof(name) - 1);
	assert_contains(printed_by(error = folder_open(&folder, name)), "-F");
	assert_int_equal(error, -ENAMETOOLONG);
	assert_int_equal(folder_write(-1, "x", 1), -EBADF);
	assert_int_equal(folder_sync(-1, false), -EBADF);
	/* A pipe cannot be synced. */
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(folder_sync(ends[1], false), 0);
	close(ends[0]);
	close(ends[1]);
	/* What is no file is closed again, and not waited for. */
	assert_int_equal(mkfifo(scratch_path("fifo"), 0600), 0);
	error = folder_open_regular(AT_FDCWD, scratch_path("fifo"), O_RDONLY, &info);
	assert_int_equal(error, -EINVAL);
	assert_string_equal(folder_why(-ENOSPC), strerror(ENOSPC));
	assert_string_not_equal(folder_advice(-ENOSPC), folder_advice(-ELOOP));
	assert_contains(folder_advice(-ELOOP), "-F");
	assert_contains(folder_advice(-EMFILE), "ulimit");
}

/* --- moved and removed --- */

static int keep_error;

static int keep_files(struct folder *again)
{
	return keep_error;
}

TEST(moved_folder_is_created_again)
{
	opens("out");
	assert_int_equal(folder_write_address(&folder, "jankd-abc"), 0);
	assert_int_equal(folder_write_journal(&folder, "to be put back\n", 15), 0);
	assert_true(folder_has_journal(&folder));
	assert_int_equal(rename(scratch_path("out"), scratch_path("moved")), 0);
	assert_true(folder_is_gone(&folder));
	/* After a failure nothing has changed. */
	keep_error = -EIO;
	assert_int_equal(folder_open_again(&folder, keep_files), -EIO);
	assert_true(folder_is_gone(&folder));
	assert_true(folder_has_journal(&folder));
	keep_error = 0;
	assert_int_equal(folder_open_again(&folder, keep_files), 0);
	assert_int_equal(scratch_inherited(), 0);
	assert_false(folder_is_gone(&folder));
	/* The new folder has the lock with the socket's name, and the journal; none belongs to
	 * another user. */
	assert_contains(scratch_get("out/.lock"), "\njankd-abc\n");
	assert_string_equal(scratch_get("out/.journal"), "to be put back\n");
	assert_false(scratch_has("moved/.journal"));
	assert_int_equal(state_dir_find_others(folder.path, STATE_DIR_JOURNAL), -ENOENT);
}

TEST(replaced_folder_is_detected)
{
	opens("out");
	assert_int_equal(rename(scratch_path("out"), scratch_path("moved")), 0);
	scratch_mkdir("out");
	assert_true(folder_is_gone(&folder));
	assert_int_equal(state_dir_find(scratch_path("moved"), STATE_DIR_JOURNAL), -ENOENT);
	scratch_put("file", "");
	assert_int_equal(rmdir(scratch_path("out")), 0);
	assert_int_equal(rename(scratch_path("file"), scratch_path("out")), 0);
	assert_true(folder_is_gone(&folder));
	assert_int_equal(folder_open_again(&folder, keep_files), -ENOTDIR);
}

/* --- closed files --- */

static int fd;

static int open_root(void **state)
{
	scratch_set_up(state);
	fd = open(scratch_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0;
}

static int close_root(void **state)
{
	close(fd);
	return scratch_tear_down_closed(state);
}

FIXTURE(open_root, close_root)

static void put(const char *name)
{
	scratch_put(name, name);
}

static unsigned long last(void)
{
	unsigned long number = 999;

	assert_int_equal(numbered_last(fd, NUMBERED_SEGMENTS, &number), 0);
	return number;
}

TEST(last_segment_is_the_highest_number_of_all_files)
{
	static const char *const others[] = {
		"fps-000099.txt",     "fps-99.csv",	"other-000099.csv", "fps-0000099.csv",
		"fps-000099.csv.bak", "fps-0000x9.csv", "fps-000000.csv",   "fps--00099.csv",
	};
	const char *highest = formatted("fps-%lu.csv", ULONG_MAX);

	assert_int_equal(last(), 0);
	put("fps.csv");
	put("fps-000002.csv");
	put("events-000007.csv");
	put("frames-000001.csv");
	for (size_t i = 0; i < COUNT_OF(others); i++)
		put(others[i]);
	put(highest);
	assert_int_equal(last(), 7);
	/* More than six digits. */
	put("fps-1234567.csv");
	assert_int_equal(last(), 1234567);
	assert_int_equal(segments_next(fd, 0), 3);
	assert_int_equal(segments_next(fd, 6), 8);
	segments_restore_earlier(&(struct folder){ .fd = fd });
	assert_int_equal(last(), 0);
	for (size_t i = 0; i < COUNT_OF(others); i++)
		assert_true(scratch_has(others[i]));
	assert_true(scratch_has(highest));
	assert_int_equal(numbered_last(-1, NUMBERED_SEGMENTS, &(unsigned long){ 0 }), -EBADF);
}

TEST(closing_a_segment_replaces_no_file)
{
	put("fps.csv");
	assert_int_equal(segments_close(fd, "fps.csv", 3), 0);
	assert_false(scratch_has("fps.csv"));
	assert_string_equal(scratch_get("fps-000003.csv"), "fps.csv");
	assert_int_equal(segments_close(fd, "fps.csv", 4), -ENOENT);
	put("fps.csv");
	assert_int_equal(segments_close(fd, "fps.csv", 3), -EEXIST);
	assert_true(scratch_has("fps.csv"));
	unlink(scratch_path("fps.csv"));
	segments_restore_earlier(&(struct folder){ .fd = fd, .kept = 3, .last = 3 });
	assert_true(scratch_has("fps.csv") && !scratch_has("fps-000003.csv"));
}

static unsigned long gone[8];
static unsigned int n_gone;

static void on_removed(void *context, unsigned long number, uint64_t bytes)
{
	assert_ptr_equal(context, gone);
	gone[n_gone++] = number;
}

/* Segments 1, 2 and 5, of 3 only the events. */
static void put_four(void)
{
	static const char *const names[] = { "fps-000001.csv",	  "frames-000001.csv",
					     "events-000001.csv", "fps-000002.csv",
					     "events-000002.csv", "fps-000005.csv",
					     "events-000003.csv" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		put(names[i]);
	n_gone = 0;
}

#define REMOVE(which, keep, most) numbered_remove_oldest(fd, which, keep, most, &removed)

TEST(oldest_segments_are_removed_first)
{
	static const struct {
		enum numbered_kind which;
		uint64_t keep;
		uint64_t most; /* bytes */
		unsigned long count, last;
		const char *left, *gone;
	} rows[] = {
		{ NUMBERED_SEGMENTS, 4, UINT64_MAX, 0, 0, "fps-000001.csv", "fps.csv" },
		{ NUMBERED_SEGMENTS, 1, UINT64_MAX, 3, 3, "fps-000005.csv", "events-000003.csv" },
		{ NUMBERED_SEGMENTS, 0, 0, 0, 0, "fps-000001.csv", "fps.csv" },
		{ NUMBERED_SEGMENTS, 0, 1, 1, 1, "fps-000002.csv", "frames-000001.csv" },
		{ NUMBERED_ROWS, 3, UINT64_MAX, 0, 0, "fps-000001.csv", "fps.csv" },
		{ NUMBERED_ROWS, 0, 1, 1, 1, "events-000001.csv", "frames-000001.csv" },
		{ NUMBERED_ROWS, 0, UINT64_MAX, 3, 5, "events-000003.csv", "fps-000005.csv" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct numbered_removed removed = { .removed = on_removed, .context = gone };

		put_four();
		assert_int_equal(REMOVE(rows[i].which, rows[i].keep, rows[i].most), 0);
		assert_int_equal(removed.count, rows[i].count);
		assert_int_equal(n_gone, rows[i].count);
		assert_true(n_gone == 0 || gone[n_gone - 1] == rows[i].last);
		assert_true(scratch_has(rows[i].left) && !scratch_has(rows[i].gone));
	}
}

TEST(segment_that_cannot_be_removed_is_skipped)
{
	struct numbered_removed removed = { .removed = NULL };

	put_four();
	unlink(scratch_path("fps-000001.csv"));
	scratch_mkdir("fps-000001.csv");
	assert_int_equal(REMOVE(NUMBERED_SEGMENTS, 0, UINT64_MAX), -EISDIR);
	assert_int_equal(removed.count, 3);
	assert_true(scratch_has("fps-000001.csv") && !scratch_has("fps-000002.csv") &&
		    !scratch_has("fps-000005.csv"));
}

TEST(many_segments_are_listed_fast)
{
	struct numbered_removed removed = { .removed = NULL };
	clock_t begin;

	for (int i = 1; i <= 20000; i++)
		scratch_put(formatted("fps-%06d.csv", i), "");
	begin = clock();
	assert_int_equal(REMOVE(NUMBERED_SEGMENTS, 2, UINT64_MAX), 0);
	assert_int_equal(removed.count, 19998);
	assert_true(clock() - begin < 5 * CLOCKS_PER_SEC);
}

/* --- files of earlier sessions --- */

static void put_csv(const char *name, const char *header, const char *rows)
{
	scratch_put(name, formatted("%s\n%s", header, rows));
}

TEST(files_of_an_earlier_session_become_one_segment)
{
	put_csv("out/fps.csv", csv_files[ROW_FPS].header, "1,2\n");
	put_csv("out/events.csv", csv_files[ROW_EVENTS].header, "1,2\n3,ha");
	put("out/session.json");
	put("out/.session.json.tmp");
	put("out/fps-000004.csv");
	opens("out");
	assert_int_equal(segments_keep_earlier(&folder, true), 0);
	assert_int_equal(folder.kept, 5);
	assert_true(scratch_has("out/fps-000005.csv") && scratch_has("out/session-000005.json"));
	/* An incomplete row is left after a kill. */
	assert_int_equal(strcmp(scratch_get("out/events-000005.csv") +
					strlen(csv_files[ROW_EVENTS].header) + 1,
				"1,2\n"),
			 0);
	assert_false(scratch_has("out/fps.csv") || scratch_has("out/.session.json.tmp"));
	/* After a start that failed all files are unchanged. */
	put("out/fps.csv");
	put("out/fps-000006.csv");
	segments_restore_earlier(&folder);
	assert_true(scratch_has("out/fps-000004.csv"));
	assert_false(scratch_has("out/fps-000005.csv") || scratch_has("out/fps-000006.csv"));
	assert_contains(scratch_get("out/fps.csv"), csv_files[ROW_FPS].header);
	folder_close(&folder);
}

/* --- snapshots --- */

TEST(snapshots_are_listed_by_number)
{
	struct numbered_removed removed = { 0 };
	unsigned long number;

	assert_int_equal(numbered_last(fd, NUMBERED_SNAPSHOTS, &number), 0);
	assert_int_equal(number, 0);
	put("snapshot-000007.txt");
	put("snapshot-000003.txt");
	put("snapshot-1234567.txt");
	put("snapshot-3.txt");
	put("snapshot-000009.txt.gz");
	put(".snapshot-000010.txt.tmp");
	assert_int_equal(numbered_last(fd, NUMBERED_SNAPSHOTS, &number), 0);
	assert_int_equal(number, 1234567);
	assert_int_equal(REMOVE(NUMBERED_PARTIAL, 0, UINT64_MAX), 0);
	assert_true(scratch_has("snapshot-000003.txt"));
	assert_false(scratch_has(".snapshot-000010.txt.tmp"));
	/* Of these and 63 more the oldest two are removed. */
	for (int i = 11; i < 11 + 63; i++)
		put(formatted("snapshot-%06d.txt", i));
	assert_int_equal(REMOVE(NUMBERED_SNAPSHOTS, 64, UINT64_MAX), 0);
	assert_false(scratch_has("snapshot-000003.txt") || scratch_has("snapshot-000007.txt"));
	assert_true(scratch_has("snapshot-000011.txt") && scratch_has("snapshot-3.txt"));
}

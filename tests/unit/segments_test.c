/* SPDX-License-Identifier: Apache-2.0 */
/* Closed files of a folder: their numbers, which are removed first, what a start keeps, and what is
 * undone after a start that failed; and snapshots. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/csv_columns.h"
#include "daemon/files/earlier_files.h"
#include "daemon/files/segments.h"
#include "daemon/files/snapshot_files.h"
#include "tests/unit/printed.h"
#include "tests/unit/scratch.h"

static int fd;

static int set_up(void **state)
{
	scratch_set_up(state);
	fd = open(scratch_root, O_RDONLY | O_DIRECTORY);
	return fd < 0;
}

static int tear_down(void **state)
{
	close(fd);
	return scratch_tear_down(state);
}

FIXTURE(set_up, tear_down)

static void put(const char *name)
{
	scratch_put(name, name);
}

static bool has(const char *name)
{
	return scratch_has(name);
}

static unsigned long last(void)
{
	unsigned long number = 999;

	assert_int_equal(segments_last(fd, &number), 0);
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
	segments_remove_above(fd, 0);
	assert_int_equal(last(), 0);
	for (size_t i = 0; i < COUNT_OF(others); i++)
		assert_true(has(others[i]));
	assert_true(has(highest));
	assert_int_equal(segments_last(-1, &(unsigned long){ 0 }), -EBADF);
}

TEST(closing_a_segment_replaces_no_file)
{
	put("fps.csv");
	assert_int_equal(segments_close(fd, "fps.csv", 3), 0);
	assert_false(has("fps.csv"));
	assert_string_equal(scratch_get("fps-000003.csv"), "fps.csv");
	assert_int_equal(segments_close(fd, "fps.csv", 4), -ENOENT);
	put("fps.csv");
	assert_int_equal(segments_close(fd, "fps.csv", 3), -EEXIST);
	assert_true(has("fps.csv"));
	unlink(scratch_path("fps.csv"));
	segments_reopen(fd, "fps.csv", 3);
	assert_true(has("fps.csv") && !has("fps-000003.csv"));
}

static unsigned long gone[8];
static unsigned int n_gone;

static void on_removed(void *context, unsigned long number, uint64_t bytes)
{
	assert_ptr_equal(context, gone);
	(void)bytes;
	gone[n_gone++] = number;
}

static void put_three(void)
{
	static const char *const names[] = { "fps-000001.csv",	  "frames-000001.csv",
					     "events-000001.csv", "fps-000002.csv",
					     "events-000002.csv", "fps-000005.csv" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		put(names[i]);
	n_gone = 0;
}

#define REMOVE(keep, spared, most) segments_remove_oldest(fd, keep, spared, most, &removed)

TEST(oldest_segments_are_removed_first)
{
	struct segments_removed removed = { .removed = on_removed, .context = gone };
	uint64_t count;

	put_three();
	assert_int_equal(segments_count(fd, SEGMENTS_SPARE_NONE, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(REMOVE(3, SEGMENTS_SPARE_NONE, UINT64_MAX), 0);
	assert_int_equal(removed.count, 0);
	assert_int_equal(REMOVE(1, SEGMENTS_SPARE_NONE, UINT64_MAX), 0);
	assert_true(removed.count == 2 && removed.first == 1 && removed.last == 2);
	assert_true(n_gone == 2 && gone[0] == 1 && gone[1] == 2);
	assert_false(has("fps-000001.csv") || has("frames-000001.csv") || has("events-000002.csv"));
	assert_true(has("fps-000005.csv"));
}

TEST(removal_can_spare_events)
{
	struct segments_removed removed = { .removed = NULL };
	uint64_t count;

	put_three();
	put("events-000003.csv");
	assert_int_equal(segments_count(fd, SEGMENTS_SPARE_EVENTS, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(REMOVE(0, SEGMENTS_SPARE_EVENTS, 1), 0);
	assert_true(removed.count == 1 && removed.first == 1 && removed.last == 1);
	assert_int_equal(REMOVE(0, SEGMENTS_SPARE_EVENTS, UINT64_MAX), 0);
	assert_int_equal(removed.count, 2);
	assert_int_equal(REMOVE(0, SEGMENTS_SPARE_EVENTS, UINT64_MAX), 0);
	assert_int_equal(removed.count, 0);
	assert_true(has("events-000001.csv") && has("events-000002.csv"));
	assert_false(has("fps-000005.csv"));
}

TEST(no_more_segments_than_requested_are_removed)
{
	struct segments_removed removed = { .removed = NULL };

	put_three();
	assert_int_equal(REMOVE(0, SEGMENTS_SPARE_NONE, 0), 0);
	assert_int_equal(removed.count, 0);
	assert_int_equal(REMOVE(0, SEGMENTS_SPARE_NONE, 1), 0);
	assert_int_equal(removed.count, 1);
	assert_true(has("fps-000002.csv"));
}

TEST(segment_that_cannot_be_removed_is_skipped)
{
	struct segments_removed removed = { .removed = NULL };

	put_three();
	unlink(scratch_path("fps-000001.csv"));
	scratch_mkdir("fps-000001.csv");
	assert_int_equal(REMOVE(0, SEGMENTS_SPARE_NONE, UINT64_MAX), -EISDIR);
	assert_true(removed.count == 2 && removed.first == 2 && removed.last == 5);
	assert_true(has("fps-000001.csv") && !has("fps-000002.csv") && !has("fps-000005.csv"));
}

TEST(many_segments_are_listed_fast)
{
	struct segments_removed removed = { .removed = NULL };
	clock_t begin;

	for (int i = 1; i <= 20000; i++)
		scratch_put(formatted("fps-%06d.csv", i), "");
	assert_int_equal(last(), 20000);
	segments_remove_above(fd, 19990);
	assert_int_equal(last(), 19990);
	begin = clock();
	assert_int_equal(REMOVE(2, SEGMENTS_SPARE_NONE, UINT64_MAX), 0);
	assert_int_equal(removed.count, 19988);
	assert_true(clock() - begin < 5 * CLOCKS_PER_SEC);
	assert_true(has("fps-019989.csv") && !has("fps-019988.csv"));
}

/* --- files of earlier sessions --- */

static struct folder folder;

static void open_folder(void)
{
	assert_int_equal(folder_open(&folder, "run", scratch_path("out")), 0);
}

static void put_csv(const char *name, const char *header, const char *rows)
{
	scratch_put(name, formatted("%s\n%s", header, rows));
}

TEST(files_of_an_earlier_session_become_one_segment)
{
	scratch_mkdir("out");
	put_csv("out/fps.csv", csv_fps_header, "1,2\n");
	put_csv("out/events.csv", csv_event_header, "1,2\n3,ha");
	put("out/session.json");
	put("out/.session.json.tmp");
	put("out/fps-000004.csv");
	open_folder();
	assert_int_equal(earlier_files_keep(&folder, "run"), 0);
	assert_int_equal(folder.kept, 5);
	assert_true(has("out/fps-000005.csv") && has("out/session-000005.json"));
	/* An incomplete row is left after a kill. */
	assert_int_equal(strcmp(scratch_get("out/events-000005.csv") + strlen(csv_event_header) + 1,
				"1,2\n"),
			 0);
	assert_false(has("out/fps.csv") || has("out/.session.json.tmp"));
	/* After a start that failed all files are unchanged. */
	put("out/fps.csv");
	put("out/fps-000006.csv");
	earlier_files_put_back(&folder);
	assert_true(has("out/fps-000004.csv"));
	assert_false(has("out/fps-000005.csv") || has("out/fps-000006.csv"));
	assert_contains(scratch_get("out/fps.csv"), csv_fps_header);
	folder_close(&folder);
}

TEST(empty_folder_has_nothing_to_keep)
{
	open_folder();
	assert_int_equal(earlier_files_keep(&folder, "run"), 0);
	assert_int_equal(folder.kept, 0);
	earlier_files_put_back(&folder);
	folder_undo_open(&folder);
	folder_close(&folder);
	assert_false(has("out"));
}

/* --- snapshots --- */

struct snapshots {
	size_t count;
	unsigned long first;
};

static struct snapshots list_snapshots(void)
{
	static const char *const names[] = { "snapshot.txt", NULL };
	struct numbered_files files;
	struct snapshots snapshots;

	assert_int_equal(numbered_files_list(fd, names, &files), 0);
	snapshots = (struct snapshots){ files.count, files.count > 0 ? files.numbers[0] : 0 };
	free(files.numbers);
	return snapshots;
}

TEST(snapshots_are_listed_by_number)
{
	struct snapshots snapshots;

	assert_int_equal(snapshot_files_last(fd), 0);
	put("snapshot-000007.txt");
	put("snapshot-000003.txt");
	put("snapshot-1234567.txt");
	put("snapshot-3.txt");
	put("snapshot-000009.txt.gz");
	put(".snapshot-000010.txt.tmp");
	snapshots = list_snapshots();
	assert_int_equal(snapshots.count, 3);
	assert_int_equal(snapshots.first, 3);
	assert_int_equal(snapshot_files_last(fd), 1234567);
	assert_string_equal(snapshot_files_name(3).text, "snapshot-000003.txt");
	snapshot_files_remove_partial(fd);
	assert_true(has("snapshot-000003.txt"));
	assert_false(has(".snapshot-000010.txt.tmp"));
}

TEST(oldest_of_more_than_64_snapshots_are_removed)
{
	struct snapshots snapshots;

	for (int i = 11; i < 11 + 67; i++)
		put(formatted("snapshot-%06d.txt", i));
	snapshot_files_remove_oldest(fd);
	snapshots = list_snapshots();
	assert_int_equal(snapshots.count, 64);
	assert_int_equal(snapshots.first, 14);
	assert_int_equal(snapshot_files_last(fd), 77);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs remove, replace, truncate or append to the files of a capture, or the disk is
 * nearly full: rows are still written, and missing ones are reported. */
#include "tests/unit/unit.h"

#include "daemon/base/options.h"
#include "daemon/files/disk_floor.h"
#include "tests/unit/live.h"

FIXTURE(live_set_up, live_tear_down)

#define FRAMES "out/frames.csv"

/* After 30 more frames the change is reported as @said, and frames.csv has @rows. */
static void goes_on(const char *said, unsigned int rows)
{
	live_frames(30);
	live_wait_event(said);
	live_wait_rows("frames.csv", rows);
	assert_int_equal(live_rows("frames.csv"), rows);
	assert_begins(scratch_get(FRAMES), "present(s),");
}

TEST(files_that_others_change_go_on)
{
	FILE *file;

	live_run("--no-atrace", "--frames-log", NULL);
	live_frames(50);
	live_wait_rows("frames.csv", 50);
	unlink(scratch_path(FRAMES));
	goes_on("frames.csv was removed", 30);
	scratch_put("theirs", "theirs\n");
	assert_int_equal(rename(scratch_path("theirs"), scratch_path(FRAMES)), 0);
	goes_on("frames.csv was replaced", 30);
	assert_string_equal(scratch_get("out/frames-000001.csv"), "theirs\n");
	assert_int_equal(truncate(scratch_path(FRAMES), (off_t)strlen(scratch_get(FRAMES)) - 100),
			 0);
	goes_on("frames.csv was truncated", 30);
	assert_int_equal(live_rows("frames-000002.csv"), 29);
	file = fopen(scratch_path(FRAMES), "a");
	fputs("half of a foreign row", file);
	fclose(file);
	goes_on("another program appended to frames.csv", 60);
	assert_lacks(scratch_get(FRAMES), "foreign");
	unlink(scratch_path("out/.journal"));
	unlink(scratch_path("out/.lock"));
	wait_for_text("out/.lock", "jankd-");
	wait_until(scratch_has("out/.journal"));
	assert_int_equal(live_ask("stop", NULL), 0);
	live_end();
}

/* --- low disk space --- */

static unsigned int reports;

static void count_report(void *context, const char *kind, const char *text)
{
	reports += strstr(text, "events.csv") != NULL;
}

/* Apps can write marks for days. */
TEST(below_the_disk_floor_events_are_few)
{
	const struct options options = { .min_free = UINT64_MAX / 2 };
	struct disk_floor floor = { .bytes = options.min_free,
				    .options = &options,
				    .report = count_report };
	int folder = open(scratch_root, O_RDONLY | O_CLOEXEC);
	unsigned int n = 0;

	assert_true(disk_floor_takes(&floor, ROW_EVENTS, 1 << 30));
	disk_floor_check(&floor, folder);
	while (disk_floor_takes(&floor, ROW_EVENTS, 1000) && n < 10000)
		n++;
	assert_in_range(n, 1000, 1100);
	assert_int_equal(reports, 1);
	floor.bytes = 1;
	disk_floor_check(&floor, folder);
	assert_true(disk_floor_takes(&floor, ROW_EVENTS, 1000));
	close(folder);
}

/* The answer to 'jankd mark' says whether the mark is in the file. */
TEST(below_the_disk_floor_a_refused_mark_is_an_error)
{
	char text[1001] = "";
	unsigned int n = 0;

	/* Each byte is written as four. */
	memset(text, 1, sizeof(text) - 1);
	live_run("--no-atrace", "--min-free", "1000000000000000", NULL);
	live_frames(10);
	while (live_ask("mark", text) == 0 && n < 400)
		n++;
	assert_contains(program_err(), "the mark is not in events.csv");
	assert_in_range(n, 200, 300);
	assert_int_equal(live_ask("stop", NULL), 0);
	live_end();
	assert_true(live_rows("events.csv") >= n);
}

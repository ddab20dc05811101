/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs remove, replace, truncate or append to the files of a capture; the folder is
 * removed; the disk is full. Rows are still written, and missing ones are reported. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/live_capture.h"

static struct live_capture capture;

FIXTURE_OF(live_capture_set_up, live_capture_tear_down, &capture)

static const char *path(const char *name)
{
	return scratch_path(&capture.scratch, name);
}

static bool has_event(const char *text)
{
	return program_wait_for(&capture.scratch, "out/events.csv", text);
}

/* Starts a capture and waits for the first frames in its files. */
static void begin(const char *option, const char *value)
{
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", option, value, NULL));
	live_capture_frames(&capture, 50);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 50));
}

TEST(removed_file_is_recreated)
{
	begin(NULL, NULL);
	unlink(path("out/frames.csv"));
	live_capture_frames(&capture, 30);
	assert_true(has_event(",lost,frames.csv"));
	assert_true(live_capture_has_rows(&capture, "frames.csv", 30));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 30);
	assert_int_equal(
		strncmp(scratch_get(&capture.scratch, "out/frames.csv"), "present(s),", 11), 0);
}

/* The other program's file is kept. */
TEST(file_of_another_program_becomes_a_segment)
{
	begin(NULL, NULL);
	scratch_put(&capture.scratch, "theirs", "theirs\n");
	assert_int_equal(rename(path("theirs"), path("out/frames.csv")), 0);
	live_capture_frames(&capture, 30);
	assert_true(has_event(",lost,frames.csv"));
	assert_true(live_capture_has_rows(&capture, "frames.csv", 30));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_string_equal(scratch_get(&capture.scratch, "out/frames-000001.csv"), "theirs\n");
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 30);
}

TEST(truncated_file_keeps_its_whole_rows)
{
	struct stat info;

	begin(NULL, NULL);
	assert_int_equal(stat(path("out/frames.csv"), &info), 0);
	assert_int_equal(truncate(path("out/frames.csv"), info.st_size - 100), 0);
	live_capture_frames(&capture, 30);
	assert_true(has_event(",lost,frames.csv"));
	assert_true(live_capture_has_rows(&capture, "frames.csv", 30));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_in_range(live_capture_rows(&capture, "frames-000001.csv"), 40, 49);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 30);
}

TEST(text_appended_by_others_is_cut_off)
{
	FILE *file;

	begin(NULL, NULL);
	file = fopen(path("out/frames.csv"), "a");
	fputs("half of a foreign row", file);
	fclose(file);
	live_capture_frames(&capture, 30);
	assert_true(has_event(",lost,frames.csv"));
	assert_true(live_capture_has_rows(&capture, "frames.csv", 80));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 80);
	assert_null(strstr(scratch_get(&capture.scratch, "out/frames.csv"), "foreign"));
}

TEST(moved_folder_is_created_again)
{
	begin("--sync", "1");
	assert_int_equal(rename(path("out"), path("moved")), 0);
	live_capture_frames(&capture, 20);
	assert_true(has_event(",lost,"));
	live_capture_frames(&capture, 10);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 1));
	/* It answers in the new folder, and the journal is there. */
	assert_int_equal(live_capture_ask(&capture, "status", "--json"), 0);
	assert_true(scratch_has(&capture.scratch, "out/.journal"));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_false(scratch_has(&capture.scratch, "out/.journal"));
	assert_true(scratch_has(&capture.scratch, "out/session.json"));
	/* No row is lost: earlier rows are in the moved folder. */
	unlink(path("out/frames-000001.csv"));
	assert_int_equal(rename(path("moved/frames.csv"), path("out/frames-000001.csv")), 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv") +
				 live_capture_rows(&capture, "frames-000001.csv"),
			 80);
}

TEST(removed_lock_is_created_again)
{
	begin(NULL, NULL);
	unlink(path("out/.lock"));
	for (int i = 0; i < PROGRAM_S * 100 && !scratch_has(&capture.scratch, "out/.lock"); i++)
		usleep(10000);
	assert_int_equal(live_capture_ask(&capture, "stop", NULL), 0);
	assert_int_equal(program_end(&capture.program), 0);
}

/* --- low disk space --- */

/* First the oldest segments are removed, then files are no longer written, those with the most rows
 * first. */
TEST(below_the_disk_floor_segments_are_removed_and_files_stop)
{
	scratch_mkdir(&capture.scratch, "out");
	scratch_put(&capture.scratch, "out/fps-000001.csv", "old\n");
	scratch_put(&capture.scratch, "out/frames-000001.csv", "old\n");
	scratch_put(&capture.scratch, "out/fps-000002.csv", "old\n");
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", "--min-free",
				     "1000000G", NULL));
	assert_true(has_event("segment 000001"));
	assert_true(has_event("segment 000002"));
	assert_true(has_event("frames.csv"));
	assert_true(has_event("fps.csv"));
	assert_false(scratch_has(&capture.scratch, "out/fps-000001.csv"));
	assert_false(scratch_has(&capture.scratch, "out/frames-000001.csv"));
	assert_false(scratch_has(&capture.scratch, "out/fps-000002.csv"));
	live_capture_frames(&capture, 100);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 0);
	/* The number of missing rows is reported. */
	assert_non_null(strstr(scratch_get(&capture.scratch, "out/events.csv"), ",lost,"));
	assert_int_equal(live_capture_rows(&capture, "summary.csv"), 1);
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit = { bytes, RLIM_INFINITY };

	assert_int_equal(prlimit(capture.program.pid, RLIMIT_FSIZE, &limit, NULL), 0);
}

/* Rows wait in memory until they can be written. */
TEST(rows_are_kept_while_the_disk_is_full)
{
	begin(NULL, NULL);
	limit_files(8192);
	live_capture_frames(&capture, 100);
	assert_true(program_wait_for(&capture.scratch, "run.err", "frames.csv"));
	limit_files(RLIM_INFINITY);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 150));
	assert_true(has_event(",lost,"));
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 150);
}

TEST(session_json_that_cannot_be_replaced_is_reported)
{
	begin(NULL, NULL);
	unlink(path("out/session.json"));
	scratch_mkdir(&capture.scratch, "out/session.json/full");
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 1);
	assert_non_null(strstr(scratch_get(&capture.scratch, "run.err"), "session.json"));
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 50);
}

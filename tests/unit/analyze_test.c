/* SPDX-License-Identifier: Apache-2.0 */
/* 'jankd analyze': files, standard input, several files at once, and files that are not traces. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/program.h"
#include "tests/unit/trace_text.h"

#define MAIL "com.example.mail/com.example.mail.Main#1"
#define GAME "SurfaceView[com.example.game/com.example.game.Main](BLAST)#2"
#define STEP_US 16667

static struct scratch scratch;
static struct program jankd;

static void put_trace(const char *name, const char *layer, unsigned int frames)
{
	char *text = trace_text_of(layer, 100000000, STEP_US, frames);

	scratch_put(&scratch, name, text);
	free(text);
}

static int set_up(void **state)
{
	scratch_make(&scratch, "/tmp");
	put_trace("mail.txt", MAIL, 200);
	return 0;
}

static int tear_down(void **state)
{
	scratch_remove(&scratch);
	return 0;
}

FIXTURE(set_up, tear_down)

static unsigned int rows(const char *name)
{
	unsigned int lines = 0;

	for (const char *c = scratch_get(&scratch, name); *c; c++)
		lines += *c == '\n';
	return lines > 0 ? lines - 1 : 0;
}

TEST(a_trace_gives_csv_files_and_a_table)
{
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "--frames-log", "-T", "2", "-F",
				     "out", "mail.txt", NULL),
			 0);
	assert_int_equal(rows("out/frames.csv"), 200);
	assert_true(rows("out/fps.csv") >= 3);
	assert_int_equal(rows("out/summary.csv"), 1);
	assert_int_equal(rows("out/dropFrames.csv"), 0);
	assert_non_null(strstr(scratch_get(&scratch, "out/events.csv"), ",start,"));
	assert_non_null(strstr(scratch_get(&scratch, "out/session.json"), "\"kind\":\"file\""));
	assert_non_null(strstr(program_out(&jankd), "com.example.mail/.Main"));
	assert_string_equal(program_err(&jankd), "");
}

/* The same frames, except two that are late: one by two vsyncs, one by a third of a second. */
TEST(late_frames_are_drops)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	uint64_t at = trace_text_frames(out, MAIL, 100000000, STEP_US, 100);

	at = trace_text_frames(out, MAIL, at + 2 * STEP_US, STEP_US, 100);
	trace_text_frames(out, MAIL, at + 20 * STEP_US, STEP_US, 100);
	fclose(out);
	scratch_put(&scratch, "late.txt", text);
	free(text);
	assert_int_equal(
		program_run(&jankd, &scratch, "analyze", "-T", "2", "-F", "out", "late.txt", NULL),
		0);
	assert_int_equal(rows("out/dropFrames.csv"), 2);
	assert_int_equal(
		program_run(&jankd, &scratch, "analyze", "-T", "1", "-F", "out1", "late.txt", NULL),
		0);
	/* 42 ms and more. */
	assert_int_equal(rows("out1/dropFrames.csv"), 2);
	assert_int_equal(
		program_run(&jankd, &scratch, "analyze", "-T", "4", "-F", "out4", "late.txt", NULL),
		0);
	assert_false(scratch_has(&scratch, "out4/fps.csv"));
}

TEST(rows_go_to_standard_output)
{
	assert_int_equal(
		program_run(&jankd, &scratch, "analyze", "--stdout", "-F", "out", "mail.txt", NULL),
		0);
	assert_string_equal(program_out(&jankd), scratch_get(&scratch, "out/fps.csv"));
}

TEST(each_of_several_traces_has_a_folder_named_after_it)
{
	put_trace("game.atrace.txt", GAME, 100);
	scratch_mkdir(&scratch, "other");
	put_trace("other/mail.html", MAIL, 50);
	put_trace(".hidden", MAIL, 50);
	put_trace("a\x1b[2Jb\xff.txt", MAIL, 50);
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "--frames-log", "-F", "out",
				     "mail.txt", "game.atrace.txt", "other/mail.html", ".hidden",
				     "a\x1b[2Jb\xff.txt", NULL),
			 0);
	assert_int_equal(rows("out/mail/frames.csv"), 200);
	assert_int_equal(rows("out/game/frames.csv"), 100);
	assert_int_equal(rows("out/mail-2/frames.csv"), 50);
	assert_int_equal(rows("out/_hidden/frames.csv"), 50);
	assert_int_equal(rows("out/a_[2Jb_/frames.csv"), 50);
	assert_non_null(strstr(program_out(&jankd), "\ngame.atrace.txt:\n"));
	assert_null(strchr(program_out(&jankd), '\x1b'));
}

TEST(a_bad_trace_among_several_is_reported)
{
	scratch_put(&scratch, "prose.txt", "It was a dark and stormy night.\n");
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "-F", "out", "nowhere.txt",
				     "prose.txt", "mail.txt", NULL),
			 1);
	assert_non_null(strstr(program_err(&jankd), "nowhere.txt"));
	assert_non_null(strstr(program_err(&jankd), "prose.txt"));
	assert_null(strstr(program_err(&jankd), "mail.txt"));
	assert_int_equal(rows("out/mail/summary.csv"), 1);
	assert_false(scratch_has(&scratch, "out/prose/summary.csv"));
}

TEST(existing_files_become_segments)
{
	char first[65536];

	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			program_run(&jankd, &scratch, "analyze", "-F", "out", "mail.txt", NULL), 0);
		if (i == 0)
			snprintf(first, sizeof(first), "%s", scratch_get(&scratch, "out/fps.csv"));
	}
	assert_string_equal(scratch_get(&scratch, "out/fps-000001.csv"), first);
	assert_string_equal(scratch_get(&scratch, "out/fps.csv"), first);
}

/* After an error the folder is unchanged. */
TEST(an_invalid_trace_leaves_the_folder_unchanged)
{
	static const struct {
		const char *name, *text, *word;
	} cases[] = {
		{ "empty", "", "empty" },
		{ "prose", "It was a dark and stormy night.\n", "prose" },
		{ "own.csv", "time(s),wall time,kind,text\n", "CSV" },
		{ "png", "\x89PNG\r\n\x1a\n.........", "PNG" },
		{ "utf16", "\xff\xfe#\0 \0", "UTF-16" },
		{ "perfetto", "\x0a\x10\x08\x01\x52\x0c............", "no markers" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		scratch_put(&scratch, cases[i].name, cases[i].text);
		assert_int_equal(
			program_run(&jankd, &scratch, "analyze", "-F", "out", cases[i].name, NULL),
			1);
		if (!strstr(program_err(&jankd), cases[i].word))
			fail_msg("of %s was printed: %s", cases[i].name, program_err(&jankd));
		assert_false(scratch_has(&scratch, "out/fps.csv"));
		assert_false(scratch_has(&scratch, "out/session.json"));
	}
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "-F", "out", ".", NULL), 1);
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "-F", "out", "gone", NULL), 1);
	/* Results of an earlier trace are not changed. */
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "-F", "out", "mail.txt", NULL),
			 0);
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "-F", "out", "prose", NULL), 1);
	assert_int_equal(rows("out/summary.csv"), 1);
	assert_false(scratch_has(&scratch, "out/summary-000001.csv"));
}

TEST(lines_sorted_by_cpu_are_refused)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	for (int cpu = 0; cpu < 2; cpu++)
		for (int i = 0; i < 2000; i++)
			fprintf(out,
				"  app-7     (    7) [%03d] .... %d.%06d: tracing_mark_write: "
				"B|7|work\n",
				cpu, 100 + i / 100, i % 100 * 10000);
	fclose(out);
	scratch_put(&scratch, "by_cpu.txt", text);
	free(text);
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "-F", "out", "by_cpu.txt", NULL),
			 1);
	assert_non_null(strstr(program_err(&jankd), "by_cpu.txt"));
	assert_non_null(strstr(program_err(&jankd), "sort"));
	assert_false(scratch_has(&scratch, "out/fps.csv"));
}

/* --- options --- */

TEST(include_and_exclude_select_surfaces)
{
	put_trace("game.txt", GAME, 100);
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "--frames-log", "--include",
				     "*mail*", "-F", "out", "game.txt", "mail.txt", NULL),
			 0);
	assert_int_equal(rows("out/mail/frames.csv"), 200);
	assert_int_equal(rows("out/game/frames.csv"), 0);
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "--frames-log", "--exclude",
				     "*mail*", "-F", "out2", "mail.txt", NULL),
			 0);
	assert_int_equal(rows("out2/frames.csv"), 0);
}

TEST(segments_add_up_to_the_unrotated_file)
{
	char whole[65536], sum[65536];
	size_t len;

	put_trace("long.txt", MAIL, 1200);
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "--frames-log", "-F", "whole",
				     "long.txt", NULL),
			 0);
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "--frames-log", "--rotate-time",
				     "4", "-F", "parts", "long.txt", NULL),
			 0);
	snprintf(whole, sizeof(whole), "%s", scratch_get(&scratch, "whole/fps.csv"));
	assert_true(scratch_has(&scratch, "parts/fps-000002.csv"));
	len = (size_t)snprintf(sum, sizeof(sum), "%s",
			       scratch_get(&scratch, "parts/fps-000001.csv"));
	for (int i = 2; i < 20; i++) {
		char name[40];
		const char *text;

		snprintf(name, sizeof(name), "parts/fps-%06d.csv", i);
		if (!scratch_has(&scratch, name))
			snprintf(name, sizeof(name), "parts/fps.csv");
		text = strchr(scratch_get(&scratch, name), '\n') + 1;
		len += (size_t)snprintf(sum + len, sizeof(sum) - len, "%s", text);
		if (strcmp(name, "parts/fps.csv") == 0)
			break;
	}
	assert_string_equal(sum, whole);
}

TEST(rotate_size_and_keep_limit_the_files)
{
	unsigned int files = 0;

	put_trace("long.txt", MAIL, 2000);
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "--frames-log", "--rotate-size",
				     "16K", "--keep", "3", "-F", "out", "long.txt", NULL),
			 0);
	for (int i = 1; i < 100; i++) {
		char name[40];

		snprintf(name, sizeof(name), "out/frames-%06d.csv", i);
		if (!scratch_has(&scratch, name))
			continue;
		files++;
		assert_in_range(strlen(scratch_get(&scratch, name)), 1, 16384);
	}
	assert_int_equal(files, 3);
	assert_in_range(strlen(scratch_get(&scratch, "out/frames.csv")), 1, 16384);
	assert_false(scratch_has(&scratch, "out/frames-000001.csv"));
}

TEST(only_rows_while_the_trigger_holds_are_written)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	uint64_t at = trace_text_frames(out, MAIL, 100000000, STEP_US, 1200);

	/* From 20 s on it draws at 30 fps, for 10 s. */
	at = trace_text_frames(out, MAIL, at, 2 * STEP_US, 300);
	trace_text_frames(out, MAIL, at, STEP_US, 1200);
	fclose(out);
	scratch_put(&scratch, "slow.txt", text);
	free(text);
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "--frames-log", "--trigger",
				     "fps<45", "-F", "out", "slow.txt", NULL),
			 0);
	assert_in_range(rows("out/frames.csv"), 300, 1200);
	assert_non_null(strstr(scratch_get(&scratch, "out/events.csv"), ",trigger,"));
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "--frames-log", "--trigger",
				     "fps<5", "-F", "never", "slow.txt", NULL),
			 0);
	assert_int_equal(rows("never/frames.csv"), 0);
}

TEST(a_late_frame_saves_a_snapshot)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	uint64_t at = trace_text_frames(out, MAIL, 100000000, STEP_US, 300);

	trace_text_frames(out, MAIL, at + 12 * STEP_US, STEP_US, 300);
	fclose(out);
	scratch_put(&scratch, "late.txt", text);
	free(text);
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "--snapshot", "100",
				     "--snapshot-seconds", "2", "-F", "out", "late.txt", NULL),
			 0);
	assert_non_null(strstr(scratch_get(&scratch, "out/snapshot-000001.txt"),
			       "tracing_mark_write: B|406|commit"));
	assert_false(scratch_has(&scratch, "out/snapshot-000002.txt"));
	assert_non_null(strstr(scratch_get(&scratch, "out/events.csv"), ",snapshot,"));
	/* The snapshot can be analyzed itself. */
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "-F", "again",
				     "out/snapshot-000001.txt", NULL),
			 0);
}

TEST(rules_are_read_from_a_file)
{
	assert_int_equal(program_run(&jankd, &scratch, "rules", "show", "default", NULL), 0);
	scratch_put(&scratch, "my.rules", program_out(&jankd));
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "--rules", "my.rules", "-F",
				     "out", "mail.txt", NULL),
			 0);
	assert_non_null(strstr(scratch_get(&scratch, "out/session.json"), "my.rules"));
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "--rules", "gone.rules", "-F",
				     "none", "mail.txt", NULL),
			 1);
	assert_non_null(strstr(program_err(&jankd), "gone.rules"));
	scratch_put(&scratch, "bad.rules", "nonsense\n");
	assert_int_equal(program_run(&jankd, &scratch, "analyze", "--rules", "bad.rules", "-F",
				     "none", "mail.txt", NULL),
			 1);
	assert_non_null(strstr(program_err(&jankd), "bad.rules:1:"));
	assert_false(scratch_has(&scratch, "none"));
}

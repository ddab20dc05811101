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
#define PARTS_MAX 3

/* A number of frames, @step vsyncs apart, @gap vsyncs later than they would come. */
struct part {
	unsigned int frames, step, gap;
};

static void put_parts(const char *name, const char *layer, const struct part parts[PARTS_MAX])
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	uint64_t at_us = 100000000;

	for (unsigned int i = 0; i < PARTS_MAX; i++)
		at_us = trace_text_frames(out, layer, at_us + parts[i].gap * STEP_US,
					  parts[i].step * STEP_US, parts[i].frames);
	fclose(out);
	scratch_put(name, text);
	free(text);
}

static void put_trace(const char *name, const char *layer, unsigned int frames)
{
	put_parts(name, layer, (const struct part[PARTS_MAX]){ { frames, 1, 0 } });
}

static int set_up(void **state)
{
	scratch_set_up(state);
	put_trace("mail.txt", MAIL, 200);
	return 0;
}

FIXTURE(set_up, scratch_tear_down)

/* Runs 'jankd analyze -F @folder' with the words of @text. */
static int analyze(const char *folder, const char *text)
{
	char copy[256];
	const char *words[16] = { NULL };
	int n = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[n++] = word;
	return program_run("analyze", "-F", folder, words[0], words[1], words[2], words[3],
			   words[4], words[5], words[6], words[7], NULL);
}

static void analyzes(const char *folder, const char *text)
{
	if (analyze(folder, text) != 0)
		fail_msg("%s: %s", text, program_err());
}

static unsigned int rows(const char *name)
{
	unsigned int lines = 0;

	for (const char *c = scratch_get(name); *c; c++)
		lines += *c == '\n';
	return lines > 0 ? lines - 1 : 0;
}

TEST(a_trace_gives_csv_files_and_a_table)
{
	analyzes("out", "--frames-log -T 2 mail.txt");
	assert_int_equal(rows("out/frames.csv"), 200);
	assert_true(rows("out/fps.csv") >= 3);
	assert_int_equal(rows("out/summary.csv"), 1);
	assert_int_equal(rows("out/dropFrames.csv"), 0);
	assert_contains(scratch_get("out/events.csv"), ",start,");
	assert_contains(scratch_get("out/session.json"), "\"kind\":\"file\"");
	assert_contains(program_out(), "com.example.mail/.Main");
	assert_string_equal(program_err(), "");
	analyzes("out2", "--stdout mail.txt");
	assert_string_equal(program_out(), scratch_get("out/fps.csv"));
}

/* One by two vsyncs, one by a third of a second. */
TEST(late_frames_are_drops)
{
	put_parts("late.txt", MAIL,
		  (const struct part[PARTS_MAX]){ { 100, 1, 0 }, { 100, 1, 2 }, { 100, 1, 20 } });
	analyzes("out2", "-T 2 late.txt");
	assert_int_equal(rows("out2/dropFrames.csv"), 2);
	/* 42 ms and more. */
	analyzes("out1", "-T 1 late.txt");
	assert_int_equal(rows("out1/dropFrames.csv"), 2);
	analyzes("out4", "-T 4 late.txt");
	assert_false(scratch_has("out4/fps.csv"));
}

TEST(each_of_several_traces_has_a_folder_named_after_it)
{
	put_trace("game.atrace.txt", GAME, 100);
	scratch_mkdir("other");
	put_trace("other/mail.html", MAIL, 50);
	put_trace(".hidden", MAIL, 50);
	put_trace("a\x1b[2Jb\xff.txt", MAIL, 50);
	analyzes("out", "--frames-log mail.txt game.atrace.txt other/mail.html .hidden "
			"a\x1b[2Jb\xff.txt");
	assert_int_equal(rows("out/mail/frames.csv"), 200);
	assert_int_equal(rows("out/game/frames.csv"), 100);
	assert_int_equal(rows("out/mail-2/frames.csv"), 50);
	assert_int_equal(rows("out/_hidden/frames.csv"), 50);
	assert_int_equal(rows("out/a_[2Jb_/frames.csv"), 50);
	assert_contains(program_out(), "\ngame.atrace.txt:\n");
	assert_lacks(program_out(), "\x1b");
}

TEST(a_bad_trace_among_several_is_reported)
{
	scratch_put("prose.txt", "It was a dark and stormy night.\n");
	assert_int_equal(analyze("out", "nowhere.txt prose.txt mail.txt"), 1);
	assert_contains(program_err(), "nowhere.txt");
	assert_contains(program_err(), "prose.txt");
	assert_lacks(program_err(), "mail.txt");
	assert_int_equal(rows("out/mail/summary.csv"), 1);
	assert_false(scratch_has("out/prose/summary.csv"));
}

TEST(an_invalid_trace_leaves_the_folder_unchanged)
{
	scratch_put("prose", "It was a dark and stormy night.\n");
	scratch_put("perfetto", "\x0a\x10\x08\x01\x52\x0c............");
	assert_int_equal(analyze("out", "perfetto"), 1);
	assert_contains(program_err(), "no markers");
	assert_int_equal(analyze("out", "gone"), 1);
	assert_int_equal(analyze("out", "."), 1);
	assert_false(scratch_has("out/fps.csv") || scratch_has("out/session.json"));
	analyzes("out", "mail.txt");
	assert_int_equal(analyze("out", "prose"), 1);
	assert_contains(program_err(), "prose");
	assert_int_equal(rows("out/summary.csv"), 1);
	assert_false(scratch_has("out/summary-000001.csv"));
	/* Results of an earlier trace become segments. */
	analyzes("out", "mail.txt");
	assert_string_equal(scratch_get("out/fps-000001.csv"), scratch_get("out/fps.csv"));
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
	scratch_put("by_cpu.txt", text);
	free(text);
	assert_int_equal(analyze("out", "by_cpu.txt"), 1);
	assert_contains(program_err(), "by_cpu.txt");
	assert_contains(program_err(), "sort");
	assert_false(scratch_has("out/fps.csv"));
}

/* --- options --- */

TEST(include_and_exclude_select_surfaces)
{
	analyzes("out", "--frames-log --include *mail* mail.txt");
	assert_int_equal(rows("out/frames.csv"), 200);
	analyzes("out2", "--frames-log --exclude *mail* mail.txt");
	assert_int_equal(rows("out2/frames.csv"), 0);
	assert_contains(program_err(), "--include, --exclude: no surface was selected");
}

TEST(rotate_size_and_keep_limit_the_files)
{
	unsigned int files = 0;

	put_trace("long.txt", MAIL, 2000);
	analyzes("out", "--frames-log --rotate-size 16K --keep 3 long.txt");
	for (int i = 1; i < 100; i++) {
		const char *name = formatted("out/frames-%06d.csv", i);

		if (!scratch_has(name))
			continue;
		files++;
		assert_in_range(strlen(scratch_get(name)), 1, 16384);
	}
	assert_int_equal(files, 3);
	assert_in_range(strlen(scratch_get("out/frames.csv")), 1, 16384);
	assert_false(scratch_has("out/frames-000001.csv"));
}

/* From 20 s on it draws at 30 fps, for 10 s. */
TEST(only_rows_while_the_trigger_holds_are_written)
{
	put_parts("slow.txt", MAIL,
		  (const struct part[PARTS_MAX]){ { 1200, 1, 0 }, { 300, 2, 0 }, { 1200, 1, 0 } });
	analyzes("out", "--frames-log --trigger fps<45 slow.txt");
	assert_in_range(rows("out/frames.csv"), 300, 1200);
	assert_contains(scratch_get("out/events.csv"), ",trigger,");
	analyzes("never", "--frames-log --trigger fps<5 slow.txt");
	assert_int_equal(rows("never/frames.csv"), 0);
}

TEST(a_late_frame_saves_a_snapshot)
{
	put_parts("late.txt", MAIL,
		  (const struct part[PARTS_MAX]){ { 300, 1, 0 }, { 300, 1, 12 } });
	analyzes("out", "--snapshot 100 --snapshot-seconds 2 late.txt");
	assert_contains(scratch_get("out/snapshot-000001.txt"), "tracing_mark_write: B|406|commit");
	assert_false(scratch_has("out/snapshot-000002.txt"));
	assert_contains(scratch_get("out/events.csv"), ",snapshot,");
	/* The snapshot can be analyzed itself. */
	analyzes("again", "out/snapshot-000001.txt");
}

TEST(rules_are_read_from_a_file)
{
	assert_int_equal(program_run("rules", "show", "default", NULL), 0);
	scratch_put("my.rules", program_out());
	analyzes("out", "--rules my.rules mail.txt");
	assert_contains(scratch_get("out/session.json"), "my.rules");
	assert_int_equal(analyze("none", "--rules gone.rules mail.txt"), 1);
	assert_contains(program_err(), "gone.rules");
	scratch_put("bad.rules", "nonsense\n");
	assert_int_equal(analyze("none", "--rules bad.rules mail.txt"), 1);
	assert_contains(program_err(), "bad.rules:1:");
	assert_false(scratch_has("none"));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* 'jankd analyze': what it prints, several files at once, and rules. What it counts:
 * tests/golden. Files that are no traces: tests/badinput. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/program.h"
#include "tests/unit/trace_text.h"

#define SURFACE "com.example.mail/com.example.mail.Main"
#define STEP_US 16667

/* Frames at each vsync; after each 100 ones the next comes @gap vsyncs late. */
static void put_trace(const char *name, unsigned int frames, const unsigned int *gaps)
{
	FILE *out = fopen(scratch_path(name), "w");
	uint64_t at_us = 100000000;

	for (unsigned int i = 0; i < frames; i += 100)
		at_us = trace_text_frames(out, SURFACE "#1", at_us, STEP_US, 100) +
			(gaps ? gaps[i / 100] * STEP_US : 0);
	fclose(out);
}

FIXTURE(scratch_set_up, scratch_tear_down_closed)

/* Runs 'jankd analyze -F @folder' with the words of @text. */
static int analyze(const char *folder, const char *text)
{
	char copy[256];
	const char *words[8] = { NULL };
	int n = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[n++] = word;
	return program_run("analyze", "-F", folder, words[0], words[1], words[2], words[3],
			   words[4], words[5], words[6], words[7], NULL);
}

/* One by two vsyncs, one by a third of a second. */
TEST(what_is_printed_and_late_frames)
{
	put_trace("late.txt", 300, (const unsigned int[]){ 2, 20, 0 });
	assert_int_equal(analyze("out", "-T 2 late.txt"), 0);
	assert_string_equal(program_err(), "");
	assert_string_equal(
		program_out(),
		"Surface                                  grade lost ms/s freezes   FPS "
		"1% low p99 ms max ms jank big\n"
		"com.example.mail/.Main                     BAD      68.5       0  55.9 "
		"   7.2   16.7  350.0    1   1\n"
		"presents 300, frames 300, lost events 0, span 5.354 s, "
		"refresh 60.00 Hz\n"
		"BAD: com.example.mail was late for 6.9 % of the 5.4 s it drew: 2 late "
		"frames, no freeze. All of the\n"
		"  lost time is the app's own.\n"
		"  time lost: App too slow 0.37 s (2)\n"
		"  com.example.mail/.Main: BAD, 2 late frames 0.37 s; most at 103.700 s: 333 "
		"ms\n"
		"  worst minute from 101 s: 0.37 s lost\n"
		"  55 fps rule of the Software Green Alliance: met, 59.6\n"
		"the apps' own frame times are not recorded: add category view\n"
		"CSV files in out\n");
	assert_contains(scratch_get("out/dropFrames.csv"),
			"\n101.664700,101.714701,50.001,VSYNC-sf,0,com.example.mail," SURFACE
			",BufferTX - " SURFACE "#1,2,app," SURFACE "#1,0\n"
			"103.364734,103.714741,350.007,VSYNC-sf,0,com.example.mail," SURFACE
			",BufferTX - " SURFACE "#1,20,app," SURFACE "#1,0\n");
	assert_int_equal(analyze("out1", "-T 1 --stdout late.txt"), 0);
	assert_string_equal(scratch_get("out1/dropFrames.csv"), scratch_get("out/dropFrames.csv"));
	assert_string_equal(program_out(), scratch_get("out/fps.csv"));
	assert_int_equal(analyze("out4", "-T 4 late.txt"), 0);
	assert_false(scratch_has("out4/fps.csv"));
}

TEST(names_of_files_become_folders_and_bad_traces_are_reported)
{
	scratch_put("prose.txt", "It was a dark and stormy night.\n");
	put_trace("mail.txt", 100, NULL);
	put_trace(".hidden", 100, NULL);
	put_trace("a\x1b[2Jb\xff.txt", 100, NULL);
	assert_int_equal(analyze("out", "nowhere.txt prose.txt mail.txt .hidden a\x1b[2Jb\xff.txt"),
			 1);
	assert_contains(program_err(), "nowhere.txt");
	assert_contains(program_err(), "prose.txt");
	assert_lacks(program_err(), "mail.txt");
	assert_contains(program_out(), "mail.txt:\nSurface ");
	assert_lacks(program_out(), "\x1b");
	assert_true(scratch_has("out/mail/summary.csv") && scratch_has("out/_hidden/summary.csv") &&
		    scratch_has("out/a_[2Jb_/summary.csv"));
	assert_false(scratch_has("out/prose/summary.csv"));
}

TEST(rules_are_read_from_a_file)
{
	put_trace("mail.txt", 100, NULL);
	assert_int_equal(program_run("rules", "show", "default", NULL), 0);
	scratch_put("my.rules", program_out());
	assert_int_equal(analyze("out", "--rules my.rules mail.txt"), 0);
	assert_contains(scratch_get("out/session.json"), "my.rules");
	assert_int_equal(analyze("none", "--rules gone.rules mail.txt"), 1);
	assert_contains(program_err(), "gone.rules");
	scratch_put("bad.rules", "nonsense\n");
	assert_int_equal(analyze("none", "--rules bad.rules mail.txt"), 1);
	assert_contains(program_err(), "bad.rules:1:");
	assert_false(scratch_has("none"));
}

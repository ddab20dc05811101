/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of the last capture of a folder, and 'jankd start --resume'. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/live.h"

FIXTURE(live_set_up, live_tear_down)

static const char *session(void)
{
	return scratch_get("out/session.json");
}

/* Replaces the first @from in session.json. */
static void edit(const char *from, const char *to)
{
	const char *text = session(), *at = strstr(text, from);
	static char edited[65536];

	assert_non_null(at);
	snprintf(edited, sizeof(edited), "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	scratch_put("out/session.json", edited);
}

/* A later boot has another id. */
static void reboot(void)
{
	edit("\"boot_id\":\"", "\"boot_id\":\"0");
}

static int status(const char *word)
{
	return live_ask("status", word);
}

/* --- how it ended --- */

/* What 'jankd status' and 'status --json' say of a capture that does not run. */
static void status_says(const char *text, const char *json)
{
	assert_int_equal(status(NULL), 1);
	assert_one_line(program_err());
	assert_contains(program_err(), text);
	assert_int_equal(status("--json"), 1);
	assert_contains(program_out(), "\"running\":false");
	assert_contains(program_out(), json);
}

TEST(status_says_how_the_capture_ended)
{
	live_run("--no-atrace", "--frames-log", NULL);
	live_frames(50);
	live_wait_rows("frames.csv", 20);
	assert_int_equal(status("--json"), 0);
	assert_contains(program_out(), "\"running\":true");
	assert_contains(program_out(), "\"ended\":null");
	live_kill();
	status_says("was killed", "\"ended_by\":\"kill\"");
	status_says("last write was at 20", "\"last_write\":\"20");
	reboot();
	status_says("when the device was rebooted", "\"ended_by\":\"reboot\"");
	status_says("the boot at 20", "\"last_write\":\"20");
	live_ask("doctor", NULL);
	assert_contains(program_out(), "when the device was rebooted");
	assert_contains(program_out(), "the boot at 20");
	/* The next start keeps the files. */
	live_run("--no-atrace", NULL);
	assert_true(live_rows("frames-000001.csv") >= 20);
	assert_true(scratch_has("out/session-000001.json"));
}

TEST(a_capture_that_was_stopped_was_not_killed)
{
	live_run("--no-atrace", NULL);
	live_frames(10);
	live_stop();
	assert_contains(session(), "\"ended\":\"20");
	reboot();
	status_says("jankd: status: ", "\"ended_by\":\"stop\"");
	assert_lacks(scratch_get("status.err"), "killed");
	assert_lacks(scratch_get("status.err"), "reboot");
}

static int resume(const char *option, const char *value)
{
	return program_run("start", "--resume", "-F", "out", option, value, NULL);
}

/* It says so in one line. */
static void is_not_resumed(const char *reason)
{
	assert_int_equal(resume(NULL, NULL), 1);
	assert_one_line(program_err());
	assert_contains(program_err(), reason);
	assert_string_equal(program_out(), "");
}

/* Files that any program can have written. */
TEST(other_files_are_no_session)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"null",
		"{\"schema\": 1}",
		"{\"jankd\": 7, \"command\": [], \"ended\": null}",
		"{\"jankd\": \"1\", \"command\": \"analyze\", \"ended\": null}",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
	};

	scratch_mkdir("out");
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		scratch_put("out/session.json", texts[i]);
		assert_int_equal(status(NULL), 1);
		assert_contains(program_err(), "start one with");
		assert_int_equal(status("--json"), 1);
		assert_string_equal(program_out(), "");
		is_not_resumed("start: --resume: ");
	}
}

/* --- going on --- */

TEST(a_start_can_resume_with_the_same_options)
{
	live_start("--no-atrace", "-T2", "--frames-l", "--include", "com.a*", "--include", "com.b*",
		   "-t", "30", "--trigger", "fps<30 for 3s", "--rotate-size=8K", NULL);
	live_kill();
	reboot();
	assert_int_equal(resume(NULL, NULL), 0);
	assert_contains(session(), "\"frames_log\":true");
	assert_contains(session(), "\"type\":2");
	assert_contains(session(), "\"target\":30");
	assert_contains(session(), "\"atrace\":false");
	assert_contains(session(), "\"rotate_size\":8192");
	assert_contains(session(), "\"trigger\":\"fps<30 for 3s\"");
	assert_contains(session(), "\"com.a*\"");
	assert_contains(session(), "\"com.b*\"");
	live_kill();

	/* The command line has precedence; and again from what was resumed. */
	assert_int_equal(resume("--include", "com.c*"), 0);
	assert_contains(session(), "\"type\":2");
	assert_contains(session(), "\"com.c*\"");
	assert_lacks(session(), "com.a*");
	live_kill();
	assert_int_equal(resume("--type", "1"), 0);
	assert_contains(session(), "\"type\":1");
	assert_contains(session(), "\"com.c*\"");
	live_kill();
}

TEST(relative_paths_are_resumed_from_another_folder)
{
	program_run("rules", "show", "default", NULL);
	scratch_put("my.rules", program_out());
	live_run("--no-atrace", "--rules", "my.rules", NULL);
	live_kill();
	scratch_mkdir("elsewhere");
	assert_int_equal(system(formatted("cd %s/elsewhere && %s start --resume -F ../out",
					  scratch_root, program_jankd())),
			 0);
	assert_contains(session(), "/my.rules\"");
}

TEST(impossible_options_are_refused)
{
	static const char *const words[] = { "--type=9",     "--help",	   "--folder=/tmp",
					     "--resume",     "stray",	   "--stdout",
					     "-T2",	     "--nonsense", "",
					     "--no-atrace=1" };

	live_run("--no-atrace", "--yield", NULL);
	live_kill();
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const char *word = formatted("\"%s\"", words[i]);

		edit("\"--yield\"", word);
		is_not_resumed("");
		edit(word, "\"--yield\"");
	}
	assert_int_equal(resume("--categories", "gfx"), 1);
	assert_contains(program_err(), "--categories");
	edit("\"arguments\"", "\"others\"");
	is_not_resumed("no options");
	unlink(scratch_path("out/session.json"));
	is_not_resumed("No such file");
}

/* jankd writes to the tracefs that is named there, and would wait for the writer of a FIFO. */
TEST(a_file_that_others_can_write_names_no_files)
{
	assert_int_equal(mkfifo(scratch_path("fifo"), 0600), 0);
	live_run("--no-atrace", "--yield", "--rules", "default", NULL);
	live_kill();
	assert_int_equal(chmod(scratch_path("out/session.json"), 0666), 0);
	is_not_resumed("it names a file");
	assert_int_equal(resume("--tracefs", "tr"), 0);
	live_kill();
	edit("\"--yield\"", formatted("\"--rules=%s/fifo\"", scratch_root));
	assert_int_equal(chmod(scratch_path("out/session.json"), 0666), 0);
	assert_int_equal(resume("--tracefs", "tr"), 1);
	assert_contains(program_err(), "it names a file");
	/* 'stop' does not wait for it, either. With the journal it would restore the settings in
	 * the tracefs of this machine, as the file does not count that names another one. */
	assert_int_equal(unlink(scratch_path("out/.journal")), 0);
	assert_int_equal(live_ask("stop", NULL), 1);
	assert_one_line(program_err());
}

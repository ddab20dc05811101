/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of the last capture of a folder, and 'jankd start --resume'. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/live_capture.h"

static struct live_capture capture;
static struct program jankd;

static int set_up(void **state)
{
	live_capture_make(&capture);
	return 0;
}

static int tear_down(void **state)
{
	live_capture_remove(&capture);
	return 0;
}

FIXTURE(set_up, tear_down)

static const char *session(void)
{
	return scratch_get(&capture.scratch, "out/session.json");
}

static const char *printed(const char *file)
{
	return scratch_get(&capture.scratch, file);
}

/* Replaces the first @from in session.json. */
static void edit(const char *from, const char *to)
{
	const char *text = session(), *at = strstr(text, from);
	static char edited[65536];

	assert_non_null(at);
	snprintf(edited, sizeof(edited), "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	scratch_put(&capture.scratch, "out/session.json", edited);
}

/* A later boot has another id. */
static void reboot(void)
{
	edit("\"boot_id\":\"", "\"boot_id\":\"0");
}

static int status(const char *word)
{
	return live_capture_ask(&capture, "status", word);
}

static void assert_one_line(const char *text)
{
	assert_int_equal(strncmp(text, "jankd: ", 7), 0);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

/* --- how it ended --- */

TEST(status_says_how_the_capture_ended)
{
	assert_true(live_capture_run(&capture, "--no-atrace", NULL));
	live_capture_frames(&capture, 10);
	assert_int_equal(status("--json"), 0);
	assert_non_null(strstr(printed("status.out"), "\"running\":true"));
	assert_non_null(strstr(printed("status.out"), "\"ended\":null"));
	assert_int_equal(live_capture_signal(&capture, SIGKILL), 128 + SIGKILL);

	assert_int_equal(status(NULL), 1);
	assert_one_line(printed("status.err"));
	assert_non_null(strstr(printed("status.err"), "was killed"));
	assert_non_null(strstr(printed("status.err"), "last write was at 20"));
	assert_int_equal(status("--json"), 1);
	assert_non_null(strstr(printed("status.out"), "\"running\":false"));
	assert_non_null(strstr(printed("status.out"), "\"ended_by\":\"kill\""));

	reboot();
	assert_int_equal(status(NULL), 1);
	assert_one_line(printed("status.err"));
	assert_non_null(strstr(printed("status.err"), "when the device was rebooted"));
	assert_non_null(strstr(printed("status.err"), "the boot at 20"));
	assert_int_equal(status("--json"), 1);
	assert_non_null(strstr(printed("status.out"), "\"ended_by\":\"reboot\""));
	assert_non_null(strstr(printed("status.out"), "\"last_write\":\"20"));
	live_capture_ask(&capture, "doctor", NULL);
	assert_non_null(strstr(printed("doctor.out"), "when the device was rebooted"));
	assert_non_null(strstr(printed("doctor.out"), "the boot at 20"));
}

TEST(a_capture_that_was_stopped_was_not_killed)
{
	assert_true(live_capture_run(&capture, "--no-atrace", NULL));
	live_capture_frames(&capture, 10);
	assert_int_equal(live_capture_signal(&capture, SIGTERM), 0);
	assert_non_null(strstr(session(), "\"ended\":\"20"));
	reboot();
	assert_int_equal(status(NULL), 1);
	assert_null(strstr(printed("status.err"), "killed"));
	assert_null(strstr(printed("status.err"), "reboot"));
	assert_int_equal(status("--json"), 1);
	assert_non_null(strstr(printed("status.out"), "\"ended_by\":\"stop\""));
}

TEST(the_next_start_keeps_files_of_before_a_reboot)
{
	assert_true(live_capture_run(&capture, "--no-atrace", "--frames-log", NULL));
	live_capture_frames(&capture, 50);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 20));
	assert_int_equal(live_capture_signal(&capture, SIGKILL), 128 + SIGKILL);
	reboot();
	assert_true(live_capture_run(&capture, "--no-atrace", NULL));
	assert_true(live_capture_rows(&capture, "frames-000001.csv") >= 20);
	assert_true(scratch_has(&capture.scratch, "out/session-000001.json"));
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

	scratch_mkdir(&capture.scratch, "out");
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		scratch_put(&capture.scratch, "out/session.json", texts[i]);
		assert_int_equal(status(NULL), 1);
		assert_non_null(strstr(printed("status.err"), "start one with"));
		assert_int_equal(status("--json"), 1);
		assert_string_equal(printed("status.out"), "");
		assert_int_equal(program_run(&jankd, &capture.scratch, "start", "--resume", "-F",
					     "out", NULL),
				 1);
		assert_one_line(program_err(&jankd));
		assert_non_null(strstr(program_err(&jankd), "start: --resume: "));
	}
}

/* --- going on --- */

static int resume(const char *option, const char *value)
{
	return program_run(&jankd, &capture.scratch, "start", "--resume", "-F", "out", option,
			   value, NULL);
}

TEST(a_start_can_resume_with_the_same_options)
{
	assert_true(live_capture_start(&capture, "--no-atrace", "-T2", "--frames-l", "--include",
				       "com.a*", "--include", "com.b*", "-t", "30", "--trigger",
				       "fps<30 for 3s", "--rotate-size=8K", NULL));
	assert_int_equal(live_capture_signal(&capture, SIGKILL), 0);
	reboot();
	assert_int_equal(resume(NULL, NULL), 0);
	assert_non_null(strstr(session(), "\"frames_log\":true"));
	assert_non_null(strstr(session(), "\"type\":2"));
	assert_non_null(strstr(session(), "\"target\":30"));
	assert_non_null(strstr(session(), "\"atrace\":false"));
	assert_non_null(strstr(session(), "\"rotate_size\":8192"));
	assert_non_null(strstr(session(), "\"trigger\":\"fps<30 for 3s\""));
	assert_non_null(strstr(session(), "\"com.a*\""));
	assert_non_null(strstr(session(), "\"com.b*\""));
	assert_int_equal(live_capture_signal(&capture, SIGKILL), 0);

	/* The command line has precedence; and again from what was resumed. */
	assert_int_equal(resume("--include", "com.c*"), 0);
	assert_non_null(strstr(session(), "\"type\":2"));
	assert_non_null(strstr(session(), "\"com.c*\""));
	assert_null(strstr(session(), "com.a*"));
	assert_int_equal(live_capture_signal(&capture, SIGKILL), 0);
	assert_int_equal(resume("--type", "1"), 0);
	assert_non_null(strstr(session(), "\"type\":1"));
	assert_non_null(strstr(session(), "\"com.c*\""));
	assert_int_equal(live_capture_signal(&capture, SIGKILL), 0);
}

/* Relative paths are those of the first start, also if it was 'run'. */
TEST(relative_paths_are_resumed_from_another_folder)
{
	struct scratch other;
	int code;

	program_run(&jankd, &capture.scratch, "rules", "show", "default", NULL);
	scratch_put(&capture.scratch, "my.rules", program_out(&jankd));
	assert_true(live_capture_run(&capture, "--no-atrace", "--rules", "my.rules", NULL));
	assert_int_equal(live_capture_signal(&capture, SIGKILL), 128 + SIGKILL);
	scratch_make(&other, "/tmp");
	code = program_run(&jankd, &other, "start", "--resume", "-F",
			   scratch_path(&capture.scratch, "out"), NULL);
	scratch_remove(&other);
	assert_int_equal(code, 0);
	assert_non_null(strstr(session(), "/my.rules\""));
}

TEST(impossible_options_are_refused)
{
	static const char *const words[] = { "--type=9",     "--help",	   "--folder=/tmp",
					     "--resume",     "stray",	   "--stdout",
					     "-T2",	     "--nonsense", "",
					     "--no-atrace=1" };

	assert_true(live_capture_run(&capture, "--no-atrace", "--yield", NULL));
	assert_int_equal(live_capture_signal(&capture, SIGKILL), 128 + SIGKILL);
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		char word[64];

		snprintf(word, sizeof(word), "\"%s\"", words[i]);
		edit("\"--yield\"", word);
		assert_int_equal(resume(NULL, NULL), 1);
		assert_one_line(program_err(&jankd));
		assert_string_equal(program_out(&jankd), "");
		edit(word, "\"--yield\"");
	}
	assert_int_equal(resume("--categories", "gfx"), 1);
	assert_non_null(strstr(program_err(&jankd), "--categories"));
	edit("\"arguments\"", "\"others\"");
	assert_int_equal(resume(NULL, NULL), 1);
	assert_non_null(strstr(program_err(&jankd), "no options"));
	unlink(scratch_path(&capture.scratch, "out/session.json"));
	assert_int_equal(resume(NULL, NULL), 1);
	assert_non_null(strstr(program_err(&jankd), "No such file"));
}

/* jankd writes to the tracefs that is named there. */
TEST(a_file_that_others_can_write_names_no_tracefs)
{
	assert_true(live_capture_run(&capture, "--no-atrace", "--rules", "default", NULL));
	assert_int_equal(live_capture_signal(&capture, SIGKILL), 128 + SIGKILL);
	assert_int_equal(chmod(scratch_path(&capture.scratch, "out/session.json"), 0666), 0);
	assert_int_equal(resume(NULL, NULL), 1);
	assert_one_line(program_err(&jankd));
	assert_non_null(strstr(program_err(&jankd), "it names a file"));
	assert_int_equal(resume("--tracefs", "tr"), 0);
}

/* jankd would wait for the writer of a FIFO. */
TEST(a_file_that_others_can_write_names_no_rules)
{
	char rules[160];

	assert_true(live_capture_run(&capture, "--no-atrace", "--yield", NULL));
	assert_int_equal(live_capture_signal(&capture, SIGKILL), 128 + SIGKILL);
	assert_int_equal(mkfifo(scratch_path(&capture.scratch, "fifo"), 0666), 0);
	snprintf(rules, sizeof(rules), "\"--rules=%s\"", scratch_path(&capture.scratch, "fifo"));
	edit("\"--yield\"", rules);
	assert_int_equal(chmod(scratch_path(&capture.scratch, "out/session.json"), 0666), 0);
	assert_int_equal(resume("--tracefs", "tr"), 1);
	assert_non_null(strstr(program_err(&jankd), "it names a file"));
	/* It restores the settings, and adds nothing to the files. */
	assert_int_equal(live_capture_ask(&capture, "stop", NULL), 0);
}

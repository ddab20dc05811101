/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program: help, wrong usage, rule files, requests without a capture. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/program.h"

static struct scratch scratch;
static struct program jankd;

static int set_up(void **state)
{
	scratch_make(&scratch, "/tmp");
	return 0;
}

static int tear_down(void **state)
{
	scratch_remove(&scratch);
	return 0;
}

FIXTURE(set_up, tear_down)

static int run(const char *command, const char *first, const char *second)
{
	return program_run(&jankd, &scratch, command, first, second, NULL);
}

/* Checks that the message is one line with the command and the wrong word. */
static void assert_usage(int code, const char *command, const char *word)
{
	const char *printed = program_err(&jankd);

	assert_int_equal(code, 2);
	assert_string_equal(program_out(&jankd), "");
	if (strncmp(printed, "jankd: ", 7) != 0 || !strstr(printed, command) ||
	    !strstr(printed, word) || strchr(printed, '\n') != printed + strlen(printed) - 1)
		fail_msg("of %s %s was printed: '%s'", command, word, printed);
}

TEST(every_command_has_help)
{
	static const char *const commands[] = { "run",	  "start",   "stop",   "status",
						"top",	  "mark",    "rotate", "files",
						"doctor", "analyze", "rules" };

	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		char usage[32];

		assert_int_equal(run(commands[i], "--help", NULL), 0);
		snprintf(usage, sizeof(usage), "jankd %s", commands[i]);
		assert_non_null(strstr(program_out(&jankd), usage));
		assert_string_equal(program_err(&jankd), "");
		assert_int_equal(run(commands[i], "-h", NULL), 0);
	}
	assert_int_equal(run("--help", NULL, NULL), 0);
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		assert_non_null(strstr(program_out(&jankd), commands[i]));
	assert_int_equal(run("-h", NULL, NULL), 0);
	assert_int_equal(run("--version", NULL, NULL), 0);
	assert_int_equal(strncmp(program_out(&jankd), "jankd ", 6), 0);
}

TEST(wrong_usage_names_the_word)
{
	assert_usage(run(NULL, NULL, NULL), "usage", "--help");
	assert_usage(run("dance", NULL, NULL), "dance", "command");
	assert_usage(run("--dance", NULL, NULL), "--dance", "option");
	assert_usage(run("stop", "now", NULL), "stop", "now");
	assert_usage(run("stop", "-F", NULL), "stop", "-F");
	assert_usage(run("stop", "-F", ""), "stop", "-F");
	assert_usage(run("stop", "--json", NULL), "stop", "--json");
	assert_usage(run("status", "--json=1", NULL), "status", "--json");
	assert_usage(run("status", "-x", NULL), "status", "-x");
	assert_usage(run("top", "--folder", NULL), "top", "--folder");
	assert_usage(run("mark", NULL, NULL), "mark", "TEXT");
	assert_usage(run("mark", "two", "words"), "mark", "words");
	assert_usage(run("rotate", "--dance", NULL), "rotate", "--dance");
	assert_usage(run("files", "fps.csv", NULL), "files", "--read");
	assert_usage(run("files", "--from", "3"), "files", "--from");
	assert_usage(run("files", "--read", ""), "files", "--read");
	assert_usage(run("run", "--dance", NULL), "run", "--dance");
	assert_usage(run("start", "--stdout", NULL), "start", "--stdout");
	assert_usage(run("run", "--resume", NULL), "run", "--resume");
	assert_usage(run("analyze", NULL, NULL), "analyze", "FILE");
}

TEST(request_without_a_daemon_is_reported)
{
	static const char *const commands[] = { "stop", "status", "top", "rotate" };

	scratch_mkdir(&scratch, "empty");
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		assert_int_equal(run(commands[i], "-F", "empty"), 1);
		assert_non_null(strstr(program_err(&jankd), commands[i]));
		assert_non_null(strstr(program_err(&jankd), "empty"));
		assert_int_equal(run(commands[i], "-F", "nowhere"), 1);
		assert_non_null(strstr(program_err(&jankd), "nowhere"));
		/* A request does not create a folder. */
		assert_false(scratch_has(&scratch, "nowhere"));
		assert_false(scratch_has(&scratch, "empty/.lock"));
	}
	assert_int_equal(program_run(&jankd, &scratch, "mark", "-F", "empty", "text", NULL), 1);
}

TEST(too_long_or_empty_mark_is_refused)
{
	char text[1026];

	memset(text, 'x', sizeof(text));
	text[1025] = '\0';
	assert_usage(run("mark", text, NULL), "mark", "1024");
	assert_usage(run("mark", "", NULL), "mark", "TEXT");
}

TEST(missing_tracefs_or_rules_are_reported)
{
	assert_int_equal(run("run", "--tracefs", "nowhere"), 1);
	assert_non_null(strstr(program_err(&jankd), "--tracefs nowhere"));
	assert_int_equal(run("start", "--tracefs", "nowhere"), 1);
	assert_non_null(strstr(program_err(&jankd), "--tracefs "));
	assert_int_equal(run("run", "--rules", "nowhere.rules"), 1);
}

TEST(unusable_folders_are_reported)
{
	scratch_put(&scratch, "file", "no folder\n");
	assert_int_equal(program_run(&jankd, &scratch, "run", "--tracefs", ".", "-F", "file", NULL),
			 1);
	assert_non_null(strstr(program_err(&jankd), "file"));
	assert_string_equal(scratch_get(&scratch, "file"), "no folder\n");
	assert_int_equal(
		program_run(&jankd, &scratch, "run", "--tracefs", ".", "-F", "file/sub", NULL), 1);
	assert_non_null(strstr(program_err(&jankd), "file/sub"));
}

/* --- rules --- */

TEST(rule_sets_are_shown_and_checked)
{
	assert_int_equal(run("rules", "show", NULL), 0);
	assert_non_null(strstr(program_out(&jankd), "default\n"));
	assert_non_null(strstr(program_out(&jankd), "gfx2019\n"));
	assert_int_equal(run("rules", "show", "default"), 0);
	scratch_put(&scratch, "my.rules", program_out(&jankd));
	assert_int_equal(run("rules", "check", "my.rules"), 0);
	assert_non_null(strstr(program_out(&jankd), "my.rules: ok"));
}

TEST(a_bad_rule_file_is_named_with_its_line)
{
	scratch_put(&scratch, "bad.rules", "# a comment\nnonsense \"x\"\n");
	assert_int_equal(run("rules", "check", "bad.rules"), 1);
	assert_non_null(strstr(program_err(&jankd), "bad.rules:2:1: "));
	assert_string_equal(program_out(&jankd), "");
	assert_int_equal(run("rules", "check", "nowhere.rules"), 1);
	assert_non_null(strstr(program_err(&jankd), "nowhere.rules"));
	assert_int_equal(run("rules", "check", "."), 1);
	scratch_put(&scratch, "empty.rules", "");
	assert_int_equal(run("rules", "check", "empty.rules"), 1);
}

TEST(wrong_usage_of_rules_names_the_word)
{
	assert_usage(run("rules", NULL, NULL), "rules", "check");
	assert_usage(run("rules", "check", NULL), "rules", "check");
	assert_usage(run("rules", "dance", NULL), "rules", "dance");
	assert_usage(run("rules", "--dance", NULL), "rules", "--dance");
	assert_usage(run("rules", "show", "nonsense"), "rules", "nonsense");
	assert_usage(program_run(&jankd, &scratch, "rules", "show", "a", "b", NULL), "rules",
		     "show");
}

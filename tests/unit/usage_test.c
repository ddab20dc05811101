/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program: help, wrong usage, rule files. More wrong usage, and requests
 * without a capture: tests/badinput. The options of the commands: options_test.c. */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/unit/program.h"

FIXTURE(scratch_set_up, scratch_tear_down_closed)

static int run(const char *command, const char *first, const char *second)
{
	return program_run(command, first, second, NULL);
}

TEST(every_command_has_help)
{
	static const char *const commands[] = { "run",	  "start",   "stop",   "status",
						"top",	  "mark",    "rotate", "files",
						"doctor", "analyze", "rules" };

	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		assert_int_equal(run(commands[i], "--help", NULL), 0);
		assert_contains(program_out(), formatted("jankd %s", commands[i]));
		assert_string_equal(program_err(), "");
	}
	assert_int_equal(run("-h", NULL, NULL), 0);
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		assert_contains(program_out(), commands[i]);
	assert_int_equal(run("--version", NULL, NULL), 0);
	assert_begins(program_out(), "jankd ");
}

TEST(wrong_usage_names_the_word)
{
	static char too_long[1026];
	const struct {
		const char *words[3], *name;
	} rows[] = {
		{ { "dance" }, "dance" },
		{ { "--dance" }, "--dance" },
		{ { "mark", "" }, "TEXT" },
		{ { "mark", too_long }, "1024" },
		{ { "rules" }, "check" },
		{ { "rules", "dance" }, "dance" },
		{ { "rules", "--dance" }, "--dance" },
		{ { "rules", "show", "nonsense" }, "nonsense" },
	};

	memset(too_long, 'x', sizeof(too_long) - 1);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int code = run(rows[i].words[0], rows[i].words[1], rows[i].words[2]);

		assert_one_line(program_err());
		assert_contains(program_err(), rows[i].name);
		assert_string_equal(program_out(), "");
		assert_int_equal(code, 2);
	}
	assert_int_equal(program_run("rules", "show", "a", "b", NULL), 2);
}

TEST(rule_sets_are_shown_and_checked)
{
	assert_int_equal(run("rules", "show", NULL), 0);
	assert_contains(program_out(), "default\n");
	assert_contains(program_out(), "gfx2019\n");
	assert_int_equal(run("rules", "show", "default"), 0);
	scratch_put("my.rules", program_out());
	assert_int_equal(run("rules", "check", "my.rules"), 0);
	assert_contains(program_out(), "my.rules: ok");
	scratch_put("two.rules",
		    "present slice post\n \t# one\n\n latch counter {layer} inside b\n");
	assert_int_equal(run("rules", "check", "two.rules"), 0);
	assert_string_equal(program_out(), "two.rules: ok, 2 rules\n");
	scratch_put("bad.rules", "# a comment\nnonsense \"x\"\n");
	assert_int_equal(run("rules", "check", "bad.rules"), 1);
	assert_contains(program_err(), "bad.rules:2:1: ");
	assert_string_equal(program_out(), "");
	assert_int_equal(run("rules", "check", "nowhere.rules"), 1);
	assert_contains(program_err(), "nowhere.rules");
	assert_int_equal(run("rules", "check", "."), 1);
	scratch_put("empty.rules", "");
	assert_int_equal(run("rules", "check", "empty.rules"), 1);
}

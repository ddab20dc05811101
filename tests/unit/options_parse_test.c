/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of run, start and analyze: each option with good and with impossible values. */
#include "tests/unit/unit.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/report.h"
#include "daemon/cli/options_parse.h"
#include "tests/unit/printed.h"

#define WORDS_MAX 160

static struct options options;
static const char *printed;

/* Parses words[] as the arguments of the command. */
static int parse_words(enum options_command command, const char *const *words)
{
	/* Kept: options borrow from it. */
	static char *argv[WORDS_MAX + 2];
	int argc = 1, code;

	argv[0] = (char *)options_command_name(command);
	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	if (command == OPTIONS_ANALYZE)
		argv[argc++] = (char *)"trace.txt";
	argv[argc] = NULL;
	printed_begin(2);
	code = options_parse(&options, command, argc, argv);
	printed = printed_end();
	return code;
}

static int parse(enum options_command command, const char *first, const char *second)
{
	const char *const words[] = { first, second, NULL };

	return parse_words(command, words);
}

static void assert_refused(int code, const char *command, const char *name)
{
	assert_int_equal(code, EXIT_USAGE);
	if (strncmp(printed, "jankd: ", 7) != 0 || !strstr(printed, command) ||
	    !strstr(printed, name))
		fail_msg("of %s %s was printed: '%s'", command, name, printed);
	/* The message is one line. */
	assert_ptr_equal(strchr(printed, '\n'), printed + strlen(printed) - 1);
}

TEST(defaults_hold_without_options)
{
	assert_int_equal(parse(OPTIONS_RUN, NULL, NULL), 0);
	assert_string_equal(printed, "");
	assert_int_equal(options.command, OPTIONS_RUN);
	assert_string_equal(options.rules, "default");
	assert_string_equal(options.categories, "gfx view");
	assert_int_equal(options.buffer_kb, 1024);
	assert_int_equal(options.source, OPTIONS_SOURCE_AUTO);
	assert_int_equal(options.snapshot_length_ns, 10 * SECOND);
	assert_int_equal(options.snapshot_ns, 0);
	assert_string_equal(options.folder, options_default(OPTIONS_RUN).folder);
	assert_null(options.pipeline.include);
	assert_null(options.pipeline.exclude);
	assert_false(options.frames_log || options.to_stdout || options.help || options.yield ||
		     options.no_atrace || options.buffer_given || options.categories_given);
	assert_false(options.pipeline.recorded);
	assert_int_equal(parse(OPTIONS_ANALYZE, NULL, NULL), 0);
	assert_true(options.pipeline.recorded);
	assert_int_equal(options.operand_count, 1);
	assert_string_equal(options.operands[0], "trace.txt");
}

/* The field that a number sets, and the value for a word of the option. */
TEST(numbers_are_converted_from_their_units)
{
	const struct {
		const char *option, *value;
		const uint64_t *field;
		uint64_t wanted;
	} cases[] = {
		{ "--rotate-size", "4096", &options.rotate_size, 4096 },
		{ "--rotate-size", "8k", &options.rotate_size, 8192 },
		{ "--rotate-size", "3M", &options.rotate_size, 3u << 20 },
		{ "--rotate-size", "2G", &options.rotate_size, UINT64_C(2) << 30 },
		{ "--rotate-time", "0.001", &options.rotate_time_ns, 1000000 },
		{ "--rotate-time", "3600", &options.rotate_time_ns, 3600 * SECOND },
		{ "--keep", "1", &options.keep, 1 },
		{ "--keep", "4294967295", &options.keep, UINT32_MAX },
		{ "--min-free", "0", &options.min_free, 0 },
		{ "--min-free", "100M", &options.min_free, 100u << 20 },
		{ "--sync", "1.5", &options.sync_ns, 1500000000 },
		{ "--snapshot", "50", &options.snapshot_ns, 50 * MS },
		{ "--buffer-kb", "4", &options.buffer_kb, 4 },
		{ "--buffer-kb", "4194304", &options.buffer_kb, 4194304 },
		{ "--duration", "2", &options.duration_ns, 2 * SECOND },
		{ "--wait", "1e1", &options.wait_ns, 10 * SECOND },
		{ "--vsync-ms", "16.667", &options.pipeline.vsync_ns, 16667000 },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_int_equal(parse(OPTIONS_RUN, cases[i].option, cases[i].value), 0);
		if (*cases[i].field != cases[i].wanted)
			fail_msg("%s %s: %llu", cases[i].option, cases[i].value,
				 (unsigned long long)*cases[i].field);
	}
}

TEST(short_and_long_names_set_the_same_field)
{
	const char *const names[][3] = {
		{ "-t", "--target", "48.5" }, { "-k", "--kpi", "33" },
		{ "-T", "--type", "3" },      { "-d", "--delay", "2.5" },
		{ "-f", "--frames", "7" },    { "-F", "--folder", "x/y" },
	};

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct options one;

		assert_int_equal(parse(OPTIONS_START, names[i][0], names[i][2]), 0);
		one = options;
		assert_int_equal(parse(OPTIONS_START, names[i][1], names[i][2]), 0);
		assert_memory_equal(&one.pipeline, &options.pipeline, sizeof(one.pipeline));
		assert_string_equal(one.folder, options.folder);
	}
	assert_int_equal(parse(OPTIONS_RUN, "--folder", "x/y"), 0);
	assert_string_equal(options.folder, "x/y");
	assert_int_equal(parse(OPTIONS_RUN, "-T", "3"), 0);
	assert_int_equal(options.pipeline.type, 3);
	assert_int_equal(parse(OPTIONS_RUN, "-f7", NULL), 0);
	assert_int_equal(parse(OPTIONS_RUN, "--KPI=33", NULL), 0);
	/* The spelling of the 2019 program, and the new one. */
	assert_int_equal(parse(OPTIONS_RUN, "--kpi", "33"), 0);
}

TEST(texts_are_stored_unchanged)
{
	const struct {
		const char *option, *value;
		const char *const *field;
	} cases[] = {
		{ "--rules", "my.rules", &options.rules },
		{ "--tracefs", "/sys/kernel/tracing", &options.tracefs },
		{ "--instance", "jank-1", &options.instance },
		{ "--categories", "gfx,view input", &options.categories },
		{ "--device-id", "rack 3, left", &options.device_id },
		{ "--until-exit", "com.example.app", &options.until_exit },
		{ "--focus", "com.game/.Main", &options.pipeline.focus },
		{ "--focus", "com.game", &options.pipeline.focus },
		{ "--trigger", "fps<50", &options.trigger },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		if (parse(OPTIONS_RUN, cases[i].option, cases[i].value) != 0)
			fail_msg("%s %s: %s", cases[i].option, cases[i].value, printed);
		assert_string_equal(*cases[i].field, cases[i].value);
	}
	assert_ptr_equal(options.pipeline.trigger, &options.condition);
}

TEST(switches_take_no_value)
{
	static const char *const names[] = { "--frames-log", "--stdout", "--no-atrace", "--yield",
					     "--help" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char with[32];

		assert_int_equal(parse(OPTIONS_RUN, names[i], NULL), 0);
		snprintf(with, sizeof(with), "%s=1", names[i]);
		assert_refused(parse(OPTIONS_RUN, with, NULL), "run", names[i]);
	}
	assert_int_equal(parse(OPTIONS_RUN, "--frames-log", "--yield"), 0);
	assert_true(options.frames_log && options.yield && !options.to_stdout);
	assert_int_equal(parse(OPTIONS_RUN, "--no-atrace", "--stdout"), 0);
	assert_true(options.no_atrace && options.to_stdout && !options.yield);
	assert_int_equal(parse(OPTIONS_RUN, "-h", "--nonsense"), 0);
	assert_true(options.help);
}

TEST(sources_are_selected_by_name)
{
	assert_int_equal(parse(OPTIONS_RUN, "--source", "auto"), 0);
	assert_int_equal(options.source, OPTIONS_SOURCE_AUTO);
	assert_int_equal(parse(OPTIONS_RUN, "--source", "text"), 0);
	assert_int_equal(options.source, OPTIONS_SOURCE_TEXT);
	assert_int_equal(parse(OPTIONS_RUN, "--source", "raw"), 0);
	assert_int_equal(options.source, OPTIONS_SOURCE_RAW);
}

TEST(impossible_values_are_refused)
{
	static const struct {
		const char *option, *values[12];
	} cases[] = {
		{ "--target",
		  { "", "0", "-1", "nan", "inf", "0x10", " 60", "60 ", "1e99", "sixty" } },
		{ "-k", { "", "0", "x", "-5" } },
		{ "--type", { "", "5", "-1", "1.0", "x", "99999999999999999999" } },
		{ "-d", { "", "-1", "x" } },
		{ "-f", { "", "-1", "1.5", "x" } },
		{ "-F", { "" } },
		{ "--rules", { "" } },
		{ "--focus", { "", "/", "com.game/", "/.Main", "word", "a/b/c", "com.game /x" } },
		{ "--include", { "" } },
		{ "--exclude", { "" } },
		{ "--vsync-ms", { "", "1.9", "1001", "x" } },
		{ "--max-surfaces", { "", "15", "4097", "x" } },
		{ "--max-threads", { "", "15", "4097", "x" } },
		{ "--rotate-size",
		  { "", "4095", "1T", "k", "1kk", "-5", "99999999999999999999",
		    "9223372036854775807K" } },
		{ "--rotate-time", { "", "0", "-1", "x" } },
		{ "--keep", { "", "0", "-1", "4294967296", "x" } },
		{ "--min-free", { "", "x", "-1", "1.5M" } },
		{ "--sync", { "", "0", "x" } },
		{ "--trigger", { "", "nonsense", "fps<", "fps<50 and" } },
		{ "--snapshot", { "", "0", "x" } },
		{ "--snapshot-seconds", { "", "0", "x", "100000" } },
		{ "--source", { "", "TEXT", "pipe", "rawx" } },
		{ "--tracefs", { "" } },
		{ "--instance", { "", "a/b", ".", "..", ".x" } },
		{ "--buffer-kb", { "", "3", "4194305", "1M" } },
		{ "--categories", { "", " ", "--async_stop", "," } },
		{ "--device-id",
		  { "", "a\nb", "\x7f",
		    "0123456789abcdef"
		    "0123456789abcdef"
		    "0123456789abcdef"
		    "0123456789abcdef"
		    "0123456789abcdef"
		    "0123456789abcdef"
		    "0123456789abcdef"
		    "0123456789abcdef" } },
		{ "--duration", { "", "0", "-1", "x", "1e9" } },
		{ "--wait", { "", "0", "x" } },
		{ "--until-exit", { "" } },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (size_t j = 0; cases[i].values[j]; j++) {
			int code = parse(OPTIONS_RUN, cases[i].option, cases[i].values[j]);

			if (code != EXIT_USAGE)
				fail_msg("%s '%s' was accepted", cases[i].option,
					 cases[i].values[j]);
			assert_refused(code, "run", cases[i].option);
		}
}

TEST(a_missing_value_is_named)
{
	static const char *const names[] = {
		"-t",
		"-k",
		"-T",
		"-d",
		"-f",
		"-F",
		"--target",
		"--kpi",
		"--KPI",
		"--type",
		"--delay",
		"--frames",
		"--folder",
		"--rules",
		"--focus",
		"--include",
		"--exclude",
		"--vsync-ms",
		"--max-surfaces",
		"--max-threads",
		"--keep",
		"--min-free",
		"--sync",
		"--trigger",
		"--snapshot",
		"--source",
		"--tracefs",
		"--instance",
		"--buffer-kb",
		"--categories",
		"--device-id",
		"--duration",
		"--wait",
		"--until-exit",
		"--rotate-size",
		"--rotate-time",
		"--snapshot-seconds",
	};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		assert_refused(parse(OPTIONS_RUN, names[i], NULL), "run", names[i]);
}

TEST(unknown_options_are_named)
{
	assert_refused(parse(OPTIONS_RUN, "--nonsense", NULL), "run", "--nonsense");
	assert_refused(parse(OPTIONS_RUN, "-x", NULL), "run", "-x");
	assert_refused(parse(OPTIONS_START, "--json", NULL), "start", "--json");
	/* 'analyze' does not have the options of a live capture. */
	assert_refused(parse(OPTIONS_ANALYZE, "--source", "text"), "analyze", "--source");
	assert_refused(parse(OPTIONS_ANALYZE, "--duration", "2"), "analyze", "--duration");
	assert_refused(parse(OPTIONS_ANALYZE, "--no-atrace", NULL), "analyze", "--no-atrace");
}

TEST(last_of_repeated_options_counts)
{
	static const char *const words[] = {
		"-f", "7", "--frames", "9", "-F", "a", "-F", "b", NULL
	};
	struct options once;

	assert_int_equal(parse(OPTIONS_RUN, "-f", "9"), 0);
	once = options;
	assert_int_equal(parse_words(OPTIONS_RUN, words), 0);
	assert_string_equal(options.folder, "b");
	assert_memory_equal(&once.pipeline, &options.pipeline, sizeof(once.pipeline));
}

TEST(number_of_globs_is_bounded)
{
	const char *words[2 * (OPTIONS_GLOBS_MAX + 1) + 1] = { NULL };

	for (int i = 0; i < OPTIONS_GLOBS_MAX; i++) {
		words[2 * i] = "--include";
		words[2 * i + 1] = "com.*";
	}
	assert_int_equal(parse_words(OPTIONS_RUN, words), 0);
	assert_ptr_equal(options.pipeline.include, options.include);
	assert_null(options.pipeline.exclude);
	assert_string_equal(options.include[OPTIONS_GLOBS_MAX - 1], "com.*");
	assert_null(options.include[OPTIONS_GLOBS_MAX]);
	words[2 * OPTIONS_GLOBS_MAX] = "--include";
	words[2 * OPTIONS_GLOBS_MAX + 1] = "one.too.many";
	assert_refused(parse_words(OPTIONS_RUN, words), "run", "--include");
}

TEST(conflicting_options_are_refused)
{
	static const struct {
		enum options_command command;
		const char *words[5];
		const char *name;
	} cases[] = {
		{ OPTIONS_START, { "--stdout" }, "--stdout" },
		{ OPTIONS_RUN, { "--stdout", "-T", "3" }, "--stdout" },
		{ OPTIONS_RUN, { "--stdout", "-T", "4" }, "--stdout" },
		{ OPTIONS_RUN, { "--source", "raw", "--snapshot", "50" }, "--snapshot" },
		{ OPTIONS_RUN, { "--snapshot-seconds", "5" }, "--snapshot-seconds" },
		{ OPTIONS_RUN, { "--no-atrace", "--categories", "gfx" }, "--categories" },
	};
	static const char *const fine[] = { "--stdout", "-T", "2", NULL };

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_refused(parse_words(cases[i].command, cases[i].words),
			       options_command_name(cases[i].command), cases[i].name);
	assert_int_equal(parse_words(OPTIONS_RUN, fine), 0);
}

TEST(only_analyze_accepts_files)
{
	char *none[] = { (char *)"analyze", NULL };

	assert_refused(parse(OPTIONS_RUN, "trace.txt", NULL), "run", "trace.txt");
	assert_refused(parse(OPTIONS_START, "trace.txt", NULL), "start", "trace.txt");
	assert_int_equal(parse(OPTIONS_ANALYZE, "first.txt", "-"), 0);
	assert_int_equal(options.operand_count, 3);
	assert_string_equal(options.operands[0], "first.txt");
	assert_string_equal(options.operands[1], "-");
	printed_begin(2);
	assert_int_equal(options_parse(&options, OPTIONS_ANALYZE, 1, none), EXIT_USAGE);
	printed = printed_end();
	assert_non_null(strstr(printed, "analyze: "));
}

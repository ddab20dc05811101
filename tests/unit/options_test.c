/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: each option sets the field that it declares, within its limits, for the
 * commands that have it. */
#include "tests/unit/unit.h"

#include "daemon/base/report.h"
#include "daemon/cli/options_table.h"
#include "tests/unit/printed.h"

#define WORDS_MAX 160

static struct options o;
static const char *printed;

static int parse_words(enum options_command command, const char *const *words)
{
	/* Options borrow from it. */
	static char *argv[WORDS_MAX + 2];
	int argc = 1, code;

	argv[0] = (char *)options_command_name(command);
	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	argv[argc] = NULL;
	report_forget();
	report_name(options_command_name(command));
	printed = printed_by(code = options_parse(&o, command, argc, argv));
	return code;
}

/* Parses "COMMAND @text", split at blanks. */
static int parse(enum options_command command, const char *text)
{
	static char copy[4096];
	const char *words[WORDS_MAX + 1] = { NULL };
	int n = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok(copy, " "); word && n < WORDS_MAX; word = strtok(NULL, " "))
		words[n++] = word;
	return parse_words(command, words);
}

static void is_accepted(enum options_command command, const char *text)
{
	if (parse(command, text) != 0 || printed[0])
		fail_msg("%s %s: %s", options_command_name(command), text, printed);
}

/* Wrong usage, and one line that names the command and has the reason. */
static void check_refused(int code, enum options_command command, const char *what,
			  const char *reason)
{
	const char *name = options_command_name(command);

	if (code != EXIT_USAGE)
		fail_msg("%s %s: not refused", name, what);
	assert_one_line(printed);
	if (!strstr(printed, name) || !strstr(printed, reason))
		fail_msg("%s %s: '%s' is not in '%s'", name, what, reason, printed);
}

static void is_refused(enum options_command command, const char *text, const char *reason)
{
	check_refused(parse(command, text), command, text, reason);
}

static bool has_name(const struct option_row *row, const char *name)
{
	return strcmp(row->name, name) == 0 || (row->alias && strcmp(row->alias, name) == 0);
}

TEST(names_are_unique_within_a_command)
{
	for (size_t i = 0; i < options_table_rows; i++) {
		const struct option_row *row = &options_table[i];

		assert_true(!row->value_name == (row->kind == OPTION_FLAG));
		for (size_t j = i + 1; j < options_table_rows; j++) {
			const struct option_row *other = &options_table[j];

			if (!(row->commands & other->commands))
				continue;
			assert_false(has_name(other, row->name));
			assert_false(row->alias && has_name(other, row->alias));
			assert_false(row->letter && row->letter == other->letter);
		}
	}
}

TEST(defaults_hold_without_options)
{
	is_accepted(OPTIONS_RUN, "");
	assert_int_equal(o.command, OPTIONS_RUN);
	assert_string_equal(o.rules, "default");
	assert_string_equal(o.categories, "gfx view");
	assert_fields(&o, buffer_kb == 1024, source == OPTIONS_SOURCE_AUTO,
		      snapshot_length_ns == 10 * SECOND, snapshot_ns == 0);
	assert_string_equal(o.folder, options_default(OPTIONS_RUN).folder);
	assert_null(o.pipeline.include);
	assert_null(o.pipeline.exclude);
	assert_false(o.frames_log || o.to_stdout || o.help || o.yield || o.no_atrace ||
		     o.buffer_given || o.categories_given || o.pipeline.recorded);
}

TEST(each_option_sets_its_field)
{
	const struct pipeline_options *p = &o.pipeline;

	is_accepted(OPTIONS_ANALYZE,
		    "-t 59.5 -k 20 -T 3 -d 0.5 -f 7 -F out --rules gfx2019 --focus com.a/.B "
		    "--include a* --include b --exclude c --vsync-ms 8.5 --frames-log "
		    "--rotate-size 4K --rotate-time 2 --keep 9 --min-free 1G --sync 0.25 "
		    "--snapshot 50 --snapshot-seconds 3 --trigger fps<30 --max-surfaces 17 "
		    "--max-threads 18 one two");
	assert_true(p->target_fps == 59.5);
	assert_fields(p, kpi_ns == 20 * MS, type == 3, delay_ns == SECOND / 2, min_frames == 7);
	assert_string_equal(o.folder, "out");
	assert_string_equal(o.rules, "gfx2019");
	assert_string_equal(p->focus, "com.a/.B");
	assert_string_equal(p->include[0], "a*");
	assert_string_equal(p->include[1], "b");
	assert_null(p->include[2]);
	assert_string_equal(p->exclude[0], "c");
	assert_null(p->exclude[1]);
	assert_int_equal(p->vsync_ns, 8500000);
	assert_true(o.frames_log);
	assert_fields(&o, rotate_size == 4096, rotate_time_ns == 2 * SECOND, keep == 9,
		      min_free == 1 << 30, sync_ns == SECOND / 4, snapshot_ns == 50 * MS);
	assert_int_equal(p->late_ns, 50 * MS);
	assert_fields(&o, snapshot_length_ns == 3 * SECOND, snapshot_length_given == true);
	assert_string_equal(o.trigger, "fps<30");
	assert_ptr_equal(p->trigger, &o.condition);
	assert_int_equal(o.condition.limit, 30000);
	assert_fields(p, max_series == 17, max_threads == 18);
	assert_fields(p, recorded == true, front_app_is_queried == false);
	assert_int_equal(o.operand_count, 2);
	assert_string_equal(o.operands[1], "two");
}

TEST(options_of_a_capture_set_their_fields)
{
	is_accepted(OPTIONS_RUN, "--stdout --source raw --tracefs /t --instance i --buffer-kb 8 "
				 "--categories gfx,view --yield --wait 0.001 --duration 9 "
				 "--until-exit com.a:b --device-id rack-3");
	assert_true(o.to_stdout && o.yield && !o.no_atrace);
	assert_int_equal(o.source, OPTIONS_SOURCE_RAW);
	assert_string_equal(o.tracefs, "/t");
	assert_string_equal(o.instance, "i");
	assert_int_equal(o.buffer_kb, 8);
	assert_true(o.buffer_given && o.categories_given);
	assert_string_equal(o.categories, "gfx,view");
	assert_fields(&o, wait_ns == MS, duration_ns == 9 * SECOND);
	assert_string_equal(o.until_exit, "com.a:b");
	assert_string_equal(o.device_id, "rack-3");
	assert_false(o.pipeline.recorded);
	is_accepted(OPTIONS_RUN, "--no-atrace --source text");
	assert_true(o.no_atrace && !o.to_stdout && !o.yield);
	assert_int_equal(o.source, OPTIONS_SOURCE_TEXT);
	is_accepted(OPTIONS_RUN, "--source auto --focus com.game");
	assert_string_equal(o.pipeline.focus, "com.game");
	assert_int_equal(o.source, OPTIONS_SOURCE_AUTO);
}

TEST(names_may_be_abbreviated_or_joined_with_values)
{
	struct pipeline_options letters;

	is_accepted(OPTIONS_ANALYZE, "x -T2 --KPI=5 --frames-l -Fd");
	assert_fields(&o.pipeline, type == 2, kpi_ns == 5 * MS);
	assert_true(o.frames_log);
	assert_string_equal(o.folder, "d");
	is_refused(OPTIONS_ANALYZE, "--type 9x --help", "--type 9x");
	is_accepted(OPTIONS_ANALYZE, "-h --type 9x");
	assert_true(o.help);
	is_accepted(OPTIONS_START, "-t 48.5 -k 33 -T 3 -d 2.5 -f 7 -F x/y");
	letters = o.pipeline;
	/* The last of repeated options counts. */
	is_accepted(OPTIONS_START, "--target 48.5 --kpi 33 --type 3 --delay 2.5 -f 9 --frames 7 "
				   "--folder a --folder x/y");
	assert_memory_equal(&letters, &o.pipeline, sizeof(letters));
	assert_string_equal(o.folder, "x/y");
	/* Kept for 'start --resume', with absolute paths. */
	is_accepted(OPTIONS_RUN,
		    "--rules gfx2019 --tracefs t -T 2 --rules=/r --include a --include b");
	assert_int_equal(o.word_count, 5);
	assert_string_equal(o.words[0].value, "/r");
	assert_string_equal(o.words[1].name, "tracefs");
	assert_true(o.words[1].value[0] == '/' && strstr(o.words[1].value, "/t"));
	assert_string_equal(o.words[4].value, "b");
	is_accepted(OPTIONS_RUN, "--rules gfx2019");
	assert_string_equal(o.words[0].value, "gfx2019");
}

TEST(numbers_are_converted_from_their_units)
{
	const struct {
		const char *text;
		const uint64_t *field;
		uint64_t wanted;
	} rows[] = {
		{ "--rotate-size 4096", &o.rotate_size, 4096 },
		{ "--rotate-size 8k", &o.rotate_size, 8192 },
		{ "--rotate-size 3M", &o.rotate_size, 3u << 20 },
		{ "--rotate-size 2G", &o.rotate_size, UINT64_C(2) << 30 },
		{ "--rotate-time 0.001", &o.rotate_time_ns, 1000000 },
		{ "--keep 4294967295", &o.keep, UINT32_MAX },
		{ "--min-free 0", &o.min_free, 0 },
		{ "--wait 1e1", &o.wait_ns, 10 * SECOND },
		{ "--vsync-ms 16.667", &o.pipeline.vsync_ns, 16667000 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		is_accepted(OPTIONS_RUN, rows[i].text);
		if (*rows[i].field != rows[i].wanted)
			fail_msg("%s: %llu", rows[i].text, (unsigned long long)*rows[i].field);
	}
}

/* The ends of each range are accepted; values beyond are rejected; the message has the range. */
TEST(limits_of_numbers_are_checked)
{
	size_t numbers = 0;

	for (size_t i = 0; i < options_table_rows; i++) {
		const struct option_row *row = &options_table[i];
		bool of_files = row->commands == 1U << OPTIONS_FILES;
		bool of_analyze = row->commands & (1U << OPTIONS_ANALYZE);
		const char *others = of_files ? "--read x" : "--snapshot 5";
		const char *operand = of_analyze ? "x" : "";
		enum options_command command = of_analyze ? OPTIONS_ANALYZE
					       : of_files ? OPTIONS_FILES
							  : OPTIONS_RUN;
		double ends[] = { row->limits.least, row->limits.most };
		bool whole = row->kind == OPTION_COUNT || row->kind == OPTION_SMALL_COUNT;
		char text[160], name[80];

		if (!row->limits.what)
			continue;
		numbers++;
		snprintf(name, sizeof(name), "--%s", row->name);
		for (int end = 0; end < 2; end++) {
			double step = (whole ? 1 : 0.0005) * (end ? 1 : -1);

			snprintf(text, sizeof(text), "%s %s %.15g %s", others, name, ends[end],
				 operand);
			is_accepted(command, text);
			snprintf(text, sizeof(text), "%s %.15g %s", name, ends[end] + step,
				 operand);
			is_refused(command, text, name);
			is_refused(command, text, row->limits.what);
		}
	}
	assert_int_equal(numbers, 17);
}

TEST(options_have_a_value_or_none)
{
	for (size_t i = 0; i < options_table_rows; i++) {
		const struct option_row *row = &options_table[i];
		char text[80], reason[120];
		enum options_command command = 0;

		while (!(row->commands & (1U << command)))
			command++;
		snprintf(text, sizeof(text), "--%s%s", row->name, row->value_name ? "" : "=1");
		snprintf(reason, sizeof(reason), "%s: %s", text,
			 row->value_name ? "needs a value" : "takes no value");
		is_refused(command, text, reason);
		if (row->value_name) {
			snprintf(reason, sizeof(reason), "%s \"\"", text);
			is_refused(command, strcat(text, "="), reason);
		}
		if (!row->letter || !row->value_name)
			continue;
		snprintf(text, sizeof(text), "-%c", row->letter);
		snprintf(reason, sizeof(reason), "-%c: needs a value", row->letter);
		is_refused(command, text, reason);
	}
}

TEST(impossible_values_are_refused)
{
	static const struct {
		const char *option, *values[12];
	} rows[] = {
		{ "--target", { "-1", "nan", "inf", "0x10", " 60", "60 ", "1e99", "sixty" } },
		{ "--type", { "1.0", "x", "99999999999999999999" } },
		{ "--frames", { "1.5", "x", "1M" } },
		{ "--focus", { "/", "com.game/", "/.Main", "word", "a/b/c", "com.game /x" } },
		{ "--rotate-size",
		  { "4095", "1T", "k", "1kk", "-5", "1.5M", "99999999999999999999",
		    "9223372036854775807K" } },
		{ "--trigger", { "nonsense" } },
		{ "--source", { "TEXT", "pipe", "rawx" } },
		{ "--instance", { "a/b", ".", "..", ".x" } },
		{ "--categories", { " ", "--async_stop", "," } },
		{ "--device-id",
		  { "a\nb", "\x7f",
		    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
		    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" } },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (size_t j = 0; rows[i].values[j]; j++) {
			const char *words[] = { rows[i].option, rows[i].values[j], NULL };

			check_refused(parse_words(OPTIONS_RUN, words), OPTIONS_RUN,
				      rows[i].values[j], rows[i].option);
		}
}

TEST(number_of_globs_is_bounded)
{
	const char *words[2 * (OPTIONS_GLOBS_MAX + 1) + 1] = { NULL };

	for (int i = 0; i < OPTIONS_GLOBS_MAX; i++) {
		words[2 * i] = "--include";
		words[2 * i + 1] = "com.*";
	}
	assert_int_equal(parse_words(OPTIONS_RUN, words), 0);
	assert_ptr_equal(o.pipeline.include, o.include);
	assert_string_equal(o.include[OPTIONS_GLOBS_MAX - 1], "com.*");
	assert_null(o.include[OPTIONS_GLOBS_MAX]);
	words[2 * OPTIONS_GLOBS_MAX] = "--include";
	words[2 * OPTIONS_GLOBS_MAX + 1] = "one.too.many";
	check_refused(parse_words(OPTIONS_RUN, words), OPTIONS_RUN, "globs", "--include");
}

TEST(wrong_usage_is_refused)
{
	static const struct {
		enum options_command command;
		const char *text, *reason;
	} rows[] = {
		{ OPTIONS_ANALYZE, "--frames-log -Zx", "-Z: unknown option" },
		{ OPTIONS_ANALYZE, "--fr x", "--fr: unknown option" },
		{ OPTIONS_STOP, "--json", "--json: unknown option" },
		{ OPTIONS_TOP, "--frames 3", "--frames: unknown option" },
		/* conflicts */
		{ OPTIONS_START, "--stdout", "a daemon has no standard output" },
		{ OPTIONS_RUN, "--stdout -T 3", "--stdout" },
		{ OPTIONS_RUN, "--source raw --snapshot 50", "--snapshot" },
		{ OPTIONS_RUN, "--snapshot-seconds 5", "--snapshot-seconds" },
		{ OPTIONS_RUN, "--no-atrace --categories gfx", "--categories" },
		{ OPTIONS_FILES, "--from 3", "--from" },
		/* operands */
		{ OPTIONS_RUN, "trace.txt", "trace.txt: unexpected argument" },
		{ OPTIONS_STOP, "stray", "name a folder with -F" },
		{ OPTIONS_FILES, "fps.csv", "--read" },
		{ OPTIONS_DOCTOR, "now", "now" },
		{ OPTIONS_MARK, "", "TEXT is missing" },
		{ OPTIONS_MARK, "two words", "words: unexpected argument" },
		{ OPTIONS_ANALYZE, "--frames-log", "FILE is missing" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		is_refused(rows[i].command, rows[i].text, rows[i].reason);
	is_accepted(OPTIONS_RUN, "--stdout -T 2");
}

TEST(operands_are_stored)
{
	is_accepted(OPTIONS_MARK, "-F d -- -x");
	assert_string_equal(o.folder, "d");
	assert_string_equal(o.operands[0], "-x");
	is_accepted(OPTIONS_STATUS, "--json");
	assert_true(o.json);
	is_accepted(OPTIONS_ANALYZE, "first.txt -");
	assert_string_equal(o.operands[1], "-");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the command line's options: each sets the field that it declares, within its limits,
 * for the commands that have it. Values of each option: options_parse_test.c. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/report.h"
#include "daemon/cli/options_parse.h"
#include "daemon/cli/options_table.h"

#define ARGS_MAX 160

/* Parses "COMMAND @text", split at blanks. Strings in @options are valid until the next call. */
static int parse(struct options *options, enum options_command command, const char *text)
{
	static char copy[4096];
	static char *argv[ARGS_MAX + 2];
	int argc = 1;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *arg = strtok(copy, " "); arg && argc < ARGS_MAX; arg = strtok(NULL, " "))
		argv[argc++] = arg;
	argv[0] = (char *)options_command_name(command);
	argv[argc] = NULL;
	report_forget();
	return options_parse(options, command, argc, argv);
}

static void is_refused(enum options_command command, const char *text, const char *reason)
{
	struct options options;

	if (parse(&options, command, text) != EXIT_USAGE)
		fail_msg("%s %s: not refused", options_command_name(command), text);
	if (!strstr(report_last(), reason))
		fail_msg("%s %s: '%s' is not in '%s'", options_command_name(command), text, reason,
			 report_last());
}

static bool has_name(const struct option_row *row, const char *name)
{
	return strcmp(row->name, name) == 0 || (row->alias && strcmp(row->alias, name) == 0);
}

TEST(names_are_unique_within_a_command)
{
	for (size_t i = 0; i < options_table_rows; i++) {
		const struct option_row *row = &options_table[i];

		assert_true(row->commands > 0 && row->commands < 1U << OPTIONS_COMMANDS);
		assert_true(row->field < sizeof(struct options));
		assert_true(row->given < sizeof(struct options));
		assert_non_null(row->parse);
		assert_true(!row->value_name == (row->parse == option_parse_flag));
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

TEST(each_option_sets_its_field)
{
	struct options o;
	const struct pipeline_options *p = &o.pipeline;

	assert_int_equal(parse(&o, OPTIONS_ANALYZE,
			       "-t 59.5 -k 20 -T 3 -d 0.5 -f 7 -F out --rules gfx2019 "
			       "--focus com.a/.B --include a* --include b --exclude c "
			       "--vsync-ms 8.5 --frames-log --rotate-size 4K --rotate-time 2 "
			       "--keep 9 --min-free 1G --sync 0.25 --snapshot 50 "
			       "--snapshot-seconds 3 --trigger fps<30 --max-surfaces 17 "
			       "--max-threads 18 one two"),
			 0);
	assert_true(p->target_fps == 59.5);
	assert_int_equal(p->kpi_ns, 20 * MS);
	assert_int_equal(p->type, 3);
	assert_int_equal(p->delay_ns, SECOND / 2);
	assert_int_equal(p->min_frames, 7);
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
	assert_int_equal(o.rotate_size, 4096);
	assert_int_equal(o.rotate_time_ns, 2 * SECOND);
	assert_int_equal(o.keep, 9);
	assert_int_equal(o.min_free, 1 << 30);
	assert_int_equal(o.sync_ns, SECOND / 4);
	assert_int_equal(o.snapshot_ns, 50 * MS);
	assert_int_equal(p->late_ns, 50 * MS);
	assert_int_equal(o.snapshot_length_ns, 3 * SECOND);
	assert_true(o.snapshot_length_given);
	assert_string_equal(o.trigger, "fps<30");
	assert_ptr_equal(p->trigger, &o.condition);
	assert_int_equal(o.condition.limit, 30000);
	assert_int_equal(p->max_surfaces, 17);
	assert_int_equal(p->max_threads, 18);
	assert_true(p->recorded);
	assert_false(p->front_app_is_queried);
	assert_int_equal(o.operand_count, 2);
	assert_string_equal(o.operands[1], "two");
}

TEST(options_of_a_capture_set_their_fields)
{
	struct options o;

	assert_int_equal(parse(&o, OPTIONS_RUN,
			       "--stdout --source raw --tracefs /t --instance i --buffer-kb 8 "
			       "--categories gfx,view --yield --wait 0.001 --duration 9 "
			       "--until-exit com.a:b"),
			 0);
	assert_true(o.to_stdout && o.yield && !o.no_atrace);
	assert_int_equal(o.source, OPTIONS_SOURCE_RAW);
	assert_string_equal(o.tracefs, "/t");
	assert_string_equal(o.instance, "i");
	assert_int_equal(o.buffer_kb, 8);
	assert_true(o.buffer_given && o.categories_given);
	assert_string_equal(o.categories, "gfx,view");
	assert_int_equal(o.wait_ns, MS);
	assert_int_equal(o.duration_ns, 9 * SECOND);
	assert_string_equal(o.until_exit, "com.a:b");
	assert_false(o.pipeline.recorded);
	is_refused(OPTIONS_ANALYZE, "--wait 1 x", "--wait: unknown option");
	is_refused(OPTIONS_START, "--stdout", "a daemon has no standard output");
}

TEST(names_may_be_abbreviated_or_joined_with_values)
{
	struct options o;

	assert_int_equal(parse(&o, OPTIONS_ANALYZE, "x -T2 --KPI=5 --frames-l -Fd"), 0);
	assert_int_equal(o.pipeline.type, 2);
	assert_int_equal(o.pipeline.kpi_ns, 5 * MS);
	assert_true(o.frames_log);
	assert_string_equal(o.folder, "d");
	assert_int_equal(parse(&o, OPTIONS_ANALYZE, "--type 9x --help"), EXIT_USAGE);
	assert_int_equal(parse(&o, OPTIONS_ANALYZE, "-h --type 9x"), 0);
	assert_true(o.help);
}

/* The ends of each range are accepted; values beyond are rejected, and the message has the range.
 */
TEST(limits_of_numbers_are_checked)
{
	struct options o;
	size_t numbers = 0;

	for (size_t i = 0; i < options_table_rows; i++) {
		const struct option_row *row = &options_table[i];
		const char *operand = row->commands & (1U << OPTIONS_ANALYZE) ? "x" : "";
		bool of_files = row->commands == 1U << OPTIONS_FILES;
		enum options_command command = *operand	  ? OPTIONS_ANALYZE
					       : of_files ? OPTIONS_FILES
							  : OPTIONS_RUN;
		/* Options that the number needs. */
		const char *others = of_files ? "--read x" : "--snapshot 5";
		double ends[] = { row->limits.least, row->limits.most };
		bool whole =
			row->parse == option_parse_count || row->parse == option_parse_small_count;
		char text[160], range[80];

		if (!row->limits.what)
			continue;
		numbers++;
		snprintf(range, sizeof(range), "--%s", row->name);
		for (int end = 0; end < 2; end++) {
			double step = (whole ? 1 : 0.0005) * (end ? 1 : -1);

			snprintf(text, sizeof(text), "%s --%s %.15g %s", others, row->name,
				 ends[end], operand);
			assert_int_equal(parse(&o, command, text), 0);
			snprintf(text, sizeof(text), "--%s %.15g %s", row->name, ends[end] + step,
				 operand);
			is_refused(command, text, range);
			is_refused(command, text, row->limits.what);
		}
	}
	assert_int_equal(numbers, 17);
}

TEST(wrong_options_are_refused)
{
	is_refused(OPTIONS_ANALYZE, "--target", "--target: needs a value");
	is_refused(OPTIONS_ANALYZE, "-t", "-t: needs a value");
	is_refused(OPTIONS_ANALYZE, "--frames-log=1", "--frames-log=1: takes no value");
	is_refused(OPTIONS_ANALYZE, "--help=1", "--help=1: takes no value");
	is_refused(OPTIONS_ANALYZE, "--frames-log -Zx", "-Z: unknown option");
	is_refused(OPTIONS_ANALYZE, "--fr x", "--fr: unknown option");
	is_refused(OPTIONS_STATUS, "-j", "-j: unknown option");
	is_refused(OPTIONS_STOP, "--json", "--json: unknown option");
	is_refused(OPTIONS_TOP, "--frames 3", "--frames: unknown option");
}

TEST(operands_of_each_command_are_checked)
{
	struct options o;

	is_refused(OPTIONS_RUN, "stray", "stray: unexpected argument");
	is_refused(OPTIONS_STOP, "stray", "name a folder with -F");
	is_refused(OPTIONS_MARK, "", "TEXT is missing");
	is_refused(OPTIONS_MARK, "two words", "words: unexpected argument");
	is_refused(OPTIONS_ANALYZE, "--frames-log", "FILE is missing");
	assert_int_equal(parse(&o, OPTIONS_MARK, "-F d -- -x"), 0);
	assert_string_equal(o.folder, "d");
	assert_string_equal(o.operands[0], "-x");
	assert_int_equal(parse(&o, OPTIONS_STATUS, "--json"), 0);
	assert_true(o.json);
	assert_int_equal(parse(&o, OPTIONS_RULES, "show gfx2019"), 0);
	assert_int_equal(o.operand_count, 2);
}

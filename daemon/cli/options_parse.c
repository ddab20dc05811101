/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/options_table.h"

#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/child.h"
#include "daemon/base/report.h"
#include "rules/language/ruleset.h"

/* getopt_long() returns LONG + row for a long option, and the letter for a short one. */
#define LONG 256

/* Enough for the options of any command and their aliases. */
#define KNOWN_MAX 128

/* The options of one command in getopt's format. */
struct known {
	struct option names[KNOWN_MAX];
	char letters[2 * LONG];
};

static void add_name(struct option *to, const char *name, size_t row)
{
	*to = (struct option){
		.name = name,
		.has_arg = options_table[row].value_name ? required_argument : no_argument,
		.val = LONG + (int)row,
	};
}

static void find_known(struct known *known, enum options_command command)
{
	struct option *name = known->names;
	char *letter = known->letters;

	*letter++ = ':'; /* getopt returns ':', not '?', for a missing value */
	for (size_t i = 0; i < options_table_rows; i++) {
		const struct option_row *row = &options_table[i];

		if (!(row->commands & (1U << command)))
			continue;
		add_name(name++, row->name, i);
		if (row->alias)
			add_name(name++, row->alias, i);
		if (row->letter)
			*letter++ = row->letter;
		if (row->letter && row->value_name)
			*letter++ = ':';
	}
	*name = (struct option){ .name = NULL };
	*letter = '\0';
}

static const struct option_row *find_row(enum options_command command, int option)
{
	if (option >= LONG)
		return &options_table[option - LONG];
	for (size_t i = 0; i < options_table_rows; i++)
		if (options_table[i].letter == option &&
		    (options_table[i].commands & (1U << command)))
			return &options_table[i];
	return NULL;
}

/* Reports an error of getopt: ':' is a missing value, '?' any other error. */
static int refuse_option(const char *command, int option, char **argv)
{
	const char letter[] = { '-', (char)optopt, '\0' };
	const char *name = optopt > 0 && optopt < LONG ? letter : argv[optind - 1];

	if (option == ':')
		report("%s: needs a value; see 'jankd %s --help'", name, command);
	else if (optopt >= LONG)
		report("%s: takes no value; omit the value", name);
	else
		report("%s: unknown option; 'jankd %s --help' lists them", name, command);
	return EXIT_USAGE;
}

/* Returns an absolute path for @value, which is valid until the next option of this row is parsed.
 * If there is none, returns @value. */
static const char *absolute(const struct option_row *row, const char *value)
{
	/* Not on the stack. There are two such options: --rules and --tracefs. */
	static char paths[2][PATH_MAX];
	char *path = paths[row->field == offsetof(struct options, tracefs)];
	size_t len;

	if (*value == '/' || ruleset_builtin(value).ptr || !getcwd(path, PATH_MAX))
		return value;
	len = strlen(path);
	return snprintf(path + len, PATH_MAX - len, "/%s", value) < (int)(PATH_MAX - len) ? path
											  : value;
}

/* Keeps the option for 'start --resume'. A later value replaces an earlier one, but globs add up.
 */
static void keep_word(struct options *options, const struct option_row *row)
{
	size_t i = row->parse == option_parse_glob ? options->word_count : 0;

	if (row->is_once)
		return;
	while (i < options->word_count && strcmp(options->words[i].name, row->name) != 0)
		i++;
	if (i == OPTIONS_WORDS_MAX)
		return;
	options->words[i] = (struct option_word){
		.name = row->name,
		.value = row->is_path ? absolute(row, optarg) : optarg,
	};
	if (i == options->word_count)
		options->word_count++;
}

int options_check_together(const struct options *options)
{
	const struct {
		bool wrong;
		const char *name, *why;
	} cases[] = {
		{ options->to_stdout && options->command == OPTIONS_START, "--stdout",
		  "a daemon has no standard output; omit it, or use 'jankd run'" },
		{ options->to_stdout && options->pipeline.type >= 3, "--stdout",
		  "prints the rows of fps.csv, which --type 3 and 4 do not write; omit one of the "
		  "two" },
		{ options->source == OPTIONS_SOURCE_RAW && options->snapshot_ns > 0, "--snapshot",
		  "needs the text of the trace, but --source raw reads none; omit one of the two" },
		{ options->snapshot_length_given && options->snapshot_ns == 0, "--snapshot-seconds",
		  "has no effect without --snapshot; add --snapshot MS" },
		{ options->read_from_given && !options->read_name, "--from",
		  "has no effect without --read; add --read NAME" },
		{ options->no_atrace && options->categories_given, "--categories",
		  "has no effect with --no-atrace; omit one of the two" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!cases[i].wrong)
			continue;
		report("%s: %s", cases[i].name, cases[i].why);
		return EXIT_USAGE;
	}
	return 0;
}

#define RECORDED "to analyze a recorded trace, use 'jankd analyze'"

/* Sets the operands, and checks their number: some commands need one, others have none. */
static int set_operands(struct options *options, int count, char **operands)
{
	static const struct {
		int least, most;
		const char *missing, *unexpected;
	} limits[OPTIONS_COMMANDS] = {
		[OPTIONS_RUN] = { .unexpected = RECORDED },
		[OPTIONS_START] = { .unexpected = RECORDED },
		[OPTIONS_MARK] = { 1, 1, "TEXT is missing; add it", "put the text in quotes" },
		[OPTIONS_FILES] = { .unexpected = "to print a file, use --read NAME" },
		[OPTIONS_ANALYZE] = { 1, INT_MAX,
				      "FILE is missing; name recorded traces, or '-' for "
				      "standard input",
				      NULL },
		[OPTIONS_RULES] = { 0, INT_MAX, NULL, NULL }, /* cmd_rules.c checks them */
	};
	const char *unexpected = limits[options->command].unexpected;
	int most = limits[options->command].most;

	options->operands = operands;
	options->operand_count = count;
	if (count < limits[options->command].least) {
		report("%s", limits[options->command].missing);
		return EXIT_USAGE;
	}
	if (count > most) {
		report("%s: unexpected argument; %s", operands[most],
		       unexpected ? unexpected : "name a folder with -F");
		return EXIT_USAGE;
	}
	return 0;
}

int options_parse(struct options *options, enum options_command command, int argc, char **argv)
{
	struct known known;
	int option, index, code;

	*options = options_default(command);
	find_known(&known, command);
	opterr = 0;
	optind = 0; /* 0, not 1: resets the state that glibc keeps of another argv */
	while (index = -1,
	       (option = getopt_long(argc, argv, known.letters, known.names, &index)) != -1) {
		char name[64] = { '-', (char)option, '\0' };
		const struct option_row *row;

		if (option == ':' || option == '?')
			return refuse_option(options_command_name(command), option, argv);
		if (index >= 0)
			snprintf(name, sizeof(name), "--%s", known.names[index].name);
		row = find_row(command, option);
		keep_word(options, row);
		if (row->given)
			*(bool *)((char *)options + row->given) = true;
		code = row->parse(&(struct option_arg){
			.command = options_command_name(command),
			.name = name,
			.value = optarg,
			.limits = row->limits,
			.options = options,
			.field = (char *)options + row->field,
		});
		if (code != 0 || options->help)
			return code;
	}
	options->pipeline.late_ns = options->snapshot_ns;
	options->pipeline.recorded = command == OPTIONS_ANALYZE;
	options->pipeline.front_app_is_queried =
		(command == OPTIONS_RUN || command == OPTIONS_START) &&
		child_program_exists("dumpsys");
	options->pipeline.include = options->include[0] ? options->include : NULL;
	options->pipeline.exclude = options->exclude[0] ? options->exclude : NULL;
	/* resume_options() adds others first. */
	code = options->resume ? 0 : options_check_together(options);
	return code != 0 ? code : set_operands(options, argc - optind, argv + optind);
}

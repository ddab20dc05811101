/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/options_table.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "daemon/android/android.h"
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
	const struct option_row *of_letter[LONG];
};

static void find_known(struct known *known, enum options_command command)
{
	struct option *name = known->names;
	char *letter = known->letters;

	*letter++ = ':'; /* getopt returns ':', not '?', for a missing value */
	for (size_t i = 0; i < options_table_rows; i++) {
		const struct option_row *row = &options_table[i];
		const struct option one = {
			.name = row->name,
			.has_arg = row->value_name ? required_argument : no_argument,
			.val = LONG + (int)i,
		};

		if (!(row->commands & (1U << command)))
			continue;
		*name++ = one;
		if (row->alias) {
			*name = one;
			name++->name = row->alias;
		}
		if (!row->letter)
			continue;
		*letter++ = row->letter;
		if (row->value_name)
			*letter++ = ':';
		known->of_letter[(unsigned char)row->letter] = row;
	}
	*name = (struct option){ .name = NULL };
	*letter = '\0';
}

/* --- the value of an option --- */

/* One option of a command line while it is parsed. */
struct option_arg {
	const struct option_row *row;
	const char *name;  /* as typed, with its dashes */
	const char *value; /* NULL if the option has no value */
	struct options *options;
	void *field; /* of @options, that the option sets */
};

/* @why: what is wrong with the value. */
static int refuse_value(const struct option_arg *arg, const char *why)
{
	report("%s %s: %s; see 'jankd %s --help'", arg->name, arg->value[0] ? arg->value : "\"\"",
	       why, options_command_name(arg->options->command));
	return EXIT_USAGE;
}

/* Sets the field of an option with a number within its limits. */
static int parse_number(const struct option_arg *arg)
{
	static const char *const units[] = { "", "K", "M", "G" };
	const struct option_limits *limits = &arg->row->limits;
	enum option_kind kind = arg->row->kind;
	const char *text = arg->value;
	size_t digits = strspn(text, "0123456789"), unit = 0;
	uint64_t count;
	double number;
	char why[160], *end;
	bool is_valid;

	errno = 0;
	if (kind == OPTION_NUMBER || kind == OPTION_SECONDS || kind == OPTION_MS) {
		/* Blanks, hexadecimal and "inf" are refused. */
		number = strtod(text, &end);
		is_valid = text[strspn(text, "0123456789.eE+-")] == '\0' && end != text &&
			   *end == '\0' && errno == 0 && isfinite(number) &&
			   number >= limits->least && number <= limits->most;
		if (is_valid && kind == OPTION_NUMBER)
			*(double *)arg->field = number;
		else if (is_valid)
			*(uint64_t *)arg->field =
				(uint64_t)(number * (kind == OPTION_MS ? 1e6 : 1e9) + 0.5);
	} else if (kind == OPTION_BYTES) {
		while (unit < 4 && strcasecmp(text + digits, units[unit]) != 0)
			unit++;
		count = strtoull(text, NULL, 10);
		is_valid = digits > 0 && unit < 4 && errno == 0 &&
			   count <= (uint64_t)INT64_MAX >> 10 * unit &&
			   count << 10 * unit >= (uint64_t)limits->least;
		if (is_valid)
			*(uint64_t *)arg->field = count << 10 * unit;
	} else {
		/* All limits are below 2^53, so they are exact as a double. */
		count = strtoull(text, NULL, 10);
		is_valid = digits > 0 && text[digits] == '\0' && errno == 0 &&
			   count >= (uint64_t)limits->least && count <= (uint64_t)limits->most;
		if (is_valid && kind == OPTION_COUNT)
			*(uint64_t *)arg->field = count;
		else if (is_valid)
			*(unsigned int *)arg->field = (unsigned int)count;
	}
	if (is_valid)
		return 0;
	if (kind == OPTION_BYTES)
		snprintf(why, sizeof(why),
			 "must be a number of bytes from %.15g to %" PRId64
			 "; K, M or G may follow",
			 limits->least, INT64_MAX);
	else
		snprintf(why, sizeof(why), "must be %s from %.15g to %.15g", limits->what,
			 limits->least, limits->most);
	return refuse_value(arg, why);
}

/* Sets the field of the option. Returns 0, or EXIT_USAGE after the error was reported. */
static int parse_value(const struct option_arg *arg)
{
	static const char *const sources[] = {
		[OPTIONS_SOURCE_AUTO] = "auto",
		[OPTIONS_SOURCE_TEXT] = "text",
		[OPTIONS_SOURCE_RAW] = "raw",
		[OPTIONS_SOURCE_LATENCY] = "latency",
	};
	enum option_kind kind = arg->row->kind;
	struct options *options = arg->options;
	const char *value = arg->value, *slash = value ? strchr(value, '/') : NULL, *fault = NULL;
	const char *const *names;
	const char **text = arg->field;
	struct trigger_error error;
	size_t at = 0, n;
	char why[160];

	switch (kind) {
	case OPTION_FLAG:
		*(bool *)arg->field = true;
		return 0;
	case OPTION_NUMBER:
	case OPTION_SECONDS:
	case OPTION_MS:
	case OPTION_COUNT:
	case OPTION_SMALL_COUNT:
	case OPTION_BYTES:
		return parse_number(arg);
	case OPTION_SOURCE:
	case OPTION_CLASS:
		names = kind == OPTION_SOURCE ? sources : app_class_names;
		n = kind == OPTION_SOURCE ? sizeof(sources) / sizeof(sources[0]) : APP_CLASSES;
		while (at < n && !(names[at] && strcmp(value, names[at]) == 0))
			at++;
		if (at == n)
			return refuse_value(arg, kind == OPTION_SOURCE
							 ? "must be auto, text, raw or latency"
							 : "must be app, game, map or video");
		if (kind == OPTION_SOURCE)
			*(enum options_source *)arg->field = (enum options_source)at;
		else
			*(enum app_class *)arg->field = (enum app_class)at;
		return 0;
	case OPTION_TRIGGER:
		if (trigger_parse(&options->condition, value, &error) != 0) {
			snprintf(why, sizeof(why), "column %u: %s", error.column, error.message);
			return refuse_value(arg, why);
		}
		options->trigger = value;
		options->pipeline.trigger = &options->condition;
		return 0;
	case OPTION_GLOB:
		for (; *text; text++)
			if (++at == OPTIONS_GLOBS_MAX)
				return refuse_value(arg, "too many globs, at most 64 are allowed");
		/* fallthrough */
	default:
		break;
	}

	/* A text. An empty one is refused, and some kinds have rules of their own. */
	if (kind == OPTION_FOCUS) {
		/* A word with a dot, or with one slash and text on both sides of it. */
		bool is_name = slash ? slash > value && slash[1] && !strchr(slash + 1, '/')
				     : strchr(value, '.') != NULL;

		if (!is_name || strpbrk(value, " \t\r\n"))
			fault = "must be APP or APP/ACTIVITY, such as com.game/.Main";
	} else if (kind == OPTION_INSTANCE && (slash || value[0] == '.')) {
		fault = "must be a name without '/', and without '.' at its start";
	} else if (kind == OPTION_CATEGORIES && !atrace_are_categories(value)) {
		fault = "must be 1 to 32 names of atrace categories";
	} else if (kind == OPTION_DEVICE_ID) {
		while ((unsigned char)value[at] >= ' ' && value[at] != 0x7f)
			at++;
		if (value[at] || at == 0 || at >= DEVICE_ID_SIZE)
			fault = "must be 1 to 127 bytes without control characters";
	} else if (value[0] == '\0') {
		fault = "must not be empty";
	}
	if (fault)
		return refuse_value(arg, fault);
	*text = value;
	return 0;
}

/* --- all options --- */

/* Keeps the option for 'start --resume'. A later value replaces an earlier one, but globs add up.
 * A relative path becomes absolute, if there is a working directory. */
static void keep_word(struct options *options, const struct option_row *row)
{
	/* Not on the stack. There are two such options: --rules and --tracefs. */
	static char paths[2][PATH_MAX];
	char *path = paths[row->field == offsetof(struct options, tracefs)];
	size_t i = row->kind == OPTION_GLOB ? options->word_count : 0, len;
	const char *value = optarg;

	if (row->is_once)
		return;
	while (i < options->word_count && strcmp(options->words[i].name, row->name) != 0)
		i++;
	if (i == OPTIONS_WORDS_MAX)
		return;
	if (row->is_path && *value != '/' && !ruleset_builtin(value).ptr &&
	    getcwd(path, PATH_MAX)) {
		len = strlen(path);
		if (snprintf(path + len, PATH_MAX - len, "/%s", value) < (int)(PATH_MAX - len))
			value = path;
	}
	options->words[i] = (struct option_word){ .name = row->name, .value = value };
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

int options_parse(struct options *options, enum options_command command, int argc, char **argv)
{
	/* Of the operands: some commands need one, others have none. */
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
	const char *unexpected = limits[command].unexpected;
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

		if (option == ':' || option == '?') {
			const char letter[] = { '-', (char)optopt, '\0' };
			const char *bad = optopt > 0 && optopt < LONG ? letter : argv[optind - 1];

			/* ':' is a missing value, '?' any other error. */
			if (option == ':')
				report("%s: needs a value; see 'jankd %s --help'", bad,
				       options_command_name(command));
			else if (optopt >= LONG)
				report("%s: takes no value; omit the value", bad);
			else
				report("%s: unknown option; 'jankd %s --help' lists them", bad,
				       options_command_name(command));
			return EXIT_USAGE;
		}
		if (index >= 0)
			snprintf(name, sizeof(name), "--%s", known.names[index].name);
		row = option >= LONG ? &options_table[option - LONG] : known.of_letter[option];
		keep_word(options, row);
		if (row->given)
			*(bool *)((char *)options + row->given) = true;
		code = parse_value(&(struct option_arg){
			.row = row,
			.name = name,
			.value = optarg,
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
	if (code != 0)
		return code;

	options->operands = argv + optind;
	options->operand_count = argc - optind;
	if (options->operand_count < limits[command].least) {
		report("%s", limits[command].missing);
		return EXIT_USAGE;
	}
	if (options->operand_count > limits[command].most) {
		report("%s: unexpected argument; %s", options->operands[limits[command].most],
		       unexpected ? unexpected : "name a folder with -F");
		return EXIT_USAGE;
	}
	return 0;
}

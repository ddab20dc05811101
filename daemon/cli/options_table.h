/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: every option, once, in options_table.c, which options_parse.c and help.c
 * read. */
#ifndef JANKD_DAEMON_CLI_OPTIONS_TABLE_H
#define JANKD_DAEMON_CLI_OPTIONS_TABLE_H

#include <stddef.h>

#include "daemon/base/options.h"

/* --- the values: option_arg.c. Each parser parses one kind of value and sets one field of struct
 * options. All return 0, or EXIT_USAGE after the error was reported. --- */

/* Smallest and largest value of a number, in the unit of the command line. @what: what the number
 * is, for messages, such as "a frame rate". */
struct option_limits {
	double least, most;
	const char *what;
};

/* One option of a command line while it is parsed. */
struct option_arg {
	const char *command;
	const char *name;  /* as typed, with its dashes */
	const char *value; /* NULL if the option has no value */
	struct option_limits limits;
	struct options *options;
	void *field; /* in @options; the parsers below name its type */
};

/* bool: the option was given. */
int option_parse_flag(const struct option_arg *arg);

/* const char *: any text except "". Borrowed from argv. */
int option_parse_text(const struct option_arg *arg);

/* double: a decimal number. */
int option_parse_number(const struct option_arg *arg);

/* uint64_t, and unsigned int: a whole number. */
int option_parse_count(const struct option_arg *arg);
int option_parse_small_count(const struct option_arg *arg);

/* uint64_t, in ns: a decimal number of seconds, or of milliseconds. */
int option_parse_seconds(const struct option_arg *arg);
int option_parse_ms(const struct option_arg *arg);

/* uint64_t: a number of bytes; K, M or G may follow. Only the lower limit is checked. */
int option_parse_bytes(const struct option_arg *arg);

/* const char *[OPTIONS_GLOBS_MAX + 1]: appends a glob. */
int option_parse_glob(const struct option_arg *arg);

/* const char *: "com.game/.Main", or the app alone. */
int option_parse_focus(const struct option_arg *arg);

/* const char *: the name of a trace instance; names of atrace's categories. */
int option_parse_instance(const struct option_arg *arg);
int option_parse_categories(const struct option_arg *arg);

/* const char *: an id of the device. */
int option_parse_device_id(const struct option_arg *arg);

/* enum app_class */
int option_parse_class(const struct option_arg *arg);

/* enum options_source */
int option_parse_source(const struct option_arg *arg);

/* const char *; also sets ->condition and ->pipeline.trigger of the options. */
int option_parse_trigger(const struct option_arg *arg);

/* --- the options: options_table.c --- */

struct option_row {
	const char *name;	/* long form, without "--" */
	const char *alias;	/* another long form, or NULL */
	char letter;		/* short form, or '\0' */
	unsigned int commands;	/* the commands that have it: bits 1 << OPTIONS_... */
	const char *value_name; /* for the help; NULL: it has no value */
	int (*parse)(const struct option_arg *arg);
	size_t field; /* offset in struct options of the field that ->parse sets */
	size_t given; /* offset of a bool that is true if the option is given; 0: none */
	bool is_once; /* not for a later 'start --resume' */
	bool is_path; /* may be a path relative to the working directory */
	struct option_limits limits;
	const char *help; /* ends with the default in parentheses; NULL: not in the help */
};

/* In the order of the help. */
extern const struct option_row options_table[];
extern const size_t options_table_rows;

/* --- a command line: options_parse.c --- */

/* Refuses options that contradict each other, and options without effect. Returns 0, or EXIT_USAGE
 * after the error was reported. */
int options_check_together(const struct options *options);

/**
 * options_parse() - argv to options
 * @options: set; points into itself, so it must not move afterwards
 * @argc, @argv: from the command's name on; argv is reordered
 *
 * With --resume, options_check_together() is left to the caller. Returns 0, or EXIT_USAGE after the
 * error was reported.
 */
int options_parse(struct options *options, enum options_command command, int argc, char **argv);

/* --- 'jankd --help' and 'jankd COMMAND --help', on standard output: help.c --- */

void help_print_program(void);

/* The options are those of options_table.c. */
void help_print(enum options_command command);

#endif

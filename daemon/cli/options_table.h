/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: every option, once, in options_table.c, which options_parse.c and help.c
 * read. */
#ifndef JANKD_DAEMON_CLI_OPTIONS_TABLE_H
#define JANKD_DAEMON_CLI_OPTIONS_TABLE_H

#include <stddef.h>

#include "daemon/base/options.h"

/* The kinds of values, and the type of the field that each sets. */
enum option_kind {
	OPTION_FLAG,	    /* bool: the option was given */
	OPTION_NUMBER,	    /* double: a decimal number */
	OPTION_SECONDS,	    /* uint64_t, in ns: a decimal number of seconds */
	OPTION_MS,	    /* uint64_t, in ns: of milliseconds */
	OPTION_COUNT,	    /* uint64_t: a whole number */
	OPTION_SMALL_COUNT, /* unsigned int: a whole number */
	OPTION_BYTES,	    /* uint64_t: K, M or G may follow. Only the lower limit is checked */
	OPTION_TEXT,	    /* const char *, borrowed from argv: any text except "" */
	OPTION_GLOB,	    /* const char *[OPTIONS_GLOBS_MAX + 1]: appends a text */
	OPTION_FOCUS,	    /* const char *: "com.game/.Main", or the app alone */
	OPTION_INSTANCE,    /* const char *: the name of a trace instance */
	OPTION_CATEGORIES,  /* const char *: names of atrace's categories */
	OPTION_DEVICE_ID,   /* const char * */
	OPTION_SOURCE,	    /* enum options_source */
	OPTION_CLASS,	    /* enum app_class */
	OPTION_TRIGGER,	    /* const char *; also sets ->condition and ->pipeline.trigger */
};

/* Smallest and largest value of a number, in the unit of the command line. @what: what the number
 * is, for messages, such as "a frame rate". */
struct option_limits {
	double least, most;
	const char *what;
};

struct option_row {
	const char *name;	/* long form, without "--" */
	char letter;		/* short form, or '\0' */
	const char *value_name; /* for the help; NULL: it has no value */
	unsigned int commands;	/* the commands that have it: bits 1 << OPTIONS_... */
	enum option_kind kind;
	size_t field;	   /* offset in struct options of the field that it sets */
	size_t given;	   /* offset of a bool that is true if the option is given; 0: none */
	const char *alias; /* another long form, or NULL */
	bool is_once;	   /* not for a later 'start --resume' */
	bool is_path;	   /* may be a path relative to the working directory */
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

/* Sets @options, which points into itself and must not move afterwards. @argv: from the command's
 * name on; it is reordered. With --resume, options_check_together() is left to the caller. Returns
 * 0, or EXIT_USAGE after the error was reported. */
int options_parse(struct options *options, enum options_command command, int argc, char **argv);

/* --- 'jankd --help' and 'jankd COMMAND --help', on standard output: help.c --- */

void help_print_program(void);
void help_print(enum options_command command);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Parsers of the command line: each parses one kind of value and sets one field of struct options.
 *
 * All return 0, or EXIT_USAGE after the error was reported. options_table.c names the parser of
 * each option. */
#ifndef JANKD_DAEMON_CLI_OPTION_ARG_H
#define JANKD_DAEMON_CLI_OPTION_ARG_H

#include "daemon/base/options.h"

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

#endif

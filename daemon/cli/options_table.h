/* SPDX-License-Identifier: Apache-2.0 */
/* Every option of the command line, once: options_parse.c and help.c read this table. */
#ifndef JANKD_DAEMON_CLI_OPTIONS_TABLE_H
#define JANKD_DAEMON_CLI_OPTIONS_TABLE_H

#include <stddef.h>

#include "daemon/cli/option_arg.h"

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

#endif

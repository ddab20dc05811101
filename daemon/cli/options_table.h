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
	unsigned int commands;	/* that have the option: bits 1 << OPTIONS_... */
	const char *value_name; /* of its value in the help; NULL: it takes none */
	int (*parse)(const struct option_arg *arg);
	size_t field; /* that ->parse sets, as offset in struct options */
	size_t given; /* offset of a bool that is set with it; 0: none */
	struct option_limits limits;
	const char *help; /* its default in parentheses at the end; NULL: not in the help */
};

/* In the order of the help. */
extern const struct option_row options_table[];
extern const size_t options_table_rows;

#endif

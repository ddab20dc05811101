/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of the commands that ask a running capture. */
#ifndef JANKD_DAEMON_CLI_ASK_OPTIONS_H
#define JANKD_DAEMON_CLI_ASK_OPTIONS_H

#include <stdbool.h>

/* Text is borrowed from argv, or constant. */
struct ask_options {
	const char *command;
	const char *folder;
	const char *text; /* mark: the operand */
	bool json;	  /* status */
	bool help;
};

/* Returns 0, or EXIT_USAGE after the reason was said on stderr. argv[0] is the command's name. */
int ask_options_parse(struct ask_options *options, int argc, char **argv);

#endif

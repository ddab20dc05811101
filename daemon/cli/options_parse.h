/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a command, as declared in options_table.c. */
#ifndef JANKD_DAEMON_CLI_OPTIONS_PARSE_H
#define JANKD_DAEMON_CLI_OPTIONS_PARSE_H

#include "daemon/base/options.h"

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

#endif

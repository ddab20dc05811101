/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of 'jankd --help' and 'jankd COMMAND --help', on standard output. */
#ifndef JANKD_DAEMON_CLI_HELP_H
#define JANKD_DAEMON_CLI_HELP_H

#include "daemon/base/options.h"

void help_print_program(void);

/* The options are those of options_table.c. */
void help_print(enum options_command command);

#endif

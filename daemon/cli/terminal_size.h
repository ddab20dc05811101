/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JANKD_DAEMON_CLI_TERMINAL_SIZE_H
#define JANKD_DAEMON_CLI_TERMINAL_SIZE_H

#include <stdbool.h>

/* Reads the size of the terminal at @fd. Returns false, with nothing set, if it is no terminal. */
bool terminal_size(int fd, unsigned int *lines, unsigned int *columns);

/* True: @fd is a terminal that has colours, and NO_COLOR does not forbid them. */
bool terminal_has_colour(int fd);

#endif

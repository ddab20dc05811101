/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JANKD_DAEMON_CLI_TERMINAL_SIZE_H
#define JANKD_DAEMON_CLI_TERMINAL_SIZE_H

#include <stdbool.h>

/* Size of the terminal at @fd. False: it is none, and nothing is set. */
bool terminal_size(int fd, unsigned int *lines, unsigned int *columns);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal: its size, its colours, and single keys from it. */
#ifndef JANKD_DAEMON_CLI_TERMINAL_H
#define JANKD_DAEMON_CLI_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

/* Reads the size of the terminal at @fd. Returns false, with nothing set, if it is no terminal. */
bool terminal_size(int fd, unsigned int *lines, unsigned int *columns);

/* True: @fd is a terminal that has colours, and NO_COLOR does not forbid them. */
bool terminal_has_colour(int fd);

/* Single keys from standard input, without echo and without Enter. */
struct terminal_keys {
	struct termios before;
	bool is_open; /* standard input is a terminal, with this process in its foreground */
};

/* Switches the terminal to single keys. Without a terminal, ->is_open stays false. */
void terminal_keys_begin(struct terminal_keys *keys);

/* Returns true if @key was pressed or the terminal is gone. Call it when standard input is
 * readable. */
bool terminal_keys_pressed(struct terminal_keys *keys, char key);

/* Restores the terminal. May be called in any state. */
void terminal_keys_end(struct terminal_keys *keys);

#endif

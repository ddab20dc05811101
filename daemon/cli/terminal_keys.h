/* SPDX-License-Identifier: Apache-2.0 */
/* Single keys from the terminal at standard input, without echo and without Enter. */
#ifndef JANKD_DAEMON_CLI_TERMINAL_KEYS_H
#define JANKD_DAEMON_CLI_TERMINAL_KEYS_H

#include <stdbool.h>
#include <termios.h>

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

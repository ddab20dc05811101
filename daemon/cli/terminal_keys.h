/* SPDX-License-Identifier: Apache-2.0 */
/* Single keys from the terminal at standard input, without an echo and without Enter. */
#ifndef JANKD_DAEMON_CLI_TERMINAL_KEYS_H
#define JANKD_DAEMON_CLI_TERMINAL_KEYS_H

#include <stdbool.h>
#include <termios.h>

struct terminal_keys {
	struct termios before;
	bool is_open; /* standard input is a terminal, and ours */
};

/* Takes the terminal. Where there is none, nothing can be read. */
void terminal_keys_begin(struct terminal_keys *keys);

/* Has @key been pressed? To be called when standard input is readable. */
bool terminal_keys_pressed(struct terminal_keys *keys, char key);

/* Gives it back as it was. */
void terminal_keys_end(struct terminal_keys *keys);

#endif

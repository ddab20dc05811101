/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal: its size, its colours, single keys from it, and a page of text that is updated in
 * place: the table of 'run' and 'top'. */
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

/* --- the live view --- */

struct live;

/* Switches the terminal at standard output to the live view. Returns NULL if there is no terminal
 * or no memory: the functions below then draw nothing. */
struct live *live_begin(void);

/* Shows @text: whole lines of printable characters. */
void live_show(struct live *live, const char *text);

/* Stops this process as Ctrl-Z does. The terminal is restored meanwhile. Returns when the process
 * is continued. */
void live_suspend(struct live *live);

/* Restores the terminal and frees @live, which may be NULL. Returns NULL. */
struct live *live_end(struct live *live);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_size(int fd, unsigned int *lines, unsigned int *columns)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) < 0)
		return false;
	*lines = size.ws_row > 0 ? size.ws_row : 24;
	*columns = size.ws_col > 0 ? size.ws_col : 80;
	return true;
}

bool terminal_has_colour(int fd)
{
	const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (!isatty(fd) || (no_colour && no_colour[0]))
		return false;
	return terminal && terminal[0] && strcmp(terminal, "dumb") != 0;
}

void terminal_keys_begin(struct terminal_keys *keys)
{
	struct termios single;

	/* A process in the background must not change the terminal. */
	keys->is_open =
		tcgetpgrp(STDIN_FILENO) == getpgrp() && tcgetattr(STDIN_FILENO, &keys->before) == 0;
	if (!keys->is_open)
		return;
	single = keys->before;
	single.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	single.c_cc[VMIN] = 1;
	single.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &single);
}

bool terminal_keys_pressed(struct terminal_keys *keys, char key)
{
	char typed[64];
	ssize_t n = read(STDIN_FILENO, typed, sizeof(typed));

	/* A terminal that is gone stays readable: it must not be polled again. */
	if (n <= 0)
		keys->is_open = false;
	return n <= 0 || memchr(typed, key, (size_t)n) != NULL;
}

void terminal_keys_end(struct terminal_keys *keys)
{
	sigset_t signals, before;

	if (!keys->is_open)
		return;
	/* In the background, tcsetattr() would stop this process. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGTTOU);
	sigprocmask(SIG_BLOCK, &signals, &before);
	tcsetattr(STDIN_FILENO, TCSANOW, &keys->before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	keys->is_open = false;
}

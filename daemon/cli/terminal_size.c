/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/terminal_size.h"

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

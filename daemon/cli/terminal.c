/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/terminal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "daemon/base/stream.h"

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

/* --- the live view --- */

/* The alternate screen: at the end the terminal shows its previous content again. No cursor. Long
 * lines are cut, not wrapped: wide characters can make a line longer than calculated. */
#define ENTER "\x1b[?1049h\x1b[?25l\x1b[?7l"
#define LEAVE "\x1b[?7h\x1b[?25h\x1b[?1049l"
#define HOME "\x1b[H"
#define CLEAR_LINE "\x1b[K"
#define CLEAR_REST "\x1b[J"

/* Time limit for a stopped terminal (Ctrl-S), at the beginning and at the end. */
#define WAIT_MS 500

struct live {
	struct stream stream;
	char *page;	  /* the page that is being written, or NULL */
	size_t len, done; /* its bytes, and how many of them are written */
};

/* Writes the rest of the page. Returns true if the page is complete. A page must be complete before
 * the next one begins: it could end within an escape sequence. */
static bool write_page(struct live *live, int timeout_ms)
{
	size_t done;

	if (live->page) {
		stream_write_all(&live->stream, live->page + live->done, live->len - live->done,
				 timeout_ms, &done);
		live->done += done;
	}
	if (live->done < live->len)
		return false;
	free(live->page);
	live->page = NULL;
	live->len = live->done = 0;
	return true;
}

static void write_sequence(struct live *live, const char *sequence)
{
	size_t done;

	if (write_page(live, WAIT_MS))
		stream_write_all(&live->stream, sequence, strlen(sequence), WAIT_MS, &done);
}

struct live *live_begin(void)
{
	struct live *live;

	if (!isatty(STDOUT_FILENO))
		return NULL;
	live = calloc(1, sizeof(*live));
	if (!live)
		return NULL;
	live->stream = stream_open(STDOUT_FILENO);
	write_sequence(live, ENTER);
	return live;
}

/* Overwrites the previous page instead of clearing it first, so the screen does not flicker. */
void live_show(struct live *live, const char *text)
{
	unsigned int lines = 24, columns;
	bool last = false;
	FILE *page;

	/* If the terminal has not accepted all of the previous page, this page is dropped. */
	if (!live || !write_page(live, 0))
		return;
	page = open_memstream(&live->page, &live->len);
	if (!page)
		return;
	terminal_size(STDOUT_FILENO, &lines, &columns);
	fputs(HOME, page);
	/* Each line is cleared before it is written: after a line as wide as the screen the cursor
	 * is still on its last character. The last line has no line end, because that would scroll
	 * the screen. */
	for (; lines > 0 && !last; lines--) {
		size_t len = strcspn(text, "\n");

		last = lines == 1 || text[len] == '\0';
		fprintf(page, "%s%.*s%s", last ? CLEAR_REST : CLEAR_LINE, (int)len, text,
			last ? "" : "\n");
		text += len + 1;
	}
	if (fclose(page) != 0) {
		free(live->page);
		live->page = NULL;
		live->len = 0;
		return;
	}
	write_page(live, 0);
}

void live_suspend(struct live *live)
{
	if (live)
		write_sequence(live, LEAVE);
	kill(getpid(), SIGSTOP);
	if (live)
		write_sequence(live, ENTER);
}

struct live *live_end(struct live *live)
{
	if (!live)
		return NULL;
	write_sequence(live, LEAVE);
	stream_close(&live->stream);
	free(live->page);
	free(live);
	return NULL;
}

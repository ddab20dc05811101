/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cmd.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "daemon/control/control.h"
#include "daemon/show/show.h"
#include "daemon/base/loop.h"
#include "daemon/base/report.h"
#include "daemon/cli/terminal.h"

#define ANSWER_S 5
#define PERIOD_MS 1000

/* Lines if the output is not a terminal: enough for the whole table. */
#define LINES_MAX 64

struct top {
	const char *folder;
	struct live *live; /* NULL: standard output is no terminal */
	struct terminal_keys keys;
	int signals; /* descriptor */
	unsigned int pages;
};

static unsigned int at_most(unsigned int n, unsigned int most)
{
	return n < most ? n : most;
}

static void restore_terminal(struct top *top)
{
	terminal_keys_end(&top->keys);
	top->live = live_end(top->live);
}

static void show(struct top *top, const char *page)
{
	if (top->live)
		live_show(top->live, page);
	else
		printf("%s%s", top->pages > 0 ? "\n" : "", page);
	fflush(stdout);
	top->pages++;
}

/* Requests the table and shows it. Returns 0; > 0: the capture has ended; -1: failed, reported. */
static int update(struct top *top)
{
	unsigned int lines = LINES_MAX, columns = TABLE_COLUMNS;
	struct control_answer answer;
	char line[64];
	bool colour = top->live && terminal_has_colour(STDOUT_FILENO);
	int error;

	if (top->live)
		terminal_size(STDOUT_FILENO, &lines, &columns);
	snprintf(line, sizeof(line), "top %u %u%s\n", at_most(columns, CONTROL_SIDE_MAX),
		 at_most(lines, CONTROL_SIDE_MAX), colour ? " colour" : "");
	error = control_send(&answer, top->folder, line, ANSWER_S);
	if (error == 0) {
		show(top, answer.body);
		free(answer.body);
		return 0;
	}
	if (top->pages > 0 && (error == CONTROL_NOT_RUNNING || error == CONTROL_GONE))
		return 1;
	restore_terminal(top);
	report("%s", answer.why);
	return -1;
}

/* Handles a signal. Returns true if the command must end. */
static bool handle_signal(struct top *top)
{
	struct signalfd_siginfo info;

	if (read(top->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return false;
	if (info.ssi_signo == SIGTSTP) {
		terminal_keys_end(&top->keys);
		live_suspend(top->live);
		terminal_keys_begin(&top->keys);
	}
	return info.ssi_signo != SIGTSTP && info.ssi_signo != SIGWINCH;
}

/* Waits until it is time for the next page. Returns true if the command must end: after a signal or
 * the key q, or if standard output is a pipe whose reader is gone. */
static bool wait_for_next(struct top *top)
{
	struct pollfd fds[] = {
		{ .fd = top->signals, .events = POLLIN },
		{ .fd = top->keys.is_open ? STDIN_FILENO : -1, .events = POLLIN },
		{ .fd = STDOUT_FILENO }, /* POLLERR and POLLHUP */
	};

	if (poll(fds, 3, PERIOD_MS) <= 0)
		return false;
	if (fds[0].revents && handle_signal(top))
		return true;
	if (fds[1].revents && terminal_keys_pressed(&top->keys, 'q'))
		return true;
	return (fds[2].revents & (POLLERR | POLLHUP)) || ferror(stdout);
}

int cmd_top(struct options *options)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP };
	struct top top = { .folder = options->folder };
	int result;

	top.signals = loop_signals(signals, sizeof(signals) / sizeof(signals[0]));
	top.live = live_begin();
	if (top.live)
		terminal_keys_begin(&top.keys);
	do
		result = update(&top);
	while (result == 0 && !wait_for_next(&top));
	restore_terminal(&top);
	close(top.signals);
	return result < 0 ? EXIT_FAILED : EXIT_DONE;
}

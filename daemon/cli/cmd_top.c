/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cmd.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "daemon/cli/ask_options.h"
#include "daemon/control/control_client.h"
#include "daemon/cli/live.h"
#include "daemon/base/loop.h"
#include "daemon/cli/help.h"
#include "daemon/base/report.h"
#include "daemon/control/table.h"
#include "daemon/cli/terminal_keys.h"

#define ANSWER_S 5
#define PERIOD_MS 1000

/* Lines where the output is no terminal: all that a table has. */
#define LINES_MAX 64

struct top {
	const struct ask_options *options;
	struct live *live; /* NULL: standard output is no terminal */
	struct terminal_keys keys;
	int signals; /* descriptor */
	unsigned int pages;
};

static int open_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP };

	return loop_signals(numbers, sizeof(numbers) / sizeof(numbers[0]));
}

static void give_back(struct top *top)
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

static unsigned int at_most(unsigned int n, unsigned int most)
{
	return n < most ? n : most;
}

/* Returns 0, > 0 where the daemon has ended, or -1 after the reason was said on stderr. */
static int draw(struct top *top)
{
	unsigned int lines = LINES_MAX, columns = TABLE_COLUMNS;
	struct control_answer answer;
	char line[64];
	int error;

	if (top->live)
		table_terminal(STDOUT_FILENO, &lines, &columns);
	snprintf(line, sizeof(line), "top %u %u\n", at_most(columns, 4096), at_most(lines, 4096));
	error = control_ask(&answer, top->options->folder, line, ANSWER_S);
	if (error == 0) {
		show(top, answer.body);
		free(answer.body);
		return 0;
	}
	if (top->pages > 0 && (error == CONTROL_NOBODY || error == CONTROL_GONE))
		return 1;
	give_back(top);
	report("top: %s", answer.why);
	return -1;
}

static void suspend(struct top *top)
{
	terminal_keys_end(&top->keys);
	live_suspend(top->live);
	terminal_keys_begin(&top->keys);
}

/* Takes a signal. True: it ends us. */
static bool take_signal(struct top *top)
{
	struct signalfd_siginfo info;

	if (read(top->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return false;
	if (info.ssi_signo == SIGTSTP)
		suspend(top);
	return info.ssi_signo != SIGTSTP && info.ssi_signo != SIGWINCH;
}

/* Until it is time for the next page. True: somebody wants the end. */
static bool wait_for_next(struct top *top)
{
	struct pollfd fds[] = {
		{ .fd = top->signals, .events = POLLIN },
		{ .fd = top->keys.is_open ? STDIN_FILENO : -1, .events = POLLIN },
		{ .fd = STDOUT_FILENO }, /* a pipe that nobody reads any more */
	};

	if (poll(fds, 3, PERIOD_MS) <= 0)
		return false;
	if (fds[0].revents && take_signal(top))
		return true;
	if (fds[1].revents && terminal_keys_pressed(&top->keys, 'q'))
		return true;
	return (fds[2].revents & (POLLERR | POLLHUP)) || ferror(stdout);
}

static int run(struct top *top)
{
	int ended;

	top->signals = open_signals();
	top->live = live_begin();
	if (top->live)
		terminal_keys_begin(&top->keys);
	do
		ended = draw(top);
	while (ended == 0 && !wait_for_next(top));
	give_back(top);
	close(top->signals);
	return ended < 0 ? EXIT_FAILED : EXIT_DONE;
}

int cmd_top(int argc, char **argv)
{
	struct ask_options options;
	struct top top = { .options = &options };
	int code = ask_options_parse(&options, argc, argv);

	if (code != 0)
		return code;
	if (options.help) {
		fputs(help_top, stdout);
		return EXIT_DONE;
	}
	return run(&top);
}

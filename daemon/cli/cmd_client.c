/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that send requests to a running capture: stop, status, mark and rotate send one, top
 * one each second; and files, which needs none. */
#include "daemon/cli/cli.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "daemon/base/loop.h"
#include "daemon/base/report.h"
#include "daemon/cli/terminal.h"
#include "daemon/control/control.h"
#include "daemon/files/files.h"
#include "daemon/show/show.h"

#define ANSWER_S 10

/* At the end a capture reads the rest of the trace, and atrace may need 20 s. */
#define STOP_ANSWER_S 60

#define TOP_ANSWER_S 5
#define TOP_PERIOD_MS 1000

/* Lines if the output is not a terminal: enough for the whole table. */
#define LINES_MAX 64

static unsigned int at_most(unsigned int n, unsigned int most)
{
	return n < most ? n : most;
}

/* Prints the answer and frees it. @error: result of control_send(). Returns an exit code. */
static int print_answer(struct control_answer *answer, int error)
{
	if (error != 0) {
		report("%s", answer->why);
		return EXIT_FAILED;
	}
	fputs(answer->body, stdout);
	free(answer->body);
	return EXIT_DONE;
}

static int request(const struct options *options, const char *line)
{
	struct control_answer answer;
	int error = control_send(&answer, options->folder, line, ANSWER_S);

	return print_answer(&answer, error);
}

int cmd_stop(struct options *options)
{
	struct control_answer answer;
	int error = control_send(&answer, options->folder, "stop\n", STOP_ANSWER_S);

	if (error != CONTROL_NOT_RUNNING)
		return print_answer(&answer, error);
	/* The settings of a capture that was killed are still to be restored. */
	switch (capture_recover(options, resume_killed(options))) {
	case CAPTURE_RECOVERED:
		printf("the capture in %s was killed; its tracing settings have been restored\n",
		       options->folder);
		return EXIT_DONE;
	case CAPTURE_NOT_KILLED:
		report("%s", answer.why);
		return EXIT_FAILED;
	default:
		return EXIT_FAILED;
	}
}

int cmd_rotate(struct options *options)
{
	return request(options, "rotate\n");
}

int cmd_mark(struct options *options)
{
	char line[CONTROL_LINE_MAX];
	size_t len = control_request_mark(line, options->operands[0]);

	if (len == 0) {
		report("TEXT must be 1 to %d bytes; %s", CONTROL_MARK_MAX,
		       options->operands[0][0] ? "shorten the text" : "add the text");
		return EXIT_USAGE;
	}
	line[len] = '\0';
	return request(options, line);
}

int cmd_status(struct options *options)
{
	unsigned int lines, columns = TABLE_COLUMNS;
	struct control_answer answer;
	char line[64], *last = NULL;
	int error;

	if (!options->json) {
		terminal_size(STDOUT_FILENO, &lines, &columns);
		snprintf(line, sizeof(line), "status text %u\n",
			 at_most(columns, CONTROL_SIDE_MAX));
		return request(options, line);
	}
	error = control_send(&answer, options->folder, "status\n", ANSWER_S);
	/* What is known of a capture that has ended. */
	if (error == CONTROL_NOT_RUNNING)
		last = status_json_of_last(options->folder);
	if (last)
		puts(last);
	free(last);
	return print_answer(&answer, error);
}

int cmd_files(struct options *options)
{
	if (options->read_name)
		return file_list_read(STDOUT_FILENO, options->folder, options->read_name,
				      options->read_from);
	return file_list_print(stdout, options->folder, options->list_times);
}

/* Requests the table once a second and shows it, until a signal or the key q, until the capture has
 * ended, or until the reader of standard output is gone. */
int cmd_top(struct options *options)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP };
	int signals = loop_signals(numbers, sizeof(numbers) / sizeof(numbers[0])), error = 0;
	struct live *live = live_begin(); /* NULL: standard output is no terminal */
	struct terminal_keys keys = { .is_open = false };
	struct control_answer answer;
	bool is_over = false;

	if (live)
		terminal_keys_begin(&keys);
	for (unsigned int pages = 0; !is_over; pages++) {
		struct pollfd fds[] = {
			{ .fd = signals, .events = POLLIN },
			{ .fd = keys.is_open ? STDIN_FILENO : -1, .events = POLLIN },
			{ .fd = STDOUT_FILENO }, /* POLLERR and POLLHUP */
		};
		unsigned int lines = LINES_MAX, columns = TABLE_COLUMNS;
		struct signalfd_siginfo info;
		char line[64];

		if (live)
			terminal_size(STDOUT_FILENO, &lines, &columns);
		snprintf(line, sizeof(line), "top %u %u%s\n", at_most(columns, CONTROL_SIDE_MAX),
			 at_most(lines, CONTROL_SIDE_MAX),
			 live && terminal_has_colour(STDOUT_FILENO) ? " colour" : "");
		error = control_send(&answer, options->folder, line, TOP_ANSWER_S);
		if (error != 0) {
			/* The end of a capture is no error of this command. */
			if (pages > 0 && (error == CONTROL_NOT_RUNNING || error == CONTROL_GONE))
				error = 0;
			break;
		}
		if (live)
			live_show(live, answer.body);
		else
			printf("%s%s", pages > 0 ? "\n" : "", answer.body);
		fflush(stdout);
		free(answer.body);

		if (poll(fds, 3, TOP_PERIOD_MS) <= 0)
			continue;
		if (fds[0].revents && read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
			is_over = info.ssi_signo != SIGTSTP && info.ssi_signo != SIGWINCH;
			if (info.ssi_signo == SIGTSTP) {
				terminal_keys_end(&keys);
				live_suspend(live);
				terminal_keys_begin(&keys);
			}
		}
		is_over = is_over || (fds[1].revents && terminal_keys_pressed(&keys, 'q')) ||
			  (fds[2].revents & (POLLERR | POLLHUP)) || ferror(stdout);
	}
	terminal_keys_end(&keys);
	live_end(live);
	if (error != 0)
		report("%s", answer.why);
	close(signals);
	return error != 0 ? EXIT_FAILED : EXIT_DONE;
}

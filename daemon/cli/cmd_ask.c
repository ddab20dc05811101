/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that ask a running capture one thing. */
#include "daemon/cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/cli/ask_options.h"
#include "daemon/control/control_client.h"
#include "daemon/control/control_request.h"
#include "daemon/trace/journal.h"
#include "daemon/cli/help.h"
#include "daemon/base/report.h"
#include "daemon/control/table.h"

#define ANSWER_S 10

/* What is still to be read, and atrace, which may take 20 s to end. */
#define STOP_ANSWER_S 60

/* Asks and prints what comes. Returns an exit code. */
static int ask(const struct ask_options *options, const char *line, unsigned int timeout_s)
{
	struct control_answer answer;
	int error = control_ask(&answer, options->folder, line, timeout_s);

	if (error != 0) {
		report("%s: %s", options->command, answer.why);
		return EXIT_FAILED;
	}
	fputs(answer.body, stdout);
	free(answer.body);
	return EXIT_DONE;
}

/* Takes the command line. True: there is nothing more to do, *code is the exit code. */
static bool is_over(struct ask_options *options, const char *help, int argc, char **argv, int *code)
{
	*code = ask_options_parse(options, argc, argv);
	if (*code == 0 && options->help)
		fputs(help, stdout);
	return *code != 0 || options->help;
}

/* One that was killed has left tracing as it needed it. */
static int stop_dead(const struct ask_options *options, const char *why)
{
	report_name(options->command);
	switch (journal_recover_at(options->command, options->folder)) {
	case JOURNAL_DONE:
		printf("the capture in %s was killed before; tracing is put back as it was\n",
		       options->folder);
		return EXIT_DONE;
	case JOURNAL_NONE:
		report("%s: %s", options->command, why);
		return EXIT_FAILED;
	default:
		return EXIT_FAILED;
	}
}

int cmd_stop(int argc, char **argv)
{
	struct control_answer answer;
	struct ask_options options;
	int code;

	if (is_over(&options, help_stop, argc, argv, &code))
		return code;
	code = control_ask(&answer, options.folder, "stop\n", STOP_ANSWER_S);
	if (code == CONTROL_NOBODY)
		return stop_dead(&options, answer.why);
	if (code != 0) {
		report("%s: %s", options.command, answer.why);
		return EXIT_FAILED;
	}
	fputs(answer.body, stdout);
	free(answer.body);
	return EXIT_DONE;
}

int cmd_rotate(int argc, char **argv)
{
	struct ask_options options;
	int code;

	if (is_over(&options, help_rotate, argc, argv, &code))
		return code;
	return ask(&options, "rotate\n", ANSWER_S);
}

int cmd_mark(int argc, char **argv)
{
	char line[CONTROL_LINE_MAX];
	struct ask_options options;
	size_t len;
	int code;

	if (is_over(&options, help_mark, argc, argv, &code))
		return code;
	len = control_request_mark(line, options.text);
	if (len == 0) {
		report("mark: TEXT: not 1 to %d bytes; give it a shorter name", CONTROL_MARK_MAX);
		return EXIT_USAGE;
	}
	line[len] = '\0';
	return ask(&options, line, ANSWER_S);
}

int cmd_status(int argc, char **argv)
{
	unsigned int lines, columns = TABLE_COLUMNS;
	struct ask_options options;
	char line[64];
	int code;

	if (is_over(&options, help_status, argc, argv, &code))
		return code;
	if (options.json)
		return ask(&options, "status\n", ANSWER_S);
	table_terminal(STDOUT_FILENO, &lines, &columns);
	snprintf(line, sizeof(line), "status text %u\n", columns < 4096 ? columns : 4096);
	return ask(&options, line, ANSWER_S);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that send one request to a running capture: stop, status, mark and rotate; and
 * files, which needs none. */
#include "daemon/cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/base/report.h"
#include "daemon/cli/terminal.h"
#include "daemon/control/control.h"
#include "daemon/files/files.h"
#include "daemon/show/show.h"

#define ANSWER_S 10

/* At the end a capture reads the rest of the trace, and atrace may need 20 s. */
#define STOP_ANSWER_S 60

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

/* Restores the tracing settings that a killed capture left. @why: the message if no capture was
 * killed. */
static int restore_tracing(const struct options *options, const char *why)
{
	switch (capture_recover(options, resume_killed(options))) {
	case CAPTURE_RECOVERED:
		printf("the capture in %s was killed; its tracing settings have been restored\n",
		       options->folder);
		return EXIT_DONE;
	case CAPTURE_NOT_KILLED:
		report("%s", why);
		return EXIT_FAILED;
	default:
		return EXIT_FAILED;
	}
}

int cmd_stop(struct options *options)
{
	struct control_answer answer;
	int error = control_send(&answer, options->folder, "stop\n", STOP_ANSWER_S);

	if (error == CONTROL_NOT_RUNNING)
		return restore_tracing(options, answer.why);
	return print_answer(&answer, error);
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

/* Also prints what is known of a capture that has ended. */
static int status_as_json(const struct options *options)
{
	struct control_answer answer;
	int error = control_send(&answer, options->folder, "status\n", ANSWER_S);
	char *last = error == CONTROL_NOT_RUNNING ? status_json_of_last(options->folder) : NULL;

	if (last)
		puts(last);
	free(last);
	return print_answer(&answer, error);
}

int cmd_status(struct options *options)
{
	unsigned int lines, columns = TABLE_COLUMNS;
	char line[64];

	if (options->json)
		return status_as_json(options);
	terminal_size(STDOUT_FILENO, &lines, &columns);
	snprintf(line, sizeof(line), "status text %u\n",
		 columns < CONTROL_SIDE_MAX ? columns : CONTROL_SIDE_MAX);
	return request(options, line);
}

int cmd_files(struct options *options)
{
	if (options->read_name)
		return file_list_read(STDOUT_FILENO, options->folder, options->read_name,
				      options->read_from);
	return file_list_print(stdout, options->folder, options->list_times);
}

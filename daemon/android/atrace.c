/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android/android.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/child.h"
#include "daemon/base/text.h"
#include "daemon/base/report.h"

/* At its end atrace prints the rest of the trace. If it prints nothing for this time, it hangs. A
 * capture must end within 2 s. */
#define SILENT_MS 1200

#define BLANKS " \t,"

bool atrace_are_categories(const char *categories)
{
	const char *at = categories + strspn(categories, BLANKS);
	size_t words = 0;

	for (; *at; at += strspn(at, BLANKS)) {
		if (*at == '-')
			return false;
		words++;
		at += strcspn(at, BLANKS);
	}
	return words > 0 && words <= ATRACE_CATEGORIES_MAX &&
	       strlen(categories) < ATRACE_WORDS_SIZE;
}

void atrace_make_command(struct atrace_command *command, uint64_t buffer_kb, const char *categories,
			 bool tags_alone)
{
	size_t most = sizeof(command->argv) / sizeof(command->argv[0]) - 1;
	char *rest = command->words;
	size_t argc = 0;
	char *word;

	snprintf(command->size, sizeof(command->size), "%llu", (unsigned long long)buffer_kb);
	snprintf(command->words, sizeof(command->words), "%s", categories);
	command->argv[argc++] = "atrace";
	if (!tags_alone) {
		command->argv[argc++] = "-b";
		command->argv[argc++] = command->size;
		command->argv[argc++] = "-c";
	}
	command->argv[argc++] = "--async_start";
	if (tags_alone)
		command->argv[argc++] = "--only_userspace";
	while ((word = strsep(&rest, BLANKS)) && argc < most)
		if (*word)
			command->argv[argc++] = word;
	command->argv[argc] = NULL;
}

/* Why a run failed. @output: if not empty, its first line is the reason; it is cut after that. */
static const char *why_failed(int status, char *output)
{
	if (status == -ETIMEDOUT)
		return "timed out";
	if (status == -EINTR)
		return "interrupted by a signal";
	if (status < 0)
		return strerror(-status);
	output[strcspn(output, "\n")] = '\0';
	return output[0] ? output : "failed";
}

int atrace_start(uint64_t buffer_kb, const char *categories)
{
	struct atrace_command command;
	char output[4096];
	int status;

	atrace_make_command(&command, buffer_kb, categories, false);
	status = child_run(command.argv, ATRACE_TIMEOUT_MS, 0, true, output, sizeof(output));
	if (status == 0)
		return 0;
	report("atrace --async_start: %s; %s", why_failed(status, output),
	       status == -EINTR ? "start jankd again" : "try other --categories, or --no-atrace");
	return status < 0 ? status : -EIO;
}

void atrace_stop(int timeout_ms, bool until_signal, bool quiet)
{
	char *argv[] = { "atrace", "--async_stop", NULL };
	char output[4096];
	int status = child_run(argv, timeout_ms, SILENT_MS, until_signal, output, sizeof(output));

	if (status != 0 && !quiet)
		report_warning("atrace --async_stop: %s; apps may still write markers",
			       why_failed(status, output));
}

#define LIST_MS 5000

int atrace_check(const char *categories, char why[static ATRACE_WHY_SIZE])
{
	char *argv[] = { "atrace", "--list_categories", NULL };
	char output[16384];
	int status;

	why[0] = '\0';
	if (!child_program_exists("atrace"))
		return -ENOENT;
	status = child_run(argv, LIST_MS, 0, false, output, sizeof(output));
	if (status != 0) {
		text_copy(why, ATRACE_WHY_SIZE, why_failed(status, output));
		return status < 0 ? status : -EIO;
	}
	for (const char *at = categories; *(at += strspn(at, BLANKS));) {
		size_t len = strcspn(at, BLANKS);
		const char *line = output;

		/* The lines are "         gfx - Graphics". */
		for (; line; line = strchr(line, '\n')) {
			line += strspn(line, " \t\n");
			if (strncmp(line, at, len) == 0 && strncmp(line + len, " - ", 3) == 0)
				break;
		}
		if (!line) {
			snprintf(why, ATRACE_WHY_SIZE, "%.*s", (int)len, at);
			return 1;
		}
		at += len;
	}
	return 0;
}

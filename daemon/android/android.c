/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android/android.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/child.h"
#include "daemon/base/report.h"
#include "daemon/base/wall_clock.h"

#define NS_PER_MS INT64_C(1000000)

/* At its end atrace prints what is left in the trace. One that prints nothing for so long hangs:
 * who asked for the end waits 2 s at most. */
#define SILENT_MS 1200

/* So long all properties of one asking may take. */
#define PROPERTIES_MS 2000

#define BLANKS " \t,"

static int64_t now_ms(void)
{
	return clock_read(CLOCK_MONOTONIC) / NS_PER_MS;
}

bool android_has(const char *program)
{
	const char *path = getenv("PATH");
	char candidate[1024];

	while (path && *path) {
		size_t len = strcspn(path, ":");

		snprintf(candidate, sizeof(candidate), "%.*s/%s", (int)len, path, program);
		if (len > 0 && access(candidate, X_OK) == 0)
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

/* The reason that a run gives: its first line of output, or the error's name. */
static const char *reason(int status, char *output)
{
	if (status == -ETIMEDOUT)
		return "it does not come to its end";
	if (status == -EINTR)
		return "a signal came meanwhile";
	if (status < 0)
		return strerror(-status);
	output[strcspn(output, "\n")] = '\0';
	return output[0] ? output : "it failed";
}

bool android_are_categories(const char *categories)
{
	const char *at = categories + strspn(categories, BLANKS);
	size_t words = 0;

	for (; *at; at += strspn(at, BLANKS)) {
		if (*at == '-')
			return false;
		words++;
		at += strcspn(at, BLANKS);
	}
	return words > 0 && words <= ANDROID_CATEGORIES_MAX &&
	       strlen(categories) < ATRACE_WORDS_SIZE;
}

void android_atrace_command(struct atrace_command *command, uint64_t buffer_kb,
			    const char *categories, bool tags_alone)
{
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
	while ((word = strsep(&rest, BLANKS)) && argc < ATRACE_WORDS_MAX)
		if (*word)
			command->argv[argc++] = word;
	command->argv[argc] = NULL;
}

int android_atrace_start(uint64_t buffer_kb, const char *categories, bool until_signal)
{
	struct atrace_command command;
	char output[4096];
	int status;

	android_atrace_command(&command, buffer_kb, categories, false);
	status =
		child_run(command.argv, ANDROID_ATRACE_MS, 0, until_signal, output, sizeof(output));
	if (status == 0)
		return 0;
	report_capture("atrace --async_start: %s; %s", reason(status, output),
		       status == -EINTR ? "begin again" : "try other --categories, or --no-atrace");
	return status < 0 ? status : -EIO;
}

void android_atrace_stop(int timeout_ms, bool until_signal, bool quiet)
{
	char *argv[] = { "atrace", "--async_stop", NULL };
	char output[4096];
	int status = child_run(argv, timeout_ms, SILENT_MS, until_signal, output, sizeof(output));

	if (status != 0 && !quiet)
		report("warning: %s: atrace --async_stop: %s; apps may still write markers",
		       report_command(), reason(status, output));
}

struct android_asking android_ask(bool until_signal)
{
	return (struct android_asking){
		.deadline_ms = now_ms() + PROPERTIES_MS,
		.until_signal = until_signal,
		.over = !android_has("getprop"),
	};
}

bool android_property(struct android_asking *asking, const char *name, char *value, size_t size)
{
	char *argv[] = { "getprop", (char *)name, NULL };
	int status = -ENOENT;

	value[0] = '\0';
	if (!asking->over)
		status = child_run(argv, (int)(asking->deadline_ms - now_ms()), 0,
				   asking->until_signal, value, size);
	asking->over |= status < 0;
	if (status != 0)
		value[0] = '\0';
	value[strcspn(value, "\r\n")] = '\0';
	return status == 0;
}

int android_set_property(struct android_asking *asking, const char *name, const char *value)
{
	char *argv[] = { "setprop", (char *)name, (char *)value, NULL };
	char output[256];
	int status = child_run(argv, (int)(asking->deadline_ms - now_ms()), 0, asking->until_signal,
			       output, sizeof(output));

	return status > 0 ? -EACCES : status;
}

void android_read_device(struct android_asking *asking, struct android_device *device)
{
	android_property(asking, "ro.product.model", device->model, sizeof(device->model));
	android_property(asking, "ro.build.version.sdk", device->sdk, sizeof(device->sdk));
	android_property(asking, "ro.build.fingerprint", device->build, sizeof(device->build));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/report.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/text.h"

static char last[1024];
static const char *name = "run";
static void (*also_to)(void *context, const char *line);
static void *also_context;
static bool quiet;

/* The line is dropped if standard error does not accept it within this time. */
#define WAIT_MS 100

static void print(const char *raw)
{
	struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };
	char line[4 * 2048];

	if (quiet)
		return;
	text_escape(line, sizeof(line), raw);
	snprintf(last, sizeof(last), "%.*s", (int)sizeof(last) - 1, line);
	if (poll(&out, 1, WAIT_MS) != 0)
		fprintf(stderr, "jankd: %s\n", line);
	if (also_to)
		also_to(also_context, raw);
}

void report_also_to(void (*also)(void *context, const char *line), void *context)
{
	also_to = also;
	also_context = context;
}

void report_quiet(bool is_quiet)
{
	quiet = is_quiet;
}

void report(const char *format, ...)
{
	char raw[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	print(raw);
}

void report_name(const char *command)
{
	name = command;
}

void report_capture(const char *format, ...)
{
	char raw[2048];
	int len = snprintf(raw, sizeof(raw), "%s: ", name);
	va_list args;

	va_start(args, format);
	vsnprintf(raw + len, sizeof(raw) - (size_t)len, format, args);
	va_end(args);
	print(raw);
}

const char *report_advice(int error, const char *otherwise)
{
	switch (-error) {
	case EMFILE:
		return "raise the limit of open files: ulimit -n 256";
	case ENFILE:
		return "stop programs that have many files open";
	case ENOMEM:
		return "stop programs that use a lot of memory";
	default:
		return otherwise;
	}
}

void report_forget(void)
{
	last[0] = '\0';
}

const char *report_command(void)
{
	return name;
}

const char *report_last_reason(void)
{
	static const char warning[] = "warning: ";
	size_t len = strlen(name);
	const char *reason = last;

	if (strncmp(reason, warning, sizeof(warning) - 1) == 0)
		reason += sizeof(warning) - 1;
	return strncmp(reason, name, len) == 0 && strncmp(reason + len, ": ", 2) == 0
		       ? reason + len + 2
		       : reason;
}

const char *report_last(void)
{
	return last;
}

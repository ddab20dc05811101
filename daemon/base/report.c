/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/report.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/stream.h"
#include "daemon/base/text.h"

static char last[1024];
static const char *name = "";
static void (*also_to)(void *context, const char *line);
static void *also_context;
static bool quiet;

/* The line is dropped if standard error does not accept it within this time. While its reader does
 * not read, the next lines are not waited for. */
#define WAIT_MS 100

static const char begin[] = "jankd: ", warning[] = "warning: ";

/* A pipe takes a line up to this length as a whole or not at all. */
#define LINE_MAX_BYTES PIPE_BUF

/* @before: the name of the command. */
static __attribute__((format(printf, 2, 0))) void print(const char *before, const char *format,
							va_list arguments)
{
	static bool is_stalled;
	struct stream out;
	char raw[2048], line[LINE_MAX_BYTES];
	const size_t head = sizeof(begin) - 1;
	size_t len =
		(size_t)snprintf(raw, sizeof(raw), "%s%s%s", before, name, name[0] ? ": " : "");
	size_t done;

	if (quiet)
		return;
	vsnprintf(raw + len, sizeof(raw) - len, format, arguments);
	memcpy(line, begin, head);
	text_escape(line + head, sizeof(line) - head - 1, raw);
	snprintf(last, sizeof(last), "%.*s", (int)sizeof(last) - 1, line + head);
	len = strlen(line);
	line[len++] = '\n';
	out = stream_open(STDERR_FILENO);
	is_stalled = stream_write_all(&out, line, len, is_stalled ? 0 : WAIT_MS, &done) == -EAGAIN;
	stream_close(&out);
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

void report_name(const char *command)
{
	name = command;
}

void report(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print("", format, arguments);
	va_end(arguments);
}

void report_warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print(warning, format, arguments);
	va_end(arguments);
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

int report_no_memory(const char *file)
{
	report("%s%sout of memory; %s", file ? file : "", file ? ": " : "",
	       report_advice(-ENOMEM, ""));
	return -ENOMEM;
}

void report_forget(void)
{
	last[0] = '\0';
}

const char *report_last_reason(void)
{
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

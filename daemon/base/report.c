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
static const char *name = "run";
static void (*also_to)(void *context, const char *line);
static void *also_context;
static bool quiet;

/* The line is dropped if standard error does not accept it within this time. While its reader does
 * not read, the next lines are not waited for. */
#define WAIT_MS 100

static const char begin[] = "jankd: ";

/* A pipe takes a line up to this length as a whole or not at all. */
#define LINE_MAX_BYTES PIPE_BUF

static void print(const char *raw)
{
	static bool is_stalled;
	struct stream out;
	char line[LINE_MAX_BYTES];
	const size_t head = sizeof(begin) - 1;
	size_t len, done;

	if (quiet)
		return;
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

int report_no_memory(const char *command, const char *file)
{
	report("%s%s%s: out of memory; %s", command, file ? ": " : "", file ? file : "",
	       report_advice(-ENOMEM, ""));
	return -ENOMEM;
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

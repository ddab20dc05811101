/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/report.h"

#include <stdarg.h>
#include <stdio.h>

#include "daemon/text.h"

static char last[1024];

void report(const char *format, ...)
{
	char raw[2048];
	char line[4 * sizeof(raw)];
	va_list args;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	text_escape(line, sizeof(line), raw);
	snprintf(last, sizeof(last), "%.*s", (int)sizeof(last) - 1, line);
	fprintf(stderr, "jankd: %s\n", line);
}

const char *report_last(void)
{
	return last;
}

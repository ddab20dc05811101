/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/report.h"

#include <stdarg.h>
#include <stdio.h>

#include "daemon/text.h"

void report(const char *format, ...)
{
	char raw[2048];
	char line[4 * sizeof(raw)];
	va_list args;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	text_escape(line, sizeof(line), raw);
	fprintf(stderr, "jankd: %s\n", line);
}

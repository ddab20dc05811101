/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JANKD_TESTS_FORMATTED_H
#define JANKD_TESTS_FORMATTED_H

#include <stdarg.h>
#include <stdio.h>

/* Text as by printf(); valid until the eighth call after this one. */
__attribute__((format(printf, 1, 2))) static inline const char *formatted(const char *format, ...)
{
	static char texts[8][1024];
	static unsigned int n;
	char *text = texts[n++ % 8];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(texts[0]), format, values);
	va_end(values);
	return text;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Records as lines of text, so that a test can print the differences. */
#ifndef JANKD_TESTS_RECORD_TEXT_H
#define JANKD_TESTS_RECORD_TEXT_H

#include <stddef.h>

#include "parser/ftrace_text.h"
#include "parser/record.h"

/* A growing text. All zeros at first; free ->text at the end. */
struct text_buffer {
	char *text;
	size_t len, capacity;
};

void text_printf(struct text_buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends one line: time, letter, ids, and quoted names, with \xNN for bytes that are not
 * printable. */
void record_print(struct text_buffer *buffer, const struct trace_record *record);

/* Appends a line with the counters of the parser. */
void counters_print(struct text_buffer *buffer, const struct ftrace_text *text);

#endif

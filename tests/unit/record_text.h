/* SPDX-License-Identifier: Apache-2.0 */
/* Records as lines of text, so that a test can print the differences. */
#ifndef JANKD_TESTS_RECORD_TEXT_H
#define JANKD_TESTS_RECORD_TEXT_H

#include <stddef.h>

#include "parser/ftrace_text.h"
#include "parser/record.h"

/* Text that grows. Begin with all zero; free(text) ends it. */
struct text_buffer {
	char *text;
	size_t len, room;
};

void text_printf(struct text_buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends one line: time, letter, ids, names in quotes with \xNN for what is not printable. */
void record_print(struct text_buffer *buffer, const struct trace_record *record);

/* Appends the line that counts what the tokenizer met. */
void counters_print(struct text_buffer *buffer, const struct ftrace_text *text);

#endif

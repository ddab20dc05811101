/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/record_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void text_reserve(struct text_buffer *buffer, size_t len)
{
	if (buffer->len + len + 1 <= buffer->capacity)
		return;
	buffer->capacity = 2 * (buffer->len + len + 1);
	buffer->text = realloc(buffer->text, buffer->capacity);
	if (!buffer->text)
		abort();
}

static void text_put(struct text_buffer *buffer, char byte)
{
	text_reserve(buffer, 1);
	buffer->text[buffer->len++] = byte;
	buffer->text[buffer->len] = '\0';
}

void text_printf(struct text_buffer *buffer, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text_reserve(buffer, (size_t)len);
	va_start(args, format);
	vsnprintf(buffer->text + buffer->len, (size_t)len + 1, format, args);
	va_end(args);
	buffer->len += (size_t)len;
}

static const char *const kind_names[] = {
	[TRACE_SLICE_BEGIN] = "B",   [TRACE_SLICE_END] = "E", [TRACE_COUNTER] = "C",
	[TRACE_ASYNC_BEGIN] = "S",   [TRACE_ASYNC_END] = "F", [TRACE_INSTANT] = "I",
	[TRACE_TRACK_BEGIN] = "G",   [TRACE_TRACK_END] = "H", [TRACE_TRACK_INSTANT] = "N",
	[TRACE_CLOCK_SYNC] = "SYNC", [TRACE_LOST] = "LOST",
};

static void id_print(struct text_buffer *buffer, const char *key, int32_t id)
{
	if (id == TRACE_ID_UNKNOWN)
		text_printf(buffer, " %s=-", key);
	else
		text_printf(buffer, " %s=%" PRId32, key, id);
}

static void span_print(struct text_buffer *buffer, const char *key, struct span span)
{
	text_printf(buffer, " %s=\"", key);
	for (size_t i = 0; i < span.len; i++) {
		unsigned char byte = (unsigned char)span.ptr[i];

		if (byte < ' ' || byte > '~' || byte == '"' || byte == '\\')
			text_printf(buffer, "\\x%02x", byte);
		else
			text_put(buffer, (char)byte);
	}
	text_printf(buffer, "\"");
}

static bool has_value(enum trace_kind kind)
{
	return kind == TRACE_COUNTER || kind == TRACE_ASYNC_BEGIN || kind == TRACE_ASYNC_END ||
	       kind == TRACE_TRACK_BEGIN || kind == TRACE_TRACK_END || kind == TRACE_LOST;
}

static bool has_track(enum trace_kind kind)
{
	return kind == TRACE_TRACK_BEGIN || kind == TRACE_TRACK_END || kind == TRACE_TRACK_INSTANT;
}

void record_print(struct text_buffer *buffer, const struct trace_record *record)
{
	text_printf(buffer, "%" PRIu64 ".%09" PRIu64 " %s", record->time_ns / 1000000000,
		    record->time_ns % 1000000000, kind_names[record->kind]);
	id_print(buffer, "cpu", record->cpu);
	if (record->kind != TRACE_LOST) {
		id_print(buffer, "tid", record->tid);
		id_print(buffer, "tgid", record->tgid);
		id_print(buffer, "pid", record->pid);
		span_print(buffer, "comm", record->comm);
	}
	if (has_track(record->kind))
		span_print(buffer, "track", record->track);
	if (record->name.len != 0)
		span_print(buffer, "name", record->name);
	if (has_value(record->kind))
		text_printf(buffer, " value=%" PRId64, record->value);
	text_printf(buffer, "\n");
}

void counters_print(struct text_buffer *buffer, const struct ftrace_text *text)
{
	text_printf(buffer,
		    "markers=%" PRIu64 " malformed=%" PRIu64 " glued=%" PRIu64 " too_long=%" PRIu64
		    "\n",
		    text->markers, text->malformed, text->glued, text->too_long);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/files/csv_file.h"
#include "daemon/base/text.h"

/* Is there room for @len bytes, and for the comma or line end behind them? */
static bool has_room(struct csv_file *file, size_t len)
{
	if (!file->name || file->row_dropped)
		return false;
	if (file->len + len + 2 <= file->buffer_size)
		return true;
	csv_file_flush(file);
	file->row_dropped = file->len + len + 2 > file->buffer_size;
	return !file->row_dropped;
}

static void append(struct csv_file *file, const char *bytes, size_t len)
{
	if (!has_room(file, len))
		return;
	memcpy(file->buffer + file->len, bytes, len);
	file->len += len;
}

/* Every field writes the comma behind it; the last one becomes the line's end. */
static void end_field(struct csv_file *file)
{
	append(file, ",", 1);
}

void csv_row_end(struct csv_file *file)
{
	if (!file->name)
		return;
	if (file->row_dropped) {
		file->rows_lost++;
		file->row_dropped = false;
		file->len = file->row_begin;
		return;
	}
	file->buffer[file->len - 1] = '\n';
	if (file->admit && !file->admit(file->context, file)) {
		file->len = file->row_begin;
		return;
	}
	file->rows++;
	file->row_begin = file->len;
	if (file->is_stream)
		csv_file_flush(file);
}

void csv_row(struct csv_file *file, const char *row, size_t len)
{
	append(file, row, len);
	csv_row_end(file);
}

void csv_empty(struct csv_file *file)
{
	end_field(file);
}

void csv_raw(struct csv_file *file, const char *text)
{
	append(file, text, strlen(text));
	end_field(file);
}

void csv_count(struct csv_file *file, uint64_t count)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, count);
	csv_raw(file, text);
}

void csv_signed(struct csv_file *file, int64_t value)
{
	if (value < 0)
		csv_empty(file);
	else
		csv_count(file, (uint64_t)value);
}

void csv_time(struct csv_file *file, int64_t ns, unsigned int unit, unsigned int decimals)
{
	uint64_t whole = 1, cut = 1;
	char text[48];

	if (ns < 0) {
		csv_empty(file);
		return;
	}
	for (unsigned int i = 0; i < unit; i++)
		whole *= 10;
	for (unsigned int i = decimals; i < unit; i++)
		cut *= 10;
	snprintf(text, sizeof(text), "%" PRIu64 ".%0*" PRIu64, (uint64_t)ns / whole, (int)decimals,
		 (uint64_t)ns % whole / cut);
	csv_raw(file, text);
}

void csv_number(struct csv_file *file, double number, unsigned int decimals)
{
	char text[64];

	if (!(number >= 0) || number > 1e15) {
		csv_empty(file);
		return;
	}
	snprintf(text, sizeof(text), "%.*f", (int)decimals, number);
	csv_raw(file, text);
}

void csv_short_number(struct csv_file *file, double number, unsigned int decimals)
{
	char rounded[64], text[32];

	if (!(number >= 0) || number > 1e15) {
		csv_empty(file);
		return;
	}
	snprintf(rounded, sizeof(rounded), "%.*f", (int)decimals, number);
	snprintf(text, sizeof(text), "%.6g", strtod(rounded, NULL));
	csv_raw(file, text);
}

/* A spreadsheet runs a cell that begins like this as a formula. */
static bool looks_like_formula(char first)
{
	return first != '\0' && strchr("=+-@\t", first) != NULL;
}

/* Escapes @text into @to. Returns the length; *quote is set where RFC 4180 wants quotes. */
static size_t escape_field(char *to, const char *text, enum csv_text_flags flags, bool *quote)
{
	size_t len = 0;

	if (looks_like_formula(text[0]))
		to[len++] = '\'';
	while (len < CSV_FIELD_MAX) {
		struct text_unit unit = text_next(text);

		if (unit.used == 0)
			break;
		if (*text == '\n' && (flags & CSV_TEXT_LINES))
			unit = (struct text_unit){ .bytes = "\n", .len = 1, .used = 1 };
		if (strchr(",\"\n", unit.bytes[0]))
			*quote = true;
		if (unit.bytes[0] == '"')
			to[len++] = '"';
		memcpy(to + len, unit.bytes, unit.len);
		len += unit.len;
		text += unit.used;
	}
	return len;
}

/* Each byte may come out as \xNN. Behind them: two quotes, the one before what looks like a
 * formula, and where the text is cut the rest of its last character. */
static size_t most_of_field(const char *text)
{
	size_t len = strlen(text);

	return len < CSV_FIELD_MAX / 4 ? 4 * len + 8 : CSV_FIELD_MAX + 8;
}

void csv_text(struct csv_file *file, const char *text, enum csv_text_flags flags)
{
	bool quote = false;
	size_t len;

	if (!has_room(file, most_of_field(text)))
		return;
	len = escape_field(file->buffer + file->len + 1, text, flags, &quote);
	if (quote) {
		file->buffer[file->len] = '"';
		file->buffer[file->len + 1 + len] = '"';
		len += 2;
	} else {
		memmove(file->buffer + file->len, file->buffer + file->len + 1, len);
	}
	file->len += len;
	end_field(file);
}

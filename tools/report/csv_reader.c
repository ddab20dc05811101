/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/csv_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/os.h"

#define BUFFER_SIZE (2 * CSV_READER_ROW_MAX)
#define READ_SIZE (1 << 17)

/* A quoted field with line ends has less than this; what is longer is a quote that was never
 * closed. */
#define QUOTED_LINES_MAX 16384

/* Reads more behind what is in the buffer. Returns false if there is no more. */
static bool fill(struct csv_reader *reader)
{
	int got, code;

	if (reader->at_end)
		return false;
	if (reader->begin > 0) {
		memmove(reader->buffer, reader->buffer + reader->begin,
			reader->end - reader->begin);
		reader->end -= reader->begin;
		reader->begin = 0;
	}
	errno = 0;
	got = gzread(reader->file, reader->buffer + reader->end, READ_SIZE);
	if (got > 0) {
		reader->end += (size_t)got;
		return true;
	}
	reader->at_end = true;
	gzerror(reader->file, &code);
	if (code == Z_ERRNO)
		reader->error = errno ? -errno : -EIO;
	else if (code == Z_BUF_ERROR)
		reader->is_torn = true;
	else if (code != Z_OK && code != Z_STREAM_END)
		reader->is_damaged = true;
	return false;
}

/* True: the first line is in the buffer, and more than @more bytes behind it. */
static bool line_is_over(const struct csv_reader *reader, size_t more)
{
	const char *begin = reader->buffer + reader->begin;
	size_t size = reader->end - reader->begin;
	const char *end = memchr(begin, '\n', size);

	return end && size - (size_t)(end + 1 - begin) >= more;
}

/* The next row without its line end; false at the end of the file. A line end within quotes is a
 * part of its field. */
static bool next_row(struct csv_reader *reader, struct span *row)
{
	size_t from = 0, length = 0;
	bool quoted = false;

	for (;;) {
		const char *begin = reader->buffer + reader->begin, *end;
		size_t size = reader->end - reader->begin;

		while (length == 0 && from < size) {
			size_t stop;

			end = memchr(begin + from, '\n', size - from);
			stop = end ? (size_t)(end - begin) : size;
			for (const char *q = begin + from;
			     (q = memchr(q, '"', (size_t)(begin + stop - q))); q++)
				quoted = !quoted;
			if (end && !quoted)
				length = stop + 1;
			from = end ? stop + 1 : stop;
		}
		if (length > 0)
			break;
		if (size >= CSV_READER_ROW_MAX)
			reader->too_long++;
		else if (quoted && line_is_over(reader, QUOTED_LINES_MAX))
			reader->malformed++;
		else if (fill(reader))
			continue;
		else if (quoted && line_is_over(reader, 0))
			reader->malformed++;
		else
			break;
		/* It is no row, up to the next line end. */
		do {
			begin = reader->buffer + reader->begin;
			end = memchr(begin, '\n', reader->end - reader->begin);
			reader->begin = end ? (size_t)(end + 1 - reader->buffer) : reader->end;
		} while (!end && fill(reader));
		from = 0;
		quoted = false;
	}
	if (length == 0) {
		reader->is_torn |= reader->end > reader->begin;
		return false;
	}
	*row = (struct span){ reader->buffer + reader->begin, length - 1 };
	if (row->len > 0 && row->ptr[row->len - 1] == '\r')
		row->len--;
	reader->begin += length;
	return true;
}

/* Splits @row into fields. Returns their number, also of those beyond the most. */
static unsigned int split(struct span row, struct span fields[CSV_READER_COLUMNS_MAX])
{
	unsigned int n = 0;

	for (size_t at = 0, end;; at = end + 1, n++) {
		/* The rows are in the reader's own buffer. */
		char *begin = (char *)(uintptr_t)(row.ptr + at);
		size_t length = 0;

		if (at < row.len && *begin == '"') {
			bool quoted = false;

			for (end = at; end < row.len && (row.ptr[end] != ',' || quoted); end++)
				quoted ^= row.ptr[end] == '"';
		} else {
			const char *comma = memchr(begin, ',', row.len - at);

			end = comma ? (size_t)(comma - row.ptr) : row.len;
		}
		if (n < CSV_READER_COLUMNS_MAX)
			fields[n] = (struct span){ begin, end - at };
		if (n < CSV_READER_COLUMNS_MAX && end - at >= 2 && begin[0] == '"' &&
		    row.ptr[end - 1] == '"') {
			/* Quotes are removed in place. */
			for (size_t i = 1; i + 1 < end - at; i++) {
				begin[length++] = begin[i];
				i += begin[i] == '"' && begin[i + 1] == '"';
			}
			fields[n].len = length;
		}
		if (end == row.len)
			return n + 1;
	}
}

int csv_reader_open(struct csv_reader *reader, const char *path)
{
	struct span row;

	*reader = (struct csv_reader){ .file = os_gzopen(path) };
	if (!reader->file)
		return errno ? -errno : -ENOMEM;
	gzbuffer(reader->file, READ_SIZE);
	reader->buffer = malloc(BUFFER_SIZE);
	if (!reader->buffer)
		return -ENOMEM;
	if (!next_row(reader, &row))
		return reader->error			       ? reader->error
		       : reader->is_torn || reader->is_damaged ? CSV_READER_OTHER
							       : CSV_READER_EMPTY;
	if (span_starts_with(row, SPAN_LITERAL("\xef\xbb\xbf")))
		row = span_skip(row, 3);
	reader->header = malloc(row.len + 1);
	if (!reader->header)
		return -ENOMEM;
	memcpy(reader->header, row.ptr, row.len);
	/* A header has a word in every column, and more than one. */
	reader->n_columns = split((struct span){ reader->header, row.len }, reader->columns);
	return reader->n_columns < 2 || reader->n_columns > CSV_READER_COLUMNS_MAX
		       ? CSV_READER_OTHER
		       : 0;
}

void csv_reader_close(struct csv_reader *reader)
{
	if (reader->file)
		gzclose(reader->file);
	free(reader->buffer);
	free(reader->header);
	reader->file = NULL;
	reader->buffer = reader->header = NULL;
}

int csv_reader_set_header(struct csv_reader *reader, const char *header)
{
	char *copy = strdup(header);

	if (!copy)
		return -ENOMEM;
	free(reader->header);
	reader->header = copy;
	reader->n_columns = split(span_of(copy), reader->columns);
	/* The buffer begins with the file until a row was read. */
	reader->begin = 0;
	return 0;
}

int csv_reader_column(const struct csv_reader *reader, const char *name)
{
	for (unsigned int i = 0; i < reader->n_columns; i++)
		if (span_equal(reader->columns[i], span_of(name)))
			return (int)i;
	return -1;
}

bool csv_reader_next(struct csv_reader *reader)
{
	struct span row;

	while (next_row(reader, &row)) {
		unsigned int same = 0;

		reader->n_fields = split(row, reader->fields);
		if (reader->n_fields != reader->n_columns) {
			reader->malformed++;
			continue;
		}
		while (same < reader->n_columns &&
		       span_equal(reader->fields[same], reader->columns[same]))
			same++;
		if (same < reader->n_columns) {
			reader->rows++;
			return true;
		}
		reader->headers++;
	}
	return false;
}

/* 146 years in us: as ns, the difference of two such times and their sum are in range, too. */
#define NUMBER_MAX (INT64_MAX / 2000)

/* Numbers that the fast way does not read: awk's 1.23457e+06. */
static bool odd_number(struct span field, unsigned int decimals, int64_t *number)
{
	char text[32], *end;
	double value;

	if (field.len == 0 || field.len >= sizeof(text))
		return false;
	memcpy(text, field.ptr, field.len);
	text[field.len] = '\0';
	if (strspn(text, "0123456789.eE+") < field.len || text[0] == '+')
		return false;
	value = strtod(text, &end);
	for (unsigned int i = 0; i < decimals; i++)
		value *= 10;
	if (*end || !(value >= 0 && value < (double)NUMBER_MAX))
		return false;
	*number = (int64_t)value;
	return true;
}

bool csv_number(struct span field, unsigned int decimals, int64_t *number)
{
	int64_t value = 0;
	size_t at = 0;

	if (field.len == 0 || field.len > 24 || field.ptr[0] < '0' || field.ptr[0] > '9')
		return false;
	for (; at < field.len && field.ptr[at] >= '0' && field.ptr[at] <= '9'; at++) {
		if (value > NUMBER_MAX / 10)
			return false;
		value = value * 10 + (field.ptr[at] - '0');
	}
	if (at < field.len && field.ptr[at] == '.')
		at++;
	else if (at < field.len)
		return odd_number(field, decimals, number);
	for (unsigned int i = 0; i < decimals; i++) {
		bool digit = at < field.len && field.ptr[at] >= '0' && field.ptr[at] <= '9';

		if (value > NUMBER_MAX / 10)
			return false;
		value = value * 10 + (digit ? field.ptr[at] - '0' : 0);
		at += digit;
	}
	for (; at < field.len; at++)
		if (field.ptr[at] < '0' || field.ptr[at] > '9')
			return odd_number(field, decimals, number);
	*number = value;
	return true;
}

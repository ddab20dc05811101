/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/csv_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/text.h"

/* --- bytes to the disk --- */

/* Writes at the end of the file as much of the whole rows as goes; *done is set to how much.
 * Returns 0 or -errno. */
static int write_rows(const struct csv_file *file, size_t *done)
{
	for (*done = 0; *done < file->row_begin;) {
		const char *bytes = file->buffer + *done;
		size_t len = file->row_begin - *done;
		ssize_t n = file->is_stream
				    ? write(file->fd, bytes, len)
				    : pwrite(file->fd, bytes, len, file->size + (off_t)*done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		*done += (size_t)n;
	}
	return 0;
}

/* The rows that end in the first @len bytes of the buffer: their number, and in *end where the
 * last of them does. A line end inside quotes ends none. */
static uint64_t rows_in(const struct csv_file *file, size_t len, size_t *end)
{
	bool quoted = false;
	uint64_t rows = 0;

	*end = 0;
	for (size_t i = 0; i < len; i++) {
		quoted ^= file->buffer[i] == '"';
		if (file->buffer[i] != '\n' || quoted)
			continue;
		rows++;
		*end = i + 1;
	}
	return rows;
}

uint64_t csv_file_rows_lost(const struct csv_file *file)
{
	size_t end;

	if (!file->name || file->error == 0)
		return file->rows_lost;
	return file->rows_lost + rows_in(file, file->row_begin, &end);
}

/* A file that was removed under our hands takes rows to nowhere. */
static int check_linked(const struct csv_file *file)
{
	struct stat info;

	if (file->is_stream)
		return 0;
	if (fstat(file->fd, &info) < 0)
		return -errno;
	return info.st_nlink > 0 ? 0 : -ENOENT;
}

/* The first @len bytes of the buffer are written, or lost. */
static void drop_bytes(struct csv_file *file, size_t len)
{
	file->len -= len;
	file->row_begin -= len;
	memmove(file->buffer, file->buffer + len, file->len);
}

/* Half a row never stays at the end of a file: it is cut off and tried again. A stream keeps what
 * it has got. */
static void end_with_a_row(struct csv_file *file, size_t done)
{
	size_t whole = done;

	if (!file->is_stream) {
		rows_in(file, done, &whole);
		/* Where the end cannot be cut off, it is written over by the next try. */
		if (ftruncate(file->fd, file->size + (off_t)whole) < 0 && file->error == 0)
			file->error = -errno;
	}
	file->size += (off_t)whole;
	drop_bytes(file, whole);
}

int csv_file_flush(struct csv_file *file)
{
	size_t done = 0;
	int error;

	if (!file->name || file->row_begin == 0)
		return 0;
	error = check_linked(file);
	if (error == 0)
		error = write_rows(file, &done);
	if (error < 0 && file->error == 0)
		file->error = error;
	end_with_a_row(file, done);
	return error;
}

static int begin(struct csv_file *file, int fd, const char *name, const char *header)
{
	*file = (struct csv_file){ .name = name, .fd = fd };
	file->buffer = malloc(CSV_BUFFER_SIZE);
	if (!file->buffer) {
		file->name = NULL;
		return -ENOMEM;
	}
	csv_raw(file, header);
	csv_row_end(file);
	return 0;
}

int csv_file_attach(struct csv_file *file, int fd, const char *name, const char *header)
{
	return begin(file, fd, name, header);
}

int csv_file_attach_stream(struct csv_file *file, int fd, const char *name, const char *header)
{
	int error = begin(file, fd, name, header);

	file->is_stream = true;
	return error < 0 ? error : csv_file_flush(file);
}

int csv_file_create(struct csv_file *file, int folder_fd, const char *name, const char *header)
{
	int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int error;

	if (fd < 0)
		return -errno;
	error = begin(file, fd, name, header);
	if (error < 0) {
		close(fd);
		return error;
	}
	return csv_file_flush(file);
}

int csv_file_close(struct csv_file *file)
{
	if (!file->name)
		return 0;
	csv_file_flush(file);
	if (file->fd > STDERR_FILENO && close(file->fd) < 0 && file->error == 0)
		file->error = -errno;
	free(file->buffer);
	file->buffer = NULL;
	file->name = NULL;
	return file->error;
}

/* --- fields --- */

/* Is there room for @len bytes, and for the comma or line end behind them? */
static bool has_room(struct csv_file *file, size_t len)
{
	if (!file->name || file->row_dropped)
		return false;
	if (file->len + len + 2 <= CSV_BUFFER_SIZE)
		return true;
	csv_file_flush(file);
	file->row_dropped = file->len + len + 2 > CSV_BUFFER_SIZE;
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
	file->row_begin = file->len;
	if (file->is_stream)
		csv_file_flush(file);
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

void csv_text(struct csv_file *file, const char *text, enum csv_text_flags flags)
{
	bool quote = false;
	size_t len;

	/* Two quotes, and the last character may be an escaped one. */
	if (!has_room(file, CSV_FIELD_MAX + 8))
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

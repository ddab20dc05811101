/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/csv_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/folder.h"
#include "rules/memory.h"

#define LAST_WAIT_MS 500

/* Writes @len bytes at the end of the file; *done is set to how much went. Returns 0 or -errno. */
static int write_bytes(const struct csv_file *file, const char *bytes, size_t len, size_t *done)
{
	if (file->is_stream)
		return stream_write_all(&file->stream, bytes, len, file->may_wait ? -1 : 0, done);
	for (*done = 0; *done < len;) {
		ssize_t n = pwrite(file->fd, bytes + *done, len - *done, file->size + (off_t)*done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		*done += (size_t)n;
	}
	return 0;
}

/* The rows that end in the first @len bytes of the buffer, @most at most: their number, and in
 * *end where the last of them does. A line end inside quotes ends none. */
static uint64_t rows_in(const struct csv_file *file, size_t len, uint64_t most, size_t *end)
{
	bool quoted = false;
	uint64_t rows = 0;

	*end = 0;
	for (size_t i = 0; i < len && rows < most; i++) {
		quoted ^= file->buffer[i] == '"';
		if (file->buffer[i] != '\n' || quoted)
			continue;
		rows++;
		*end = i + 1;
	}
	return rows;
}

/* After a failed flush nobody knows whether the rows that wait will ever be written. */
static uint64_t rows_in_doubt(const struct csv_file *file)
{
	size_t end;

	if (!file->name || file->error == 0)
		return 0;
	return rows_in(file, file->row_begin, UINT64_MAX, &end);
}

uint64_t csv_file_rows_written(const struct csv_file *file)
{
	return file->rows - rows_in_doubt(file);
}

uint64_t csv_file_rows_lost(const struct csv_file *file)
{
	return file->rows_lost + rows_in_doubt(file);
}

enum csv_file_state csv_file_look(const struct csv_file *file)
{
	struct stat ours, there;

	if (!file->name || file->is_stream || file->is_nameless)
		return CSV_FILE_THERE;
	if (fstatat(file->folder_fd, file->name, &there, AT_SYMLINK_NOFOLLOW) < 0)
		return file->fd < 0 || errno != ENOENT ? CSV_FILE_THERE : CSV_FILE_GONE;
	if (file->fd < 0 || fstat(file->fd, &ours) < 0 || !folder_is_same(&ours, &there))
		return CSV_FILE_REPLACED;
	if (there.st_size == file->size)
		return CSV_FILE_THERE;
	return there.st_size < file->size ? CSV_FILE_CUT : CSV_FILE_GROWN;
}

int csv_file_cut_behind(const struct csv_file *file)
{
	return ftruncate(file->fd, file->size) < 0 ? -errno : 0;
}

bool csv_file_is_gone(const struct csv_file *file)
{
	enum csv_file_state state = csv_file_look(file);

	return state == CSV_FILE_GONE || state == CSV_FILE_REPLACED;
}

/* Half a row never stays at the end of a file. A stream keeps what it has got. */
static void cut_at(const struct csv_file *file, off_t end)
{
	/* What cannot be cut off is written over by the next try. */
	if (file->is_stream || ftruncate(file->fd, end) < 0)
		return;
}

/* --- the limit --- */

static size_t header_size(const struct csv_file *file)
{
	return file->header ? strlen(file->header) + 1 : 0;
}

/* Bytes on the disk, and the header's where it is still to come. */
static uint64_t size_with_header(const struct csv_file *file)
{
	return file->size > 0 ? (uint64_t)file->size : header_size(file);
}

bool csv_file_is_begun(const struct csv_file *file)
{
	return file->name && size_with_header(file) > header_size(file);
}

bool csv_file_has_rows(const struct csv_file *file)
{
	return csv_file_is_begun(file) || (file->name && file->row_begin > 0);
}

bool csv_file_is_full(const struct csv_file *file)
{
	return file->limit > 0 && csv_file_has_rows(file) &&
	       size_with_header(file) + file->len > file->limit;
}

/* How much of the buffer may go into this file: whole rows, and one at least where the file has
 * none yet. */
static size_t bytes_for_file(const struct csv_file *file)
{
	uint64_t size = size_with_header(file);
	uint64_t room = file->limit > size ? file->limit - size : 0;
	size_t end = 0;

	if (file->limit == 0 || file->row_begin <= room)
		return file->row_begin;
	rows_in(file, (size_t)room, UINT64_MAX, &end);
	if (end == 0 && size == header_size(file))
		rows_in(file, file->row_begin, 1, &end);
	return end;
}

/* --- writing --- */

static int make(struct csv_file *file)
{
	if (file->fd >= 0)
		return 0;
	if (file->is_stream || file->is_nameless)
		return -EBADF;
	file->fd =
		openat(file->folder_fd, file->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return file->fd < 0 ? -errno : 0;
}

static int write_header(struct csv_file *file)
{
	char line[1024];
	size_t len = header_size(file), done;
	int error;

	if (file->size > 0 || len == 0)
		return 0;
	memcpy(line, file->header, len - 1);
	line[len - 1] = '\n';
	error = write_bytes(file, line, len, &done);
	if (error < 0)
		cut_at(file, 0);
	else
		file->size = (off_t)len;
	return error;
}

static int write_rows(struct csv_file *file, size_t len)
{
	size_t done, whole;
	int error = write_bytes(file, file->buffer, len, &done);

	whole = done;
	if (error < 0 && !file->is_stream) {
		rows_in(file, done, UINT64_MAX, &whole);
		cut_at(file, file->size + (off_t)whole);
	}
	file->size += (off_t)whole;
	file->len -= whole;
	file->row_begin -= whole;
	memmove(file->buffer, file->buffer + whole, file->len);
	return error;
}

int csv_file_flush(struct csv_file *file)
{
	enum csv_file_state state;
	int error;

	if (!file->name || (file->row_begin == 0 && file->size > 0))
		return 0;
	/* A file that was removed takes rows to nowhere, and one that was cut NULs before them. */
	state = csv_file_look(file);
	error = state == CSV_FILE_THERE || state == CSV_FILE_GROWN ? make(file) : -ENOENT;
	if (error == 0)
		error = write_header(file);
	if (error == 0)
		error = write_rows(file, bytes_for_file(file));
	/* What a stream does not take at once is no error: it waits here. */
	if (file->is_stream && error == -EAGAIN)
		return file->error = 0;
	file->error = error;
	return error == 0 && file->row_begin > 0 ? 1 : error;
}

/* --- begin and end --- */

static int begin(struct csv_file *file, int fd, size_t buffer_size, const char *name,
		 const char *header)
{
	*file = (struct csv_file){ .name = name, .header = header, .folder_fd = -1, .fd = fd };
	file->buffer_size = buffer_size;
	file->buffer = memory_new(1, buffer_size);
	if (file->buffer)
		return 0;
	file->name = NULL;
	return -ENOMEM;
}

int csv_file_attach(struct csv_file *file, int fd, size_t buffer_size, const char *name,
		    const char *header)
{
	int error = begin(file, fd, buffer_size, name, header);

	file->is_nameless = true;
	return error;
}

void csv_file_attach_next(struct csv_file *file, int fd)
{
	*file = (struct csv_file){
		.name = file->name,
		.header = file->header,
		.folder_fd = -1,
		.fd = fd,
		.is_nameless = true,
		.buffer = file->buffer,
		.buffer_size = file->buffer_size,
	};
}

int csv_file_attach_stream(struct csv_file *file, int fd, const char *name, const char *header,
			   bool may_wait)
{
	int error = begin(file, fd, CSV_BUFFER_SIZE, name, header);

	file->is_stream = true;
	file->may_wait = may_wait;
	file->stream = stream_open(fd);
	if (error < 0)
		return error;
	/* As a row, which may go out in parts. */
	if (header) {
		file->len = file->row_begin = header_size(file);
		memcpy(file->buffer, header, file->len - 1);
		file->buffer[file->len - 1] = '\n';
		file->header = NULL;
	}
	return csv_file_flush(file);
}

int csv_file_create(struct csv_file *file, int folder_fd, size_t buffer_size, const char *name,
		    const char *header)
{
	int error = begin(file, -1, buffer_size, name, header);

	file->folder_fd = folder_fd;
	return error < 0 ? error : csv_file_flush(file);
}

static int let_go(struct csv_file *file)
{
	int error = file->fd > STDERR_FILENO && close(file->fd) < 0 ? -errno : 0;

	file->fd = -1;
	return error;
}

void csv_file_begin_again(struct csv_file *file, int folder_fd)
{
	let_go(file);
	file->folder_fd = folder_fd;
	file->size = file->synced = 0;
}

static void take_last(struct csv_file *file)
{
	size_t done, end;

	stream_write_all(&file->stream, file->buffer, file->row_begin, LAST_WAIT_MS, &done);
	file->row_begin -= done;
	memmove(file->buffer, file->buffer + done, file->row_begin);
	file->rows_lost += rows_in(file, file->row_begin, UINT64_MAX, &end);
}

int csv_file_close(struct csv_file *file)
{
	int error;

	if (!file->name)
		return 0;
	csv_file_flush(file);
	if (file->is_stream) {
		take_last(file);
		stream_close(&file->stream);
	}
	error = let_go(file);
	free(file->buffer);
	file->buffer = NULL;
	file->name = NULL;
	return file->error < 0 ? file->error : error;
}

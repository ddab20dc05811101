/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/csv_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/folder.h"
#include "daemon/base/text_file.h"

#define LAST_WAIT_MS 500

/* Writes @len bytes at the end of the file; *done is set to the number of bytes written. Returns 0
 * or -errno. */
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

/* Counts the rows that end in the first @len bytes of the buffer, @most at most. *end is the end of
 * the last of them. A line end inside quotes does not end a row. */
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

uint64_t csv_file_rows_lost(const struct csv_file *file)
{
	size_t end;

	if (!file->name || file->error == 0)
		return file->rows_lost;
	/* After a failed flush the rows in the buffer may never be written. */
	return file->rows_lost + rows_in(file, file->len, UINT64_MAX, &end);
}

enum csv_file_state csv_file_check(const struct csv_file *file)
{
	struct stat ours, there;

	if (!file->name || file->is_stream)
		return CSV_FILE_UNCHANGED;
	if (fstatat(file->folder_fd, file->name, &there, AT_SYMLINK_NOFOLLOW) < 0)
		return file->fd < 0 || errno != ENOENT ? CSV_FILE_UNCHANGED : CSV_FILE_REMOVED;
	if (file->fd < 0 || fstat(file->fd, &ours) < 0 || !folder_is_same(&ours, &there))
		return CSV_FILE_REPLACED;
	if (there.st_size == file->size)
		return CSV_FILE_UNCHANGED;
	return there.st_size < file->size ? CSV_FILE_CUT : CSV_FILE_GROWN;
}

int csv_file_cut_appended(const struct csv_file *file)
{
	return ftruncate(file->fd, file->size) < 0 ? -errno : 0;
}

/* --- the limit --- */

static size_t header_size(const struct csv_file *file)
{
	return file->header ? strlen(file->header) + 1 : 0;
}

/* Bytes on the disk, and those of the header if it is not written yet. */
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
	return csv_file_is_begun(file) || (file->name && file->len > 0);
}

bool csv_file_is_full(const struct csv_file *file, size_t len)
{
	return file->limit > 0 && csv_file_has_rows(file) &&
	       size_with_header(file) + file->len + len > file->limit;
}

/* The part of the buffer that fits into this file: whole rows, and at least one if it has none. */
static size_t bytes_for_file(const struct csv_file *file)
{
	uint64_t size = size_with_header(file);
	uint64_t left = file->limit > size ? file->limit - size : 0;
	size_t end = 0;

	if (file->limit == 0 || file->len <= left)
		return file->len;
	rows_in(file, (size_t)left, UINT64_MAX, &end);
	if (end == 0 && size == header_size(file))
		rows_in(file, file->len, 1, &end);
	return end;
}

/* --- writing --- */

int csv_file_flush(struct csv_file *file)
{
	size_t header = header_size(file), len, done, whole;
	enum csv_file_state state;
	int error = 0;

	if (!file->name || (file->len == 0 && (file->size > 0 || file->is_lazy)))
		return 0;

	/* The file is created if there is none, and gets its header. In a removed file rows would
	 * be lost. In a file that was cut, NULs would precede them. */
	state = csv_file_check(file);
	if (state != CSV_FILE_UNCHANGED && state != CSV_FILE_GROWN)
		error = -ENOENT;
	else if (file->fd < 0 && file->is_stream)
		error = -EBADF;
	else if (file->fd < 0)
		file->fd = openat(file->folder_fd, file->name,
				  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (error == 0 && file->fd < 0)
		error = -errno;
	if (error == 0 && file->size == 0 && header > 0) {
		char line[1024];

		memcpy(line, file->header, header - 1);
		line[header - 1] = '\n';
		error = write_bytes(file, line, header, &done);
		/* If the cut fails, the next attempt overwrites those bytes. */
		if (error < 0)
			csv_file_cut_appended(file);
		else
			file->size = (off_t)header;
	}

	/* The rows. A file must not end with part of one. A stream cannot be cut. */
	if (error == 0) {
		len = bytes_for_file(file);
		error = write_bytes(file, file->buffer, len, &done);
		whole = done;
		if (error < 0 && !file->is_stream)
			rows_in(file, done, UINT64_MAX, &whole);
		file->size += (off_t)whole;
		if (error < 0 && !file->is_stream)
			csv_file_cut_appended(file);
		file->len -= whole;
		memmove(file->buffer, file->buffer + whole, file->len);
	}
	/* A stream whose reader is slow is no error: the rows are kept. */
	if (file->is_stream && error == -EAGAIN)
		return file->error = 0;
	file->error = error;
	return error == 0 && file->len > 0 ? 1 : error;
}

bool csv_file_reserve(struct csv_file *file, size_t len)
{
	if (!file->name)
		return false;
	if (file->len + len > file->buffer_size)
		csv_file_flush(file);
	if (file->len + len <= file->buffer_size)
		return true;
	file->rows_lost++;
	return false;
}

void csv_file_append(struct csv_file *file, const char *row, size_t len)
{
	memcpy(file->buffer + file->len, row, len);
	file->len += len;
	if (file->is_stream)
		csv_file_flush(file);
}

/* --- after a kill or a power cut --- */

/* Finds the end of the last whole row. Returns 0 or -errno. */
static int find_end(int fd, off_t *end)
{
	bool quoted = false;
	char bytes[16384];
	off_t at = 0;
	ssize_t n;

	*end = 0;
	while ((n = text_file_read_at(fd, bytes, sizeof(bytes), at)) > 0) {
		for (const char *byte = bytes; byte < bytes + n; byte++) {
			at++;
			/* No rows follow. */
			if (*byte == '\0')
				return 0;
			quoted ^= *byte == '"';
			if (*byte == '\n' && !quoted)
				*end = at;
		}
	}
	return n < 0 ? -errno : 0;
}

int csv_file_repair(int folder_fd, const char *name, const char *header)
{
	struct stat info;
	int fd = folder_open_regular(folder_fd, name, O_RDWR, &info), error = 0;
	size_t part = strcspn(header, ",");
	char bytes[64];
	off_t end = -1;
	ssize_t n;

	/* A link, a device or a read-only file is not from jankd. */
	if (fd < 0)
		return 0;
	/* One of jankd begins with the header, or with a part of it. Only its first two columns are
	 * compared: later ones differ between versions. */
	part += header[part] ? 1 + strcspn(header + part + 1, ",") : 0;
	n = text_file_read_begin(fd, bytes, part < sizeof(bytes) ? part : sizeof(bytes));
	if (n >= 0 && memcmp(bytes, header, strnlen(bytes, (size_t)n)) == 0)
		error = find_end(fd, &end);
	if (error == 0 && end == 0)
		error = unlinkat(folder_fd, name, 0) < 0 ? -errno : 0;
	else if (error == 0 && end > 0 &&
		 ((end < info.st_size && ftruncate(fd, end) < 0) || fdatasync(fd) < 0))
		error = -errno;
	close(fd);
	return error;
}

/* --- begin and end --- */

static int begin(struct csv_file *file, int fd, size_t buffer_size, const char *name,
		 const char *header)
{
	*file = (struct csv_file){
		.name = name,
		.header = header,
		.folder_fd = -1,
		.fd = fd,
		.buffer_size = buffer_size,
	};
	/* Not memory_new(): only on a full disk all of it is used. */
	file->buffer = calloc(1, buffer_size);
	if (file->buffer)
		return 0;
	file->name = NULL;
	return -ENOMEM;
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
	/* The header is written like a row, which can be written in parts. */
	if (header) {
		file->len = header_size(file);
		memcpy(file->buffer, header, file->len - 1);
		file->buffer[file->len - 1] = '\n';
		file->header = NULL;
	}
	return csv_file_flush(file);
}

int csv_file_open(struct csv_file *file, int folder_fd, size_t buffer_size,
		  const struct csv_file_info *info, bool again)
{
	ssize_t len = (ssize_t)strlen(info->header) + 1, n;
	struct stat found = { .st_size = 0 };
	int error = 0, fd = -1;
	char line[1024];

	if (again) {
		error = csv_file_repair(folder_fd, info->name, info->header);
		if (error < 0)
			return error;
		fd = folder_open_regular(folder_fd, info->name, O_RDWR, &found);
		if (fd < 0 && fd != -ENOENT)
			return fd == -EINVAL ? -EPROTO : fd;
	}
	if (fd >= 0) {
		n = text_file_read_begin(fd, line, (size_t)len);
		if (n < 0)
			error = -errno;
		else if (n != len || memcmp(line, info->header, (size_t)len - 1) != 0 ||
			 line[len - 1] != '\n')
			error = -EPROTO;
	}
	if (error == 0)
		error = begin(file, fd >= 0 ? fd : -1, buffer_size, info->name, info->header);
	if (error < 0) {
		if (fd >= 0)
			close(fd);
		return error;
	}
	file->folder_fd = folder_fd;
	file->size = found.st_size;
	file->is_lazy = info->is_lazy && fd < 0;
	return fd < 0 ? csv_file_flush(file) : 0;
}

int csv_file_sync(struct csv_file *file)
{
	int error = file->name && file->fd >= 0 ? folder_sync(file->fd, true) : 0;

	if (error == 0)
		file->synced = file->size;
	return error;
}

void csv_file_recreate(struct csv_file *file, int folder_fd)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	file->folder_fd = folder_fd;
	file->size = file->synced = 0;
}

int csv_file_close(struct csv_file *file)
{
	int error;

	if (!file->name)
		return 0;
	csv_file_flush(file);
	if (file->is_stream) {
		size_t done, end;

		stream_write_all(&file->stream, file->buffer, file->len, LAST_WAIT_MS, &done);
		file->len -= done;
		memmove(file->buffer, file->buffer + done, file->len);
		file->rows_lost += rows_in(file, file->len, UINT64_MAX, &end);
		stream_close(&file->stream);
	}
	/* Standard output stays open. */
	error = file->fd > STDERR_FILENO && close(file->fd) < 0 ? -errno : 0;
	free(file->buffer);
	file->buffer = NULL;
	file->name = NULL;
	file->fd = -1;
	return file->error < 0 ? file->error : error;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/earlier_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/csv_files.h"
#include "daemon/base/report.h"
#include "daemon/base/text_file.h"
#include "daemon/files/numbered_files.h"

/* --- one file --- */

/* Finds the end of the last whole row. Returns 0 or -errno. */
static int find_end(int fd, off_t *end)
{
	bool quoted = false;
	char bytes[16384];
	off_t at = 0;
	ssize_t n;

	*end = 0;
	while ((n = pread(fd, bytes, sizeof(bytes), at)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
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
	return 0;
}

/* True: the file begins with jankd's header, or with a part of it. Only its first two columns are
 * compared: later ones differ between versions. */
static bool is_ours(int fd, const char *header)
{
	size_t part = strcspn(header, ",");
	char bytes[64];
	ssize_t n;

	part += header[part] ? 1 + strcspn(header + part + 1, ",") : 0;
	n = text_file_read_begin(fd, bytes, part < sizeof(bytes) ? part : sizeof(bytes));
	return n >= 0 && memcmp(bytes, header, strnlen(bytes, (size_t)n)) == 0;
}

int csv_repair_file(int folder_fd, const char *name, const char *header)
{
	struct stat info;
	int fd = folder_open_regular(folder_fd, name, O_RDWR, &info), error;
	off_t end = -1;

	/* A link, a device or a read-only file is not from jankd. */
	if (fd < 0)
		return 0;
	error = is_ours(fd, header) ? find_end(fd, &end) : 0;
	if (error == 0 && end == 0)
		error = unlinkat(folder_fd, name, 0) < 0 ? -errno : 0;
	else if (error == 0 && end > 0 &&
		 ((end < info.st_size && ftruncate(fd, end) < 0) || fdatasync(fd) < 0))
		error = -errno;
	close(fd);
	return error;
}

/* --- all files --- */

static void restore_names(const struct folder *folder)
{
	for (int i = 0; folder->kept && i < CSV_FILES; i++)
		segments_reopen(folder->fd, csv_files[i].name, folder->kept);
}

int earlier_files_keep(struct folder *folder, bool reports)
{
	int fd = folder->fd;
	int error = numbered_last(fd, NUMBERED_SEGMENTS, &folder->last);
	unsigned long number = segments_next(fd, folder->last);
	const char *name = "";

	folder->kept = 0;
	for (int i = 0; error == 0 && i < CSV_FILES; i++) {
		name = csv_files[i].name;
		folder_remove_temporary(folder, name);
		if (csv_files[i].header)
			error = csv_repair_file(fd, name, csv_files[i].header);
		if (error == 0)
			error = segments_close(fd, name, number);
		if (error == 0)
			folder->kept = folder->last = number;
		if (error == -ENOENT)
			error = 0;
	}
	if (error < 0)
		restore_names(folder);
	segments_sync(fd);
	if (error < 0 && reports)
		report("%s/%s: the file of an earlier session cannot be renamed: %s; %s",
		       folder->path, name, folder_why(error), folder_advice(error));
	return error;
}

void earlier_files_put_back(const struct folder *folder)
{
	segments_remove_above(folder->fd, folder->last);
	for (int i = 0; i < CSV_FILES; i++)
		unlinkat(folder->fd, csv_files[i].name, 0);
	restore_names(folder);
	segments_sync(folder->fd);
}

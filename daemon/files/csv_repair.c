/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/csv_repair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The length of the first two columns: later columns differ between versions. */
static size_t known_part(const char *header)
{
	const char *comma = strchr(header, ',');

	comma = comma ? strchr(comma + 1, ',') : NULL;
	return comma ? (size_t)(comma - header) : strlen(header);
}

/* True: the file begins with jankd's header, or with a part of it. */
static bool is_ours(int fd, const char *header)
{
	char bytes[64];
	size_t part = known_part(header);
	ssize_t n = pread(fd, bytes, part < sizeof(bytes) ? part : sizeof(bytes), 0);

	return n >= 0 && memcmp(bytes, header, strnlen(bytes, (size_t)n)) == 0;
}

static int csv_repair(int folder_fd, int fd, const char *name, const char *header)
{
	struct stat info;
	off_t end;
	int error;

	if (fstat(fd, &info) < 0)
		return -errno;
	if (!S_ISREG(info.st_mode) || !is_ours(fd, header))
		return 0;
	error = find_end(fd, &end);
	if (error < 0)
		return error;
	if (end == 0)
		return unlinkat(folder_fd, name, 0) < 0 ? -errno : 0;
	if (end < info.st_size && ftruncate(fd, end) < 0)
		return -errno;
	return fdatasync(fd) < 0 ? -errno : 0;
}

int csv_repair_file(int folder_fd, const char *name, const char *header)
{
	int fd = openat(folder_fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int error;

	/* A link, a device or a read-only file is not from jankd. */
	if (fd < 0)
		return 0;
	error = csv_repair(folder_fd, fd, name, header);
	close(fd);
	return error;
}

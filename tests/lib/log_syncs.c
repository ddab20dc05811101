/* SPDX-License-Identifier: Apache-2.0 */
/* Logs the order in which a program syncs files to the disk and renames them: loaded with LD_PRELOAD,
 * it appends lines to the file that LOG_SYNCS names:
 *
 *     sync INODE
 *     rename INODE NAME
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(const char *what, const struct stat *info, const char *name)
{
	const char *path = getenv("LOG_SYNCS");
	char line[512];
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
	int len = snprintf(line, sizeof(line), "%s %llu %s\n", what,
			   (unsigned long long)info->st_ino, name);

	if (fd < 0)
		return;
	if (write(fd, line, (size_t)len) != len)
		abort();
	close(fd);
}

static void note_sync(int fd)
{
	struct stat info;

	if (fstat(fd, &info) == 0)
		note("sync", &info, "");
}

int fsync(int fd)
{
	note_sync(fd);
	return (int)syscall(SYS_fsync, fd);
}

/* A sync of a file whose path contains FAIL_SYNCS fails, as if the disk had lost the data. */
static bool has_failed(int fd)
{
	const char *part = getenv("FAIL_SYNCS");
	char link[64], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = part ? readlink(link, path, sizeof(path) - 1) : -1;
	path[n > 0 ? n : 0] = '\0';
	return n > 0 && strstr(path, part);
}

int fdatasync(int fd)
{
	note_sync(fd);
	if (has_failed(fd)) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fdatasync, fd);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned int flags)
{
	struct stat info;

	if (fstatat(from_fd, from, &info, AT_SYMLINK_NOFOLLOW) == 0)
		note("rename", &info, to);
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	return renameat2(from_fd, from, to_fd, to, 0);
}

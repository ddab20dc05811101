/* SPDX-License-Identifier: Apache-2.0 */
/* A disk with faults, for a program that is loaded with this library in LD_PRELOAD:
 *
 * - All operations on files in the folder STALL_IN wait while the file STALL_WHILE exists.
 * - A sync of a file whose path contains FAIL_SYNCS fails, as if the disk had lost the data.
 * - The order of syncs and renames is appended to the file LOG_SYNCS, as lines 'sync INODE' and
 *   'rename INODE NAME'. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* True if the path of @fd contains the variable @name; with @begins it must begin with it. */
static bool is_in(int fd, const char *name, bool begins)
{
	const char *part = getenv(name), *at;
	char link[64], path[PATH_MAX];
	long len;

	if (!part)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	at = strstr(path, part);
	return begins ? at == path : at != NULL;
}

static void wait_for_disk(int fd)
{
	const char *while_there = getenv("STALL_WHILE");

	if (while_there && is_in(fd, "STALL_IN", true))
		while (syscall(SYS_faccessat, AT_FDCWD, while_there, F_OK) == 0)
			usleep(5000);
}

static void note(const char *what, unsigned long long inode, const char *name)
{
	const char *path = getenv("LOG_SYNCS");
	char line[512];
	int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC, 0)
		      : -1;
	int len = snprintf(line, sizeof(line), "%s %llu %s\n", what, inode, name);

	if (fd < 0)
		return;
	if (syscall(SYS_write, fd, line, (size_t)len) != len)
		abort();
	close(fd);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	wait_for_disk(fd);
	return syscall(SYS_write, fd, bytes, len);
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
	wait_for_disk(fd);
	return syscall(SYS_pwrite64, fd, bytes, len, offset);
}

int ftruncate(int fd, off_t len)
{
	wait_for_disk(fd);
	return (int)syscall(SYS_ftruncate, fd, len);
}

static int sync_file(int fd, long number)
{
	struct stat info;

	wait_for_disk(fd);
	if (fstat(fd, &info) == 0)
		note("sync", info.st_ino, "");
	if (number == SYS_fdatasync && is_in(fd, "FAIL_SYNCS", false)) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(number, fd);
}

int fsync(int fd)
{
	return sync_file(fd, SYS_fsync);
}

int fdatasync(int fd)
{
	return sync_file(fd, SYS_fdatasync);
}

int openat(int fd, const char *name, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	wait_for_disk(fd);
	return (int)syscall(SYS_openat, fd, name, flags, mode);
}

int unlinkat(int fd, const char *name, int flags)
{
	wait_for_disk(fd);
	return (int)syscall(SYS_unlinkat, fd, name, flags);
}

int fstatat(int fd, const char *name, struct stat *info, int flags)
{
	wait_for_disk(fd);
	return (int)syscall(SYS_newfstatat, fd, name, info, flags);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned int flags)
{
	struct stat info;

	if (fstatat(from_fd, from, &info, AT_SYMLINK_NOFOLLOW) == 0)
		note("rename", info.st_ino, to);
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	return renameat2(from_fd, from, to_fd, to, 0);
}

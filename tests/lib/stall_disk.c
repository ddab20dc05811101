/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a disk that does not respond for a while: loaded with LD_PRELOAD, all operations on files
 * in the folder STALL_IN wait while the file STALL_WHILE exists.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void wait_for_disk(int fd)
{
	const char *folder = getenv("STALL_IN"), *while_there = getenv("STALL_WHILE");
	char link[64], path[PATH_MAX];
	long len;

	if (!folder || !while_there)
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
	if (len < (long)strlen(folder) || strncmp(path, folder, strlen(folder)) != 0)
		return;
	while (syscall(SYS_faccessat, AT_FDCWD, while_there, F_OK) == 0)
		usleep(5000);
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

int fsync(int fd)
{
	wait_for_disk(fd);
	return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	wait_for_disk(fd);
	return (int)syscall(SYS_fdatasync, fd);
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

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned int flags)
{
	wait_for_disk(from_fd);
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	return renameat2(from_fd, from, to_fd, to, 0);
}

int fstatat(int fd, const char *name, struct stat *info, int flags)
{
	wait_for_disk(fd);
	return (int)syscall(SYS_newfstatat, fd, name, info, flags);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a slow CPU: loaded with LD_PRELOAD, each read of a trace takes SLOW_READS_US longer. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_trace(int fd)
{
	char link[64], path[PATH_MAX];
	long len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
	if (len <= 0)
		return 0;
	path[len] = '\0';
	return strstr(path, "/trace_pipe") != NULL;
}

ssize_t read(int fd, void *bytes, size_t len)
{
	const char *slow_us = getenv("SLOW_READS_US");
	ssize_t n = syscall(SYS_read, fd, bytes, len);

	if (n > 0 && slow_us && is_trace(fd))
		usleep((useconds_t)atol(slow_us));
	return n;
}

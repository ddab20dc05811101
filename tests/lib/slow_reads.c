/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a slow CPU: loaded with LD_PRELOAD, each read of a trace takes SLOW_READS_US longer. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t read(int fd, void *bytes, size_t len)
{
	const char *slow_us = getenv("SLOW_READS_US");
	ssize_t n = syscall(SYS_read, fd, bytes, len);
	char link[64], path[PATH_MAX];
	long used;

	if (n <= 0 || !slow_us)
		return n;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	used = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
	path[used > 0 ? used : 0] = '\0';
	if (strstr(path, "/trace_pipe"))
		usleep((useconds_t)atol(slow_us));
	return n;
}

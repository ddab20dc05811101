/* SPDX-License-Identifier: Apache-2.0 */
/* The process: its memory, signals and standard streams. The program starts in cli/cli.c. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/report.h"
#include "daemon/cli/cli.h"

/* Returns freed memory to the kernel, so that a process that used more memory before becomes small
 * again. Tables have mappings of their own: in memory that was used before, calloc() would touch
 * all pages of a table of which most captures use a few. */
static void limit_heap(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 32768);
	mallopt(M_TRIM_THRESHOLD, 65536);
#endif
#ifdef M_TOP_PAD
	/* Else large blocks that are needed for a moment come from the space at the end of the
	 * heap, and that space keeps its memory. */
	mallopt(M_TOP_PAD, 0);
#endif
#ifdef M_ARENA_MAX
	/* One arena for both threads. */
	mallopt(M_ARENA_MAX, 1);
#endif
}

/* Writes the rest of the buffer. Lost output is an error, unless the reader has closed the pipe:
 * then it has read enough. Returns the exit code. */
static int flush_stdout(int code)
{
	struct pollfd out = { .fd = STDOUT_FILENO };
	int error = ferror(stdout) ? EIO : 0;

	if (fflush(stdout) != 0)
		error = errno;
	if (error == 0 || code != EXIT_DONE || (poll(&out, 1, 0) > 0 && (out.revents & POLLERR)))
		return code;
	report_name("");
	report("standard output: %s; redirect it elsewhere", strerror(error));
	return EXIT_FAILED;
}

int main(int argc, char **argv)
{
	int fd;

	limit_heap();
	/* If the parent ignores SIGCHLD, waitpid() would return no exit status. A file beyond its
	 * size limit should be an error of write(), not a signal that ends the process. */
	signal(SIGCHLD, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN);
	/* No other user may write to what this process creates: a later command reads options and
	 * names of files from it. A service or a shell of Android may have the umask 0. */
	umask(umask(022) | 022);
	/* Opens those of the descriptors 0 to 2 that are closed. Otherwise the first opened file
	 * would be one of them, and messages would be written into it. */
	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd < STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	return flush_stdout(cli_run(argc, argv));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/open_files.h"

#include <sys/resource.h>
#include <unistd.h>

#include "daemon/base/report.h"

/* Files of the folder and of the trace, sockets and children: usually 28, more with some options
 * and clients; on a device 32 of sysfs. Per CPU: its buffer, statistics and size. */
#define FILES 76
#define FILES_OF_CPU 3

int open_files_allow(const char *command)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	rlim_t needed = FILES + FILES_OF_CPU * (rlim_t)(cpus > 0 ? cpus : 1);
	unsigned long advised = 256; /* a power of two is easy to type */
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= needed)
		return 0;
	limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
	if (limit.rlim_max >= needed && setrlimit(RLIMIT_NOFILE, &limit) == 0)
		return 0;
	while (advised < needed)
		advised *= 2;
	report("%s: the limit is %lu open files, but up to %lu are needed; raise it: ulimit -n %lu",
	       command, (unsigned long)limit.rlim_cur, (unsigned long)needed, advised);
	return EXIT_FAILED;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/cost.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t cpu_ms(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000 +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1000;
}

/* The second number of statm, in pages. */
static uint64_t rss_kb(void)
{
	char text[128] = "";
	unsigned long pages = 0;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) > 0)
		sscanf(text, "%*u %lu", &pages);
	close(fd);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

struct cost cost_now(void)
{
	struct rusage self = { 0 }, children = { 0 };

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return (struct cost){
		.cpu_ms = cpu_ms(&self),
		.children_cpu_ms = cpu_ms(&children),
		.rss_kb = rss_kb(),
		.wakeups = (uint64_t)self.ru_nvcsw,
	};
}

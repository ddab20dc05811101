/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/overrun.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define STATS_SIZE 512

static bool read_stats(const char *path, unsigned int cpu, char text[static STATS_SIZE])
{
	char name[512];
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "%s/per_cpu/cpu%u/stats", path, cpu);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, STATS_SIZE - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return true;
}

uint64_t overrun_count(const char *path)
{
	static const char key[] = "\noverrun: ";
	char text[STATS_SIZE];
	uint64_t sum = 0;

	for (unsigned int cpu = 0; read_stats(path, cpu, text); cpu++) {
		const char *found = strstr(text, key);

		if (found)
			sum += strtoull(found + sizeof(key) - 1, NULL, 10);
	}
	return sum;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/trace_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static const char *const names[TRACE_SETTINGS] = {
	[TRACE_SETTING_CLOCK] = "trace_clock",
	[TRACE_SETTING_SIZE] = "buffer_size_kb",
	[TRACE_SETTING_ON] = "tracing_on",
	[TRACE_SETTING_CPUS] = "tracing_cpumask",
	[TRACE_SETTING_MARKERS] = "options/markers",
	[TRACE_SETTING_OVERWRITE] = "options/overwrite",
	[TRACE_SETTING_FORMAT] = "options/context-info",
	"options/raw",
	"options/hex",
	"options/bin",
	"options/fields",
	"options/sym-addr",
	"options/sym-offset",
	"options/printk-msg-only", /* only at the top level */
};

const char *trace_files_name(enum trace_setting which)
{
	return names[which];
}

unsigned int trace_cpus(void)
{
	static long n; /* read once: libc reads a file for it */

	if (n == 0)
		n = sysconf(_SC_NPROCESSORS_CONF);
	return n > 0 && n < TRACE_CPUS_MAX ? (unsigned int)n : TRACE_CPUS_MAX;
}

static int open_stats(const char *path, unsigned int cpu)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s/per_cpu/cpu%u/stats", path, cpu);
	return open(name, O_RDONLY | O_CLOEXEC);
}

void trace_files_init(struct trace_files *files)
{
	files->path = NULL;
	for (int i = 0; i < TRACE_SETTINGS; i++)
		files->settings[i] = -1;
	for (int cpu = 0; cpu < TRACE_CPUS_MAX; cpu++)
		files->stats[cpu] = -1;
}

void trace_files_open(struct trace_files *files, const char *path)
{
	trace_files_init(files);
	files->path = path;
	for (int i = 0; i < TRACE_SETTINGS; i++)
		files->settings[i] = setting_open(path, names[i]);
	for (unsigned int cpu = 0; cpu < trace_cpus(); cpu++)
		files->stats[cpu] = open_stats(path, cpu);
}

static void close_all(const int *fds, int n)
{
	for (int i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

void trace_files_close(struct trace_files *files)
{
	close_all(files->settings, TRACE_SETTINGS);
	close_all(files->stats, TRACE_CPUS_MAX);
	trace_files_init(files);
}

int trace_files_setting(const struct trace_files *files, enum trace_setting which,
			char value[static SETTING_SIZE])
{
	return setting_read_open(files->settings[which], value);
}

bool trace_files_has_cpu(const struct trace_files *files, unsigned int cpu)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s/per_cpu/cpu%u", files->path, cpu);
	return access(name, F_OK) == 0 || errno != ENOENT;
}

struct span trace_files_stats(const struct trace_files *files, unsigned int cpu, char *text,
			      size_t size)
{
	int kept = cpu < TRACE_CPUS_MAX ? files->stats[cpu] : -1;
	int fd = kept < 0 ? open_stats(files->path, cpu) : kept;
	ssize_t n = -1;
	int error;

	do
		n = fd < 0 ? -1 : pread(fd, text, size, 0);
	while (n < 0 && fd >= 0 && errno == EINTR);
	error = n < 0 ? errno : 0;
	if (fd >= 0 && kept < 0)
		close(fd);
	errno = error;
	return n > 0 ? (struct span){ text, (size_t)n } : SPAN_NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/tracefs.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/folder.h"
#include "daemon/base/text.h"
#include "daemon/base/text_file.h"

void other_tracers_find(struct other_tracers *found, const char *path)
{
	/* As in /proc/PID/comm, which has 15 characters. */
	static const char *const known[] = { "traced_probes", "perfetto", "atrace", "trace-cmd",
					     "simpleperf" };
	char target[PATH_MAX], pipe[PATH_MAX];
	struct stat opened, of_trace;
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	*found = (struct other_tracers){ .readers = "" };
	while (proc && (entry = readdir(proc))) {
		const char *pid = entry->d_name;
		char name[32], escaped[128], fds_path[64], *end, *text;
		bool reads = false, is_known = false;
		struct dirent *fd;
		DIR *fds;

		if (strtol(pid, &end, 10) <= 0 || *end || strtol(pid, NULL, 10) == getpid())
			continue;
		text_file_read(name, sizeof(name), "/proc/%.20s/comm", pid);
		snprintf(fds_path, sizeof(fds_path), "/proc/%.20s/fd", pid);
		fds = opendir(fds_path);
		/* The descriptors that are trace_pipe or a trace_pipe_raw of the trace. Only files
		 * with such names are compared: stat() of others may wait for a network. */
		while (fds && !reads && (fd = readdir(fds))) {
			ssize_t n = readlinkat(dirfd(fds), fd->d_name, target, sizeof(target) - 1);
			const char *file, *cpu;

			target[n > 0 ? n : 0] = '\0';
			file = strrchr(target, '/');
			if (!file || strncmp(file, "/trace_pipe", 11) != 0)
				continue;
			cpu = strstr(target, "/per_cpu/");
			snprintf(pipe, sizeof(pipe), "%.2000s%.100s", path,
				 cpu ? cpu : "/trace_pipe");
			reads = fstatat(dirfd(fds), fd->d_name, &opened, 0) == 0 &&
				stat(pipe, &of_trace) == 0 && folder_is_same(&opened, &of_trace);
		}
		if (fds)
			closedir(fds);
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			is_known |= strcmp(name, known[i]) == 0;
		if (!reads && !is_known)
			continue;
		text = reads ? found->readers : found->others;
		text_escape(escaped, sizeof(escaped), name);
		text_append(text, OTHER_TRACERS_SIZE, "%s%s (pid %.20s)", text[0] ? ", " : "",
			    escaped, pid);
	}
	if (proc)
		closedir(proc);
}

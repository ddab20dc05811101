/* SPDX-License-Identifier: Apache-2.0 */
/* The small files of a trace that a capture looks at again and again. They stay open: to open one
 * costs more than to read it, and there are several in each second. */
#ifndef JANKD_DAEMON_TRACE_TRACE_FILES_H
#define JANKD_DAEMON_TRACE_TRACE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/trace/setting_file.h"

/* Those of more CPUs are opened each time: no phone has them. */
#define TRACE_FILES_CPUS_MAX 64

enum trace_setting {
	TRACE_SETTING_CLOCK,
	TRACE_SETTING_SIZE, /* of a CPU's buffer, KB */
	TRACE_SETTING_ON,
	TRACE_SETTING_CPUS,	 /* those that are traced, a mask */
	TRACE_SETTING_MARKERS,	 /* whether what apps write is taken */
	TRACE_SETTING_OVERWRITE, /* whether a full buffer loses its oldest, not its newest */
	TRACE_SETTINGS,
};

struct trace_files {
	const char *path;
	int settings[TRACE_SETTINGS]; /* descriptors; < 0: it cannot be read */
	int stats[TRACE_FILES_CPUS_MAX];
};

/* @path: of the trace, borrowed. What cannot be opened cannot be read later. */
void trace_files_open(struct trace_files *files, const char *path);

/* Before the trace's instance can be removed. Also of files that were never open, which
 * trace_files_init() has made. */
void trace_files_close(struct trace_files *files);

void trace_files_init(struct trace_files *files);

/* Its file below the path. */
const char *trace_files_name(enum trace_setting which);

/* Reads as setting_read() does. */
int trace_files_setting(const struct trace_files *files, enum trace_setting which,
			char value[static SETTING_SIZE]);

/* False: there is no such CPU. */
bool trace_files_has_cpu(const struct trace_files *files, unsigned int cpu);

/* Reads the kernel's account of one CPU into @text; SPAN_NULL where there is none. */
struct span trace_files_stats(const struct trace_files *files, unsigned int cpu, char *text,
			      size_t size);

#endif

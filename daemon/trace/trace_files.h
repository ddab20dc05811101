/* SPDX-License-Identifier: Apache-2.0 */
/* The small files of a trace that a capture reads several times a second. They stay open, as
 * opening one costs more than reading it. */
#ifndef JANKD_DAEMON_TRACE_TRACE_FILES_H
#define JANKD_DAEMON_TRACE_TRACE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/wall_clock.h"
#include "daemon/trace/setting_file.h"

/* CPUs with higher numbers are ignored, but for events of their buffers: no phone has them. */
#define TRACE_CPUS_MAX 64

enum trace_setting {
	TRACE_SETTING_CLOCK,
	TRACE_SETTING_SIZE, /* of each CPU's buffer, KB */
	TRACE_SETTING_ON,
	TRACE_SETTING_CPUS,	 /* a mask of the traced CPUs */
	TRACE_SETTING_MARKERS,	 /* 1: writes to trace_marker are traced */
	TRACE_SETTING_OVERWRITE, /* 1: a full buffer loses its oldest events; 0: new ones */
	/* The first of the options that set the format of lines. Lines cannot be parsed if they
	 * have numbers instead of names, no time, or other words before a marker. */
	TRACE_SETTING_FORMAT,
	TRACE_SETTINGS = TRACE_SETTING_FORMAT + 8,
};

struct trace_files {
	const char *path;
	int settings[TRACE_SETTINGS]; /* descriptors; < 0: the setting cannot be read */
	int stats[TRACE_CPUS_MAX];
};

/* The number of this machine's CPUs, at most TRACE_CPUS_MAX. */
unsigned int trace_cpus(void);

/* Opens the files. @path: directory of the trace, borrowed. A file that cannot be opened now cannot
 * be read later. */
void trace_files_open(struct trace_files *files, const char *path);

/* Closes the files. Call it before an instance is removed. All files may be closed already. */
void trace_files_close(struct trace_files *files);

/* Initializes @files without opening any file. */
void trace_files_init(struct trace_files *files);

/* The setting's file, relative to the directory of the trace. */
const char *trace_files_name(enum trace_setting which);

/* Reads as setting_read() does. */
int trace_files_setting(const struct trace_files *files, enum trace_setting which,
			char value[static SETTING_SIZE]);

/* Returns false if the trace has no such CPU. */
bool trace_files_has_cpu(const struct trace_files *files, unsigned int cpu);

/* Reads the statistics of one CPU's buffer into @text. Returns SPAN_NULL if there are none: errno
 * is the reason, or 0. */
struct span trace_files_stats(const struct trace_files *files, unsigned int cpu, char *text,
			      size_t size);

/* Reads the trace clock's time in nanoseconds from the statistics of @cpu, which have microseconds.
 * Returns false if they cannot be read. */
bool kernel_clock_now(const struct trace_files *files, unsigned int cpu, uint64_t *now_ns);

/* Measures the offset of the clock @trace_clock to wall time. @files: of the trace that uses it. */
struct wall_clock kernel_clock_measure(const char *trace_clock, const struct trace_files *files);

#endif

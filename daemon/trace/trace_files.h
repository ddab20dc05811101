/* SPDX-License-Identifier: Apache-2.0 */
/* The small files of a trace that a capture reads several times a second: settings, and the
 * kernel's statistics of its buffers, per_cpu/cpuN/stats. They stay open, as opening one costs more
 * than reading it. */
#ifndef JANKD_DAEMON_TRACE_TRACE_FILES_H
#define JANKD_DAEMON_TRACE_TRACE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/wall_clock.h"
#include "daemon/trace/setting_file.h"

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

/* --- the statistics of CPU buffers --- */

/* How many events were overwritten before they were read, and more. */
struct cpu_buffer_counts {
	bool known;
	int error;		/* of the last read: -errno; 0: none, or there is no such file */
	uint64_t overrun, read; /* the kernel's counts since the buffer was emptied */
	uint64_t lost;		/* overwritten since the first read */
	uint64_t dropped;	/* the kernel's count: not written because the buffer was full */
	/* Dropped since the caller has set it to 0. A buffer that does not overwrite old events
	 * reports this number only in its statistics. */
	uint64_t dropped_new;
};

/* All zeros before the first read. */
struct cpu_buffer_stats {
	unsigned int cpus; /* number of the last CPU with known counts, plus 1 */
	struct cpu_buffer_counts cpu[TRACE_CPUS_MAX];
};

/* Reads the statistics of all CPUs. Returns true if a buffer was emptied since the last call: this
 * detects another program's change even if its writes to the files are not detected. */
bool cpu_buffer_stats_read(struct cpu_buffer_stats *stats, const struct trace_files *files);

/* Starts again from the current counts: no buffer counts as emptied. Earlier losses stay counted.
 */
void cpu_buffer_stats_forget(struct cpu_buffer_stats *stats, const struct trace_files *files);

/* Reads the statistics of one CPU, or parses their text. Returns as cpu_buffer_stats_read(). */
bool cpu_buffer_counts_read(struct cpu_buffer_counts *cpu, const struct trace_files *files,
			    unsigned int number);
bool cpu_buffer_counts_parse(struct cpu_buffer_counts *cpu, struct span text);

/* --- the trace clock --- */

/* Reads the trace clock's time in nanoseconds from the statistics of @cpu, which have microseconds.
 * Returns false if they cannot be read. */
bool kernel_clock_now(const struct trace_files *files, unsigned int cpu, uint64_t *now_ns);

/* Measures the offset of the clock @trace_clock to wall time. @files: of the trace that uses it. */
struct wall_clock kernel_clock_measure(const char *trace_clock, const struct trace_files *files);

#endif

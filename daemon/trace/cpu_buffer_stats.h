/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's statistics of its trace buffers, per_cpu/cpuN/stats: how many events were
 * overwritten before they were read, and whether another program emptied a buffer. */
#ifndef JANKD_DAEMON_TRACE_CPU_BUFFER_STATS_H
#define JANKD_DAEMON_TRACE_CPU_BUFFER_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/trace/trace_files.h"

/* All counts are of events. */
struct cpu_buffer_counts {
	bool known;
	int error;		/* of the last read: -errno; 0: none, or there is no such file */
	uint64_t overrun, read; /* the kernel's counts since the buffer was emptied */
	uint64_t lost;		/* overwritten since the first read */
	uint64_t dropped;	/* the kernel's count: not written because the buffer was full */
	uint64_t dropped_new;	/* dropped since the last cpu_buffer_stats_dropped() */
};

/* All zeros before the first read. */
struct cpu_buffer_stats {
	unsigned int cpus; /* number of the last CPU with known counts, plus 1 */
	struct cpu_buffer_counts cpu[TRACE_CPUS_MAX];
};

/* Reads the statistics of all CPUs. Returns true if a buffer was emptied since the last call. This
 * detects another program's change even if its writes to the files are not detected. */
bool cpu_buffer_stats_read(struct cpu_buffer_stats *stats, const struct trace_files *files);

/* Starts again from the current counts: no buffer counts as emptied. Earlier losses stay counted.
 */
void cpu_buffer_stats_forget(struct cpu_buffer_stats *stats, const struct trace_files *files);

/* The CPUs whose counts could not be read, a bit (1 << CPU) for each. *error:
 * why, of one of them: -errno. */
uint64_t cpu_buffer_stats_unreadable(const struct cpu_buffer_stats *stats, int *error);

/* Events that a CPU's full buffer dropped since the last call. A buffer that does not overwrite old
 * events reports this number only in its statistics. */
uint64_t cpu_buffer_stats_dropped(struct cpu_buffer_stats *stats, unsigned int cpu);

/* Reads the statistics of one CPU. Returns as cpu_buffer_stats_read(). */
bool cpu_buffer_counts_read(struct cpu_buffer_counts *cpu, const struct trace_files *files,
			    unsigned int number);

/* Parses the text of one CPU's file. Returns as cpu_buffer_stats_read(). */
bool cpu_buffer_counts_parse(struct cpu_buffer_counts *cpu, struct span text);

#endif

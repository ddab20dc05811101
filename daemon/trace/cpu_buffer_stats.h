/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's statistics of its trace buffers, per_cpu/cpuN/stats: how many events were
 * overwritten before they were read, and whether another program emptied a buffer. */
#ifndef JANKD_DAEMON_TRACE_CPU_BUFFER_STATS_H
#define JANKD_DAEMON_TRACE_CPU_BUFFER_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/trace/trace_files.h"

/* CPUs with higher numbers are left out: no phone has them. */
#define CPU_BUFFER_CPUS_MAX 64

/* All counts are of events. */
struct cpu_buffer_counts {
	bool known;
	uint64_t overrun, read; /* the kernel's, since the buffer was last empty */
	uint64_t lost;		/* overwritten since the begin */
	uint64_t dropped;	/* the kernel's: not written, as the buffer was full */
	uint64_t dropped_new;	/* of these, since cpu_buffer_stats_dropped() */
};

/* All zeros at the begin. */
struct cpu_buffer_stats {
	unsigned int cpus; /* the number of the last one that is known, plus 1 */
	struct cpu_buffer_counts cpu[CPU_BUFFER_CPUS_MAX];
};

/* How many CPUs are read, at most CPU_BUFFER_CPUS_MAX. */
unsigned int cpu_buffer_stats_cpus(void);

/* Reads the statistics of all CPUs. Returns true where a buffer was emptied since the last call;
 * that shows even where it cannot be seen that another program writes to a file. */
bool cpu_buffer_stats_look(struct cpu_buffer_stats *stats, const struct trace_files *files);

/* Begins again with what is there now: no buffer was emptied. The losses so far stay. */
void cpu_buffer_stats_forget(struct cpu_buffer_stats *stats, const struct trace_files *files);

/* Events overwritten since the begin, on all CPUs. */
uint64_t cpu_buffer_stats_lost(const struct cpu_buffer_stats *stats);

/* Events that a CPU's full buffer dropped since the last call. Where it may not overwrite old
 * events, only the statistics have this. */
uint64_t cpu_buffer_stats_dropped(struct cpu_buffer_stats *stats, unsigned int cpu);

/* Reads the statistics of one CPU. Returns as cpu_buffer_stats_look(). */
bool cpu_buffer_counts_read(struct cpu_buffer_counts *cpu, const struct trace_files *files,
			    unsigned int number);

/* Parses the text of one CPU's file. Returns as cpu_buffer_stats_look(). */
bool cpu_buffer_counts_parse(struct cpu_buffer_counts *cpu, struct span text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's own account of its trace buffers, per_cpu/cpuN/stats: what was overwritten before
 * anybody read it, and whether a buffer was emptied by somebody else. */
#ifndef JANKD_DAEMON_TRACE_CPU_BUFFER_STATS_H
#define JANKD_DAEMON_TRACE_CPU_BUFFER_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/trace/trace_files.h"

/* CPUs behind it are not looked at: no phone has them. */
#define CPU_BUFFER_CPUS_MAX 64

struct cpu_buffer_counts {
	bool known;
	uint64_t overrun, read; /* events, since the buffer was empty last */
	uint64_t lost;		/* overwritten since the begin */
	uint64_t dropped;	/* as overrun, but never written: the buffer was full */
	uint64_t dropped_new;	/* of these, since they were asked for last */
};

/* All zeros at the begin. */
struct cpu_buffer_stats {
	unsigned int cpus; /* those that can be there */
	struct cpu_buffer_counts cpu[CPU_BUFFER_CPUS_MAX];
};

/* How many CPUs are looked at, at most CPU_BUFFER_CPUS_MAX. */
unsigned int cpu_buffer_stats_cpus(void);

/* Looks at all CPUs of the trace. True: one of the buffers was emptied since the last
 * look; what others write into a file is not needed to see it. */
bool cpu_buffer_stats_look(struct cpu_buffer_stats *stats, const struct trace_files *files);

/* What is there now is the begin: nothing is lost, nothing was emptied. The losses stay. */
void cpu_buffer_stats_forget(struct cpu_buffer_stats *stats, const struct trace_files *files);

/* Events overwritten since the begin, on all CPUs. */
uint64_t cpu_buffer_stats_lost(const struct cpu_buffer_stats *stats);

/* Events that a CPU's buffer had no room for since the last call: a buffer that may not overwrite
 * its oldest says so nowhere else. */
uint64_t cpu_buffer_stats_dropped(struct cpu_buffer_stats *stats, unsigned int cpu);

/* Looks at one CPU of the trace. Returns as cpu_buffer_stats_look(). */
bool cpu_buffer_counts_read(struct cpu_buffer_counts *cpu, const struct trace_files *files,
			    unsigned int number);

/* The trace clock now, as one CPU's file says it. False where it does not. */
bool cpu_buffer_now(const struct trace_files *files, unsigned int number, uint64_t *now_ns);

/* Takes one file's text. Returns as cpu_buffer_stats_look(). */
bool cpu_buffer_counts_parse(struct cpu_buffer_counts *cpu, struct span text);

#endif

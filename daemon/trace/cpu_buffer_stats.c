/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/cpu_buffer_stats.h"

#include <errno.h>
#include <string.h>

/* The number after @key at the start of a line; 0 if there is none. */
static uint64_t number_of(struct span text, struct span key)
{
	const char *at = text.len ? memmem(text.ptr, text.len, key.ptr, key.len) : NULL;
	uint64_t number = 0;

	/* "commit overrun: " also contains a key. */
	while (at && at > text.ptr && at[-1] != '\n')
		at = memmem(at + 1, text.len - (size_t)(at + 1 - text.ptr), key.ptr, key.len);
	if (!at)
		return 0;
	text = span_skip(text, (size_t)(at - text.ptr) + key.len);
	span_take_number(&text, UINT64_MAX, &number);
	return number;
}

bool cpu_buffer_counts_parse(struct cpu_buffer_counts *cpu, struct span text)
{
	uint64_t overrun = number_of(text, SPAN_LITERAL("overrun: "));
	uint64_t read = number_of(text, SPAN_LITERAL("read events: "));
	uint64_t dropped = number_of(text, SPAN_LITERAL("dropped events: "));
	bool emptied = cpu->known && (overrun < cpu->overrun || read < cpu->read);

	if (emptied)
		cpu->lost += overrun;
	else if (cpu->known)
		cpu->lost += overrun - cpu->overrun;
	if (cpu->known)
		cpu->dropped_new += dropped < cpu->dropped ? dropped : dropped - cpu->dropped;
	cpu->dropped = dropped;
	cpu->known = true;
	cpu->overrun = overrun;
	cpu->read = read;
	return emptied;
}

bool cpu_buffer_counts_read(struct cpu_buffer_counts *cpu, const struct trace_files *files,
			    unsigned int number)
{
	char text[1024];
	struct span stats = trace_files_stats(files, number, text, sizeof(text));
	bool is_known = stats.len > 0 || errno == ENOENT || errno == ENODEV;

	cpu->error = is_known ? 0 : -errno;
	return stats.len > 0 && cpu_buffer_counts_parse(cpu, stats);
}

bool cpu_buffer_stats_read(struct cpu_buffer_stats *stats, const struct trace_files *files)
{
	bool emptied = false;

	for (unsigned int i = 0; i < trace_cpus(); i++) {
		emptied |= cpu_buffer_counts_read(&stats->cpu[i], files, i);
		if (stats->cpu[i].known)
			stats->cpus = i + 1;
	}
	return emptied;
}

void cpu_buffer_stats_forget(struct cpu_buffer_stats *stats, const struct trace_files *files)
{
	for (unsigned int i = 0; i < TRACE_CPUS_MAX; i++)
		stats->cpu[i].known = false;
	cpu_buffer_stats_read(stats, files);
}

uint64_t cpu_buffer_stats_unreadable(const struct cpu_buffer_stats *stats, int *error)
{
	uint64_t cpus = 0;

	for (unsigned int i = 0; i < trace_cpus(); i++) {
		if (stats->cpu[i].error == 0)
			continue;
		cpus |= UINT64_C(1) << i;
		*error = stats->cpu[i].error;
	}
	return cpus;
}

uint64_t cpu_buffer_stats_dropped(struct cpu_buffer_stats *stats, unsigned int cpu)
{
	uint64_t dropped = stats->cpu[cpu].dropped_new;

	stats->cpu[cpu].dropped_new = 0;
	return dropped;
}

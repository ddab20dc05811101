/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/trace_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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

static int open_stats(const char *path, unsigned int cpu)
{
	char name[64];

	snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", cpu);
	return setting_open(path, name, O_RDONLY);
}

void trace_files_init(struct trace_files *files)
{
	files->path = "";
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
		files->settings[i] = setting_open(path, names[i], O_RDONLY);
	for (unsigned int cpu = 0; cpu < trace_cpus(); cpu++)
		files->stats[cpu] = open_stats(path, cpu);
}

void trace_files_close(struct trace_files *files)
{
	for (int i = 0; i < TRACE_SETTINGS; i++)
		if (files->settings[i] >= 0)
			close(files->settings[i]);
	for (int cpu = 0; cpu < TRACE_CPUS_MAX; cpu++)
		if (files->stats[cpu] >= 0)
			close(files->stats[cpu]);
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

/* Reads the statistics of one CPU's buffer into @text. Returns SPAN_NULL if there are none: errno
 * is the reason, or 0. */
static struct span read_stats(const struct trace_files *files, unsigned int cpu, char *text,
			      size_t size)
{
	int kept = cpu < TRACE_CPUS_MAX ? files->stats[cpu] : -1;
	int fd = kept < 0 ? open_stats(files->path, cpu) : kept;
	ssize_t n;
	int error;

	do
		n = fd < 0 ? fd : pread(fd, text, size, 0);
	while (fd >= 0 && n < 0 && errno == EINTR);
	error = fd < 0 ? -fd : n < 0 ? errno : 0;
	if (fd >= 0 && kept < 0)
		close(fd);
	errno = error;
	return n > 0 ? (struct span){ text, (size_t)n } : SPAN_NULL;
}

/* --- the statistics of CPU buffers --- */

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
	struct span stats = read_stats(files, number, text, sizeof(text));
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

/* --- the trace clock --- */

/* The statistics of a CPU's buffer end with the time of the trace clock. */
bool kernel_clock_now(const struct trace_files *files, unsigned int cpu, uint64_t *now_ns)
{
	static const struct span key = SPAN_INIT("now ts: ");
	unsigned long long seconds, micros;
	char text[1024];
	struct span stats = read_stats(files, cpu, text, sizeof(text) - 1);
	const char *at;

	text[stats.len] = '\0';
	at = memmem(text, stats.len, key.ptr, key.len);
	if (!at || sscanf(at + key.len, "%llu.%6llu", &seconds, &micros) != 2)
		return false;
	*now_ns = seconds * UINT64_C(1000000000) + micros * 1000;
	return true;
}

/* A reading that takes this long was not interrupted. */
#define UNDISTURBED_NS INT64_C(10000)

/* The fastest of several readings counts: in others, an interrupt may have come between the two
 * clocks. One is enough if it was fast. */
struct wall_clock kernel_clock_measure(const char *trace_clock, const struct trace_files *files)
{
	struct wall_clock clock = wall_clock_measure(trace_clock);
	int64_t narrowest = INT64_MAX;

	if (clock.known || !wall_clock_is_time(trace_clock))
		return clock;
	for (int i = 0; i < 3 && narrowest > UNDISTURBED_NS; i++) {
		int64_t before = wall_clock_now(), width;
		uint64_t now_ns;

		if (!kernel_clock_now(files, 0, &now_ns) || now_ns > INT64_MAX)
			return clock;
		width = wall_clock_now() - before;
		if (width < narrowest) {
			narrowest = width;
			clock.offset_ns = before + width / 2 - (int64_t)now_ns;
		}
	}
	clock.known = true;
	return clock;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/fake_tracefs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
	const char *name, *text;
} settings[] = {
	{ "trace_clock", "local global counter uptime perf mono mono_raw [boot]\n" },
	{ "buffer_size_kb", "7777\n" },
	{ "buffer_percent", "50\n" },
	{ "current_tracer", "nop\n" },
	{ "tracing_on", "1\n" },
	{ "tracing_cpumask", "3\n" },
	{ "saved_cmdlines_size", "128\n" },
	{ "set_event", "sched:sched_switch\n" },
	{ "trace_marker", "" },
	{ "trace", "" },
	{ "trace_options", "print-parent\nnosym-offset\noverwrite\nrecord-tgid\nmarkers\n" },
	{ "options/overwrite", "1\n" },
	{ "options/markers", "1\n" },
	{ "options/record-tgid", "1\n" },
};

static const char stats[] = "entries: 0\noverrun: 0\ncommit overrun: 0\nbytes: 0\n"
			    "oldest event ts:     0.000000\nnow ts:    10.000000\n"
			    "dropped events: 0\nread events: 0\n";

static const char print_format[] =
	"name: print\nID: 5\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n";

static const char page_format[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static void make_fifo(const struct scratch *scratch, const char *name)
{
	const char *path = scratch_path(scratch, name);

	if (!scratch_has(scratch, name) && mkfifo(path, 0600) < 0) {
		perror(path);
		abort();
	}
}

/* Makes the files that the top level and each instance have. */
static void fill(const struct scratch *scratch, const char *folder)
{
	char name[256];

	snprintf(name, sizeof(name), "%s/options", folder);
	scratch_mkdir(scratch, name);
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		snprintf(name, sizeof(name), "%s/%s", folder, settings[i].name);
		scratch_put(scratch, name, settings[i].text);
	}
	for (int cpu = 0; cpu < FAKE_TRACEFS_CPUS; cpu++) {
		snprintf(name, sizeof(name), "%s/per_cpu/cpu%d", folder, cpu);
		scratch_mkdir(scratch, name);
		snprintf(name, sizeof(name), "%s/per_cpu/cpu%d/stats", folder, cpu);
		scratch_put(scratch, name, stats);
		snprintf(name, sizeof(name), "%s/per_cpu/cpu%d/buffer_size_kb", folder, cpu);
		scratch_put(scratch, name, "7777\n");
	}
	snprintf(name, sizeof(name), "%s/trace_pipe", folder);
	make_fifo(scratch, name);
}

void fake_tracefs_make(const struct scratch *scratch, const char *name)
{
	char instances[256];

	snprintf(instances, sizeof(instances), "%s/instances", name);
	scratch_mkdir(scratch, instances);
	fill(scratch, name);
}

void fake_tracefs_instance(const struct scratch *scratch, const char *name, const char *instance)
{
	char folder[256];

	snprintf(folder, sizeof(folder), "%s/instances/%s", name, instance);
	fill(scratch, folder);
}

void fake_tracefs_raw(const struct scratch *scratch, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/events/ftrace/print", name);
	scratch_mkdir(scratch, path);
	snprintf(path, sizeof(path), "%s/events/ftrace/print/format", name);
	scratch_put(scratch, path, print_format);
	snprintf(path, sizeof(path), "%s/events/header_page", name);
	scratch_put(scratch, path, page_format);
	for (int cpu = 0; cpu < FAKE_TRACEFS_CPUS; cpu++) {
		snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", name, cpu);
		make_fifo(scratch, path);
	}
}

int fake_tracefs_open(const struct scratch *scratch, const char *name, const char *fifo)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", name, fifo);
	fd = open(scratch_path(scratch, path), O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		perror(path);
		abort();
	}
	return fd;
}

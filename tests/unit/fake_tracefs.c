/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/fake_tracefs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

char fake_tracefs[sizeof(scratch_root) + 4];

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

static void make_fifo(const char *name)
{
	const char *path = scratch_path(name);

	if (!scratch_has(name) && mkfifo(path, 0600) < 0) {
		perror(path);
		abort();
	}
}

/* Makes the files that the top level and each instance have. */
static void fill(const char *folder)
{
	scratch_mkdir(formatted("%s/options", folder));
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		scratch_put(formatted("%s/%s", folder, settings[i].name), settings[i].text);
	for (int cpu = 0; cpu < FAKE_TRACEFS_CPUS; cpu++) {
		const char *cpu_folder = formatted("%s/per_cpu/cpu%d", folder, cpu);

		scratch_put(formatted("%s/stats", cpu_folder), stats);
		scratch_put(formatted("%s/buffer_size_kb", cpu_folder), "7777\n");
	}
	make_fifo(formatted("%s/trace_pipe", folder));
}

void fake_tracefs_make(void)
{
	scratch_mkdir("tr/instances");
	fill("tr");
	snprintf(fake_tracefs, sizeof(fake_tracefs), "%s/tr", scratch_root);
}

int fake_tracefs_set_up(void **state)
{
	scratch_set_up(state);
	fake_tracefs_make();
	return 0;
}

void fake_tracefs_instance(const char *instance)
{
	char folder[64];

	snprintf(folder, sizeof(folder), "tr/instances/%s", instance);
	fill(folder);
}

void fake_tracefs_raw(void)
{
	scratch_put("tr/events/ftrace/print/format", print_format);
	scratch_put("tr/events/header_page", page_format);
	for (int cpu = 0; cpu < FAKE_TRACEFS_CPUS; cpu++)
		make_fifo(formatted("tr/per_cpu/cpu%d/trace_pipe_raw", cpu));
}

int fake_tracefs_open(const char *fifo)
{
	const char *path = scratch_path(formatted("tr/%s", fifo));
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		perror(path);
		abort();
	}
	return fd;
}

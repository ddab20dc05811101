/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android/android.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/text.h"
#include "daemon/base/text_file.h"

/* Between Android's own native services (-1000) and the apps (from -800, persistent ones, to 1000):
 * ProcessList.java. */
#define OOM_SCORE_ADJ (-800)

/* Their CPUs are little ones on most devices; "background" has the fewest. */
static const char *const cpusets[] = { "background", "system-background" };

/* --- files --- */

static bool write_number(const char *root, const char *path, long number)
{
	char whole[PATH_MAX], text[32];
	int len = snprintf(text, sizeof(text), "%ld\n", number);
	bool is_written;
	int fd;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	fd = open(whole, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	is_written = write(fd, text, (size_t)len) == len;
	close(fd);
	return is_written;
}

/* --- out of memory --- */

static int read_oom(const char *root)
{
	char text[32], *end;
	long value;

	if (!text_file_read(text, sizeof(text), "%s/proc/self/oom_score_adj", root))
		return DEVICE_UNKNOWN;
	value = strtol(text, &end, 10);
	return end != text && value >= -1000 && value <= 1000 ? (int)value : DEVICE_UNKNOWN;
}

/* --- the cpuset --- */

static bool enter_cpuset(const struct background *background, const char *cpuset, pid_t pid)
{
	char path[512];

	snprintf(path, sizeof(path), "/dev/cpuset/%s/cgroup.procs", cpuset);
	if (write_number(background->root, path, pid))
		return true;
	snprintf(path, sizeof(path), "/dev/cpuset/%s/tasks", cpuset);
	return write_number(background->root, path, pid);
}

/* --- the little CPUs --- */

/* How fast each CPU is; 0: unknown. False: not all of @cpus are known by the same measure. */
static bool read_speeds(const char *root, const char *name, const cpu_set_t *cpus,
			long speeds[static CPU_SETSIZE])
{
	char text[32];

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		text_file_read(text, sizeof(text), "%s/sys/devices/system/cpu/cpu%d/%s", root, cpu,
			       name);
		speeds[cpu] = strtol(text, NULL, 10);
		if (speeds[cpu] <= 0)
			return false;
	}
	return true;
}

void background_enter(struct background *background, const char *root)
{
	long speeds[CPU_SETSIZE], least = LONG_MAX;
	cpu_set_t allowed, now;
	char text[4096];
	const char *at;
	size_t len;

	*background = (struct background){ .root = root, .oom_before = DEVICE_UNKNOWN };
	if (!root)
		return;
	background->oom_before = read_oom(root);
	/* A user without CAP_SYS_RESOURCE may not lower it. */
	if (background->oom_before > OOM_SCORE_ADJ)
		write_number(root, "/proc/self/oom_score_adj", OOM_SCORE_ADJ);
	if (sched_getaffinity(0, sizeof(background->cpus_before), &background->cpus_before) < 0)
		return;

	/* The line of the file is "4:cpuset:/top-app". Without it, child processes could not be
	 * sent back there. */
	text_file_read(text, sizeof(text), "%s/proc/self/cgroup", root);
	at = strstr(text, ":cpuset:/");
	at = at ? at + strlen(":cpuset:") : "";
	len = strcspn(at, "\n");
	if (len > 0 && len < sizeof(background->home)) {
		snprintf(background->home, sizeof(background->home), "%.*s", (int)len, at);
		for (size_t i = 0; i < sizeof(cpusets) / sizeof(cpusets[0]) && !background->cpuset;
		     i++)
			if (enter_cpuset(background, cpusets[i], getpid()))
				background->cpuset = cpusets[i];
	}

	/* A cpuset may have big CPUs, too: only the slowest are kept. */
	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0 &&
	    (read_speeds(root, "cpu_capacity", &allowed, speeds) ||
	     read_speeds(root, "cpufreq/cpuinfo_max_freq", &allowed, speeds))) {
		now = allowed;
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &allowed) && speeds[cpu] < least)
				least = speeds[cpu];
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &allowed) && speeds[cpu] > least)
				CPU_CLR(cpu, &now);
		if (!CPU_EQUAL(&now, &allowed))
			sched_setaffinity(0, sizeof(now), &now);
	}
	background->has_new_cpus = sched_getaffinity(0, sizeof(now), &now) == 0 &&
				   !CPU_EQUAL(&now, &background->cpus_before);
}

void background_release(void *context, pid_t child)
{
	const struct background *background = context;
	char path[512];

	if (!background->root)
		return;
	if (background->oom_before != DEVICE_UNKNOWN) {
		snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", (int)child);
		write_number(background->root, path, background->oom_before);
	}
	if (background->cpuset)
		enter_cpuset(background, background->home + 1, child);
	if (background->has_new_cpus)
		sched_setaffinity(child, sizeof(background->cpus_before), &background->cpus_before);
}

void background_read(const struct background *background, struct status_process *process)
{
	size_t size = sizeof(process->cpus);
	char *text = process->cpus;
	cpu_set_t cpus;

	*process = (struct status_process){
		.oom_score_adj = read_oom(background->root ? background->root : ""),
		.cpuset = background->cpuset,
	};
	/* Of the main thread: later threads have the same. */
	if (sched_getaffinity(getpid(), sizeof(cpus), &cpus) < 0)
		return;
	/* "0-3,6" */
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		int first = cpu;

		if (!CPU_ISSET(cpu, &cpus))
			continue;
		while (cpu + 1 < CPU_SETSIZE && CPU_ISSET(cpu + 1, &cpus))
			cpu++;
		text_append(text, size, cpu > first ? "%s%d-%d" : "%s%d", text[0] ? "," : "", first,
			    cpu);
	}
}

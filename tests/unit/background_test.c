/* SPDX-License-Identifier: Apache-2.0 */
/* Where jankd runs on a device, with a fake /proc, /dev/cpuset and /sys. Each test is a process of
 * its own, as it changes the CPUs of the process. */
#include "tests/unit/unit.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/android/background.h"
#include "tests/unit/scratch.h"

#define OOM "proc/self/oom_score_adj"

static int set_up(void **state)
{
	scratch_set_up(state);
	scratch_mkdir("proc/self");
	scratch_put(OOM, "0\n");
	scratch_put("proc/self/cgroup", "5:cpu:/x\n4:cpuset:/top-app\n0::/\n");
	scratch_mkdir("dev/cpuset/top-app");
	scratch_put("dev/cpuset/top-app/cgroup.procs", "");
	return 0;
}

FIXTURE(set_up, scratch_tear_down)

/* What a child process found: copied through a pipe. */
struct found {
	struct status_process process;
	char cpuset[32];
	int pid;
	cpu_set_t before, now, child; /* of this process, and of one that was released */
};

/* Enters the background in a child process, and releases a child of that. */
static struct found enter(const char *root)
{
	struct found found;
	int fds[2], status;
	pid_t pid;

	memset(&found, 0, sizeof(found));
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		struct background background;
		pid_t child;
		char path[64];

		found.pid = getpid();
		sched_getaffinity(0, sizeof(found.before), &found.before);
		background_enter(&background, root);
		background_read(&background, &found.process);
		sched_getaffinity(0, sizeof(found.now), &found.now);
		child = fork();
		if (child == 0)
			pause();
		snprintf(path, sizeof(path), "proc/%d", (int)child);
		scratch_mkdir(path);
		strcat(path, "/oom_score_adj");
		scratch_put(path, "-800\n");
		background_release(&background, child);
		sched_getaffinity(child, sizeof(found.child), &found.child);
		scratch_put("released", scratch_get(path));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		if (found.process.cpuset)
			snprintf(found.cpuset, sizeof(found.cpuset), "%s", found.process.cpuset);
		_exit(write(fds[1], &found, sizeof(found)) == sizeof(found) ? 0 : 1);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &found, sizeof(found)), sizeof(found));
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return found;
}

TEST(nothing_changes_on_other_machines)
{
	struct found found = enter(NULL);

	assert_true(CPU_EQUAL(&found.now, &found.before));
	assert_string_equal(found.cpuset, "");
	assert_string_equal(scratch_get(OOM), "0\n");
}

TEST(oom_score_adj_is_lowered_and_children_get_theirs_back)
{
	struct found found = enter(scratch_root);

	assert_int_equal(found.process.oom_score_adj, -800);
	assert_memory_equal(scratch_get("released"), "0\n", 2);
}

/* adbd's own children may have -1000. */
TEST(lower_oom_score_adj_is_kept)
{
	struct found found;

	scratch_put(OOM, "-950\n");
	found = enter(scratch_root);
	assert_int_equal(found.process.oom_score_adj, -950);
	scratch_put(OOM, "what\n");
	found = enter(scratch_root);
	assert_int_equal(found.process.oom_score_adj, DEVICE_UNKNOWN);
}

TEST(cpuset_is_entered_and_children_leave_it)
{
	struct found found;
	char text[32];

	scratch_mkdir("dev/cpuset/background");
	scratch_put("dev/cpuset/background/cgroup.procs", "");
	found = enter(scratch_root);
	assert_string_equal(found.cpuset, "background");
	snprintf(text, sizeof(text), "%d\n", found.pid);
	assert_string_equal(scratch_get("dev/cpuset/background/cgroup.procs"), text);
	assert_true(strlen(scratch_get("dev/cpuset/top-app/cgroup.procs")) > 1);
	assert_string_not_equal(scratch_get("dev/cpuset/top-app/cgroup.procs"), text);
}

TEST(second_cpuset_is_entered_if_the_first_is_missing)
{
	struct found found;

	scratch_mkdir("dev/cpuset/system-background");
	scratch_put("dev/cpuset/system-background/tasks", "");
	found = enter(scratch_root);
	assert_string_equal(found.cpuset, "system-background");
	/* The way back is unknown. */
	scratch_put("proc/self/cgroup", "0::/\n");
	found = enter(scratch_root);
	assert_string_equal(found.cpuset, "");
}

/* The first CPU of this machine is little, the others are big. */
static void put_speeds(const char *name, int little, int big)
{
	cpu_set_t cpus;
	bool is_first = true;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		char path[128], text[32];

		if (!CPU_ISSET(cpu, &cpus))
			continue;
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cpufreq", cpu);
		scratch_mkdir(path);
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/%s", cpu, name);
		snprintf(text, sizeof(text), "%d\n", is_first ? little : big);
		scratch_put(path, text);
		is_first = false;
	}
}

TEST(only_little_cpus_are_used)
{
	static const char *const names[] = { "cpu_capacity", "cpufreq/cpuinfo_max_freq" };
	struct found found;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		scratch_remove();
		set_up(NULL);
		put_speeds(names[i], 250, 1024);
		found = enter(scratch_root);
		assert_int_equal(CPU_COUNT(&found.now), 1);
		assert_null(strpbrk(found.process.cpus, ",-"));
		assert_true(CPU_EQUAL(&found.child, &found.before));
	}
}

TEST(equal_or_unknown_cpus_are_all_used)
{
	static const int pairs[][2] = { { 1024, 1024 }, { 250, 0 }, { 0, 1024 } };

	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		struct found found;

		put_speeds("cpu_capacity", pairs[i][0], pairs[i][1]);
		found = enter(scratch_root);
		assert_true(CPU_EQUAL(&found.now, &found.before));
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#include "daemon/base/child.h"
#include "daemon/base/denial.h"
#include "daemon/base/report.h"
#include "daemon/base/text.h"
#include "daemon/base/wall_clock.h"
#include "daemon/trace/setting_file.h"

/* --- the mount --- */

/* Checks that tracefs is mounted at @directory. Returns 0 or -errno, see live_trace_find(). */
static int probe(const char *directory)
{
	char path[600];
	struct stat info;

	snprintf(path, sizeof(path), "%s/trace_pipe", directory);
	return stat(path, &info) == 0 ? 0 : -errno;
}

int live_trace_find(char directory[static LIVE_TRACE_DIRECTORY_SIZE], const char *wanted)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	const char *const *places = wanted ? &wanted : usual;
	size_t count = wanted ? 1 : sizeof(usual) / sizeof(usual[0]);
	struct mntent *mount;
	int result = -ENOENT;
	FILE *mounts;

	for (size_t i = 0; i < count; i++) {
		int found = probe(places[i]);

		/* A refusal is about the place that refused, not about one that is not there. */
		if (found == 0 || result == -ENOENT)
			snprintf(directory, LIVE_TRACE_DIRECTORY_SIZE, "%s", places[i]);
		if (found == 0)
			return 0;
		if (found == -EACCES || found == -EPERM)
			result = found;
	}
	if (wanted || result != -ENOENT)
		return result;

	/* A mount of tracefs anywhere else, or one inside a debugfs. */
	mounts = setmntent("/proc/self/mounts", "re");
	while (mounts && result != 0 && (mount = getmntent(mounts))) {
		bool debug = strcmp(mount->mnt_type, "debugfs") == 0;

		if (!debug && strcmp(mount->mnt_type, "tracefs") != 0)
			continue;
		snprintf(directory, LIVE_TRACE_DIRECTORY_SIZE, "%s%s", mount->mnt_dir,
			 debug ? "/tracing" : "");
		result = probe(directory);
	}
	if (mounts)
		endmntent(mounts);
	return result;
}

/* Android's user "shell", the user of adb. It can usually trace. */
#define SHELL_UID 2000

void live_trace_refusal(char text[static LIVE_TRACE_REFUSAL_SIZE], const char *directory,
			const char *name, int access, int error)
{
	const char *advice = "run jankd as root; on an Android device, as root or shell";
	char path[PATH_MAX], why[DENIAL_SIZE];
	bool is_root = geteuid() == 0, is_selinux;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	is_selinux = denial_describe(why, path, access, error);
	if (error != -EACCES && error != -EPERM)
		advice = report_advice(error, "check the kernel's tracing");
	else if (is_selinux && !is_root)
		advice = "run jankd as root, or make SELinux permissive as root: setenforce 0";
	else if (is_selinux)
		advice = "make SELinux permissive: setenforce 0";
	else if (is_root)
		advice = "root has no access: check SELinux and kernel lockdown";
	else if (geteuid() == SHELL_UID)
		advice = "run jankd as root: on this device the user shell has no access";
	snprintf(text, LIVE_TRACE_REFUSAL_SIZE, "%s; %s", why, advice);
}

void live_trace_refusal_of_mount(char text[static LIVE_TRACE_REFUSAL_SIZE], const char *directory,
				 const char *wanted, int error)
{
	if (error == -EACCES || error == -EPERM)
		live_trace_refusal(text, directory, "trace_pipe", F_OK, error);
	else if (wanted)
		snprintf(text, LIVE_TRACE_REFUSAL_SIZE,
			 "no tracefs there; mount it: mount -t tracefs nodev %.200s", wanted);
	else
		snprintf(text, LIVE_TRACE_REFUSAL_SIZE,
			 "not mounted; mount it as root: mount -t tracefs nodev "
			 "/sys/kernel/tracing");
}

/* --- the instance --- */

int live_trace_check_instance(const char *directory, const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/instances/%s", directory, name);
	if (access(path, F_OK) == 0)
		return 0;
	snprintf(path, sizeof(path), "%s/instances", directory);
	return access(path, W_OK | X_OK) == 0 ? 1 : -errno;
}

int live_trace_open(struct live_trace **out, const char *directory, const char *instance)
{
	struct live_trace *trace = calloc(1, sizeof(*trace));
	char text[LIVE_TRACE_REFUSAL_SIZE];
	int error;

	if (!trace)
		return report_no_memory(NULL);
	error = live_trace_find(trace->directory, directory);
	if (error == 0 && tracefs_set_tracing_dir(trace->directory) < 0)
		error = -ENOENT;
	if (error < 0) {
		live_trace_refusal_of_mount(text, trace->directory, directory, error);
		report("%s%s: %s", directory ? "--tracefs " : "tracefs", directory ? directory : "",
		       text);
		free(trace);
		return error;
	}
	snprintf(trace->path, sizeof(trace->path), "%s%s%s", trace->directory,
		 instance ? "/instances/" : "", instance ? instance : "");
	/* Checked first because libtracefs leaks memory if it fails to create one. */
	if (instance && live_trace_check_instance(trace->directory, instance) >= 0)
		trace->instance = tracefs_instance_create(instance);
	if (instance && !trace->instance) {
		error = errno ? -errno : -EIO;
		report("--instance %s: cannot create it in %s: %s; %s", instance, trace->directory,
		       strerror(-error),
		       report_advice(error, "run jankd as root, or name an existing instance"));
		free(trace);
		return error;
	}
	trace->is_ours = instance && tracefs_instance_is_new(trace->instance);
	*out = trace;
	return 0;
}

int live_trace_begin(struct live_trace *trace, uint64_t buffer_kb, bool needs_tgid)
{
	static const char *const clocks[] = { "boot", "mono", "global" };
	/* Android allows the user "shell" to write the first three, but not the last one. */
	static const char *const names[] = { "tracing_on", "buffer_size_kb", "trace_clock",
					     "current_tracer" };
	char text[LIVE_TRACE_REFUSAL_SIZE], value[SETTING_SIZE];
	bool is_set = false;
	int error;

	/* The kernel rounds the size. */
	if (trace->is_ours)
		tracefs_instance_set_buffer_size(trace->instance, (size_t)buffer_kb, -1);
	/* Older kernels of Android have the first option, Linux 4.14 and later the second. */
	if ((trace->is_ours || needs_tgid) &&
	    tracefs_instance_file_write(trace->instance, "trace_options", "print-tgid") < 0)
		tracefs_option_enable(trace->instance, TRACEFS_OPTION_RECORD_TGID);

	/* Chooses a clock in the order of atrace: first those whose offset to wall time can be
	 * measured. With one that does not count time, frames would have no times. */
	setting_read(trace->path, "trace_clock", trace->clock);
	if (trace->is_ours || !wall_clock_is_time(trace->clock))
		for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]) && !is_set; i++)
			is_set = tracefs_instance_file_write(trace->instance, "trace_clock",
							     clocks[i]) >= 0;
	setting_read(trace->path, "trace_clock", trace->clock);
	if (!wall_clock_is_time(trace->clock)) {
		error = setting_check_write(trace->path, "trace_clock");
		error = error < 0 ? error : -EINVAL;
		live_trace_refusal(text, trace->path, "trace_clock", W_OK, error);
		report("%s/trace_clock: it is '%s', which does not count time, and cannot be "
		       "changed: %s",
		       trace->path, trace->clock, text);
		return error;
	}

	errno = 0;
	if (tracefs_trace_is_on(trace->instance) == 0 && tracefs_trace_on(trace->instance) != 0) {
		error = errno ? -errno : -EIO;
		live_trace_refusal(text, trace->path, "tracing_on", W_OK, error);
		report("%s/tracing_on: tracing is off and cannot be switched on: %s", trace->path,
		       text);
		return error;
	}

	/* The settings that this process may not change. */
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		error = setting_check_write(trace->path, names[i]);
		if ((error != -EACCES && error != -EPERM && error != -EROFS) ||
		    setting_read(trace->path, names[i], value) < 0)
			continue;
		/* No other tracer is needed. */
		if (strcmp(value, "nop") != 0)
			text_append(trace->fixed, sizeof(trace->fixed), "%s%s%s%s",
				    trace->fixed[0] ? ", " : "", names[i], value[0] ? " " : "",
				    value);
	}
	return 0;
}

void live_trace_stop(struct live_trace *trace)
{
	if (trace->is_ours)
		tracefs_trace_off(trace->instance);
}

struct live_trace *live_trace_close(struct live_trace *trace)
{
	if (!trace)
		return NULL;
	if (trace->is_ours && tracefs_instance_destroy(trace->instance) < 0)
		report_warning("cannot remove %s; remove it with rmdir", trace->path);
	if (trace->instance)
		tracefs_instance_free(trace->instance);
	free(trace);
	return NULL;
}

/* --- files --- */

int live_trace_open_pipe(struct live_trace *trace)
{
	int fd = tracefs_instance_file_open(trace->instance, "trace_pipe",
					    O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -(errno ? errno : EIO);
	/* Before Linux 6.6, several programs can open it at the same time. */
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		close(fd);
		return -EBUSY;
	}
	return fd;
}

#define LOCK_PAUSE_MS 20

int live_trace_lock(const char *directory, int wait_ms)
{
	const struct timespec pause = { 0, LOCK_PAUSE_MS * 1000000 };
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int error = -errno;

		if (error == -EINTR)
			continue;
		if (error == -EWOULDBLOCK && (wait_ms -= LOCK_PAUSE_MS) > 0) {
			if (!child_signal_came()) {
				nanosleep(&pause, NULL);
				continue;
			}
			error = -EINTR;
		}
		close(fd);
		return error;
	}
	return fd;
}

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

/* Checks that tracefs is mounted at @directory. Returns 0 or -errno, see tracefs_find(). */
static int probe(const char *directory)
{
	char path[600];
	struct stat info;

	snprintf(path, sizeof(path), "%s/trace_pipe", directory);
	return stat(path, &info) == 0 ? 0 : -errno;
}

/* Finds a mount of tracefs anywhere else, or one inside a debugfs. */
static int probe_mounts(char *directory, size_t size)
{
	struct mntent *mount;
	int result = -ENOENT;
	FILE *mounts = setmntent("/proc/self/mounts", "re");

	if (!mounts)
		return -ENOENT;
	while (result != 0 && (mount = getmntent(mounts))) {
		bool debug = strcmp(mount->mnt_type, "debugfs") == 0;

		if (!debug && strcmp(mount->mnt_type, "tracefs") != 0)
			continue;
		snprintf(directory, size, "%s%s", mount->mnt_dir, debug ? "/tracing" : "");
		result = probe(directory);
	}
	endmntent(mounts);
	return result;
}

int tracefs_find(char directory[static TRACEFS_DIRECTORY_SIZE], const char *wanted)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	const char *const *places = wanted ? &wanted : usual;
	size_t count = wanted ? 1 : sizeof(usual) / sizeof(usual[0]);
	int result = -ENOENT;

	for (size_t i = 0; i < count; i++) {
		int found = probe(places[i]);

		snprintf(directory, TRACEFS_DIRECTORY_SIZE, "%s", places[i]);
		if (found == 0)
			return 0;
		if (found == -EACCES || found == -EPERM)
			result = found;
	}
	if (!wanted && result == -ENOENT)
		result = probe_mounts(directory, TRACEFS_DIRECTORY_SIZE);
	return result;
}

/* Android's user "shell", the user of adb. It can usually trace. */
#define SHELL_UID 2000

static const char *advice(bool is_selinux, int error, const char *otherwise)
{
	if (error != -EACCES && error != -EPERM)
		return report_advice(error, otherwise);
	if (is_selinux && geteuid() != 0)
		return "run jankd as root, or make SELinux permissive as root: setenforce 0";
	if (is_selinux)
		return "make SELinux permissive: setenforce 0";
	if (geteuid() == 0)
		return "root has no access: check SELinux and kernel lockdown";
	if (geteuid() == SHELL_UID)
		return "run jankd as root: on this device the user shell has no access";
	return "run jankd as root; on an Android device, as root or shell";
}

void tracefs_refusal(char text[static TRACEFS_REFUSAL_SIZE], const char *path, int access,
		     int error, const char *otherwise)
{
	char why[DENIAL_SIZE];
	bool is_selinux = denial_describe(why, path, access, error);

	snprintf(text, TRACEFS_REFUSAL_SIZE, "%s; %s", why, advice(is_selinux, error, otherwise));
}

void tracefs_refusal_of_mount(char text[static TRACEFS_REFUSAL_SIZE], const char *directory,
			      const char *wanted, int error)
{
	char path[TRACEFS_DIRECTORY_SIZE + 16];

	snprintf(path, sizeof(path), "%s/trace_pipe", directory);
	if (error == -EACCES || error == -EPERM)
		tracefs_refusal(text, path, F_OK, error, "");
	else if (wanted)
		snprintf(text, TRACEFS_REFUSAL_SIZE,
			 "no tracefs there; mount it: mount -t tracefs nodev %.200s", wanted);
	else
		snprintf(text, TRACEFS_REFUSAL_SIZE,
			 "not mounted; mount it as root: mount -t tracefs nodev "
			 "/sys/kernel/tracing");
}

static int refuse_directory(const char *directory, const char *wanted, int error)
{
	char text[TRACEFS_REFUSAL_SIZE];

	tracefs_refusal_of_mount(text, directory, wanted, error);
	report_capture("%s%s: %s", wanted ? "--tracefs " : "tracefs", wanted ? wanted : "", text);
	return error;
}

/* --- the instance --- */

int tracefs_check_instance(const char *directory, const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/instances/%s", directory, name);
	if (access(path, F_OK) == 0)
		return 0;
	snprintf(path, sizeof(path), "%s/instances", directory);
	return access(path, W_OK | X_OK) == 0 ? 1 : -errno;
}

static int open_instance(struct tracefs *tracefs, const char *name)
{
	int error;

	snprintf(tracefs->path, sizeof(tracefs->path), "%s", tracefs->directory);
	if (!name)
		return 0;
	/* Checked first because libtracefs leaks memory if it fails to create one. */
	if (tracefs_check_instance(tracefs->directory, name) >= 0)
		tracefs->instance = tracefs_instance_create(name);
	if (!tracefs->instance) {
		error = errno ? errno : EIO;
		report_capture(
			"--instance %s: cannot create it in %s: %s; %s", name, tracefs->directory,
			strerror(error),
			report_advice(-error, "run jankd as root, or name an existing instance"));
		return -error;
	}
	tracefs->is_ours = tracefs_instance_is_new(tracefs->instance);
	snprintf(tracefs->path, sizeof(tracefs->path), "%s/instances/%s", tracefs->directory, name);
	return 0;
}

int tracefs_open(struct tracefs **out, const char *directory, const char *instance)
{
	struct tracefs *tracefs = calloc(1, sizeof(*tracefs));
	int error;

	if (!tracefs)
		return report_no_memory(report_command(), NULL);
	error = tracefs_find(tracefs->directory, directory);
	if (error < 0)
		error = refuse_directory(tracefs->directory, directory, error);
	else if (tracefs_set_tracing_dir(tracefs->directory) < 0)
		error = refuse_directory(tracefs->directory, directory, -ENOENT);
	else
		error = open_instance(tracefs, instance);
	if (error < 0) {
		free(tracefs);
		return error;
	}
	*out = tracefs;
	return 0;
}

/* Chooses a clock in the order of atrace: first those whose offset to wall time can be measured. */
static void choose_clock(struct tracefs *tracefs)
{
	static const char *const clocks[] = { "boot", "mono", "global" };

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (tracefs_instance_file_write(tracefs->instance, "trace_clock", clocks[i]) >= 0)
			return;
}

static int switch_on(struct tracefs *tracefs)
{
	char path[sizeof(tracefs->path) + 16], text[TRACEFS_REFUSAL_SIZE];
	int error;

	if (tracefs_trace_is_on(tracefs->instance) != 0)
		return 0;
	errno = 0;
	if (tracefs_trace_on(tracefs->instance) == 0)
		return 0;
	error = errno ? errno : EIO;
	snprintf(path, sizeof(path), "%s/tracing_on", tracefs->path);
	tracefs_refusal(text, path, W_OK, -error, "check the kernel's tracing");
	report_capture("%s: tracing is off and cannot be switched on: %s", path, text);
	return -error;
}

/* Android allows the user "shell" to write the first three, but not the last one. */
static void find_fixed(struct tracefs *tracefs)
{
	static const char *const names[] = { "tracing_on", "buffer_size_kb", "trace_clock",
					     "current_tracer" };
	char value[SETTING_SIZE];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int error = setting_check_write(tracefs->path, names[i]);

		if ((error != -EACCES && error != -EPERM && error != -EROFS) ||
		    setting_read(tracefs->path, names[i], value) < 0)
			continue;
		/* No other tracer is needed. */
		if (strcmp(value, "nop") != 0)
			text_append(tracefs->fixed, sizeof(tracefs->fixed), "%s%s%s%s",
				    tracefs->fixed[0] ? ", " : "", names[i], value[0] ? " " : "",
				    value);
	}
}

/* With such a clock, frames would have no times. */
static int check_clock(const struct tracefs *tracefs)
{
	char file[sizeof(tracefs->path) + 16], text[TRACEFS_REFUSAL_SIZE];
	int error;

	if (wall_clock_is_time(tracefs->clock))
		return 0;
	snprintf(file, sizeof(file), "%s/trace_clock", tracefs->path);
	error = setting_check_write(tracefs->path, "trace_clock");
	if (error == 0)
		error = -EINVAL;
	tracefs_refusal(text, file, W_OK, error, "check the kernel's tracing");
	report_capture("%s: it is '%s', which does not count time, and cannot be changed: %s", file,
		       tracefs->clock, text);
	return error;
}

int tracefs_begin(struct tracefs *tracefs, uint64_t buffer_kb, bool needs_tgid)
{
	int error;

	/* The kernel rounds the size. */
	if (tracefs->is_ours)
		tracefs_instance_set_buffer_size(tracefs->instance, (size_t)buffer_kb, -1);
	/* Older kernels of Android have the first option, Linux 4.14 and later the second. */
	if ((tracefs->is_ours || needs_tgid) &&
	    tracefs_instance_file_write(tracefs->instance, "trace_options", "print-tgid") < 0)
		tracefs_option_enable(tracefs->instance, TRACEFS_OPTION_RECORD_TGID);
	setting_read(tracefs->path, "trace_clock", tracefs->clock);
	if (tracefs->is_ours || !wall_clock_is_time(tracefs->clock))
		choose_clock(tracefs);
	setting_read(tracefs->path, "trace_clock", tracefs->clock);
	error = check_clock(tracefs);
	if (error == 0)
		error = switch_on(tracefs);
	if (error == 0)
		find_fixed(tracefs);
	return error;
}

void tracefs_stop(struct tracefs *tracefs)
{
	if (tracefs->is_ours)
		tracefs_trace_off(tracefs->instance);
}

struct tracefs *tracefs_close(struct tracefs *tracefs)
{
	if (!tracefs)
		return NULL;
	if (tracefs->is_ours && tracefs_instance_destroy(tracefs->instance) < 0)
		report("warning: %s: cannot remove %s; remove it with rmdir", report_command(),
		       tracefs->path);
	if (tracefs->instance)
		tracefs_instance_free(tracefs->instance);
	free(tracefs);
	return NULL;
}

/* --- files --- */

int tracefs_open_pipe(struct tracefs *tracefs)
{
	int fd = tracefs_instance_file_open(tracefs->instance, "trace_pipe",
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

int tracefs_lock(const char *directory, int wait_ms)
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

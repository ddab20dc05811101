/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/instance.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tracefs.h>

#include "parser/span.h"
#include "tools/phone/error.h"

#define TRACEFS_USUAL "/sys/kernel/tracing"

/* Pause between two tries to find the reader or to remove the instance. */
#define RETRY_NS 50000000L
#define REMOVE_TRIES 100

struct instance {
	struct tracefs_instance *tracefs; /* NULL: the top level */
	char *marker_path;
	char *folder;
	bool remove;
};

static void wait_retry(void)
{
	nanosleep(&(struct timespec){ 0, RETRY_NS }, NULL);
}

void instance_open(struct instance **opened, const char *tracefs, const char *name, int buffer_kb,
		   bool keep)
{
	static const char *const rare[][2] = {
		{ "oom", "mark_victim" },
		{ "module", "module_free" },
		{ "signal", "signal_deliver" },
	};
	struct instance *instance = calloc(1, sizeof(*instance));
	struct tracefs_instance *made = NULL;
	char marker[PATH_MAX];
	size_t event = 0;

	if (!instance)
		fail_memory("instance");
	*opened = instance;
	if (tracefs) {
		snprintf(marker, sizeof(marker), "%s/trace_marker", tracefs);
		if (access(marker, F_OK) < 0)
			fail(tracefs, "not a tracefs mount", "run mount -t tracefs nodev DIR");
		tracefs_set_tracing_dir((char *)tracefs);
	} else {
		if (access(TRACEFS_USUAL "/trace_marker", F_OK) < 0)
			mount("nodev", TRACEFS_USUAL, "tracefs", 0, NULL);
		if (!tracefs_tracing_dir())
			fail("tracefs", "not mounted", "run as root, or use --output FILE");
	}
	errno = 0;
	if (name)
		made = tracefs_instance_create(name);
	if (name && !made)
		fail(name, errno ? strerror(errno) : "cannot create the instance",
		     "run as root, or use --output FILE");
	instance->tracefs = made;
	instance->marker_path = tracefs_instance_get_file(made, "trace_marker");
	instance->folder = tracefs_instance_get_dir(made);
	if (!instance->marker_path || !instance->folder)
		fail_memory("instance");
	if (!name || !tracefs_instance_is_new(made))
		return;

	instance->remove = !keep;
	if (tracefs_instance_file_write(made, "trace_clock", "mono") < 0)
		fail(name, "cannot set the trace clock", "check trace_clock of the instance");
	if (tracefs_instance_set_buffer_size(made, (size_t)buffer_kb, -1) < 0)
		fail(name, "cannot set the buffer size", "use a smaller one (--buffer-kb)");
	tracefs_option_enable(made, TRACEFS_OPTION_RECORD_TGID);
	/* The kernel records the names of threads only while an event is enabled: a rare one. */
	while (event < sizeof(rare) / sizeof(rare[0]) &&
	       tracefs_event_enable(made, rare[event][0], rare[event][1]) != 0)
		event++;
	if (event == sizeof(rare) / sizeof(rare[0]))
		fputs("jank-phone: cannot enable an event: threads have no names in the trace\n",
		      stderr);
	if (tracefs_trace_on(made) < 0)
		fail(name, "cannot switch tracing on", "check tracing_on of the instance");
}

const char *instance_marker_path(const struct instance *instance)
{
	return instance->marker_path;
}

clockid_t instance_clock(const struct instance *instance)
{
	static const struct {
		const char *name;
		clockid_t id;
	} clocks[] = {
		{ "mono", CLOCK_MONOTONIC },
		{ "boot", CLOCK_BOOTTIME },
		{ "mono_raw", CLOCK_MONOTONIC_RAW },
		{ "tai", CLOCK_TAI },
	};
	char *name = tracefs_get_clock(instance->tracefs);
	clockid_t id = -1;

	for (size_t i = 0; name && i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (strcmp(name, clocks[i].name) == 0)
			id = clocks[i].id;
	free(name);
	if (id >= 0)
		return id;
	fputs("jank-phone: the trace clock of the instance cannot be read from user space: the "
	      "times of the truth are CLOCK_MONOTONIC\n",
	      stderr);
	return CLOCK_MONOTONIC;
}

/* Returns true if the process has a trace_pipe or trace_pipe_raw in @folder open. */
static bool process_reads(const char *folder, const char *pid)
{
	char link[PATH_MAX], path[PATH_MAX];
	size_t folder_length = strlen(folder);
	bool reads = false;
	struct dirent *entry;
	DIR *fds;

	snprintf(link, sizeof(link), "/proc/%s/fd", pid);
	fds = opendir(link);
	if (!fds)
		return false;
	while (!reads && (entry = readdir(fds))) {
		ssize_t length;

		snprintf(link, sizeof(link), "/proc/%s/fd/%s", pid, entry->d_name);
		length = readlink(link, path, sizeof(path) - 1);
		path[length > 0 ? length : 0] = '\0';
		reads = strncmp(path, folder, folder_length) == 0 && path[folder_length] == '/' &&
			strstr(path + folder_length, "/trace_pipe") != NULL;
	}
	closedir(fds);
	return reads;
}

/* Searches /proc. It does not try to open the pipe, because that would block the reader. */
static bool has_reader(const char *folder)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	if (!proc)
		return false;
	while (!found && (entry = readdir(proc)))
		if (is_digit(entry->d_name[0]))
			found = process_reads(folder, entry->d_name);
	closedir(proc);
	return found;
}

void instance_wait_reader(const struct instance *instance, unsigned int seconds,
			  const volatile sig_atomic_t *stop)
{
	char folder[PATH_MAX];

	if (!realpath(instance->folder, folder))
		fail(instance->folder, strerror(errno), "check whether the instance was removed");
	for (long tries = 0; !*stop && !has_reader(folder); tries++) {
		if (tries * RETRY_NS / 1000000000L >= (long)seconds)
			fail(folder, "no process reads its trace_pipe",
			     "start the reader, or omit --wait-reader");
		wait_retry();
	}
}

void instance_close(struct instance *instance)
{
	int tries = 0;

	if (!instance)
		return;
	while (instance->remove && tracefs_instance_destroy(instance->tracefs) < 0) {
		if (errno != EBUSY || ++tries == REMOVE_TRIES) {
			fprintf(stderr, "jank-phone: %s: %s; remove it with rmdir\n",
				instance->folder, strerror(errno));
			break;
		}
		wait_retry();
	}
	tracefs_put_tracing_file(instance->marker_path);
	tracefs_put_tracing_file(instance->folder);
	if (instance->tracefs)
		tracefs_instance_free(instance->tracefs);
	free(instance);
}

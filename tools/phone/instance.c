/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/instance.h"

#include <ctype.h>
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

#include "tools/phone/error.h"

#define TRACEFS_USUAL "/sys/kernel/tracing"

/* A reader drains what is left a few times a second. */
#define POLL_NS 50000000L
#define REMOVE_TRIES 100

struct phone_instance {
	struct tracefs_instance *tracefs;
	char *marker;
	char *folder;
	bool remove;
};

static void pause_a_moment(void)
{
	nanosleep(&(struct timespec){ 0, POLL_NS }, NULL);
}

/* Names of threads and processes are recorded only while an event is enabled; one that does not
 * fire on a healthy machine is enough. */
static void record_names(struct tracefs_instance *tracefs)
{
	static const char *const quiet[][2] = {
		{ "oom", "mark_victim" },
		{ "module", "module_free" },
		{ "signal", "signal_deliver" },
	};

	for (size_t i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++)
		if (tracefs_event_enable(tracefs, quiet[i][0], quiet[i][1]) == 0)
			return;
	fputs("jank-phone: no event could be enabled: the trace will lack names\n", stderr);
}

static void set_up(struct tracefs_instance *tracefs, const char *name, int buffer_kb)
{
	if (tracefs_instance_file_write(tracefs, "trace_clock", "mono") < 0)
		phone_fail(name, "its clock cannot be set", "look at its trace_clock");
	if (tracefs_instance_set_buffer_size(tracefs, (size_t)buffer_kb, -1) < 0)
		phone_fail(name, "its buffer cannot have that size", "ask for less (--buffer-kb)");
	tracefs_option_enable(tracefs, TRACEFS_OPTION_RECORD_TGID);
	record_names(tracefs);
	if (tracefs_trace_on(tracefs) < 0)
		phone_fail(name, "tracing cannot be switched on", "look at its tracing_on");
}

/* The mount that the caller named, or the machine's. */
static void find_tracefs(const char *tracefs)
{
	if (tracefs) {
		char marker[PATH_MAX];

		snprintf(marker, sizeof(marker), "%s/trace_marker", tracefs);
		if (access(marker, F_OK) < 0)
			phone_fail(tracefs, "is no tracefs", "mount -t tracefs nodev DIR");
		tracefs_set_tracing_dir((char *)tracefs);
		return;
	}
	if (access(TRACEFS_USUAL "/trace_marker", F_OK) < 0)
		mount("nodev", TRACEFS_USUAL, "tracefs", 0, NULL);
	if (!tracefs_tracing_dir())
		phone_fail("tracefs", "is not mounted", "run as root, or use --output -");
}

struct phone_instance *phone_instance_open(const char *tracefs, const char *name, int buffer_kb,
					   bool keep)
{
	struct phone_instance *instance = calloc(1, sizeof(*instance));

	if (!instance)
		phone_fail(name, "out of memory", "end other programs");
	find_tracefs(tracefs);
	errno = 0;
	instance->tracefs = tracefs_instance_create(name);
	if (!instance->tracefs)
		phone_fail(name, errno ? strerror(errno) : "no such instance can be made",
			   "run as root, or use --output -");
	instance->marker = tracefs_instance_get_file(instance->tracefs, "trace_marker");
	instance->folder = tracefs_instance_get_dir(instance->tracefs);
	if (!instance->marker || !instance->folder)
		phone_fail(name, "out of memory", "end other programs");
	if (tracefs_instance_is_new(instance->tracefs)) {
		instance->remove = !keep;
		set_up(instance->tracefs, name, buffer_kb);
	}
	return instance;
}

const char *phone_instance_marker(const struct phone_instance *instance)
{
	return instance->marker;
}

clockid_t phone_instance_clock(const struct phone_instance *instance)
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
	fputs("jank-phone: the instance's clock cannot be read by a program: times of the truth "
	      "are CLOCK_MONOTONIC\n",
	      stderr);
	return CLOCK_MONOTONIC;
}

/* Whether the file that @link stands for is a trace_pipe, text or raw, below @folder. */
static bool is_pipe_of(const char *folder, const char *link)
{
	char path[PATH_MAX];
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	size_t folder_length = strlen(folder);

	if (length < 0)
		return false;
	path[length] = '\0';
	return strncmp(path, folder, folder_length) == 0 && path[folder_length] == '/' &&
	       strstr(path + folder_length, "/trace_pipe") != NULL;
}

static bool process_reads(const char *folder, const char *pid)
{
	char path[PATH_MAX];
	bool reads = false;
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	DIR *fds = opendir(path);

	if (!fds)
		return false;
	while (!reads && (entry = readdir(fds))) {
		snprintf(path, sizeof(path), "/proc/%s/fd/%s", pid, entry->d_name);
		reads = is_pipe_of(folder, path);
	}
	closedir(fds);
	return reads;
}

/* Asks /proc and not the pipe itself: to open it for a try would lock its reader out. */
static bool has_reader(const char *folder)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	if (!proc)
		return false;
	while (!found && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			found = process_reads(folder, entry->d_name);
	closedir(proc);
	return found;
}

void phone_instance_wait_reader(const struct phone_instance *instance, unsigned int seconds,
				const volatile sig_atomic_t *stop)
{
	char folder[PATH_MAX];

	if (!realpath(instance->folder, folder))
		phone_fail(instance->folder, strerror(errno), "look whether it was removed");
	for (long tries = 0; !*stop && !has_reader(folder); tries++) {
		if (tries * POLL_NS / 1000000000L >= (long)seconds)
			phone_fail(folder, "nobody reads its trace_pipe",
				   "start the reader, or play without --wait-reader");
		pause_a_moment();
	}
}

void phone_instance_close(struct phone_instance *instance)
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
		pause_a_moment();
	}
	tracefs_put_tracing_file(instance->marker);
	tracefs_put_tracing_file(instance->folder);
	tracefs_instance_free(instance->tracefs);
	free(instance);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* 'jankd doctor': what this device allows, a line for each thing. It changes nothing. What a line
 * says is found by the functions that a capture uses, too. */
#include "daemon/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "daemon/android/android.h"
#include "daemon/base/denial.h"
#include "daemon/base/last_session.h"
#include "daemon/base/report.h"
#include "daemon/base/state_dir.h"
#include "daemon/base/text.h"
#include "daemon/base/wall_clock.h"
#include "daemon/files/files.h"
#include "daemon/trace/trace.h"

/* Android's user and group: "shell", the user of adb; and "readtracefs" (AID_READTRACEFS), which
 * may read tracefs since Android 13. */
#define SHELL_UID 2000
#define READTRACEFS_GID 3012

/* Less is too little for the first rows. */
#define FREE_LEAST (1024 * 1024)

struct doctor {
	const struct options *options;
	unsigned int problems;
	bool runs;		  /* a capture runs in the folder */
	struct live_trace *trace; /* the trace; NULL: it is not there, or not yet */
	struct trace_files files;
	struct other_tracers others;
};

enum finding { OK, NOTE, PROBLEM };

__attribute__((format(printf, 4, 5))) static void print(struct doctor *doctor, const char *subject,
							enum finding finding, const char *format,
							...)
{
	static const char *const words[] = { "ok", "note", "problem" };
	char text[2048], escaped[4 * sizeof(text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	text_escape(escaped, sizeof(escaped), text);
	printf("%-8s %s: %s\n", words[finding], subject, escaped);
	doctor->problems += finding == PROBLEM;
}

/* --- the trace --- */

/* Finds the trace. It is not opened if it is an instance that does not exist: doctor creates none.
 */
static void check_tracefs(struct doctor *doctor)
{
	const char *tracefs = doctor->options->tracefs, *instance = doctor->options->instance;
	char directory[LIVE_TRACE_DIRECTORY_SIZE], text[LIVE_TRACE_REFUSAL_SIZE];
	int error = live_trace_find(directory, tracefs);

	if (error < 0) {
		live_trace_refusal_of_mount(text, directory, tracefs, error);
		print(doctor, "tracefs", PROBLEM, "%s%s%s", tracefs ? tracefs : "",
		      tracefs ? ": " : "", text);
		return;
	}
	print(doctor, "tracefs", OK, "%s", directory);
	error = instance ? live_trace_check_instance(directory, instance) : 0;
	if (instance && error == 0)
		print(doctor, "instance", OK, "%s", instance);
	else if (error > 0)
		print(doctor, "instance", OK, "%s does not exist; jankd creates it for a capture",
		      instance);
	else if (error < 0)
		print(doctor, "instance", PROBLEM, "%s cannot be created: %s; %s", instance,
		      strerror(-error),
		      report_advice(error, "run jankd as root, or name an existing instance"));
	if (error != 0 || live_trace_open(&doctor->trace, tracefs, instance) < 0)
		return;
	trace_files_open(&doctor->files, doctor->trace->path);
	other_tracers_find(&doctor->others, doctor->trace->path);
}

/* Events are read as text from trace_pipe, or as raw pages from the files of the CPUs. One of the
 * two is enough. */
static void check_pipe(struct doctor *doctor)
{
	char raw_why[SOURCE_WHY_SIZE], text[LIVE_TRACE_REFUSAL_SIZE];
	const char *readers = doctor->others.readers;
	int fd = live_trace_open_pipe(doctor->trace), raw;

	if (fd >= 0)
		close(fd);
	if (fd == -EBUSY || (fd >= 0 && readers[0])) {
		print(doctor, "trace_pipe", doctor->runs ? NOTE : PROBLEM, "being read by %s%s",
		      readers[0] ? readers : "another program",
		      doctor->runs ? "" : "; stop that program, or use --instance");
		return;
	}
	raw = source_raw_check(doctor->trace, &doctor->files, raw_why);
	live_trace_refusal(text, doctor->trace->path, "trace_pipe", R_OK, fd);
	if (fd >= 0)
		print(doctor, "trace_pipe", OK, "can be read");
	else
		print(doctor, "trace_pipe", raw < 0 ? PROBLEM : NOTE, "cannot be read: %s", text);
	if (raw == 0)
		print(doctor, "raw", OK, "trace_pipe_raw can be read");
	else
		print(doctor, "raw", NOTE, "%s%s", raw_why,
		      fd < 0 ? ""
			     : "; jankd reads trace_pipe as text, which costs about ten times as "
			       "much");
}

/* The setting @name has this value, with a @doubt if jankd cannot change it, which is what @if_not
 * says. */
static void print_setting(struct doctor *doctor, const char *name, const char *value,
			  enum finding if_not, const char *doubt)
{
	const char *path = doctor->trace->path;
	int error = setting_check_write(path, name);
	char refusal[LIVE_TRACE_REFUSAL_SIZE];

	live_trace_refusal(refusal, path, name, W_OK, error);
	if (error == 0)
		print(doctor, name, OK, "%s, and jankd can change it", value);
	else
		print(doctor, name, if_not, "%s%s, and jankd cannot change it: %s", value, doubt,
		      refusal);
}

static void check_settings(struct doctor *doctor)
{
	const char *path = doctor->trace->path;
	uint64_t kb = buffer_size_read(path);
	char on[SETTING_SIZE], clock[SETTING_SIZE], size[64] = "unknown";
	bool is_on, is_time;

	if (setting_read(path, "tracing_on", on) < 0)
		snprintf(on, sizeof(on), "unknown");
	is_on = strcmp(on, "1") == 0;
	print_setting(doctor, "tracing_on",
		      is_on		     ? "on"
		      : strcmp(on, "0") == 0 ? "off"
					     : "unknown",
		      is_on ? NOTE : PROBLEM, "");
	if (kb > 0)
		snprintf(size, sizeof(size), "%" PRIu64 " KB per CPU", kb);
	print_setting(doctor, "buffer_size_kb", size, NOTE,
		      kb > 0 && kb < BUFFER_ENOUGH_KB ? ", which may overflow between two reads"
						      : "");
	if (setting_read(path, "trace_clock", clock) < 0)
		snprintf(clock, sizeof(clock), "unknown");
	is_time = wall_clock_is_time(clock);
	print_setting(doctor, "trace_clock", clock, is_time ? NOTE : PROBLEM,
		      is_time ? "" : ", which does not count time");
}

/* --- other programs --- */

/* A capture of this folder has such settings of its own. */
static void check_others(struct doctor *doctor)
{
	struct property_budget budget = property_budget_begin(false);
	char tracer[SETTING_SIZE], tags[64], *events;
	unsigned int n_events = 0;
	bool has_tracer, has_tags;

	if (doctor->runs)
		return;
	events = setting_read_all(doctor->trace->path, "set_event");
	for (const char *at = events; at && (at = strchr(at, '\n')); at++)
		n_events++;
	free(events);
	setting_read(doctor->trace->path, "current_tracer", tracer);
	has_tracer = tracer[0] && strcmp(tracer, "nop") != 0;
	android_getprop(&budget, "debug.atrace.tags.enableflags", tags, sizeof(tags));
	has_tags = strtoull(tags, NULL, 0) > 0;
	if (has_tracer)
		print(doctor, "other tracers", NOTE,
		      "current_tracer is %s, which can fill the buffer; set it to nop", tracer);
	if (n_events > 0)
		print(doctor, "other tracers", NOTE,
		      "%u kernel events are enabled and fill the same buffer; disable those "
		      "that are not needed",
		      n_events);
	if (has_tags)
		print(doctor, "other tracers", NOTE,
		      "apps already write markers (tags %s): another program is tracing, or has "
		      "left them enabled",
		      tags);
	if (doctor->others.others[0])
		print(doctor, "other tracers", NOTE,
		      "%s: it changes buffer, clock and events while it records; do not record "
		      "with both at the same time",
		      doctor->others.others);
	if (!has_tracer && n_events == 0 && !has_tags && !doctor->others.others[0])
		print(doctor, "other tracers", OK, "none found%s",
		      geteuid() == 0 ? "" : "; only root sees all");
}

/* atrace and dumpsys. */
static void check_android(struct doctor *doctor)
{
	const char *categories = doctor->options->categories;
	char why[ATRACE_WHY_SIZE], text[256] = "";
	struct dumpsys_rates rates;
	uint64_t period_ns;
	int error = atrace_check(categories, why);

	if (error == 0)
		print(doctor, "atrace", OK, "it has the categories %s", categories);
	else if (error == -ENOENT)
		print(doctor, "atrace", NOTE,
		      "not found; enable the markers of apps in another way");
	else if (error > 0)
		print(doctor, "atrace", PROBLEM,
		      "it has no category %s; name others with --categories", why);
	else
		print(doctor, "atrace", NOTE, "its categories cannot be listed: %s", why);
	if (!android_display_read(&period_ns, &rates)) {
		print(doctor, "display", OK,
		      "no dumpsys; jankd measures the refresh rate in the trace");
		return;
	}
	for (unsigned int i = 0; i < rates.n; i++)
		text_append(text, sizeof(text), "%s%.2f", i > 0 ? ", " : "", rates.mhz[i] / 1e3);
	if (period_ns == 0 && rates.n == 0)
		print(doctor, "display", NOTE,
		      "dumpsys does not print the refresh rate; jankd measures it in the trace");
	else if (period_ns == 0)
		print(doctor, "display", OK, "modes of %s Hz", text);
	else
		print(doctor, "display", OK, "%.2f Hz%s%s%s", 1e9 / (double)period_ns,
		      rates.n > 0 ? ", modes of " : "", text, rates.n > 0 ? " Hz" : "");
}

/* --- the folder --- */

static void check_folder(struct doctor *doctor)
{
	const char *path = doctor->options->folder;
	uint64_t min_free = doctor->options->min_free, free_bytes;
	char parent[PATH_MAX], why[DENIAL_SIZE];
	int fd;

	/* The folder, or the nearest one above that exists. */
	snprintf(parent, sizeof(parent), "%s", path);
	while (access(parent, F_OK) < 0 && errno == ENOENT && strcmp(parent, ".") != 0) {
		const char *above = dirname(parent);

		if (above != parent)
			strcpy(parent, above);
	}
	fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || access(parent, W_OK | X_OK) < 0) {
		int error = -errno;

		denial_describe(why, parent, W_OK, error);
		print(doctor, "folder", PROBLEM, "%s: %s: %s; name another one with -F", path,
		      parent, why);
		if (fd >= 0)
			close(fd);
		return;
	}
	free_bytes = disk_free_bytes(fd);
	if (doctor->options->device_root && !doctor->options->min_free_given)
		min_free = disk_floor_of_device(fd);
	close(fd);
	if (free_bytes == UINT64_MAX)
		print(doctor, "folder", NOTE, "%s: the free space is unknown", path);
	else if (free_bytes < FREE_LEAST)
		print(doctor, "folder", PROBLEM, "%s: %" PRIu64 " bytes free; free some disk space",
		      path, free_bytes);
	else if (free_bytes < min_free)
		print(doctor, "folder", NOTE,
		      "%s: %" PRIu64 " MB free, less than --min-free %" PRIu64
		      " MB: segments would be removed; free some disk space",
		      path, free_bytes / 1000000, min_free / 1000000);
	else
		print(doctor, "folder", OK, "%s: %" PRIu64 " MB free", path, free_bytes / 1000000);
}

int cmd_doctor(struct options *options)
{
	struct doctor doctor = { .options = options, .runs = state_dir_is_held(options->folder) };
	const char *group = denial_is_in_group(READTRACEFS_GID) ? "in" : "not in";
	struct selinux selinux = selinux_read();
	struct utsname kernel;
	char how[LAST_SESSION_TEXT] = "";
	enum last_session_end end = LAST_SESSION_NONE;
	bool several;

	if (uname(&kernel) == 0)
		print(&doctor, "kernel", OK, "%s %s %s, pages of %ld KB", kernel.sysname,
		      kernel.release, kernel.machine, sysconf(_SC_PAGESIZE) / 1024);
	else
		print(&doctor, "kernel", NOTE, "%s", strerror(errno));
	if (geteuid() == 0)
		print(&doctor, "user", OK, "root");
	else if (geteuid() == SHELL_UID)
		print(&doctor, "user", OK, "shell (uid %d), %s the group readtracefs", SHELL_UID,
		      group);
	else
		print(&doctor, "user", NOTE,
		      "uid %u, %s the group readtracefs; if access is denied below, run jankd "
		      "as root or as shell",
		      (unsigned int)geteuid(), group);
	if (!selinux.is_present)
		print(&doctor, "selinux", OK, "none, or it cannot be read");
	else
		print(&doctor, "selinux", OK, "%s, context %s",
		      selinux.is_enforcing ? "enforcing" : "permissive",
		      selinux.context[0] ? selinux.context : "unknown");

	trace_files_init(&doctor.files);
	check_tracefs(&doctor);
	if (doctor.trace) {
		check_pipe(&doctor);
		check_settings(&doctor);
		check_others(&doctor);
	}
	check_android(&doctor);
	check_folder(&doctor);
	trace_files_close(&doctor.files);
	live_trace_close(doctor.trace);

	if (!doctor.runs)
		end = last_session_describe(how, options->folder);
	if (doctor.runs)
		print(&doctor, "capture", NOTE,
		      "a capture is running in %s; 'jankd status' shows it", options->folder);
	else if (how[0])
		print(&doctor, "capture", NOTE,
		      "no capture is running in %s: %s; continue with 'jankd start --resume'%s",
		      options->folder, how,
		      end == LAST_SESSION_KILLED ? ", or restore its settings with 'jankd stop'"
						 : "");
	else
		print(&doctor, "capture", OK, "no capture is running in %s", options->folder);
	if (doctor.problems == 0)
		return EXIT_DONE;
	/* The lines come before the report, also where both go to one pipe. */
	fflush(stdout);
	several = doctor.problems > 1;
	report("no capture is possible: %u problem%s; see the line%s above that begin%s with "
	       "'problem'",
	       doctor.problems, several ? "s" : "", several ? "s" : "", several ? "" : "s");
	return EXIT_FAILED;
}

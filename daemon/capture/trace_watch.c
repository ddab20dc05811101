/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/interference.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* Reads in one call, as a program may write without pause. */
#define READS_MAX 8

/* Besides the settings. */
static const struct {
	unsigned int file;
	uint32_t mask;
	const char *name; /* NULL: there is no such file for all CPUs */
	const char *of_cpu;
} files[] = {
	{ TRACE_SETTING_SIZE, IN_MODIFY, NULL, "buffer_size_kb" },
	{ TRACE_FILE_OPTIONS, IN_MODIFY, "trace_options", NULL },
	{ TRACE_FILE_EMPTIED, IN_MODIFY, "buffer_subbuf_size_kb", NULL },
	{ TRACE_FILE_EMPTIED, IN_MODIFY, "snapshot", "snapshot" },
	{ TRACE_FILE_TRACE, IN_MODIFY | IN_OPEN | IN_CLOSE, "trace", "trace" },
	{ TRACE_FILE_RAW, IN_OPEN | IN_CLOSE, NULL, "trace_pipe_raw" },
};

static void add_watch(struct trace_watch *watch, const char *path, const char *file_name,
		      unsigned int file, uint32_t mask)
{
	char name[PATH_MAX];
	int wd;

	snprintf(name, sizeof(name), "%s/%s", path, file_name);
	wd = inotify_add_watch(watch->watcher.fd, name, mask);
	if (wd < 0)
		return;
	watch->watches[watch->n_watches].wd = wd;
	watch->watches[watch->n_watches++].file = file;
}

void trace_watch_open(struct trace_watch *watch, struct watcher watcher, const char *path,
		      bool line_format)
{
	char name[64];

	watch->raw_readers = watch->text_readers = 0;
	watch->n_watches = 0;
	watch->watcher = watcher;
	watch->watcher.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (watch->watcher.fd < 0)
		return;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (files[i].name)
			add_watch(watch, path, files[i].name, files[i].file, files[i].mask);
		for (unsigned int cpu = 0; files[i].of_cpu && cpu < trace_cpus(); cpu++) {
			snprintf(name, sizeof(name), "per_cpu/cpu%u/%s", cpu, files[i].of_cpu);
			add_watch(watch, path, name, files[i].file, files[i].mask);
		}
	}
	for (unsigned int i = 0; i < (line_format ? TRACE_SETTINGS : TRACE_SETTING_FORMAT); i++)
		add_watch(watch, path, trace_files_name((enum trace_setting)i), i, IN_MODIFY);
	/* It would look as if no program wrote to any file. */
	if (watch->n_watches == 0) {
		close(watch->watcher.fd);
		watch->watcher.fd = -1;
	}
}

static unsigned int handle_event(struct trace_watch *watch, const struct inotify_event *event)
{
	unsigned int touched = 0;
	bool is_text;
	int *readers;

	/* Inotify events were lost: any file may have been written. */
	if (event->mask & IN_Q_OVERFLOW) {
		watch->raw_readers = watch->text_readers = 0;
		return ((1u << TRACE_FILES) - 1) & ~(1u << TRACE_FILE_TRACE);
	}
	for (unsigned int i = 0; i < watch->n_watches; i++)
		if (event->wd == watch->watches[i].wd)
			touched |= 1u << watch->watches[i].file;
	is_text = touched & 1u << TRACE_FILE_TRACE;
	if (!is_text && !(touched & 1u << TRACE_FILE_RAW))
		return touched;
	readers = is_text ? &watch->text_readers : &watch->raw_readers;
	if (event->mask & IN_OPEN)
		(*readers)++;
	if ((event->mask & IN_CLOSE) && *readers > 0)
		(*readers)--;
	if (!is_text)
		return touched;
	/* A program that empties the trace also opens and closes it. */
	if (event->mask & IN_MODIFY)
		return 1u << TRACE_FILE_EMPTIED;
	return event->mask & IN_CLOSE_NOWRITE ? 1u << TRACE_FILE_WAS_READ : 0;
}

unsigned int trace_watch_read(struct trace_watch *watch)
{
	/* Events of files have no names, so each is as long as the struct. */
	char events[64 * sizeof(struct inotify_event)];
	unsigned int touched = 0;
	ssize_t n = 1;

	for (int i = 0; i < READS_MAX && n > 0 && watch->watcher.fd >= 0; i++) {
		size_t at = 0;

		n = read(watch->watcher.fd, events, sizeof(events));
		while (n > 0 && at + sizeof(struct inotify_event) <= (size_t)n) {
			struct inotify_event event;

			memcpy(&event, events + at, sizeof(event));
			touched |= handle_event(watch, &event);
			watch->events++;
			at += sizeof(event) + event.len;
		}
	}
	return touched;
}

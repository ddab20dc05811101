/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace_watch.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* Who writes without pause is not listened to without pause. */
#define READS_MAX 8

static const struct {
	const char *name; /* NULL: there is none for all CPUs */
	const char *of_cpu;
	uint32_t mask;
} files[TRACE_FILES] = {
	[TRACE_FILE_ON] = { "tracing_on", NULL, IN_MODIFY },
	[TRACE_FILE_CLOCK] = { "trace_clock", NULL, IN_MODIFY },
	[TRACE_FILE_SUBBUF] = { "buffer_subbuf_size_kb", NULL, IN_MODIFY },
	[TRACE_FILE_SIZE] = { "buffer_size_kb", "buffer_size_kb", IN_MODIFY },
	[TRACE_FILE_TRACE] = { "trace", "trace", IN_MODIFY },
	[TRACE_FILE_RAW] = { NULL, "trace_pipe_raw", IN_OPEN | IN_CLOSE },
};

static void listen_to(struct trace_watch *watch, const char *name, enum trace_file file)
{
	int wd = inotify_add_watch(watch->watcher.fd, name, files[file].mask);

	if (wd < 0)
		return;
	watch->watches[watch->n_watches].wd = wd;
	watch->watches[watch->n_watches++].file = file;
}

void trace_watch_open(struct trace_watch *watch, const char *path)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	char name[PATH_MAX];

	watch->readers = 0;
	watch->n_watches = 0;
	watch->watcher.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	for (int i = 0; i < TRACE_FILES && watch->watcher.fd >= 0; i++) {
		if (files[i].name) {
			snprintf(name, sizeof(name), "%s/%s", path, files[i].name);
			listen_to(watch, name, (enum trace_file)i);
		}
		for (int cpu = 0; files[i].of_cpu && cpu < cpus && cpu < TRACE_WATCH_CPUS_MAX;
		     cpu++) {
			snprintf(name, sizeof(name), "%s/per_cpu/cpu%d/%s", path, cpu,
				 files[i].of_cpu);
			listen_to(watch, name, (enum trace_file)i);
		}
	}
}

void trace_watch_close(struct trace_watch *watch)
{
	if (watch->watcher.fd >= 0)
		close(watch->watcher.fd);
	watch->watcher.fd = -1;
}

static void count_readers(struct trace_watch *watch, uint32_t mask)
{
	if (mask & IN_OPEN)
		watch->readers++;
	if ((mask & IN_CLOSE) && watch->readers > 0)
		watch->readers--;
}

static unsigned int take_event(struct trace_watch *watch, const struct inotify_event *event)
{
	unsigned int heard = 0;

	/* Too much was heard: it may have been anything. */
	if (event->mask & IN_Q_OVERFLOW) {
		watch->readers = 0;
		return (1u << TRACE_FILES) - 1;
	}
	for (unsigned int i = 0; i < watch->n_watches; i++)
		if (event->wd == watch->watches[i].wd)
			heard |= 1u << watch->watches[i].file;
	if (heard & 1u << TRACE_FILE_RAW)
		count_readers(watch, event->mask);
	return heard;
}

unsigned int trace_watch_take(struct trace_watch *watch)
{
	/* Files have no names of their own in events: each is as long as the struct. */
	char events[64 * sizeof(struct inotify_event)];
	unsigned int heard = 0;
	ssize_t n = 1;

	for (int i = 0; i < READS_MAX && n > 0 && watch->watcher.fd >= 0; i++) {
		size_t at = 0;

		n = read(watch->watcher.fd, events, sizeof(events));
		while (n > 0 && at + sizeof(struct inotify_event) <= (size_t)n) {
			struct inotify_event event;

			memcpy(&event, events + at, sizeof(event));
			heard |= take_event(watch, &event);
			at += sizeof(event) + event.len;
		}
	}
	return heard;
}

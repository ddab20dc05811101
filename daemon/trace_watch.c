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
	const char *name;
	uint32_t mask;
} files[TRACE_FILES] = {
	[TRACE_FILE_ON] = { "tracing_on", IN_MODIFY },
	[TRACE_FILE_CLOCK] = { "trace_clock", IN_MODIFY },
	[TRACE_FILE_SIZE] = { "buffer_size_kb", IN_MODIFY },
	[TRACE_FILE_TRACE] = { "trace", IN_MODIFY },
	[TRACE_FILE_RAW] = { "per_cpu/cpu0/trace_pipe_raw", IN_OPEN | IN_CLOSE },
};

void trace_watch_open(struct trace_watch *watch, const char *path)
{
	char name[PATH_MAX];

	watch->readers = 0;
	watch->watcher.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	for (int i = 0; i < TRACE_FILES && watch->watcher.fd >= 0; i++) {
		snprintf(name, sizeof(name), "%s/%s", path, files[i].name);
		watch->wd[i] = inotify_add_watch(watch->watcher.fd, name, files[i].mask);
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
	for (int i = 0; i < TRACE_FILES; i++)
		if (event->wd == watch->wd[i])
			heard |= 1u << i;
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android/app_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/base/text_file.h"

/* More bytes than the name of a process: a package, ':' and another name. */
#define ARGUMENT_MAX 512

/* --- /proc --- */

/* Returns true if @pid is a process of @app. A process that has ended has no arguments, even as a
 * zombie. */
static bool runs(pid_t pid, const char *app)
{
	char argument[ARGUMENT_MAX];
	size_t len = strlen(app);

	text_file_read(argument, sizeof(argument), "/proc/%d/cmdline", (int)pid);
	return strncmp(argument, app, len) == 0 && (argument[len] == '\0' || argument[len] == ':');
}

/* --- processes --- */

static struct app_process *find_process(struct app_watch *watch, pid_t pid)
{
	for (size_t i = 0; i < APP_WATCH_PROCESSES; i++)
		if (watch->processes[i].pid == pid)
			return &watch->processes[i];
	return NULL;
}

static bool any_process(const struct app_watch *watch)
{
	for (size_t i = 0; i < APP_WATCH_PROCESSES; i++)
		if (watch->processes[i].pid != 0)
			return true;
	return false;
}

static void forget(struct app_watch *watch, struct app_process *process)
{
	loop_close_watcher(watch->loop, &process->watcher);
	process->pid = 0;
}

static void on_exit_of(struct watcher *watcher, uint32_t events);

static void add_process(struct app_watch *watch, pid_t pid)
{
	struct app_process *process = find_process(watch, 0);

	if (!process || find_process(watch, pid))
		return;
	process->pid = pid;
	process->watcher = (struct watcher){
		.fd = (int)syscall(SYS_pidfd_open, pid, 0),
		.ready = on_exit_of,
		.context = watch,
	};
	if (process->watcher.fd < 0)
		return;
	/* Checked again: the pid may have been reused. */
	if (!runs(pid, watch->app) || loop_watch(watch->loop, &process->watcher, EPOLLIN) < 0)
		forget(watch, process);
}

static void find_processes(struct app_watch *watch)
{
	struct dirent *entry;

	/* It stays open: the wait for an app can last days, with a search each second. */
	if (watch->proc)
		rewinddir(watch->proc);
	else
		watch->proc = opendir("/proc");
	while (watch->proc && (entry = readdir(watch->proc))) {
		char *end;
		long pid = strtol(entry->d_name, &end, 10);

		if (*end == '\0' && pid > 0 && pid != getpid() && runs((pid_t)pid, watch->app))
			add_process(watch, (pid_t)pid);
	}
}

/* Called when a process has ended. If no other one is watched, searches for new ones. If there are
 * none, the app has ended. */
static void check_for_end(struct app_watch *watch)
{
	if (any_process(watch))
		return;
	find_processes(watch);
	if (any_process(watch))
		return;
	watch->app = NULL;
	watch->gone(watch->context);
}

static void on_exit_of(struct watcher *watcher, uint32_t events)
{
	struct app_watch *watch = watcher->context;

	(void)events;
	forget(watch, (struct app_process *)watcher);
	check_for_end(watch);
}

/* For processes without a pidfd. */
static void check_processes(struct app_watch *watch)
{
	bool ended = false;

	for (size_t i = 0; i < APP_WATCH_PROCESSES; i++) {
		struct app_process *process = &watch->processes[i];

		if (process->pid == 0 || process->watcher.fd >= 0 || runs(process->pid, watch->app))
			continue;
		forget(watch, process);
		ended = true;
	}
	if (ended)
		check_for_end(watch);
}

void app_watch_begin(struct app_watch *watch, const char *app, struct loop *loop,
		     void (*gone)(void *context), void *context)
{
	*watch = (struct app_watch){
		.app = app,
		.loop = loop,
		.gone = gone,
		.context = context,
	};
	for (size_t i = 0; i < APP_WATCH_PROCESSES; i++)
		watch->processes[i].watcher = WATCHER_NONE;
}

void app_watch_tick(struct app_watch *watch)
{
	if (!watch->app)
		return;
	if (any_process(watch))
		check_processes(watch);
	else
		find_processes(watch);
}

void app_watch_end(struct app_watch *watch)
{
	for (size_t i = 0; i < APP_WATCH_PROCESSES; i++)
		if (watch->processes[i].pid != 0)
			forget(watch, &watch->processes[i]);
	if (watch->proc)
		closedir(watch->proc);
	watch->proc = NULL;
	watch->app = NULL;
}

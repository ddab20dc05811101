/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android/android.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/base/text_file.h"

/* More bytes than the name of a process: a package, ':' and another name. */
#define ARGUMENT_MAX 512

/* Returns true if @pid is a process of @app. A process that has ended has no arguments, even as a
 * zombie. */
static bool runs(pid_t pid, const char *app)
{
	char argument[ARGUMENT_MAX];
	size_t len = strlen(app);

	text_file_read(argument, sizeof(argument), "/proc/%d/cmdline", (int)pid);
	return strncmp(argument, app, len) == 0 && (argument[len] == '\0' || argument[len] == ':');
}

/* Finds a process of the app, to wait for its end. */
static bool find_process(struct app_watch *watch)
{
	struct dirent *entry;

	/* It stays open: the wait for an app can last days, with a search each second. */
	if (watch->proc)
		rewinddir(watch->proc);
	else
		watch->proc = opendir("/proc");
	while (watch->proc && (entry = readdir(watch->proc))) {
		char *end;
		pid_t pid = (pid_t)strtol(entry->d_name, &end, 10);

		if (*end != '\0' || pid <= 0 || pid == getpid() || !runs(pid, watch->app))
			continue;
		watch->process.fd = (int)syscall(SYS_pidfd_open, pid, 0);
		if (watch->process.fd >= 0 && loop_watch(watch->loop, &watch->process, EPOLLIN) < 0)
			loop_close_watcher(watch->loop, &watch->process);
		watch->pid = pid;
		/* Checked again: the pid may have been reused. */
		if (runs(pid, watch->app))
			return true;
		loop_close_watcher(watch->loop, &watch->process);
		watch->pid = 0;
	}
	return false;
}

/* The process has ended. If the app has no other one, the next tick looks once more: a file of
 * /proc may not have been readable. */
static void on_process_end(struct watcher *watcher, uint32_t events)
{
	struct app_watch *watch = watcher->context;

	(void)events;
	loop_close_watcher(watch->loop, watcher);
	watch->pid = 0;
	watch->has_run = true;
	find_process(watch);
}

void app_watch_begin(struct app_watch *watch, const char *app, struct loop *loop)
{
	*watch = (struct app_watch){
		.app = app,
		.loop = loop,
		.process = { .fd = -1, .ready = on_process_end, .context = watch },
	};
}

bool app_watch_tick(struct app_watch *watch)
{
	if (!watch->app)
		return false;
	if (watch->pid == 0 && !find_process(watch) && watch->has_run) {
		watch->app = NULL;
		return true;
	}
	if (watch->pid != 0 && watch->process.fd < 0 && !runs(watch->pid, watch->app))
		on_process_end(&watch->process, 0);
	return false;
}

void app_watch_end(struct app_watch *watch)
{
	if (watch->pid != 0)
		loop_close_watcher(watch->loop, &watch->process);
	if (watch->proc)
		closedir(watch->proc);
	watch->pid = 0;
	watch->proc = NULL;
	watch->app = NULL;
}

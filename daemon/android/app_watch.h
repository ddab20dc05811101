/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for an app to come, and then for the end of its last process: --until-exit. */
#ifndef JANKD_DAEMON_ANDROID_APP_WATCH_H
#define JANKD_DAEMON_ANDROID_APP_WATCH_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/types.h>

#include "daemon/base/loop.h"

/* What has more is looked for again when these have ended. */
#define APP_WATCH_PROCESSES 32

struct app_process {
	struct watcher watcher; /* its pidfd; without one (Linux before 5.3) ticks look after it */
	pid_t pid;		/* 0: none */
};

struct app_watch {
	const char *app; /* NULL: none is waited for */
	DIR *proc;	 /* NULL: not opened yet */
	struct loop *loop;
	struct app_process processes[APP_WATCH_PROCESSES];
	void (*gone)(void *context);
	void *context;
};

/**
 * app_watch_begin() - look for the processes of @app
 * @app: as in a process's first argument: "com.example.app" is that and "com.example.app:remote".
 *       Borrowed; NULL: nothing is done here and below
 * @loop: borrowed, open until app_watch_end()
 * @gone: called with @context, once, when all processes that were there have ended
 *
 * @watch must not move.
 */
void app_watch_begin(struct app_watch *watch, const char *app, struct loop *loop,
		     void (*gone)(void *context), void *context);

/* Once a second: looks for an app that is not there yet. */
void app_watch_tick(struct app_watch *watch);

/* May be called in any state, before the loop is closed. */
void app_watch_end(struct app_watch *watch);

#endif

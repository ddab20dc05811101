/* SPDX-License-Identifier: Apache-2.0 */
/* --until-exit: waits until an app runs, and then until its last process has ended. */
#ifndef JANKD_DAEMON_ANDROID_APP_WATCH_H
#define JANKD_DAEMON_ANDROID_APP_WATCH_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/types.h>

#include "daemon/base/loop.h"

struct app_watch {
	const char *app; /* NULL: nothing to do */
	DIR *proc;	 /* NULL: not opened yet */
	struct loop *loop;
	/* One process of the app. At its end, another one is searched for. */
	pid_t pid;		/* 0: none */
	bool has_run;		/* there was one */
	struct watcher process; /* its pidfd; before Linux 5.3 there is none, and ticks poll */
	void (*gone)(void *context);
	void *context;
};

/**
 * app_watch_begin() - watch the processes of @app
 * @app: as in the first argument of a process: "com.example.app" also matches
 *       "com.example.app:remote". Borrowed. NULL: this and the functions below do nothing
 * @loop: borrowed, open until app_watch_end()
 * @gone: called once, with @context, when the app has run and its last process has ended
 *
 * @watch must not move.
 */
void app_watch_begin(struct app_watch *watch, const char *app, struct loop *loop,
		     void (*gone)(void *context), void *context);

/* Call it once a second: searches for an app that does not run yet, or no longer. */
void app_watch_tick(struct app_watch *watch);

/* Stops watching. May be called in any state, before the loop is closed. */
void app_watch_end(struct app_watch *watch);

#endif

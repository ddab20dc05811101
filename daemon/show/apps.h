/* SPDX-License-Identifier: Apache-2.0 */
/* The apps of a session: each is all Surfaces with its package in their name, added up. */
#ifndef JANKD_DAEMON_SHOW_APPS_H
#define JANKD_DAEMON_SHOW_APPS_H

#include "daemon/show/grade_text.h"
#include "daemon/base/status.h"

/* True: the Surface is of that app by its name. The app of others, such as a status bar, is only
 * the one that was in front: they are no part of it. */
bool app_has_surface(const char *app, const char *surface);

/* True: its Surfaces are the system's own, such as the notification shade. */
bool app_is_system(const char *app);

/* True: the Surface is a window of an activity ("com.a/com.a.Main"), or the one that is shown while
 * it starts ("Splash Screen com.a"). One that only names the package, "com.a.ImageWallpaper", is a
 * wallpaper's or another service's: no app that somebody uses. */
bool app_has_activity(const char *app, const char *surface);

struct app_place {
	const char *app;
	bool has_activity;
	const struct grade_facts *facts;
};

/* True: an app that somebody uses, and that conditions judge: neither the system nor a service. */
bool app_is_used(struct app_place place);

/* 0: an app; 1: a home screen; 2: the system's, or no app that somebody uses. */
unsigned int app_rank(struct app_place place);

/* True: @a comes first. Apps do before a home screen, and that before what is no app; then the one
 * with most drawing and twice the time lost. Of two that draw about as long it is the worse one. */
bool app_comes_before(struct app_place a, struct app_place b);

/* Adds a Surface to its app in @status, and sorts the apps. */
void apps_add(struct status *status, const struct summary_row *row);

/* What the sentences about an app need. @app must stay valid. */
struct graded app_graded(const struct status_app *app);

/* The whole name of the app whose main thread has the name @end, of which the kernel keeps the last
 * 15 bytes; @end itself if no Surface, or more than one app, fits. */
const char *app_whole_name(const struct status *status, const char *end);

#endif

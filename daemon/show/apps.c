/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/show/apps.h"

#include <string.h>

#include "daemon/base/text.h"
#include "rules/threads/app_work.h"

bool app_has_surface(const char *app, const char *surface)
{
	return app[0] && strstr(surface, app);
}

bool app_is_system(const char *app)
{
	return strcmp(app, "com.android.systemui") == 0 || strcmp(app, "android") == 0;
}

bool app_has_activity(const char *app, const char *surface)
{
	const char *found = app[0] ? strstr(surface, app) : NULL;

	/* The window that stands in for an activity that starts; the second name is that of Android
	 * 4 to 7. */
	if (found &&
	    (strncmp(surface, "Splash Screen ", 14) == 0 || strncmp(surface, "Starting ", 9) == 0))
		return true;
	while (found && found[strlen(app)] != '/')
		found = strstr(found + 1, app);
	return found != NULL;
}

bool app_is_used(struct app_place place)
{
	return place.has_activity && !app_is_system(place.app);
}

unsigned int app_rank(struct app_place place)
{
	if (!app_is_used(place))
		return 2;
	return strstr(place.app, "launcher") || strstr(place.app, ".home");
}

bool app_comes_before(struct app_place a, struct app_place b)
{
	if (app_rank(a) != app_rank(b))
		return app_rank(a) < app_rank(b);
	return grade_drawing_ns(a.facts) + 2 * grade_lost_ns(a.facts) >
	       grade_drawing_ns(b.facts) + 2 * grade_lost_ns(b.facts);
}

static struct app_place place_of(const struct status_app *app)
{
	return (struct app_place){ app->app, app->has_activity, &app->facts };
}

void apps_add(struct status *status, const struct summary_row *row)
{
	const struct frame_stats *stats = &row->stats;
	uint64_t known = stats->frames - stats->unknown;
	struct status_app *apps = status->apps, *app, one;
	unsigned int at = 0;

	if (!app_has_surface(row->app, row->surface) || row->facts.frames + row->facts.freezes == 0)
		return;
	while (at < status->n_apps && strcmp(apps[at].app, row->app) != 0)
		at++;
	if (at == status->n_apps) {
		status->apps_total++;
		if (at == STATUS_APPS_MAX)
			return;
		status->n_apps++;
		apps[at] = (struct status_app){ .fps = -1, .rate_hz = -1 };
		text_copy(apps[at].app, sizeof(apps[at].app), row->app);
	}
	app = &apps[at];
	grade_add(&app->facts, &row->facts);
	app->has_activity |= app_has_activity(row->app, row->surface);
	/* The Surface that draws longest has the app's frame rate. */
	if (!app->surface[0] || grade_drawing_ns(&row->facts) > app->surface_ns) {
		app->surface_ns = grade_drawing_ns(&row->facts);
		text_copy(app->surface, sizeof(app->surface), row->surface);
		memcpy(app->verdict, row->verdict, sizeof(app->verdict));
		app->fps = row->fps;
		app->rate_hz = known > 0 ? stats->periods * 1e9 / (double)stats->time_ns : -1;
		app->slowest_hz = stats->slowest_hz;
		app->fastest_hz = stats->fastest_hz;
		app->is_even = known > 0 && row->off_cadence >= 0 &&
			       grade_is_even(known, (uint64_t)row->off_cadence, row->fps,
					     app->rate_hz, stats->max_ns);
	}
	app->facts.fails_rule = strncmp(app->verdict, "fail", 4) == 0;
	one = *app;
	for (; at > 0 && app_comes_before(place_of(&one), place_of(&apps[at - 1])); at--)
		apps[at] = apps[at - 1];
	apps[at] = one;
}

struct graded app_graded(const struct status_app *app)
{
	return (struct graded){
		.name = app->app,
		.is_no_app = !app_is_used(place_of(app)),
		.facts = &app->facts,
		.fps = app->fps,
		.rate_hz = app->rate_hz,
		.slowest_hz = app->slowest_hz,
		.fastest_hz = app->fastest_hz,
		.is_even = app->is_even,
		.missing_at = app->missing_at ? app->missing_at : "",
	};
}

const char *app_whole_name(const struct status *status, const char *end)
{
	const char *found = end;
	size_t length = strlen(end);

	if (length != WORK_COMM_MAX)
		return end;
	for (unsigned int i = 0; i < status->n_surfaces; i++) {
		const char *app = status->surfaces[i].app;
		size_t all = strlen(app);

		if (all <= length || strcmp(app + all - length, end) != 0)
			continue;
		if (found != end && strcmp(found, app) != 0)
			return end;
		found = app;
	}
	return found;
}

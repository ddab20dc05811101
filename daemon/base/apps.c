/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/apps.h"

#include <string.h>

#include "rules/app_work.h"

static bool comes_before(const struct app_result *a, const struct app_result *b)
{
	uint64_t a_ns = a->harm_ns + a->endless_ns, b_ns = b->harm_ns + b->endless_ns;

	if (a_ns != b_ns)
		return a_ns > b_ns;
	return a->judged->drawing_ns > b->judged->drawing_ns;
}

bool surface_is_worse(const struct status_surface *a, const struct status_surface *b)
{
	uint64_t a_ns = a->harm.total_ns + a->endless_ns, b_ns = b->harm.total_ns + b->endless_ns;

	return a_ns != b_ns ? a_ns > b_ns : a < b;
}

static bool draws_longer(const struct status_surface *a, const struct status_surface *b)
{
	if (a->drawing_ns != b->drawing_ns)
		return a->drawing_ns > b->drawing_ns;
	return a->stats.frames > b->stats.frames;
}

static struct app_result *find(struct app_result *apps, unsigned int n, const char *app)
{
	for (unsigned int i = 0; i < n; i++)
		if (strcmp(apps[i].app, app) == 0)
			return &apps[i];
	return NULL;
}

static void sort(struct app_result *apps, unsigned int n)
{
	for (unsigned int i = 1; i < n; i++) {
		struct app_result one = apps[i];
		unsigned int at = i;

		for (; at > 0 && comes_before(&one, &apps[at - 1]); at--)
			apps[at] = apps[at - 1];
		apps[at] = one;
	}
}

unsigned int apps_of(struct app_result apps[STATUS_SURFACES_MAX], const struct status *status)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < status->n_surfaces; i++) {
		const struct status_surface *surface = &status->surfaces[i];
		struct app_result *app = find(apps, n, surface->app);

		if (!app) {
			app = &apps[n++];
			*app = (struct app_result){ .app = surface->app, .judged = surface };
		}
		if (draws_longer(surface, app->judged))
			app->judged = surface;
		app->harm_ns += surface->harm.total_ns;
		app->endless_ns += surface->endless_ns;
		app->is_late |=
			surface->harm.frames > 0 || surface->stats.jank > 0 || surface->endless > 0;
		app->surfaces++;
	}
	sort(apps, n);
	return n;
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

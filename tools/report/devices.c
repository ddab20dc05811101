/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/devices.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/show/apps.h"
#include "tools/report/sentences.h"

int device_of(char **device, const struct session *session)
{
	const char *id = session_json_text(session, "device", "id");
	const char *session_id = session_json_text(session, NULL, "session_id");
	struct span path = span_of(session->folder), name = folder_cut_last(&path);
	size_t end = session_id ? strlen(session_id) + 1 : 0;

	/* The name of the folder before "-SESSION". */
	if (end > 1 && name.len > end && name.ptr[name.len - end] == '-' &&
	    memcmp(name.ptr + name.len - end + 1, session_id, end - 1) == 0)
		name.len -= end;
	else
		name.len = 0;
	if (id && id[0])
		name = span_of(id);
	*device = NULL;
	if (name.len == 0)
		return 0;
	*device = malloc(name.len + 1);
	if (!*device)
		return -ENOMEM;
	memcpy(*device, name.ptr, name.len);
	(*device)[name.len] = '\0';
	return 0;
}

/* An unknown text comes last. */
static int compare_text(const char *one, const char *other)
{
	if (!one || !other)
		return !one - !other;
	return strcmp(one, other);
}

static int by_name(const struct device_row *one, const struct device_row *other)
{
	int order = compare_text(one->device, other->device);

	if (order == 0)
		order = compare_text(one->model, other->model);
	if (order == 0)
		order = compare_text(one->build, other->build);
	return order == 0 ? compare_text(one->app, other->app) : order;
}

static int by_name_and_session(const void *a, const void *b)
{
	const struct device_row *one = a, *other = b;
	int order = by_name(one, other);

	return order != 0 ? order : (one->last > other->last) - (one->last < other->last);
}

/* From worst to best; those without a grade come last. */
static unsigned int rank(enum grade grade)
{
	return grade <= GRADE_TOO_SHORT ? GRADES - grade : grade;
}

static int by_grade(const void *a, const void *b)
{
	const struct device_row *one = a, *other = b;
	uint64_t lost_ns = grade_lost_ns(&one->facts), of_other_ns = grade_lost_ns(&other->facts);

	if (one->rank != other->rank)
		return one->rank < other->rank ? -1 : 1;
	if (one->grade != other->grade)
		return rank(one->grade) < rank(other->grade) ? -1 : 1;
	if (lost_ns != of_other_ns)
		return lost_ns > of_other_ns ? -1 : 1;
	return by_name(one, other);
}

int devices_read(struct devices *devices, const struct session *sessions, uint32_t n_sessions,
		 const struct selection *selection)
{
	/* One without facts for a Surface of no app. */
	static const struct graded_app none;
	uint32_t n = 0;

	*devices = (struct devices){ 0 };
	for (uint32_t s = 0; s < n_sessions; s++) {
		const struct session *session = &sessions[s];

		for (uint32_t i = 0; i < session->n_surfaces; i++) {
			const struct surface *surface = &session->surfaces[i];
			bool is_of_app = surface->is_judged && name_of(session, surface->app)[0];
			const struct graded_app *app = &none;
			const double *of = surface->numbers.of;
			struct device_row *row;

			/* A Surface of no app, such as a status bar, has a row only if it is
			 * selected. */
			if (!surface->is_shown || !(is_of_app || selection->surface))
				continue;
			for (uint32_t j = 0; j < session->n_apps && app == &none; j++)
				if (session->apps[j].app == surface->app)
					app = &session->apps[j];
			row = array_add(&devices->rows, &devices->n, sizeof(*row));
			if (!row)
				return -ENOMEM;
			*row = (struct device_row){
				.model = session_json_text(session, "device", "model"),
				.build = session_json_text(session, "device", "build"),
				.app = name_of(session, surface->app),
				.rank = app_rank(session_app_place(session, app)),
				.sessions = 1,
				.pass = strncmp(surface->verdict, "pass", 4) == 0,
				.fail = strncmp(surface->verdict, "fail", 4) == 0,
				.frames = of[METRIC_FRAMES],
				.time_s = of[METRIC_TIME],
				.jank = of[METRIC_JANK],
				.stalls = of[METRIC_STALLS],
				.stall_time_s = of[METRIC_STALL_TIME],
				.facts = selection->surface ? surface->facts : app->facts,
				.last = s,
			};
			surface_set_rates(&row->slowest, session, surface);
			row->grades[grade_of(&row->facts)] = 1;
			if (device_of(&row->device, session) < 0)
				return -ENOMEM;
		}
	}
	if (devices->n == 0)
		return 0;
	qsort(devices->rows, devices->n, sizeof(*devices->rows), by_name_and_session);
	for (uint32_t i = 1; i < devices->n; i++) {
		struct device_row *to = &devices->rows[n], *row = &devices->rows[i];

		if (by_name(to, row) != 0) {
			devices->rows[++n] = *row;
			continue;
		}
		if (row->fail > 0 && (to->fail == 0 || row->slowest.fps < to->slowest.fps))
			to->slowest = row->slowest;
		to->sessions += row->last != to->last;
		to->last = row->last;
		to->rank = row->rank < to->rank ? row->rank : to->rank;
		to->pass += row->pass;
		to->fail += row->fail;
		to->frames += row->frames;
		to->time_s += row->time_s;
		to->jank += row->jank;
		to->stalls += row->stalls;
		to->stall_time_s += row->stall_time_s;
		grade_add_after(&to->facts, &row->facts);
		for (unsigned int j = 0; j < GRADES; j++)
			to->grades[j] += row->grades[j];
		free(row->device);
	}
	devices->n = n + 1;
	for (uint32_t i = 0; i < devices->n; i++)
		devices->rows[i].grade = grade_of(&devices->rows[i].facts);
	qsort(devices->rows, devices->n, sizeof(*devices->rows), by_grade);
	return 0;
}

void devices_free(struct devices *devices)
{
	for (uint32_t i = 0; i < devices->n; i++)
		free(devices->rows[i].device);
	free(devices->rows);
	*devices = (struct devices){ 0 };
}

void device_sentence(char text[GRADE_TEXT_SIZE], const struct device_row *row,
		     enum language language)
{
	static const char *const names[][2] = { { "%s", "%s" },
						{ "%s on %s", "%s（%s）" },
						{ "%s with build %s", "%s（版本 %s）" },
						{ "%s on %s with build %s", "%s（%s，版本 %s）" } };
	const char *on = row->model ? row->model : row->device;
	struct graded graded = row->slowest;
	char name[GRADE_TEXT_SIZE];

	snprintf(name, sizeof(name), names[(on ? 1 : 0) + (row->build ? 2 : 0)][language], row->app,
		 on ? on : row->build, row->build);
	graded.name = name;
	graded.facts = &row->facts;
	graded.missing_at = "";
	graded.is_even &= row->sessions == 1;
	graded.sessions = row->sessions;
	graded.slow_sessions = row->fail;
	grade_sentence(text, &graded, language);
}

double device_fps(const struct device_row *row)
{
	return row->time_s > 0 ? row->frames / row->time_s : NAN;
}

double device_per_10_min(const struct device_row *row, double count)
{
	double time_s = row->time_s + row->stall_time_s;

	return time_s > 0 ? count * 600 / time_s : NAN;
}

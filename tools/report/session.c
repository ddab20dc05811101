/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/show/apps.h"
#include "rules/language/pattern.h"

const char *const numbers_source_names[] = {
	[FROM_NOTHING] = "none",
	[FROM_SUMMARY] = "summary.csv",
	[FROM_FRAMES] = "frames.csv",
	[FROM_WINDOWS] = "fps.csv",
};

const char *const captured_kind_names[] = {
	[CAPTURED_GPU] = "GPU",
	[CAPTURED_DOFRAME] = "doFrame",
	[CAPTURED_TIMELINE] = "FrameTimeline",
	[CAPTURED_LATENCY] = "latency",
};

int session_init(struct session *session)
{
	*session = (struct session){
		.first_us = -1,
		.last_us = -1,
		.start_us = -1,
		.stop_us = -1,
		.windows = { sizeof(struct window), .max = WINDOWS_MAX },
		.frames = { sizeof(struct kept_frame), .max = FRAMES_MAX + RANGE_FRAMES_MAX },
		.events = { sizeof(struct event), .max = EVENTS_MAX },
		.missing = { sizeof(struct missing), .max = EVENTS_MAX },
	};
	return names_init(&session->names);
}

void session_free(struct session *session)
{
	names_free(&session->names);
	pool_free(&session->windows);
	pool_free(&session->frames);
	pool_free(&session->events);
	pool_free(&session->missing);
	json_object_put(session->json);
	for (uint32_t i = 0; i < session->n_notices; i++)
		free(session->notices[i]);
	free(session->folder);
	free(session->surfaces);
	free(session->sections);
	free(session->in_sections);
	free(session->apps);
	free(session->in_section_apps);
	free(session->ungraded);
	free(session->late);
	free(session->captured);
	*session = (struct session){ 0 };
}

void session_notice(struct session *session, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	if (session->n_notices == NOTICES_MAX)
		return;
	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length >= 0)
		session->notices[session->n_notices++] = text;
}

static struct json_object *json_at(const struct session *session, const char *outer,
				   const char *key)
{
	struct json_object *object = session->json;

	if (outer && !json_object_object_get_ex(object, outer, &object))
		return NULL;
	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, key, &object))
		return NULL;
	return object;
}

const char *session_json_text(const struct session *session, const char *outer, const char *key)
{
	struct json_object *found = json_at(session, outer, key);

	return json_object_is_type(found, json_type_string) ? json_object_get_string(found) : NULL;
}

int64_t session_json_number(const struct session *session, const char *outer, const char *key)
{
	struct json_object *found = json_at(session, outer, key);

	return json_object_is_type(found, json_type_int) ? json_object_get_int64(found) : -1;
}

const char *session_device(const struct session *session)
{
	const char *model = session_json_text(session, "device", "model");

	if (model)
		return model;
	if (!session->json)
		return "device not known (no session.json)";
	/* A capture has an object, whatever it knows of the device. */
	return json_object_is_type(json_at(session, NULL, "device"), json_type_object)
		       ? "device not known (it does not tell its model)"
		       : "device not known (recorded trace)";
}

struct app_place session_app_place(const struct session *session, const struct graded_app *app)
{
	return (struct app_place){ name_of(session, app->app), app->has_activity, &app->facts };
}

uint64_t session_span_ns(const struct session *session)
{
	/* A text that begins with lost events has no time yet: it is 0. */
	bool has_start = session->start_us > 0 && session->start_us < session->first_us;
	int64_t from_us = has_start ? session->start_us : session->first_us;
	int64_t last_us = session->last_us;
	uint64_t before_us = 0;

	if (session->has_clocks) {
		from_us = session->clock_us;
		last_us = session->clock_to_us;
		before_us = session->before_clock_us;
	}
	return 1000 * (before_us + (last_us > from_us ? (uint64_t)(last_us - from_us) : 0));
}

int64_t session_missing_ms(const struct session *session)
{
	struct json_object *found = json_at(session, "counters", "lost");

	if (!json_object_is_type(found, json_type_object) ||
	    !json_object_object_get_ex(found, "seconds_without_events", &found) ||
	    !(json_object_get_double(found) >= 0 && json_object_get_double(found) < 1e9))
		return -1;
	return (int64_t)(json_object_get_double(found) * 1e3 + 0.5);
}

uint32_t session_section(const struct session *session, int64_t time_us)
{
	uint32_t low = 0, high = session->n_sections;

	while (high > low + 1) {
		uint32_t middle = low + (high - low) / 2;

		if (session->sections[middle].from_us <= time_us)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int64_t session_begin_of(const struct session *session, int64_t end_us, uint64_t interval_us)
{
	int64_t begin_us = end_us - (int64_t)interval_us;

	return begin_us > session->first_us ? begin_us : session->first_us;
}

static bool matches(const char *glob, const char *name)
{
	return !glob || pattern_glob(span_of(glob), span_of(name));
}

bool select_surface(const struct selection *selection, const char *surface, const char *app)
{
	return matches(selection->surface, surface) && matches(selection->app, app);
}

bool select_section(const struct selection *selection, const struct session *session,
		    uint32_t section)
{
	if (!selection->section)
		return true;
	return session->n_sections > 0 &&
	       matches(selection->section, name_of(session, session->sections[section].name));
}

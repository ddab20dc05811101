/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/rows_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what is captured --- */

struct captured *captured_of(struct reading *reading, enum captured_kind kind, uint32_t section,
			     uint32_t name, uint32_t detail)
{
	struct session *session = reading->session;
	uint32_t at = (kind * 40503u + section * 31337u + name * 7919u + detail * 104729u) &
		      (SUM_PLACES - 1);
	struct captured *added;

	for (; reading->captured_places[at] > 0; at = (at + 1) & (SUM_PLACES - 1)) {
		struct captured *one = &session->captured[reading->captured_places[at] - 1];

		if (one->kind == kind && one->section == section && one->name == name &&
		    one->detail == detail)
			return one;
	}
	if (session->n_captured == CAPTURED_MAX) {
		session->captured_refused++;
		return NULL;
	}
	added = array_add(&session->captured, &session->n_captured, &reading->max_captured,
			  sizeof(*added));
	if (!added) {
		reading->out_of_memory = true;
		return NULL;
	}
	*added = (struct captured){
		.section = (uint16_t)section,
		.kind = (uint8_t)kind,
		.name = name,
		.detail = detail,
		.app = NAME_NONE,
	};
	reading->captured_places[at] = session->n_captured;
	return added;
}

void add_captured(struct captured *captured, int64_t frames, int64_t mean_us, int64_t max_us,
		  int64_t bad)
{
	if (!captured || frames <= 0 || mean_us < 0)
		return;
	captured->frames += (uint64_t)frames;
	captured->sum_us += (double)mean_us * (double)frames;
	captured->bad += bad > 0 ? (uint64_t)bad : 0;
	if (max_us >= 0 && (uint64_t)max_us > captured->max_us)
		captured->max_us = (uint64_t)max_us;
}

/* Without frames the time of the session is that of what else was captured. */
static void extend_without_frames(struct session *session, int64_t from_us, int64_t to_us)
{
	if (session->n_surfaces > 0)
		return;
	extend(session, from_us);
	extend(session, to_us);
}

/* --- doframe.csv --- */

enum doframe_column {
	DOFRAME_APP,
	DOFRAME_FRAMES,
	DOFRAME_START,
	DOFRAME_END,
	DOFRAME_PROCESS,
	DOFRAME_THREAD,
	DOFRAME_MEAN,
	DOFRAME_MAX,
	DOFRAME_SKIPPED,
};

static const char *const doframe_columns[] = {
	"app",	  "frames",	     "start time",	"end time", "process",
	"thread", "doFrame avg(ms)", "doFrame max(ms)", "skipped",  NULL
};
static const char *const doframe_needed[] = { "app", "process", "frames", NULL };

static void add_doframes(struct reading *reading, const struct csv_reader *csv, const int *columns)
{
	int64_t end_us = number_of(csv, columns[DOFRAME_END], 6);
	struct span process = field_of(csv, columns[DOFRAME_PROCESS]);
	struct span id = field_of(csv, columns[DOFRAME_THREAD]);
	char thread[80];

	if (end_us < 0)
		return;
	extend_without_frames(reading->session, number_of(csv, columns[DOFRAME_START], 6), end_us);
	snprintf(thread, sizeof(thread), "%.*s/%.*s", (int)(process.len < 32 ? process.len : 32),
		 process.ptr, (int)(id.len < 32 ? id.len : 32), id.ptr);
	add_captured(
		captured_of(reading, CAPTURED_DOFRAME, session_section(reading->session, end_us),
			    name_in(reading, csv, columns[DOFRAME_APP]),
			    names_add(&reading->session->names, span_of(thread))),
		small_count(csv, columns[DOFRAME_FRAMES]), number_of(csv, columns[DOFRAME_MEAN], 3),
		number_of(csv, columns[DOFRAME_MAX], 3),
		small_count(csv, columns[DOFRAME_SKIPPED]));
}

/* Processes with a Choreographer. The name may be only the end of the app's. */
static void read_doframe(struct reading *reading, const struct csv_reader *csv, const int *columns)
{
	struct session *session = reading->session;
	const char *app = name_of(session, name_in(reading, csv, columns[0]));
	size_t length = strlen(app);
	int64_t frames = number_of(csv, columns[1], 0);

	session->doframes += frames > 0 ? (uint64_t)frames : 0;
	add_doframes(reading, csv, columns);
	for (uint32_t i = 0; length > 0 && i < session->n_surfaces; i++) {
		const char *other = name_of(session, session->surfaces[i].app);
		size_t all = strlen(other);

		if (all >= length && strcmp(other + all - length, app) == 0)
			session->surfaces[i].has_view_marks = true;
	}
}

const struct kind doframe_kind = { ROW_DOFRAMES, doframe_needed, read_doframe, doframe_columns,
				   NULL };

/* --- frametimeline.csv --- */

enum timeline_column {
	TIMELINE_KIND,
	TIMELINE_START,
	TIMELINE_END,
	TIMELINE_EXPECTED,
	TIMELINE_TOKEN,
	TIMELINE_APP,
	TIMELINE_SURFACE,
	TIMELINE_JANK,
	TIMELINE_PRESENT,
	TIMELINE_ON_TIME,
};

static const char *const timeline_columns[] = {
	"kind", "start(s)", "end(s)",	 "expected end(s)", "display token",
	"app",	"Surface",  "jank type", "present type",    "on time finish",
	NULL,
};
static const char *const timeline_needed[] = { "kind", "token", NULL };

/* The token of the composition is the vsync id of its frames in frames.csv. */
static void join_timeline(struct reading *reading, const struct csv_reader *csv, const int *columns,
			  uint32_t surface)
{
	struct session *session = reading->session;
	const struct keyed_list *order = &reading->late_order;
	int64_t token = number_of(csv, columns[TIMELINE_TOKEN], 0);

	for (uint32_t i = first_keyed(order, token);
	     token >= 0 && i < order->n && order->all[i].key == token; i++) {
		struct late_row *late = &session->late[order->all[i].value];

		if (session->surfaces[late->surface].name != surface)
			continue;
		late->expected_us = number_of(csv, columns[TIMELINE_EXPECTED], 6);
		late->finished_us = number_of(csv, columns[TIMELINE_END], 6);
		late->jank_type = name_in(reading, csv, columns[TIMELINE_JANK]);
		late->present_type = name_in(reading, csv, columns[TIMELINE_PRESENT]);
	}
}

static void read_timeline(struct reading *reading, const struct csv_reader *csv, const int *columns)
{
	int64_t start_us = number_of(csv, columns[TIMELINE_START], 6);
	int64_t end_us = number_of(csv, columns[TIMELINE_END], 6);
	struct captured *captured;
	uint32_t surface;

	if (!reading->is_ordered_by_id) {
		reading->is_ordered_by_id = true;
		order_late(reading, true);
	}
	if (!span_equal(field_of(csv, columns[TIMELINE_KIND]), SPAN_LITERAL("surface")) ||
	    start_us < 0 || end_us < start_us)
		return;
	extend_without_frames(reading->session, start_us, end_us);
	surface = name_in(reading, csv, columns[TIMELINE_SURFACE]);
	join_timeline(reading, csv, columns, surface);
	captured =
		captured_of(reading, CAPTURED_TIMELINE, session_section(reading->session, end_us),
			    surface, name_in(reading, csv, columns[TIMELINE_JANK]));
	if (captured)
		captured->app = name_in(reading, csv, columns[TIMELINE_APP]);
	add_captured(captured, 1, end_us - start_us, end_us - start_us,
		     number_of(csv, columns[TIMELINE_ON_TIME], 0) == 0);
}

const struct kind frametimeline_kind = { ROW_TIMELINE, timeline_needed, read_timeline,
					 timeline_columns, NULL };

/* --- latency.csv --- */

enum latency_column { LATENCY_READY, LATENCY_ACTUAL, LATENCY_SURFACE };

static const char *const latency_columns[] = { "frame ready(s)", "actual present(s)", "Surface",
					       NULL };
static const char *const latency_needed[] = { "actual present(s)", "Surface", NULL };

static void read_latency(struct reading *reading, const struct csv_reader *csv, const int *columns)
{
	int64_t ready_us = number_of(csv, columns[LATENCY_READY], 6);
	int64_t actual_us = number_of(csv, columns[LATENCY_ACTUAL], 6);

	if (ready_us < 0 || actual_us < ready_us)
		return;
	extend_without_frames(reading->session, ready_us, actual_us);
	add_captured(captured_of(reading, CAPTURED_LATENCY,
				 session_section(reading->session, actual_us),
				 name_in(reading, csv, columns[LATENCY_SURFACE]), NAME_NONE),
		     1, actual_us - ready_us, actual_us - ready_us, 0);
}

const struct kind latency_kind = { ROW_LATENCY, latency_needed, read_latency, latency_columns,
				   NULL };

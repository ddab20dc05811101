/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what is captured --- */

struct captured *captured_of(struct reading *reading, enum captured_kind kind, uint32_t section,
			     uint32_t name, uint32_t detail)
{
	struct session *session = reading->session;
	uint32_t at = (kind * 40503u + section * 31337u + name * 7919u + detail * 104729u) &
		      (CAPTURED_PLACES - 1);
	struct captured *added;

	for (; reading->captured_places[at] > 0; at = (at + 1) & (CAPTURED_PLACES - 1)) {
		struct captured *one = &session->captured[reading->captured_places[at] - 1];

		if (one->kind == kind && one->section == section && one->name == name &&
		    one->detail == detail)
			return one;
	}
	if (session->n_captured == CAPTURED_MAX) {
		session->captured_refused++;
		return NULL;
	}
	added = array_add(&session->captured, &session->n_captured, sizeof(*added));
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

#define DOFRAME_COLUMNS(X)                                                                         \
	X(DOFRAME_APP, "app", 0, true)                                                             \
	X(DOFRAME_PROCESS, "process", 0, true)                                                     \
	X(DOFRAME_FRAMES, "frames", 0, true)                                                       \
	X(DOFRAME_START, "start time", 6, false)                                                   \
	X(DOFRAME_END, "end time", 6, false)                                                       \
	X(DOFRAME_THREAD, "thread", 0, false)                                                      \
	X(DOFRAME_MEAN, "doFrame avg(ms)", 3, false)                                               \
	X(DOFRAME_MAX, "doFrame max(ms)", 3, false)                                                \
	X(DOFRAME_SKIPPED, "skipped", 0, false)

enum doframe_column { DOFRAME_COLUMNS(COLUMN_NUMBER) };
static const struct column doframe_columns[COLUMNS_MAX] = { DOFRAME_COLUMNS(COLUMN_INFO) };

/* Processes with a Choreographer. The name may be only the end of the app's. */
static void read_doframe(const struct csv_row *csv)
{
	struct session *session = csv->reading->session;
	uint32_t name = name_in(csv, DOFRAME_APP);
	const char *app = name_of(session, name);
	size_t length = strlen(app);
	int64_t frames = number_in(csv, DOFRAME_FRAMES), end_us = number_in(csv, DOFRAME_END);
	struct span process = text_in(csv, DOFRAME_PROCESS), id = text_in(csv, DOFRAME_THREAD);
	char thread[80];

	session->doframes += frames > 0 ? (uint64_t)frames : 0;
	snprintf(thread, sizeof(thread), "%.*s/%.*s", (int)(process.len < 32 ? process.len : 32),
		 process.ptr, (int)(id.len < 32 ? id.len : 32), id.ptr);
	if (end_us >= 0) {
		extend_without_frames(session, number_in(csv, DOFRAME_START), end_us);
		add_captured(captured_of(csv->reading, CAPTURED_DOFRAME,
					 session_section(session, end_us), name,
					 names_add(&session->names, span_of(thread))),
			     count_in(csv, DOFRAME_FRAMES), number_in(csv, DOFRAME_MEAN),
			     number_in(csv, DOFRAME_MAX), count_in(csv, DOFRAME_SKIPPED));
	}
	for (uint32_t i = 0; length > 0 && i < session->n_surfaces; i++) {
		const char *other = name_of(session, session->surfaces[i].app);
		size_t all = strlen(other);

		if (all >= length && strcmp(other + all - length, app) == 0)
			session->surfaces[i].has_view_marks = true;
	}
}

const struct kind doframe_kind = { ROW_DOFRAMES, doframe_columns, read_doframe, NULL };

/* --- frametimeline.csv --- */

#define TIMELINE_COLUMNS(X)                                                                        \
	X(ACTUAL_KIND, "kind", 0, true)                                                            \
	X(ACTUAL_FRAME_TOKEN, "token", 0, true)                                                    \
	X(ACTUAL_START, "start(s)", 6, false)                                                      \
	X(ACTUAL_END, "end(s)", 6, false)                                                          \
	X(ACTUAL_EXPECTED, "expected end(s)", 6, false)                                            \
	X(ACTUAL_TOKEN, "display token", 0, false)                                                 \
	X(ACTUAL_APP, "app", 0, false)                                                             \
	X(ACTUAL_SURFACE, "Surface", 0, false)                                                     \
	X(ACTUAL_JANK, "jank type", 0, false)                                                      \
	X(ACTUAL_PRESENT, "present type", 0, false)                                                \
	X(ACTUAL_ON_TIME, "on time finish", 0, false)

enum timeline_column { TIMELINE_COLUMNS(COLUMN_NUMBER) };
static const struct column timeline_columns[COLUMNS_MAX] = { TIMELINE_COLUMNS(COLUMN_INFO) };

static void read_timeline(const struct csv_row *csv)
{
	struct reading *reading = csv->reading;
	struct session *session = reading->session;
	const struct keyed_list *order = &reading->late_order;
	int64_t start_us = number_in(csv, ACTUAL_START);
	int64_t end_us = number_in(csv, ACTUAL_END);
	int64_t token = number_in(csv, ACTUAL_TOKEN);
	struct captured *captured;
	uint32_t surface;

	if (!span_equal(text_in(csv, ACTUAL_KIND), SPAN_LITERAL("surface")) || start_us < 0 ||
	    end_us < start_us)
		return;
	extend_without_frames(session, start_us, end_us);
	surface = name_in(csv, ACTUAL_SURFACE);
	/* The token of the composition is the vsync id of its frames in frames.csv. */
	for (uint32_t i = first_keyed(order, token);
	     token >= 0 && i < order->n && order->all[i].key == token; i++) {
		struct late_row *late = &session->late[order->all[i].value];

		if (session->surfaces[late->surface].name != surface)
			continue;
		late->expected_us = number_in(csv, ACTUAL_EXPECTED);
		late->finished_us = end_us;
		late->jank_type = name_in(csv, ACTUAL_JANK);
		late->present_type = name_in(csv, ACTUAL_PRESENT);
	}
	captured = captured_of(reading, CAPTURED_TIMELINE, session_section(session, end_us),
			       surface, name_in(csv, ACTUAL_JANK));
	if (captured)
		captured->app = name_in(csv, ACTUAL_APP);
	add_captured(captured, 1, end_us - start_us, end_us - start_us,
		     number_in(csv, ACTUAL_ON_TIME) == 0);
}

const struct kind frametimeline_kind = { ROW_TIMELINE, timeline_columns, read_timeline, NULL };

/* --- latency.csv --- */

#define LATENCY_COLUMNS(X)                                                                         \
	X(LATENCY_ACTUAL, "actual present(s)", 6, true)                                            \
	X(LATENCY_SURFACE, "Surface", 0, true)                                                     \
	X(LATENCY_READY, "frame ready(s)", 6, false)

enum latency_column { LATENCY_COLUMNS(COLUMN_NUMBER) };
static const struct column latency_columns[COLUMNS_MAX] = { LATENCY_COLUMNS(COLUMN_INFO) };

static void read_latency(const struct csv_row *csv)
{
	struct reading *reading = csv->reading;
	int64_t ready_us = number_in(csv, LATENCY_READY);
	int64_t actual_us = number_in(csv, LATENCY_ACTUAL);

	if (ready_us < 0 || actual_us < ready_us)
		return;
	extend_without_frames(reading->session, ready_us, actual_us);
	add_captured(captured_of(reading, CAPTURED_LATENCY,
				 session_section(reading->session, actual_us),
				 name_in(csv, LATENCY_SURFACE), NAME_NONE),
		     1, actual_us - ready_us, actual_us - ready_us, 0);
}

const struct kind latency_kind = { ROW_LATENCY, latency_columns, read_latency, NULL };

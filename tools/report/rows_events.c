/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/rows.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/frames/stall.h"
#include "tools/report/os.h"

#define SESSION_JSON_MAX (4 << 20) /* bytes */

/* --- session.json --- */

void read_session_json(struct reading *reading)
{
	struct session *session = reading->session;
	uint32_t n;
	const struct segment *segment = segments_of(reading, CSV_SESSION, &n);
	struct json_object *json = NULL;
	gzFile file;
	char *text;
	int length;

	if (n == 0)
		return;
	segment += n - 1;
	file = os_gzopen(segment->path);
	text = file ? malloc(SESSION_JSON_MAX + 1) : NULL;
	length = text ? gzread(file, text, SESSION_JSON_MAX) : -1;
	if (file)
		gzclose(file);
	if (length >= 0 && length < SESSION_JSON_MAX) {
		text[length] = '\0';
		json = json_tokener_parse(text);
	}
	free(text);
	if (!json_object_is_type(json, json_type_object)) {
		json_object_put(json);
		session_notice(session, "%s: not the JSON text of a session; left out",
			       file_of(segment->path));
		session->files[CSV_SESSION].left_out++;
		return;
	}
	session->files[CSV_SESSION].segments++;
	session->json = json;
}

/* --- events.csv --- */

#define EVENT_COLUMNS(X)                                                                           \
	X(EVENT_TIME, "time(s)", 6, true)                                                          \
	X(EVENT_WALL, "wall time", 0, true)                                                        \
	X(EVENT_KIND, "kind", 0, true)                                                             \
	X(EVENT_TEXT, "text", 0, true)

enum event_column { EVENT_COLUMNS(COLUMN_NUMBER) };
static const struct column event_columns[COLUMNS_MAX] = { EVENT_COLUMNS(COLUMN_INFO) };

/* The vsyncs in a render period: "120.60 Hz, rendered at 40.20 Hz". */
static uint32_t step_in(const char *text)
{
	static const char rendered[] = " Hz, rendered at ";
	const char *at = strstr(text, rendered), *render = at ? at + strlen(rendered) : NULL;
	const char *end = render ? strstr(render, " Hz") : NULL;
	int64_t display_hz, render_hz;

	if (!end || !csv_number((struct span){ text, (size_t)(at - text) }, 2, &display_hz) ||
	    !csv_number((struct span){ render, (size_t)(end - render) }, 2, &render_hz) ||
	    render_hz <= 0 || display_hz > UINT8_MAX * render_hz)
		return 1;
	return (uint32_t)((display_hz + render_hz / 2) / render_hz);
}

uint8_t step_at(const struct reading *reading, int64_t time_us)
{
	uint32_t after = first_keyed(&reading->steps, time_us + 1);

	return after > 0 ? (uint8_t)reading->steps.all[after - 1].value : 1;
}

/* A mark begins a section. */
static void add_section(struct reading *reading, int64_t time_us, uint32_t name)
{
	struct session *session = reading->session;

	if (session->n_sections == SECTIONS_MAX || time_us < 0)
		return;
	if (session->n_sections == 0)
		session->sections[session->n_sections++] = (struct section){
			.name = names_add(&session->names, SPAN_LITERAL(SECTION_FIRST)),
			.from_us = INT64_MIN,
		};
	/* On another clock; sections are in order. */
	if (time_us < session->sections[session->n_sections - 1].from_us)
		return;
	session->sections[session->n_sections - 1].to_us = time_us;
	session->sections[session->n_sections++] = (struct section){
		.name = name,
		.from_us = time_us,
		.to_us = INT64_MAX,
	};
}

/* "CPU 1: 12 events lost; 8.000 s without events" until @to_us. */
static void add_missing(struct session *session, int64_t to_us, const char *text)
{
	const char *seconds = strstr(text, "; "), *end;
	struct missing *missing;
	int64_t us;

	end = seconds ? strstr(seconds, " s without events") : NULL;
	if (!end || to_us < 0 ||
	    !csv_number((struct span){ seconds + 2, (size_t)(end - seconds - 2) }, 6, &us))
		return;
	missing = pool_add(&session->missing);
	if (missing)
		*missing = (struct missing){ us < to_us ? to_us - us : 0, to_us };
}

#define CLOCK_AROUND_US 1000000

/* "the clock stepped back by 969.966 s" at @time_us of the new clock. */
static void add_clock(struct session *session, int64_t time_us, const char *text)
{
	static const char back[] = "the clock stepped back by ";
	const struct event *first = pool_at(&session->events, 0);
	int64_t from_us = session->has_clocks ? session->clock_us : session->start_us, by_us;
	struct span by = { text + strlen(back), 0 };

	if (strncmp(text, back, strlen(back)) != 0 || time_us < 0)
		return;
	/* The first segments, with the start, may be gone. */
	if (from_us < 0)
		from_us = first->time_us;
	by.len = strcspn(by.ptr, " ");
	if (csv_number(by, 6, &by_us) && from_us >= 0 && by_us < INT64_MAX / 4 &&
	    time_us < INT64_MAX / 4 && time_us + by_us > from_us) {
		session->before_clock_us += (uint64_t)(time_us + by_us - from_us);
		/* Frames are presented a bit later than what was recorded last. */
		if (!session->has_clocks || from_us - CLOCK_AROUND_US < session->earlier_from_us)
			session->earlier_from_us = from_us - CLOCK_AROUND_US;
		if (time_us + by_us + CLOCK_AROUND_US > session->earlier_to_us)
			session->earlier_to_us = time_us + by_us + CLOCK_AROUND_US;
	}
	session->has_clocks = true;
	session->clock_us = session->clock_to_us = time_us;
}

static void read_event(const struct csv_row *csv)
{
	struct reading *reading = csv->reading;
	struct session *session = reading->session;
	struct event *event = pool_add(&session->events);
	struct span kind = text_in(csv, EVENT_KIND);
	struct event read = {
		.time_us = number_in(csv, EVENT_TIME),
		.wall = name_in(csv, EVENT_WALL),
		.kind = names_add(&session->names, kind),
		.text = name_in(csv, EVENT_TEXT),
	};

	if (event)
		*event = read;
	if (read.time_us > session->clock_to_us)
		session->clock_to_us = read.time_us;
	if (span_equal(kind, SPAN_LITERAL("tracing")))
		add_clock(session, read.time_us, name_of(session, read.text));
	if (span_equal(kind, SPAN_LITERAL("mark")))
		add_section(reading, read.time_us, read.text);
	else if (span_equal(kind, SPAN_LITERAL("stall")))
		add_keyed(reading, &reading->stalls, read.time_us, read.text);
	else if (span_equal(kind, SPAN_LITERAL("start")) ||
		 (span_equal(kind, SPAN_LITERAL("tracing")) && /* after --wait */
		  strncmp(name_of(session, read.text), "counting began", 14) == 0))
		session->start_us = read.time_us;
	else if (span_equal(kind, SPAN_LITERAL("stop")))
		session->stop_us = read.time_us;
	else if (span_equal(kind, SPAN_LITERAL("lost"))) {
		add_missing(session, read.time_us, name_of(session, read.text));
		add_keyed(reading, &reading->losses, read.time_us, read.text);
	} else if (span_equal(kind, SPAN_LITERAL("refresh")) && read.time_us >= 0)
		add_keyed(reading, &reading->steps, read.time_us,
			  step_in(name_of(session, read.text)));
}

/* "716.7 ms on SURFACE of APP; no frame ended it": what follows "on ", and the length in ns. */
static const char *stall_name(const char *text, uint64_t *ns)
{
	const char *on = strstr(text, " ms on ");
	int64_t length_ns;

	if (!on || !csv_number((struct span){ text, (size_t)(on - text) }, 6, &length_ns))
		return NULL;
	*ns = (uint64_t)length_ns;
	return on + 7;
}

bool is_stall(const struct reading *reading, int64_t time_us, const char *surface)
{
	const struct keyed_list *stalls = &reading->stalls;
	size_t length = strlen(surface);

	for (uint32_t i = first_keyed(stalls, time_us);
	     i < stalls->n && stalls->all[i].key == time_us; i++) {
		uint64_t ns;
		const char *name = stall_name(name_of(reading->session, stalls->all[i].value), &ns);
		const char *rest;

		if (!name)
			continue;
		/* The event may have cut a long name. */
		if (strncmp(name, surface, length) != 0) {
			if (length > 700 && strncmp(name, surface, 700) == 0)
				return true;
			continue;
		}
		rest = name + length;
		if (*rest == '\0' || *rest == ';' || strncmp(rest, " of ", 4) == 0)
			return true;
	}
	return false;
}

/* @cause: of a stall that no frame ended, else CAUSE_NONE. @info: the app's own work, if it is to
 * blame. */
static void add_stall(struct session *session, uint16_t surface, int64_t time_us, uint64_t ns,
		      enum cause cause, uint32_t info)
{
	struct late_row row = {
		.time_us = time_us,
		.harm_us = ns / 1000,
		.interval_us = ns / 1000,
		LATE_ROW_UNKNOWN,
		.info = info,
		.surface = surface,
		.cause = cause,
		.is_stall = true,
		.is_endless = cause != CAUSE_NONE,
	};

	/* Another file may have the stall, too. The end of a drop is a vsync. */
	for (uint32_t i = 0; i < session->n_late; i++)
		if (session->late[i].is_stall && session->late[i].surface == surface &&
		    llabs(session->late[i].time_us - time_us) < 100000)
			return;
	if (time_us >= 0)
		add_late(session, row);
}

static void add_ended(struct ended_stalls *to, uint64_t ns)
{
	to->n++;
	to->ns += ns;
	to->longest_ns = later(to->longest_ns, ns);
}

/* The Surface with the longest name that ends at @end or @work, or before " of ": a shorter one's
 * may go on like an event. *@length: of its name. Returns n_surfaces if there is none. */
static uint32_t surface_in(const struct session *session, const char *name, const char *work,
			   const char *end, size_t *length)
{
	uint32_t found = session->n_surfaces;

	*length = 0;
	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		const char *text = name_of(session, session->surfaces[i].name);
		size_t n = strlen(text);

		if (n > *length && strncmp(name, text, n) == 0 &&
		    (name + n == end || name + n == work || strncmp(name + n, " of ", 4) == 0)) {
			found = i;
			*length = n;
		}
	}
	return found;
}

/* Where what the event says about the stall or pause begins, which the Surface's name may have,
 * too: at the end. NULL: nowhere. */
static const char *remark_of(const char *name, bool is_pause)
{
	const char *remark = is_pause ? ": an unexplained" : "; no frame ended it", *found = NULL;
	const char *rest;

	for (const char *at = name; (at = strstr(at, remark)) != NULL; at++)
		found = at;
	if (!found || is_pause)
		return found;
	rest = found + strlen(remark);
	/* Behind it is nothing, or what writers of events add to any: " (2 similar events
	 * suppressed)", " (happened at 3.250000 s)". */
	if (*rest == '\0' || strncmp(rest, " (happened at ", 14) == 0 ||
	    (strncmp(rest, " (", 2) == 0 && is_digit(rest[2])))
		return found;
	return NULL;
}

/* Where "; doFrame 1533.5 ms (not ended)" begins, directly before the remark at @end: the app's own
 * work, which is to blame. A name may have the same words. NULL: nowhere. */
static const char *work_before(const char *name, const char *end)
{
	const char *found = NULL;
	int length = 0;

	for (const char *at = name; (at = strstr(at, "; doFrame ")) && at < end; at++)
		found = at;
	if (found)
		sscanf(found, "; doFrame %*[0-9].%*1[0-9] ms (not ended)%n", &length);
	return length > 0 && found + length == end ? found : NULL;
}

/* How many rows before an event are searched for its gap. */
#define GAP_ROWS_MAX 4096

/* The first place of @pool, in the order of times, behind @time_us; the pool's element has its time
 * at @offset. */
static uint64_t behind(const struct pool *pool, size_t offset, int64_t time_us)
{
	uint64_t low = 0, high = pool->n;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		const int64_t *at = (const void *)((const char *)pool_at(pool, middle) + offset);

		if (*at <= time_us)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* When the gap ended that an event of @time_us reports: the event comes after the even frames that
 * follow the gap, and a mark may be between them. Without its frame it is in the row that has it;
 * without that, nothing else is known. */
static int64_t gap_end_us(const struct session *session, uint32_t surface, int64_t time_us,
			  uint64_t ns)
{
	const struct pool *frames = &session->frames, *rows = &session->windows;
	uint64_t at = behind(frames, offsetof(struct kept_frame, present_us), time_us);

	for (uint64_t n = 0; n < GAP_ROWS_MAX && at > 0; n++) {
		const struct kept_frame *frame = pool_at(frames, --at);

		if (frame->surface == surface && frame->flags & FRAME_WAIT &&
		    pause_in_event(kept_interval_ns(frame)) == ns)
			return frame->present_us;
	}
	at = behind(rows, offsetof(struct window, start_us), time_us);
	for (uint64_t n = 0; n < GAP_ROWS_MAX && at > 0; n++) {
		const struct window *row = pool_at(rows, --at);

		if (row->surface == surface && row->waits > 0 && row->start_us <= time_us &&
		    row->waiting_us >= ns / 1000)
			return row->end_us;
	}
	return time_us;
}

void count_unended(struct reading *reading)
{
	struct session *session = reading->session;

	for (uint64_t i = 0; i < session->events.n; i++) {
		const struct event *event = pool_at(&session->events, i);
		const char *kind = name_of(session, event->kind);
		bool is_pause = strcmp(kind, "pause") == 0;
		uint64_t ns;
		const char *name = stall_name(name_of(session, event->text), &ns);
		const char *end = name ? remark_of(name, is_pause) : NULL;
		const char *work = end && !is_pause ? work_before(name, end) : NULL;
		struct surface *of;
		struct sums *sums[2];
		uint32_t surface, section, n_sums, info = NAME_NONE;
		enum cause cause = end ? CAUSE_UNKNOWN : CAUSE_NONE;
		int64_t end_us, begin_us;
		size_t length;

		if (!name || (is_pause && !end) || (!is_pause && strcmp(kind, "stall") != 0))
			continue;
		surface = surface_in(session, name, work, end ? end : name + strlen(name), &length);
		if (surface == session->n_surfaces)
			continue;
		end_us = is_pause ? gap_end_us(session, surface, event->time_us, ns)
				  : event->time_us;
		of = &session->surfaces[surface];
		section = session_section(session, end_us);
		begin_us = session_begin_of(session, end_us, ns / 1000);
		if (is_pause && ns > of->sums.facts.longest_gap_ns)
			of->gap_us = begin_us;
		if (is_pause && (of->sums.facts.gaps == 0 || begin_us < of->first_gap_us))
			of->first_gap_us = begin_us;
		if (work && work >= name + length)
			info = names_add(&session->names,
					 (struct span){ work + 2, (size_t)(end - work - 2) });
		if (info != NAME_NONE)
			cause = CAUSE_APP;
		if (!is_pause)
			add_stall(session, (uint16_t)surface, event->time_us, ns, cause, info);
		if (!end) {
			struct section_sum *sum = find_sum(reading, section, (uint16_t)surface);

			add_ended(&of->sums.in_events, ns);
			if (sum)
				add_ended(&sum->sums.in_events, ns);
			continue;
		}
		/* Where the worst moment is known: in frames.csv, or dropFrames.csv. */
		if (!is_pause && event->time_us >= 0 &&
		    (of->frame_rows > 0 || reading->harm_from_drops))
			harm_add(&of->harm, (uint64_t)event->time_us * 1000, ns);
		n_sums = sums_of(sums, reading, of, section);
		for (uint32_t j = 0; j < n_sums; j++)
			if (is_pause)
				grade_add_gap(&sums[j]->facts, ns);
			else
				grade_add_endless(&sums[j]->facts, cause, ns);
	}
}

const struct kind events_kind = { ROW_EVENTS, event_columns, read_event, NULL };

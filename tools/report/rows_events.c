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

uint8_t step_at(const struct reading *reading, int64_t time_us)
{
	uint32_t after = first_keyed(&reading->steps, time_us + 1);

	return after > 0 ? (uint8_t)reading->steps.all[after - 1].value : 1;
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
	static const char rendered[] = " Hz, rendered at ";
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
	int64_t time_us = read.time_us;
	const char *text = name_of(session, read.text);

	if (event)
		*event = read;
	if (time_us > session->clock_to_us)
		session->clock_to_us = time_us;
	if (span_equal(kind, SPAN_LITERAL("tracing"))) {
		add_clock(session, time_us, text);
		if (strncmp(text, "counting began", 14) == 0) /* after --wait */
			session->start_us = time_us;
	} else if (span_equal(kind, SPAN_LITERAL("start"))) {
		session->start_us = time_us;
	} else if (span_equal(kind, SPAN_LITERAL("stop"))) {
		session->stop_us = time_us;
	} else if (span_equal(kind, SPAN_LITERAL("stall"))) {
		add_keyed(reading, &reading->stalls, time_us, read.text);
	} else if (span_equal(kind, SPAN_LITERAL("mark"))) {
		struct section *all = session->sections;
		uint32_t n = session->n_sections;

		/* Sections are in order: not one of another clock. */
		if (time_us < 0 || n == SECTIONS_MAX || (n > 0 && time_us < all[n - 1].from_us))
			return;
		if (n == 0)
			all[n++] = (struct section){
				.name = names_add(&session->names, SPAN_LITERAL(SECTION_FIRST)),
				.from_us = INT64_MIN,
			};
		all[n - 1].to_us = time_us;
		all[n++] = (struct section){
			.name = read.text,
			.from_us = time_us,
			.to_us = INT64_MAX,
		};
		session->n_sections = n;
	} else if (span_equal(kind, SPAN_LITERAL("lost"))) {
		/* "CPU 1: 12 events lost; 8.000 s without events" */
		const char *seconds = strstr(text, "; ");
		const char *end = seconds ? strstr(seconds, " s without events") : NULL;
		struct missing *missing = NULL;
		int64_t us;

		if (end && time_us >= 0 &&
		    csv_number((struct span){ seconds + 2, (size_t)(end - seconds - 2) }, 6, &us))
			missing = pool_add(&session->missing);
		if (missing)
			*missing = (struct missing){ us < time_us ? time_us - us : 0, time_us };
		add_keyed(reading, &reading->losses, time_us, read.text);
	} else if (span_equal(kind, SPAN_LITERAL("refresh")) && time_us >= 0) {
		/* "120.60 Hz, rendered at 40.20 Hz": the vsyncs in a render period */
		const char *at = strstr(text, rendered),
			   *render = at ? at + strlen(rendered) : NULL;
		const char *end = render ? strstr(render, " Hz") : NULL;
		int64_t display_hz, render_hz, step = 1;

		if (end && csv_number((struct span){ text, (size_t)(at - text) }, 2, &display_hz) &&
		    csv_number((struct span){ render, (size_t)(end - render) }, 2, &render_hz) &&
		    render_hz > 0 && display_hz <= UINT8_MAX * render_hz)
			step = (display_hz + render_hz / 2) / render_hz;
		add_keyed(reading, &reading->steps, time_us, (uint32_t)step);
	}
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

static void add_ended(struct ended_stalls *to, uint64_t ns)
{
	to->n++;
	to->ns += ns;
	to->longest_ns = later(to->longest_ns, ns);
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

void count_unended(struct reading *reading, const struct event *event)
{
	struct session *session = reading->session;
	const char *kind = name_of(session, event->kind);
	bool is_pause = strcmp(kind, "pause") == 0;
	uint64_t ns;
	const char *name = stall_name(name_of(session, event->text), &ns);
	const char *end = name ? remark_of(name, is_pause) : NULL, *work = NULL;
	enum cause cause = end ? CAUSE_UNKNOWN : CAUSE_NONE;
	uint32_t found = session->n_surfaces, section, n_sums, info = NAME_NONE;
	struct surface *surface;
	struct sums *sums[2];
	int64_t end_us, begin_us;
	size_t length = 0;
	int matched = 0;

	if (!name || (is_pause && !end) || (!is_pause && strcmp(kind, "stall") != 0))
		return;
	/* Directly before the remark: the app's own work, which is to blame. A name may have the
	 * same words. */
	for (const char *at = name; end && !is_pause && (at = strstr(at, "; doFrame ")) && at < end;
	     at++)
		work = at;
	if (work)
		sscanf(work, "; doFrame %*[0-9].%*1[0-9] ms (not ended)%n", &matched);
	if (matched == 0 || work + matched != end)
		work = NULL;
	/* The Surface with the longest name that ends there: a shorter one's may go on like an
	 * event. */
	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		const char *text = name_of(session, session->surfaces[i].name);
		size_t n = strlen(text);

		if (n > length && strncmp(name, text, n) == 0 &&
		    (name + n == (end ? end : name + strlen(name)) || name + n == work ||
		     strncmp(name + n, " of ", 4) == 0)) {
			found = i;
			length = n;
		}
	}
	if (found == session->n_surfaces)
		return;
	if (work && work >= name + length) {
		info = names_add(&session->names,
				 (struct span){ work + 2, (size_t)(end - work - 2) });
		cause = info != NAME_NONE ? CAUSE_APP : cause;
	}

	end_us = is_pause ? gap_end_us(session, found, event->time_us, ns) : event->time_us;
	begin_us = session_begin_of(session, end_us, ns / 1000);
	section = session_section(session, end_us);
	surface = &session->surfaces[found];
	if (is_pause && ns > surface->sums.facts.longest_gap_ns)
		surface->gap_us = begin_us;
	if (is_pause && (surface->sums.facts.gaps == 0 || begin_us < surface->first_gap_us))
		surface->first_gap_us = begin_us;
	if (!is_pause && event->time_us >= 0) {
		bool is_known = false;

		/* Another file may have the stall, too. The end of a drop is a vsync. */
		for (uint32_t i = 0; i < session->n_late; i++)
			is_known |= session->late[i].is_stall &&
				    session->late[i].surface == found &&
				    llabs(session->late[i].time_us - event->time_us) < 100000;
		if (!is_known)
			add_late(session, (struct late_row){
						  .time_us = event->time_us,
						  .harm_us = ns / 1000,
						  .interval_us = ns / 1000,
						  LATE_ROW_UNKNOWN,
						  .info = info,
						  .surface = (uint16_t)found,
						  .cause = cause,
						  .is_stall = true,
						  .is_endless = end != NULL,
					  });
	}
	if (!end) {
		struct section_sum *sum = find_sum(reading, section, (uint16_t)found);

		add_ended(&surface->sums.in_events, ns);
		if (sum)
			add_ended(&sum->sums.in_events, ns);
		return;
	}
	/* Where the worst moment is known: in frames.csv, or dropFrames.csv. */
	if (!is_pause && event->time_us >= 0 &&
	    (surface->frame_rows > 0 || reading->harm_from_drops))
		harm_add(&surface->harm, (uint64_t)event->time_us * 1000, ns);
	n_sums = sums_of(sums, reading, surface, section);
	for (uint32_t i = 0; i < n_sums; i++)
		if (is_pause)
			grade_add_gap(&sums[i]->facts, ns);
		else
			grade_add_endless(&sums[i]->facts, cause, ns);
}

const struct kind events_kind = { ROW_EVENTS, event_columns, read_event, NULL };

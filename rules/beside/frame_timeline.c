/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/beside/frame_timeline.h"

#include <stdio.h>
#include <string.h>

#include "rules/base/table.h"

/* How long a row waits for the end of the expected frame, which may come later than its own. */
#define EXPECTED_WAIT_NS UINT64_C(1000000000)

/* An expected frame without an actual one is kept for that long. */
#define EXPECTED_KEEP_NS UINT64_C(5000000000)

_Static_assert(sizeof(struct frame_timeline) - (TIMELINE_FRAMES - TIMELINE_LIVE_FRAMES) *
						       sizeof(struct timeline_frame) <
		       600 * 1024,
	       "memory when live");

/* SurfaceFlinger writes "TX - " and the layer's name. */
static struct span layer_name(struct span written)
{
	static const struct span prefix = SPAN_INIT("TX - ");

	return span_starts_with(written, prefix) ? span_skip(written, prefix.len) : written;
}

/* --- words --- */

const char *timeline_name(enum timeline_names kind, int32_t type)
{
	static const char *const names[][6] = {
		[TIMELINE_PRESENT] = { "UNSPECIFIED", "ON_TIME", "LATE", "EARLY", "DROPPED",
				       "UNKNOWN" },
		[TIMELINE_PREDICTION] = { "UNSPECIFIED", "VALID", "EXPIRED", "UNKNOWN" },
		[TIMELINE_SEVERITY] = { "UNKNOWN", "NONE", "PARTIAL", "FULL" },
	};

	return type >= 0 && (size_t)type < ARRAY_SIZE(names[0]) ? names[kind][type] : NULL;
}

/* The types as bits; without a type that of TIMELINE_UNSPECIFIED. Negative: none is known. */
static uint64_t types_of(int64_t type)
{
	if (type == 0)
		return UINT64_C(1) << TIMELINE_UNSPECIFIED;
	return type > 0 ? (uint64_t)type & UINT32_MAX : 0;
}

/* "BIT_20": it has no name. */
static void jank_bit_name(unsigned int bit, char name[static TIMELINE_JANK_NAME_SIZE])
{
	static const char *const names[] = {
		"NONE",
		"SF_SCHEDULING",
		"PREDICTION_ERROR",
		"DISPLAY_HAL",
		"SF_CPU_DEADLINE_MISSED",
		"SF_GPU_DEADLINE_MISSED",
		"APP_DEADLINE_MISSED",
		"BUFFER_STUFFING",
		"UNKNOWN",
		"SF_STUFFING",
		"DROPPED",
		"NON_ANIMATING",
		"APP_RESYNCED_JITTER",
		"DISPLAY_NOT_ON",
		"DISPLAY_MODE_CHANGE_IN_PROGRESS",
		"DISPLAY_POWER_MODE_CHANGE_IN_PROGRESS",
		[TIMELINE_UNSPECIFIED] = "UNSPECIFIED",
	};

	if (names[bit])
		snprintf(name, TIMELINE_JANK_NAME_SIZE, "%s", names[bit]);
	else
		snprintf(name, TIMELINE_JANK_NAME_SIZE, "BIT_%u", bit);
}

void timeline_jank_name(int64_t type, char name[static TIMELINE_JANK_SIZE])
{
	uint64_t types = types_of(type);
	size_t len = 0;

	name[0] = '\0';
	for (unsigned int bit = 0; bit <= TIMELINE_UNSPECIFIED; bit++) {
		if (!(types >> bit & 1))
			continue;
		if (len > 0)
			name[len++] = '+';
		jank_bit_name(bit, name + len);
		len += strlen(name + len);
	}
}

/* --- jank types --- */

/* Returns NULL if it is not in the table, and, with @add, if there is no space. */
static struct timeline_surface *surface_of(struct frame_timeline *timeline, struct span name,
					   bool add)
{
	uint64_t hash = name_hash(name);

	for (unsigned int i = 0; i < TIMELINE_SURFACES && name.len > 0; i++) {
		struct timeline_surface *surface =
			&timeline->surfaces[(hash + i) % TIMELINE_SURFACES];

		if (surface->hash == hash && surface->length == name.len &&
		    name_is(surface->name, sizeof(surface->name), name))
			return surface;
		if (surface->length > 0)
			continue;
		if (!add)
			return NULL;
		surface->hash = hash;
		surface->length = name.len;
		name_copy(surface->name, sizeof(surface->name), name);
		return surface;
	}
	return NULL;
}

const char *frame_timeline_jank_types(struct frame_timeline *timeline, const char *surface)
{
	const struct timeline_surface *found = surface_of(timeline, span_of(surface), false);
	char name[TIMELINE_JANK_NAME_SIZE];
	size_t len = 0;

	timeline->text[0] = '\0';
	for (unsigned int bit = 0; found && bit <= TIMELINE_UNSPECIFIED; bit++) {
		size_t space = TIMELINE_TEXT_SIZE - len, n;

		if (found->counts[bit] == 0)
			continue;
		jank_bit_name(bit, name);
		n = (size_t)snprintf(timeline->text + len, space, "%s%s:%u", len > 0 ? " " : "",
				     name, (unsigned int)found->counts[bit]);
		len += n < space ? n : 0;
	}
	return timeline->text;
}

void timeline_count(struct timeline_app apps[TIMELINE_APPS_MAX], const char *name, uint64_t frames,
		    uint64_t missed)
{
	struct timeline_app *app = apps;

	while (app < apps + TIMELINE_APPS_MAX && app->frames > 0 && strcmp(app->name, name) != 0)
		app++;
	if (app == apps + TIMELINE_APPS_MAX || !name[0])
		return;
	name_copy(app->name, sizeof(app->name), span_of(name));
	app->frames += frames;
	app->missed += missed;
}

/* --- the table of frames --- */

static void remove_frame(struct frame_timeline *timeline, unsigned int i)
{
	timeline->frames[i] = timeline->frames[--timeline->n_frames];
}

static void write_frame(struct frame_timeline *timeline, unsigned int i)
{
	struct timeline_frame *frame = &timeline->frames[i];
	struct timeline_row *row = &frame->row;
	struct span layer = span_of(frame->layer);
	struct span name = layer_name(layer);
	char copy[SURFACE_MAX], surface[NAME_SIZE], app[APP_SIZE];
	struct timeline_surface *counted;
	uint64_t types = types_of(row->event.jank_type);

	name_copy(surface, sizeof(surface), ruleset_surface(timeline->rules, name, copy));
	name_copy(app, sizeof(app), app_of_layer(name));
	row->layer = layer.ptr;
	row->surface = surface;
	row->app = app;
	timeline->counts.rows++;
	if (row->is_surface)
		timeline_count(timeline->apps, app, 1, row->event.on_time_finish == 0);
	counted = row->is_surface ? surface_of(timeline, span_of(surface), true) : NULL;
	if (!counted)
		timeline->counts.refused += row->is_surface && surface[0];
	for (unsigned int bit = 0; counted && bit <= TIMELINE_UNSPECIFIED; bit++)
		counted->counts[bit] += types >> bit & 1;
	if (timeline->row)
		timeline->row(timeline->context, ROW_TIMELINE, row);
	remove_frame(timeline, i);
}

/* Writes the frames that are complete at @now_ns, in the order of their ends. */
static void write_finished(struct frame_timeline *timeline, uint64_t now_ns)
{
	for (;;) {
		const struct timeline_frame *first = NULL;

		for (unsigned int i = 0; i < timeline->n_frames; i++) {
			const struct timeline_frame *frame = &timeline->frames[i];

			if (frame->row.end_ns >= 0 &&
			    (!first || frame->row.end_ns < first->row.end_ns))
				first = frame;
		}
		if (!first || (first->row.expected_end_ns < 0 &&
			       now_ns < (uint64_t)first->row.end_ns + EXPECTED_WAIT_NS))
			return;
		write_frame(timeline, (unsigned int)(first - timeline->frames));
	}
}

/* --- events --- */

/* True: @a is the better one of two frames for an event of @sequence: that of the same writer, and
 * of two of them the newer one, or with @is_old the older one. */
static bool is_better(const struct timeline_frame *a, const struct timeline_frame *b,
		      uint64_t sequence, bool is_old)
{
	if ((a->sequence == sequence) != (b->sequence == sequence))
		return a->sequence == sequence;
	return is_old ? a->touched_ns < b->touched_ns : a->touched_ns > b->touched_ns;
}

static void start(struct frame_timeline *timeline, const struct timeline_event *event,
		  uint64_t sequence, uint64_t time_ns)
{
	bool is_surface =
		event->kind == TIMELINE_EXPECTED_SURFACE || event->kind == TIMELINE_ACTUAL_SURFACE;
	bool is_actual =
		event->kind == TIMELINE_ACTUAL_DISPLAY || event->kind == TIMELINE_ACTUAL_SURFACE;
	unsigned int max = timeline->live ? TIMELINE_LIVE_FRAMES : TIMELINE_FRAMES, oldest;
	uint64_t hash = name_hash(layer_name(event->layer));
	struct timeline_frame *frame = NULL;
	struct timeline_row *row;

	/* It is of the oldest one without such a part. */
	for (unsigned int i = 0; i < timeline->n_frames; i++) {
		struct timeline_frame *one = &timeline->frames[i];

		row = &one->row;
		if (row->event.token != event->token || row->is_surface != is_surface ||
		    row->event.display_token != event->display_token ||
		    row->event.pid != event->pid || one->layer_hash != hash ||
		    (is_actual ? one->is_started : row->expected_start_ns >= 0))
			continue;
		if (!frame || is_better(one, frame, sequence, true))
			frame = one;
	}
	/* Without space the frame without events for the longest time is written, or dropped. */
	if (!frame && timeline->n_frames == max) {
		oldest = TABLE_LEAST(timeline->frames, max, touched_ns);
		if (timeline->frames[oldest].row.end_ns >= 0) {
			write_frame(timeline, oldest);
		} else {
			timeline->counts.unfinished += timeline->frames[oldest].is_started;
			remove_frame(timeline, oldest);
		}
	}
	if (!frame) {
		frame = &timeline->frames[timeline->n_frames++];
		*frame = (struct timeline_frame){
			.row = {
				.is_surface = is_surface,
				.start_ns = ROW_UNKNOWN,
				.end_ns = ROW_UNKNOWN,
				.expected_start_ns = ROW_UNKNOWN,
				.expected_end_ns = ROW_UNKNOWN,
				.event = *event,
			},
			.sequence = sequence,
			.expected_cookie = -1,
			.actual_cookie = -1,
			.layer_hash = hash,
		};
		name_copy(frame->layer, sizeof(frame->layer), event->layer);
	}
	frame->touched_ns = time_ns;
	row = &frame->row;
	if (!is_actual) {
		frame->expected_cookie = event->cookie;
		row->expected_start_ns = (int64_t)time_ns;
		return;
	}
	frame->is_started = true;
	frame->actual_cookie = event->cookie;
	row->start_ns = (int64_t)time_ns;
	row->event = *event;
	row->event.layer = SPAN_NULL;
}

void frame_timeline_record(struct frame_timeline *timeline, const struct trace_record *record)
{
	uint64_t sequence = (uint64_t)record->value, time_ns = record->time_ns;
	struct timeline_frame *frame = NULL;
	struct timeline_event event;

	if (!timeline_event_read(record->name, &event)) {
		timeline->counts.malformed++;
		return;
	}
	if (event.kind != TIMELINE_END) {
		/* Removes expected frames that never became actual. */
		for (unsigned int i = timeline->n_frames; i-- > 0;)
			if (!timeline->frames[i].is_started &&
			    timeline->frames[i].touched_ns + EXPECTED_KEEP_NS < time_ns)
				remove_frame(timeline, i);
		start(timeline, &event, sequence, time_ns);
		write_finished(timeline, time_ns);
		return;
	}

	/* Each thread of SurfaceFlinger is a writer, so the end may be of another writer than the
	 * start; but another SurfaceFlinger uses the same cookies again. */
	for (unsigned int i = 0; i < timeline->n_frames && event.cookie >= 0; i++) {
		struct timeline_frame *one = &timeline->frames[i];

		if ((one->actual_cookie == event.cookie || one->expected_cookie == event.cookie) &&
		    (!frame || is_better(one, frame, sequence, false)))
			frame = one;
	}
	if (!frame) {
		timeline->counts.unmatched++;
	} else if (frame->actual_cookie == event.cookie) {
		frame->actual_cookie = -1;
		frame->row.end_ns = (int64_t)time_ns;
		frame->touched_ns = time_ns;
	} else {
		frame->expected_cookie = -1;
		frame->row.expected_end_ns = (int64_t)time_ns;
		frame->touched_ns = time_ns;
	}
	write_finished(timeline, time_ns);
}

void frame_timeline_end(struct frame_timeline *timeline)
{
	write_finished(timeline, UINT64_MAX);
	for (unsigned int i = 0; i < timeline->n_frames; i++)
		timeline->counts.unfinished += timeline->frames[i].is_started;
	timeline->n_frames = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/one_phone.h"

#include "rules/count/stats.h"

struct phone phone;
struct pipeline_options options;

int default_options(void **state)
{
	options = PIPELINE_OPTIONS_DEFAULT;
	return 0;
}

int on_phone_9(void **state)
{
	default_options(state);
	start(PHONE_9);
	return 0;
}

int on_phone_14(void **state)
{
	default_options(state);
	start(PHONE_14);
	return 0;
}

int stop_phone(void **state)
{
	if (phone.pipeline)
		phone_stop(&phone);
	memset(&phone, 0, sizeof(phone));
	return 0;
}

void start(enum phone_age age)
{
	stop_phone(NULL);
	phone_start(&phone, age, &options);
}

void every_phone(void (*test)(void))
{
	for (enum phone_age age = PHONE_9; age <= PHONE_14; age++) {
		start(age);
		test();
	}
}

/* Returns the number of characters of the step. */
static int draw_frames(const char *steps)
{
	const char *layers[] = { NULL, NULL, NULL };
	unsigned int from, to, every = 1, later = 0;
	int used = 0, more = 0;
	char names[3];

	if (sscanf(steps, " %2[ab]%u%n", names, &from, &used) != 2)
		fail_msg("no step: %s", steps);
	for (size_t i = 0; names[i]; i++)
		layers[i] = names[i] == 'b' ? b : a;
	to = from;
	if (sscanf(steps + used, "-%u%n", &to, &more) == 1)
		used += more;
	if (sscanf(steps + used, "x%u%n", &every, &more) == 1)
		used += more;
	if (sscanf(steps + used, "+%u%n", &later, &more) == 1)
		used += more;
	for (; from <= to; from += every)
		phone_frames(&phone, BEGIN + from * V60 + later * MS, layers);
	return used;
}

/* SurfaceFlinger's counter of a layer's queue. */
static void count(const char *layer, unsigned int n)
{
	phone_write(&phone, TRACE_COUNTER, 0,
		    formatted("%s%s", phone.age == PHONE_9 ? "" : "BufferTX - ", layer), n);
}

/* The same for a step within a frame; 0: it is none. */
static int draw_part(const char *steps)
{
	unsigned int n = 1;
	int used = 0, ms = 0;
	char word[64];

	if (sscanf(steps, " at %u %d%n", &n, &ms, &used) == 2)
		phone.now_ns = BEGIN + n * V60 + (uint64_t)((int64_t)MS * ms);
	else if (sscanf(steps, " queue %1[ab]%n %u%n", word, &used, &n, &used) >= 1)
		phone_queue(&phone, phone.now_ns, *word == 'b' ? b : a, n);
	else if (sscanf(steps, " tick%n", &used) == 0 && used > 0)
		phone_tick(&phone, phone.now_ns);
	else if (sscanf(steps, " begin %63s%n", word, &used) == 1)
		phone_begin(&phone, word);
	else if (sscanf(steps, " commit%n", &used) == 0 && used > 0)
		phone_begin(&phone, phone.age == PHONE_9 ? "handleMessageInvalidate" : "commit 1");
	else if (sscanf(steps, " latch %1[ab]%n", word, &used) == 1)
		phone_latch(&phone, *word == 'b' ? b : a);
	else if (sscanf(steps, " end %u%n", &n, &used) == 1)
		phone_end_slices(&phone, n);
	else if (sscanf(steps, " count %1[ab] %u%n", word, &n, &used) == 2)
		count(*word == 'b' ? b : a, n);
	else if (sscanf(steps, " mark%n", &used) == 0 && used > 0)
		phone_write(&phone, TRACE_INSTANT, 77, "jankd:here", 0);
	else if (sscanf(steps, " compose %u%n %d%n", &n, &used, &ms, &used) >= 1)
		phone_compose(&phone, BEGIN + n * V60 + (uint64_t)((int64_t)MS * ms), 1);
	return used;
}

void draw(const char *steps)
{
	for (int n, used = 0; *steps; steps += used) {
		unsigned int count;

		if (sscanf(steps, " cpu %d%n", &n, &used) == 1)
			phone.cpu = n;
		else if (sscanf(steps, " sf %d%n", &n, &used) == 1)
			phone.sf_tid = phone.sf_tgid = phone.sf_pid = n;
		else if (sscanf(steps, " lost %d %u%n", &n, &count, &used) == 2)
			phone_lost(&phone, n, count);
		else if (sscanf(steps, " hole %u%n", &count, &used) == 1)
			pipeline_hole(phone.pipeline, BEGIN + count * V60);
		else if (sscanf(steps, " more %d%n", &n, &used) == 1)
			phone.n_commits += (unsigned int)n;
		else if ((used = draw_part(steps)) == 0)
			used = draw_frames(steps);
	}
}

void play(const char *steps)
{
	draw(steps);
	phone_end(&phone);
}

const struct pipeline_counters *counters(void)
{
	return pipeline_counters(phone.pipeline);
}

void expect(const char *expected)
{
	const struct pipeline_counters *all = counters();
	const struct row_log *log = &phone.log;
	const struct number numbers[] = {
		{ "a", (int64_t)frames_of(a) },
		{ "b", (int64_t)frames_of(b) },
		{ "rows", (int64_t)log->n_frames },
		{ "fps_rows", (int64_t)log->n_fps },
		{ "drops", (int64_t)log->n_drops },
		{ "late_rows", (int64_t)log->n_late },
		{ "gate", (int64_t)log->n_gate },
		{ "event.refresh", (int64_t)events_of(TRACE_EVENT_REFRESH) },
		{ "event.lost", (int64_t)events_of(TRACE_EVENT_LOST) },
		{ "event.surfaceflinger", (int64_t)events_of(TRACE_EVENT_SURFACEFLINGER) },
		{ "event.tracing", (int64_t)events_of(TRACE_EVENT_TRACING) },
		{ "event.focus", (int64_t)events_of(TRACE_EVENT_FOCUS) },
		{ "event.mark", (int64_t)events_of(TRACE_EVENT_MARK) },
		{ "event.trigger", (int64_t)events_of(TRACE_EVENT_TRIGGER) },
		{ "event.stall", (int64_t)events_of(TRACE_EVENT_STALL) },
		{ "event.pause", (int64_t)events_of(TRACE_EVENT_PAUSE) },
		NUMBERS(all, ticks, presents, frames, lost_events, lost_unknown, holes),
		NUMBERS(all, unattributed_presents, foreign_presents, foreign_ticks,
			foreign_latches, stale_frames, marks_too_soon),
		NUMBERS(all, surfaceflinger_restarts, clock_steps, late, ahead, repeated,
			dropped_frames),
		NUMBERS(all, layers_evicted, frames_refused, surfaces_others, frames_others,
			percentiles_refused, sf_pid),
		NUMBER(all, sf_tid),
	};

	expect_numbers(numbers, COUNT_OF(numbers), expected);
}

size_t frames_of(const char *layer)
{
	size_t n = 0;

	for (size_t i = 0; i < phone.log.n_frames; i++)
		n += strcmp(phone.log.frames[i].layer, layer) == 0;
	return n;
}

const struct frame_row *frame_of(const char *layer, size_t n)
{
	for (size_t i = 0, left = n; i < phone.log.n_frames; i++)
		if (strcmp(phone.log.frames[i].layer, layer) == 0 && left-- == 0)
			return &phone.log.frames[i];
	fail_msg("no frame %zu of %s", n, layer);
	return NULL;
}

size_t unknown_intervals(const char *layer)
{
	size_t n = 0;

	for (size_t i = 0; i < phone.log.n_frames; i++)
		n += phone.log.frames[i].interval_ns < 0 &&
		     (!layer || strcmp(phone.log.frames[i].layer, layer) == 0);
	return n;
}

const char *vsyncs_of(const char *layer)
{
	static char text[500];
	const size_t n = frames_of(layer);
	size_t len = 0;

	for (size_t i = 0, same; i < n; i += same) {
		int64_t vsyncs = frame_of(layer, i)->vsyncs;

		for (same = 1; i + same < n && frame_of(layer, i + same)->vsyncs == vsyncs;)
			same++;
		len += (size_t)snprintf(text + len, sizeof(text) - len, i ? " " : "");
		len += (size_t)snprintf(text + len, sizeof(text) - len, vsyncs < 0 ? "?" : "%d",
					(int)vsyncs);
		if (same > 1)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "x%zu", same);
		assert_true(len < sizeof(text));
	}
	return text;
}

const struct fps_row *any_row_of(const char *surface, size_t n)
{
	for (size_t i = 0; i < phone.log.n_fps; i++)
		if (strcmp(phone.log.fps[i].surface, surface) == 0 && n-- == 0)
			return &phone.log.fps[i];
	return NULL;
}

const struct fps_row *row_of(const char *surface, size_t n)
{
	const struct fps_row *row = any_row_of(surface, n);

	if (!row)
		fail_msg("no row %zu of %s", n, surface);
	return row;
}

struct frame_stats sum_of(const char *surface)
{
	struct frame_stats sum = FRAME_STATS_EMPTY;

	for (size_t i = 0; i < phone.log.n_fps; i++)
		if (!surface || strcmp(phone.log.fps[i].surface, surface) == 0)
			frame_stats_merge(&sum, &phone.log.fps[i].stats);
	return sum;
}

struct wanted {
	const char *surface;
	unsigned int n;
	struct summary_row row;
};

static void look_for(void *context, const struct summary_row *row)
{
	struct wanted *wanted = context;

	if (strcmp(row->surface, wanted->surface) != 0)
		return;
	wanted->n++;
	wanted->row = *row;
	wanted->row.app = wanted->row.surface = NULL;
}

struct summary_row summary_of(const char *surface)
{
	struct wanted wanted = { .surface = surface };

	pipeline_summary(phone.pipeline, &wanted, look_for);
	if (wanted.n != 1)
		fail_msg("%u rows of %s in the summary", wanted.n, surface);
	return wanted.row;
}

size_t events_of(enum trace_event_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < phone.log.n_events; i++)
		n += phone.log.events[i].kind == kind;
	return n;
}

const char *event_text(enum trace_event_kind kind)
{
	for (size_t i = 0; i < phone.log.n_events; i++)
		if (phone.log.events[i].kind == kind)
			return phone.log.events[i].text;
	return "";
}

bool is_reported(const char *text)
{
	for (size_t i = 0; i < phone.log.n_events; i++)
		if (phone.log.events[i].kind == TRACE_EVENT_LOST &&
		    strstr(phone.log.events[i].text, text))
			return true;
	return false;
}

void expect_row(const char *surface, size_t n, const char *expected)
{
	const struct fps_row *row = row_of(surface, n);
	struct number numbers[STATS_NUMBERS + 6] = {
		NUMBER(row, refresh_mhz), NUMBER(row, p50_ns),	NUMBER(row, p90_ns),
		NUMBER(row, p99_ns),	  NUMBER(row, cadence), NUMBER(row, off_cadence),
	};

	stats_numbers(numbers + 6, &row->stats);
	expect_numbers(numbers, COUNT_OF(numbers), expected);
}

void expect_summary(const char *surface, const char *expected)
{
	const struct summary_row all = summary_of(surface), *row = &all;
	struct number numbers[STATS_NUMBERS + 14] = {
		NUMBER(row, cadence),
		NUMBER(row, off_cadence),
		NUMBER(row, gpu_p50_ns),
		NUMBER(row, gpu_p99_ns),
		NUMBER(row, gpu_bound),
		NUMBER(row, release_p99_ns),
		NUMBER(row, paces_itself),
		{ "pauses", (int64_t)row->facts.gaps },
		{ "endless", (int64_t)row->facts.endless },
		NUMBER(row, no_view_marks),
		{ "late", (int64_t)row->fences.late },
		{ "late_released", (int64_t)row->fences.late_released },
		{ "paced", (int64_t)row->fences.paced },
		{ "paced_itself", (int64_t)row->fences.paced_itself },
	};

	stats_numbers(numbers + 14, &row->stats);
	expect_numbers(numbers, COUNT_OF(numbers), expected);
}

void expect_frame(const char *layer, size_t n, const char *expected)
{
	const struct frame_row *row = frame_of(layer, n);
	const struct number numbers[] = {
		NUMBER(row, vsync_ns),	   NUMBER(row, interval_ns), NUMBER(row, vsyncs),
		NUMBER(row, frame_number), NUMBER(row, gpu_done_ns), NUMBER(row, lost),
		NUMBER(row, cause),	   NUMBER(row, vsync_id),
	};

	expect_numbers(numbers, COUNT_OF(numbers), expected);
}

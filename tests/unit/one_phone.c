/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/one_phone.h"

#include <stdio.h>
#include <string.h>

#include "rules/stats.h"

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

void phone_9(void (*test)(void))
{
	start(PHONE_9);
	test();
}

void phone_13(void (*test)(void))
{
	start(PHONE_13);
	test();
}

void phone_14(void (*test)(void))
{
	start(PHONE_14);
	test();
}

/* Returns the number of characters of the step. */
static int draw_frames(const char *steps)
{
	unsigned int from, to, every = 1;
	int used = 0, more = 0;
	char layer;

	if (sscanf(steps, " %c%u-%u%n", &layer, &from, &to, &used) != 3)
		fail_msg("no step: %s", steps);
	if (sscanf(steps + used, "x%u%n", &every, &more) == 1)
		used += more;
	phone_run(&phone, layer == 'b' ? b : a, BEGIN + from * V60, every * V60,
		  (to - from) / every + 1);
	return used;
}

void draw(const char *steps)
{
	for (int n, used = 0; *steps; steps += used) {
		unsigned int count;

		if (sscanf(steps, " cpu %d%n", &n, &used) == 1)
			phone.cpu = n;
		else if (sscanf(steps, " lost %d %u%n", &n, &count, &used) == 2)
			phone_lost(&phone, n, count);
		else if (sscanf(steps, " hole %u%n", &count, &used) == 1)
			pipeline_hole(phone.pipeline, BEGIN + count * V60);
		else if (sscanf(steps, " more %d%n", &n, &used) == 1)
			phone.n_commits += (unsigned int)n;
		else
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

size_t frames_of(const char *layer)
{
	return row_log_count_frames(&phone.log, layer);
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

const struct fps_row *row_of(const char *surface, size_t n)
{
	const struct fps_row *row = row_log_fps(&phone.log, surface, n);

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
	return row_log_count_events(&phone.log, kind);
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

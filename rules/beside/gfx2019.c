/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/beside/gfx2019.h"

#include <string.h>

#include "rules/base/table.h"
#include "rules/count/stats.h"

/* The name up to the first @byte, or all of it. */
static struct span up_to(struct span name, char byte)
{
	const char *end = name.len ? memchr(name.ptr, byte, name.len) : NULL;

	return end ? (struct span){ name.ptr, (size_t)(end - name.ptr) } : name;
}

static void set_front(struct gfx2019 *g, struct span activity)
{
	name_copy(g->activity, sizeof(g->activity), activity);
	name_copy(g->app, sizeof(g->app), up_to(activity, '/'));
}

bool gfx2019_focus(struct gfx2019 *g, const char *focus)
{
	if (g->app[0])
		return false;
	set_front(g, span_of(focus));
	return true;
}

void gfx2019_init(struct gfx2019 *g, const struct ruleset *rules,
		  const struct pipeline_options *options, const struct row_sink *sink,
		  struct memory *memory)
{
	g->rules = rules;
	g->options = *options;
	if (options->vsync_ns == 0)
		g->options.vsync_ns = 1000000000 / 60;
	g->sink = *sink;
	gfx2019_focus(g, options->focus);
	g->max = (int)options->max_series;
	g->series = memory_keep(memory, memory_new(options->max_series, sizeof(*g->series)));
}

static size_t count_byte(struct span text, char byte)
{
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++)
		n += text.ptr[i] == byte;
	return n;
}

/* The number of a marker's fields, split at '|' as the program did. It used the third field of
 * lines with four fields, and of presents. */
static size_t fields_of(const struct trace_record *record, struct span *third)
{
	size_t bars = count_byte(record->name, '|');

	*third = up_to(record->name, '|');
	switch (record->kind) {
	case TRACE_SLICE_BEGIN:
	case TRACE_SLICE_END:
	case TRACE_INSTANT:
		return 3 + bars;
	case TRACE_COUNTER:
	case TRACE_ASYNC_BEGIN:
	case TRACE_ASYNC_END:
		return 4 + bars;
	case TRACE_TRACK_INSTANT:
	case TRACE_TRACK_END:
		*third = up_to(record->track, '|');
		return record->kind == TRACE_TRACK_INSTANT ? 4 + bars : 4 + (record->name.len > 0);
	default:
		return 0;
	}
}

/* --- series --- */

static void write_row(struct gfx2019 *g, struct gfx2019_series *series)
{
	struct fps_row row = { .start_ns = series->start_ns,
			       .end_ns = series->last_ns,
			       .app = series->app,
			       .surface = series->surface,
			       .stats = series->stats,
			       .refresh_mhz = ROW_UNKNOWN,
			       .p50_ns = ROW_UNKNOWN,
			       .p90_ns = ROW_UNKNOWN,
			       .p99_ns = ROW_UNKNOWN,
			       .legacy = true };
	double target_fps = g->options.target_fps > 0 ? g->options.target_fps : 60;

	row.fps = frame_stats_fps(&series->stats);
	if (row.fps >= 0) /* rounded to a tenth */
		row.fps = (double)(uint64_t)(row.fps * 10 + 0.5) / 10;
	if (row.fps >= target_fps)
		row.fps = (double)(uint64_t)row.fps;
	row.stats.tx = series->tx;
	row.stats.score = frame_stats_score(&series->stats, row.fps, target_fps, g->options.kpi_ns);
	if (g->sink.row)
		g->sink.row(g->sink.context, ROW_FPS, &row);
	series->start_ns = series->last_ns;
	series->stats = FRAME_STATS_EMPTY;
}

/* --- frames --- */

static void write_drop(struct gfx2019 *g, const struct gfx2019_series *series, uint64_t start_ns,
		       const struct trace_record *tick)
{
	struct span third;
	char name[NAME_SIZE];
	struct drop_row row = { .start_ns = start_ns,
				.end_ns = tick->time_ns,
				.interval_ns = tick->time_ns - start_ns,
				.tick = name,
				.tx = series->tx,
				.app = series->app,
				.surface = series->surface,
				.info = g->info,
				.layer = "",
				.missed = ROW_UNKNOWN,
				.frame_number = ROW_UNKNOWN,
				.legacy = true };

	fields_of(tick, &third);
	name_copy(name, sizeof(name), third);
	if (g->sink.row)
		g->sink.row(g->sink.context, ROW_DROPS, &row);
}

/* The first tick after a present: it is the frame's time. */
static void count_frame(struct gfx2019 *g, const struct trace_record *tick)
{
	struct gfx2019_series *series = g->series, *end = g->series + g->n;
	const char *surface = g->counter[0] ? g->counter : g->activity;
	uint64_t now_ns = tick->time_ns, interval_ns;
	bool late = now_ns > g->tick_ns && now_ns - g->tick_ns > g->options.vsync_ns;
	unsigned int type = g->options.type;

	while (series < end && (series->tx != g->tx || strcmp(series->surface, surface) != 0 ||
				strcmp(series->app, g->app) != 0))
		series++;
	/* It is new. If there is no space, the one that has been idle longest is replaced; its row
	 * is written. */
	if (series == end) {
		if (g->n < g->max) {
			g->n++;
		} else {
			series = &g->series[TABLE_LEAST(g->series, (unsigned int)g->max, last_use)];
			if (series->stats.frames > 0 && type < 3)
				write_row(g, series);
			g->evicted++;
		}
		*series = (struct gfx2019_series){ .tx = g->tx, .stats = FRAME_STATS_EMPTY };
		name_copy(series->app, sizeof(series->app), span_of(g->app));
		name_copy(series->surface, sizeof(series->surface), span_of(surface));
	}

	g->frames++;
	interval_ns = now_ns - series->last_ns;
	/* If the clock stepped back there is no interval. */
	if (now_ns < series->last_ns)
		series->begun = false;
	if (series->begun && late && interval_ns < STATS_WAIT_NS) {
		if (type == 2 || type == 4)
			write_drop(g, series, g->tick_ns, tick);
		else if (type && interval_ns >= STATS_DROP_NS)
			write_drop(g, series, series->last_ns, tick);
	}
	if (series->begun)
		frame_stats_add_2019(&series->stats, interval_ns);
	else
		series->start_ns = now_ns;
	series->stats.d += late;
	series->begun = true;
	series->last_ns = now_ns;
	series->last_use = g->frames;
	if (now_ns < g->check_ns || now_ns - g->check_ns < g->options.delay_ns)
		return;
	for (int i = 0; i < g->n; i++)
		if (g->series[i].stats.frames > g->options.min_frames && type < 3)
			write_row(g, &g->series[i]);
	g->check_ns = now_ns;
}

void gfx2019_record(struct gfx2019 *g, const struct trace_record *record)
{
	struct span third;
	size_t fields = fields_of(record, &third);
	struct pattern_capture capture;
	struct slice_meaning meaning;
	const struct rule *rule;

	if (fields == 3 && (ruleset_match_slice(g->rules, third, &meaning)->mask & SLICE_PRESENT)) {
		g->open = false;
		g->presented = true;
		g->presents += record->kind == TRACE_SLICE_BEGIN;
		return;
	}
	if (fields != 4)
		return;
	rule = ruleset_match(g->rules, &g->rules->counters, third, 0, &capture);
	if (rule && rule_is_tick(rule)) {
		if (!g->ticked)
			g->check_ns = record->time_ns;
		else if (g->presented)
			count_frame(g, record);
		g->ticked = true;
		g->tick_ns = record->time_ns;
		g->open = true;
		g->presented = false;
		g->tx = 0;
		g->counter[0] = '\0';
		g->info[0] = '\0';
		return;
	}

	/* A counter between a tick and a present. */
	if (!g->open || (rule && rule->role == RULE_IGNORE))
		return;
	g->info[0] = '\n';
	name_copy(g->info + 1, sizeof(g->info) - 1, third);
	if (rule && rule->role == RULE_TRANSACTION) {
		g->tx = 1;
		return;
	}
	name_copy(g->counter, sizeof(g->counter), third);
	if (count_byte(third, '.') >= 2 && count_byte(third, '/') > 0 &&
	    count_byte(third, ' ') == 0)
		set_front(g, third);
}

void gfx2019_end(struct gfx2019 *g)
{
	for (int i = 0; i < g->n; i++)
		if (g->series[i].stats.frames > 0 && g->options.type < 3)
			write_row(g, &g->series[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The way of the data through this room:
 *
 *     records ─► attribution ─► frames ─► (wait) ─► lattice ─► windows ─► rows
 *                     └──────── ticks ────────────────┘
 *
 * Frames wait LAG_NS of trace time before they are counted: only the ticks behind a frame tell
 * what the display's period was when it was presented. At the begin they wait for the lattice.
 */
#include "rules/pipeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules/attribute.h"
#include "rules/context.h"
#include "rules/gfx2019.h"
#include "rules/layer.h"
#include "rules/summary.h"
#include "rules/vsync.h"

#define LAG_NS UINT64_C(600000000)
#define LOCK_WAIT_NS UINT64_C(2000000000) /* so long the first frames wait for the lattice */
#define IDLE_NS UINT64_C(5000000000)	  /* a series this long without a frame closes its row */
#define IDLE_CHECK_NS UINT64_C(1000000000)

/* Frames that wait: 600 ms of 12 layers at 240 Hz, and twice as much. */
#define WAITING_MAX 4096

/* Records of several CPUs can be this far out of order. What is more is a step of the clock. */
#define DISORDER_NS UINT64_C(1000000000)

/* A record so far ahead is believed once another follows it: an app can write such a line. */
#define JUMP_NS UINT64_C(10000000000)

#define PRESENT_MARK LAYER_NONE

struct waiting_frame {
	struct frame frame; /* its layer is PRESENT_MARK: the present itself, behind its frames */
	struct loss loss;
};

#define EVENTS_FREE 100
#define RECORDS_PER_EVENT 1000
#define EVENT_TEXT_SIZE (NAME_SIZE + 64)

/* Of one kind of events. */
struct event_limit {
	uint64_t written;
	uint64_t last_record; /* number of the record that the last one came with */
	uint64_t withheld;    /* since then */
};

struct pipeline {
	const struct ruleset *rules;
	struct pipeline_options options;
	struct row_sink sink;
	struct pipeline_counters counters;
	struct vsync_lattice vsync;
	struct attribution attribution;
	struct gfx2019 *gfx2019; /* the other way, where the rules ask for it */
	struct context_log *log; /* what drop rows tell of the time before them, or NULL */
	struct loss loss;
	struct event_limit limits[TRACE_EVENT_KINDS];
	uint64_t now_ns;   /* latest time of a record */
	uint64_t ahead_ns; /* time of a last record far ahead of it, 0: there is none */
	uint64_t last_present_ns;
	uint64_t sure_present_ns; /* the same before the record at ahead_ns */
	bool locked_once;	  /* or waited long enough for it */
	bool checked;		  /* there was a present */
	uint64_t last_check_ns;
	uint64_t last_idle_check_ns;
	char front[APP_SIZE]; /* the app in front */
	int front_layer;      /* the last activity's layer that had a frame */
	unsigned int waiting_first;
	unsigned int n_waiting;
	struct waiting_frame waiting[WAITING_MAX];
	struct layer_table layers;
	struct summary summary;
};

/* Any app can make events of most kinds happen, as often as it likes: after the first ones, one
 * in a thousand records is written and tells of those that were not. */
static void emit_event(struct pipeline *p, uint64_t time_ns, enum trace_event_kind kind,
		       const char *text)
{
	struct event_limit *limit = &p->limits[kind];
	struct trace_event event = { time_ns, kind, text };
	char longer[EVENT_TEXT_SIZE];

	if (!p->sink.event)
		return;
	if (limit->written >= EVENTS_FREE &&
	    p->counters.records < limit->last_record + RECORDS_PER_EVENT) {
		limit->withheld++;
		return;
	}
	if (limit->withheld > 0) {
		snprintf(longer, sizeof(longer), "%s (and %llu of this kind before)", text,
			 (unsigned long long)limit->withheld);
		event.text = longer;
	}
	*limit = (struct event_limit){ limit->written + 1, p->counters.records, 0 };
	p->sink.event(p->sink.context, &event);
}

/* --- rows --- */

static bool matches_any(const char *const *globs, const char *name)
{
	for (; *globs; globs++)
		if (pattern_glob(span_of(*globs), span_of(name)))
			return true;
	return false;
}

static bool is_hidden(const struct pipeline *p, const char *surface)
{
	if (p->options.include && *p->options.include && !matches_any(p->options.include, surface))
		return true;
	return p->options.exclude && matches_any(p->options.exclude, surface);
}

static double target_of(const struct pipeline *p, const struct window *w)
{
	if (p->options.target_fps > 0)
		return p->options.target_fps;
	return w->last.locked ? 1e9 / (double)w->last.period_ns : 60;
}

static void close_row(struct pipeline *p, struct layer *layer)
{
	double target_fps = target_of(p, &layer->window);
	struct fps_row row;

	if (!window_has_row(&layer->window))
		return;
	window_close(&layer->window, target_fps, p->options.kpi_ns, &row);
	row.app = layer->app;
	row.surface = layer->surface;
	if (layer->hidden)
		return;
	summary_add_row(&p->summary, &row, target_fps);
	if (p->sink.fps && p->options.type < 3)
		p->sink.fps(p->sink.context, &row);
}

/* The check of the contract: at the first present that comes long enough after the last one. */
static void check(struct pipeline *p, uint64_t present_ns)
{
	if (!p->checked)
		p->last_check_ns = present_ns;
	p->checked = true;
	if (present_ns - p->last_check_ns < p->options.delay_ns)
		return;
	p->last_check_ns = present_ns;
	for (int i = 0; i < LAYERS_MAX; i++)
		if (p->layers.layers[i].length &&
		    p->layers.layers[i].window.stats.frames > p->options.min_frames)
			close_row(p, &p->layers.layers[i]);
}

static void close_idle(struct pipeline *p, uint64_t now_ns)
{
	if (now_ns - p->last_idle_check_ns < IDLE_CHECK_NS)
		return;
	p->last_idle_check_ns = now_ns;
	for (int i = 0; i < LAYERS_MAX; i++) {
		struct layer *layer = &p->layers.layers[i];

		if (layer->length && layer->window.begun &&
		    now_ns >= layer->window.last.time_ns + IDLE_NS)
			close_row(p, layer);
	}
}

/* --- frames, when they have waited --- */

/* A window of an activity had a frame: it is in front if it is new, or if the one in front has
 * been still for a while. Two that move together, in a transition, do not take turns. */
static void follow_front(struct pipeline *p, int id, uint64_t present_ns)
{
	struct layer *layer = &p->layers.layers[id];
	const struct layer *front =
		p->front_layer == LAYER_NONE ? NULL : &p->layers.layers[p->front_layer];
	bool still = !front || !front->is_activity ||
		     present_ns - front->window.last.time_ns >= STATS_WAIT_NS;

	if (!layer->is_activity || id == p->front_layer || (layer->shown && !still))
		return;
	p->front_layer = id;
	if (span_equal(span_of(p->front), span_of(layer->app)))
		return;
	name_copy(p->front, sizeof(p->front), span_of(layer->app));
	emit_event(p, present_ns, TRACE_EVENT_FOCUS, layer->surface);
}

static void emit_frame(struct pipeline *p, const struct waiting_frame *waiting,
		       const struct vsync_stamp *stamp, struct interval interval, int64_t lost)
{
	const struct frame *frame = &waiting->frame;
	const struct layer *layer = &p->layers.layers[frame->layer];
	struct frame_row row = {
		.present_ns = frame->present_ns,
		.vsync_ns = stamp->locked ? (int64_t)stamp->vsync_ns : ROW_UNKNOWN,
		.interval_ns = interval.ns,
		.vsyncs = interval.vsyncs,
		.app = layer->app,
		.surface = layer->surface,
		.layer = layer->name,
		.frame_number = frame->number,
		.queued_ns = frame->queued_ns ? (int64_t)frame->queued_ns : ROW_UNKNOWN,
		.latched_ns = (int64_t)frame->latched_ns,
		.lost = lost,
	};

	if (p->sink.frame)
		p->sink.frame(p->sink.context, &row);
}

static bool is_drop(const struct pipeline *p, struct interval interval)
{
	if (interval.ns < 0 || (uint64_t)interval.ns >= STATS_WAIT_NS)
		return false;
	if (p->options.type == 1 || p->options.type == 3)
		return (uint64_t)interval.ns >= STATS_DROP_NS;
	return interval.vsyncs > 1;
}

static void emit_drop(struct pipeline *p, const struct waiting_frame *waiting,
		      const struct vsync_stamp *before, const struct vsync_stamp *now,
		      struct interval interval)
{
	const struct frame *frame = &waiting->frame;
	const struct layer *layer = &p->layers.layers[frame->layer];
	struct drop_row row = {
		.start_ns = before->locked ? before->vsync_ns : before->time_ns,
		.end_ns = now->locked ? now->vsync_ns : now->time_ns,
		.used_ns = (uint64_t)interval.ns,
		.tx = frame->tx,
		.app = layer->app,
		.surface = layer->surface,
		.layer = layer->name,
		.missed = interval.vsyncs > 0 ? interval.vsyncs - 1 : interval.vsyncs,
		.frame_number = frame->number,
	};

	context_describe(p->log, before->time_ns, now->time_ns);
	row.tick = context_tick(p->log);
	row.info = context_counters(p->log);
	if (p->sink.drop)
		p->sink.drop(p->sink.context, &row);
}

/* The frame has waited: its vsyncs can be told. */
static void count_frame(struct pipeline *p, const struct waiting_frame *waiting)
{
	struct layer *layer = &p->layers.layers[waiting->frame.layer];
	struct vsync_stamp before = layer->window.last;
	struct loss before_loss = layer->window.begun ? layer->window.last_loss : waiting->loss;
	struct vsync_stamp stamp;
	struct interval interval;

	layer->waiting--;
	if (layer->window.begun &&
	    waiting->frame.present_ns >= layer->window.last.time_ns + IDLE_NS)
		close_row(p, layer);
	follow_front(p, waiting->frame.layer, waiting->frame.present_ns);
	if (!layer->has_app && strcmp(layer->app, p->front) != 0)
		name_copy(layer->app, sizeof(layer->app), span_of(p->front));
	if (!layer->shown)
		layer->hidden = is_hidden(p, layer->surface);
	layer->shown = true;
	vsync_place(&p->vsync, waiting->frame.present_ns, &stamp);
	interval = window_frame(&layer->window, &stamp, waiting->loss, waiting->frame.tx);
	if (layer->hidden)
		return;
	summary_frame(&p->summary, layer->surface, layer->app, stamp.time_ns);
	if (interval.ns >= 0 && (uint64_t)interval.ns < STATS_WAIT_NS)
		summary_interval(&p->summary, layer->surface, (uint32_t)interval.ns);
	emit_frame(p, waiting, &stamp, interval, loss_between(before_loss, waiting->loss));
	if (p->log && is_drop(p, interval))
		emit_drop(p, waiting, &before, &stamp, interval);
}

static void report_refresh(struct pipeline *p)
{
	char text[64];
	uint64_t from_ns;
	uint64_t period_ns = vsync_period_ns(&p->vsync);

	if (!vsync_take_change(&p->vsync, &from_ns) || !period_ns)
		return;
	snprintf(text, sizeof(text), "%.2f Hz", 1e9 / (double)period_ns);
	emit_event(p, from_ns, TRACE_EVENT_REFRESH, text);
}

static void count_first(struct pipeline *p)
{
	const struct waiting_frame *waiting = &p->waiting[p->waiting_first];

	if (waiting->frame.layer == PRESENT_MARK)
		check(p, waiting->frame.present_ns);
	else
		count_frame(p, waiting);
	p->waiting_first = (p->waiting_first + 1) % WAITING_MAX;
	p->n_waiting--;
}

/* Counts the frames that have waited long enough at @now_ns. */
static void count_settled(struct pipeline *p, uint64_t now_ns)
{
	if (p->n_waiting > 0 && !p->locked_once) {
		uint64_t first_ns = p->waiting[p->waiting_first].frame.present_ns;

		p->locked_once = vsync_period_ns(&p->vsync) > 0 || now_ns > first_ns + LOCK_WAIT_NS;
	}
	while (p->n_waiting > 0 && p->locked_once &&
	       now_ns >= p->waiting[p->waiting_first].frame.present_ns + LAG_NS) {
		report_refresh(p);
		count_first(p);
	}
	if (now_ns > LAG_NS)
		close_idle(p, now_ns - LAG_NS);
}

/* Presents come in the order of time: one out of order has the time of the one before. */
static void add_waiting(struct pipeline *p, const struct frame *frame)
{
	struct waiting_frame *waiting;

	if (p->n_waiting == WAITING_MAX) {
		p->locked_once = true;
		count_first(p);
	}
	waiting = &p->waiting[(p->waiting_first + p->n_waiting++) % WAITING_MAX];
	*waiting = (struct waiting_frame){ *frame, p->loss };
	if (waiting->frame.present_ns + DISORDER_NS < p->last_present_ns)
		return; /* a forged one was before: it will be dropped */
	if (waiting->frame.present_ns < p->last_present_ns)
		waiting->frame.present_ns = p->last_present_ns;
	p->last_present_ns = waiting->frame.present_ns;
}

/* --- what attribution finds --- */

static void on_tick(void *context, const struct trace_record *record, unsigned int rank,
		    bool hardware)
{
	struct pipeline *p = context;

	p->counters.ticks += !hardware;
	vsync_tick(&p->vsync, name_hash(record->name), rank, hardware, record->time_ns);
	if (p->log && !hardware)
		context_add_tick(p->log, record->time_ns, record->name);
}

static void on_period(void *context, uint64_t period_ns)
{
	struct pipeline *p = context;

	vsync_hint(&p->vsync, period_ns);
}

static void on_frame(void *context, const struct frame *frame)
{
	struct pipeline *p = context;

	p->layers.layers[frame->layer].waiting++;
	add_waiting(p, frame);
}

static void on_present(void *context, uint64_t present_ns)
{
	struct pipeline *p = context;
	struct frame mark = { .layer = PRESENT_MARK, .present_ns = present_ns };

	add_waiting(p, &mark);
}

static void on_counter(void *context, const struct trace_record *record)
{
	struct pipeline *p = context;

	if (p->log)
		context_add_counter(p->log, record->time_ns, record->name);
}

static void on_surfaceflinger(void *context, uint64_t time_ns, bool another)
{
	struct pipeline *p = context;
	const struct surfaceflinger *sf = &p->attribution.sf;
	char text[96];

	/* Ticks of whoever was taken for it before say nothing of this one's display. */
	if (p->attribution.tick_pid != sf->pid)
		vsync_reset(&p->vsync);
	snprintf(text, sizeof(text), "%s: process %d, presents on thread %d",
		 another ? "another one" : "found", (int)sf->pid, (int)sf->tid);
	emit_event(p, time_ns, TRACE_EVENT_SURFACEFLINGER, text);
}

/* Another layer wants to come: whoever goes leaves its row. */
static int on_room(void *context)
{
	struct pipeline *p = context;
	int victim = layers_victim(&p->layers);

	if (victim == LAYER_NONE)
		return 0;
	if (victim < 0)
		return victim;
	if (p->layers.layers[victim].shown) {
		close_row(p, &p->layers.layers[victim]);
		p->counters.layers_evicted++;
	}
	if (p->front_layer == victim)
		p->front_layer = LAYER_NONE;
	layers_remove(&p->layers, victim);
	return 0;
}

/* --- records --- */

static void lost(struct pipeline *p, const struct trace_record *record)
{
	char text[64];

	if (record->value == TRACE_LOST_UNKNOWN) {
		p->loss.unknown++;
		snprintf(text, sizeof(text), "CPU %d: events, nobody knows how many",
			 (int)record->cpu);
	} else {
		p->loss.events += (uint64_t)record->value;
		snprintf(text, sizeof(text), "CPU %d: %lld events", (int)record->cpu,
			 (long long)record->value);
	}
	emit_event(p, record->time_ns, TRACE_EVENT_LOST, text);
}

static void drop_first(struct pipeline *p)
{
	const struct waiting_frame *waiting = &p->waiting[p->waiting_first];

	if (waiting->frame.layer != PRESENT_MARK)
		p->layers.layers[waiting->frame.layer].waiting--;
	p->waiting_first = (p->waiting_first + 1) % WAITING_MAX;
	p->n_waiting--;
}

/* One line came from far ahead and the next did not: no clock does that, but any app can write
 * such a line. The frames that it dated, if any, were none. */
static void drop_future(struct pipeline *p, uint64_t from_ns)
{
	unsigned int n = p->n_waiting;

	p->last_present_ns = p->sure_present_ns;
	while (n-- > 0) {
		struct waiting_frame first = p->waiting[p->waiting_first];

		drop_first(p);
		if (first.frame.present_ns >= from_ns)
			continue;
		if (first.frame.layer != PRESENT_MARK)
			p->layers.layers[first.frame.layer].waiting++;
		p->waiting[(p->waiting_first + p->n_waiting++) % WAITING_MAX] = first;
	}
}

/* The clock went back: what comes now has nothing to do with what was before. */
static void begin_again(struct pipeline *p)
{
	p->locked_once = true;
	while (p->n_waiting > 0)
		count_first(p);
	for (int i = 0; i < LAYERS_MAX; i++) {
		struct layer *layer = &p->layers.layers[i];

		if (!layer->length)
			continue;
		close_row(p, layer);
		window_init(&layer->window);
		layer->n_queued = 0;
	}
	vsync_reset(&p->vsync);
	attribution_heal(&p->attribution);
	p->locked_once = p->checked = false;
	p->last_idle_check_ns = 0;
	p->last_present_ns = 0;
}

static void report_step(struct pipeline *p, uint64_t time_ns, const char *what, uint64_t by_ns)
{
	char text[96];

	p->counters.clock_steps++;
	snprintf(text, sizeof(text), "%s %llu.%03llu s", what,
		 (unsigned long long)(by_ns / 1000000000),
		 (unsigned long long)(by_ns / 1000000 % 1000));
	emit_event(p, time_ns, TRACE_EVENT_TRACING, text);
}

/* Keeps the time of the trace. False while the record's time is in doubt: then nothing that
 * waits for time to pass may happen. */
static bool follow_clock(struct pipeline *p, uint64_t time_ns)
{
	if (p->ahead_ns && time_ns + DISORDER_NS < p->ahead_ns) {
		report_step(p, time_ns, "a line from the future was passed, ahead by",
			    p->ahead_ns - p->now_ns);
		drop_future(p, p->now_ns + JUMP_NS);
	}
	if (!p->ahead_ns && p->now_ns && time_ns > p->now_ns + JUMP_NS) {
		p->ahead_ns = time_ns;
		p->sure_present_ns = p->last_present_ns;
		return false;
	}
	p->ahead_ns = 0;
	if (time_ns + DISORDER_NS < p->now_ns) {
		report_step(p, time_ns, "the clock went back by", p->now_ns - time_ns);
		begin_again(p);
		p->now_ns = time_ns;
	}
	if (time_ns > p->now_ns)
		p->now_ns = time_ns;
	return true;
}

void pipeline_record(struct pipeline *p, const struct trace_record *record)
{
	bool sure = true;

	p->counters.records++;
	if (record->kind == TRACE_LOST) {
		lost(p, record);
	} else {
		sure = follow_clock(p, record->time_ns);
		if (p->counters.first_ns == 0)
			p->counters.first_ns = record->time_ns;
	}
	if (p->gfx2019) {
		gfx2019_record(p->gfx2019, record);
		return;
	}
	attribution_record(&p->attribution, record);
	if (sure)
		count_settled(p, p->now_ns);
}

void pipeline_end(struct pipeline *p)
{
	if (p->gfx2019) {
		gfx2019_end(p->gfx2019);
		return;
	}
	vsync_finish(&p->vsync);
	report_refresh(p);
	p->locked_once = true;
	while (p->n_waiting > 0)
		count_first(p);
	for (int i = 0; i < LAYERS_MAX; i++)
		if (p->layers.layers[i].length)
			close_row(p, &p->layers.layers[i]);
}

void pipeline_summary(const struct pipeline *p, void *context,
		      void (*row)(void *context, const struct summary_row *row))
{
	summary_write(&p->summary, context, row);
}

const struct pipeline_counters *pipeline_counters(struct pipeline *p)
{
	struct pipeline_counters *c = &p->counters;
	const struct attribution *a = &p->attribution;
	uint64_t period_ns = vsync_period_ns(&p->vsync);

	c->lost_events = p->loss.events;
	c->lost_unknown = p->loss.unknown;
	c->presents = p->gfx2019 ? p->gfx2019->presents : a->presents;
	c->frames = p->gfx2019 ? p->gfx2019->frames : a->frames;
	c->foreign_presents = a->foreign_presents;
	c->dropped_frames = a->dropped_frames;
	c->layers_refused = a->no_room;
	c->surfaces_evicted = p->summary.evicted;
	c->threads_evicted = a->threads.evicted;
	c->slices_unbalanced = a->threads.unbalanced;
	c->last_ns = p->now_ns;
	c->refresh_mhz = period_ns ? (int64_t)(1e12 / (double)period_ns + 0.5) : ROW_UNKNOWN;
	c->sf_pid = a->sf.pid;
	c->sf_tid = a->sf.tid;
	return c;
}

/* --- begin and end --- */

static int set_up_gfx2019(struct pipeline *p)
{
	const struct gfx2019_options options = {
		.target_fps = p->options.target_fps,
		.kpi_ns = p->options.kpi_ns,
		.type = p->options.type,
		.delay_ns = p->options.delay_ns,
		.min_frames = p->options.min_frames,
		.vsync_ns = p->options.vsync_ns ? p->options.vsync_ns : 1000000000 / 60,
		.focus = p->options.focus,
	};

	p->gfx2019 = calloc(1, sizeof(*p->gfx2019));
	if (!p->gfx2019)
		return -ENOMEM;
	gfx2019_init(p->gfx2019, p->rules, &options, &p->sink);
	return 0;
}

static void set_up(struct pipeline *p)
{
	static const struct attribution_sink findings = {
		.tick = on_tick,
		.period = on_period,
		.frame = on_frame,
		.present = on_present,
		.counter = on_counter,
		.surfaceflinger = on_surfaceflinger,
		.room = on_room,
	};
	struct attribution_sink sink = findings;
	struct span focus = span_of(p->options.focus);
	const char *slash = focus.len ? memchr(focus.ptr, '/', focus.len) : NULL;

	sink.context = p;
	p->front_layer = LAYER_NONE;
	if (slash)
		focus.len = (size_t)(slash - focus.ptr);
	name_copy(p->front, sizeof(p->front), focus);
	p->summary.kpi_ns = p->options.kpi_ns;
	layers_init(&p->layers);
	vsync_init(&p->vsync, p->options.vsync_ns);
	attribution_init(&p->attribution, p->rules, &p->layers, &sink);
}

int pipeline_new(struct pipeline **out, const struct ruleset *rules,
		 const struct pipeline_options *options, const struct row_sink *sink)
{
	/* Zeroed memory this large is not touched before it is used. */
	struct pipeline *p = calloc(1, sizeof(*p));
	int result = 0;

	if (!p)
		return -ENOMEM;
	p->rules = rules;
	p->options = *options;
	p->sink = *sink;
	set_up(p);
	if (rules->last_counter)
		result = set_up_gfx2019(p);
	else if (options->type > 0)
		p->log = calloc(1, sizeof(*p->log));
	if (result || (options->type > 0 && !rules->last_counter && !p->log)) {
		pipeline_free(p);
		return -ENOMEM;
	}
	*out = p;
	return 0;
}

struct pipeline *pipeline_free(struct pipeline *p)
{
	if (p) {
		free(p->gfx2019);
		free(p->log);
	}
	free(p);
	return NULL;
}

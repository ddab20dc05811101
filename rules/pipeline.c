/* SPDX-License-Identifier: Apache-2.0 */
/* The way of the data through rules/:
 *
 *     records ─► attribution ─► frames ─► queue ─► lattice ─► series ─► rows
 *        │            └──────── ticks ───────────────┘             │
 *        ├─► producers: fences, slices of apps ─► cause ───────────┘
 *        └─► beside/: doFrame, FrameTimeline ─► rows
 *
 * This file connects the modules, and handles the losses and the clock of the trace, which come
 * before them.
 */
#include "rules/pipeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/frame_queue.h"
#include "rules/base/memory.h"
#include "rules/beside/choreographer.h"
#include "rules/beside/gfx2019.h"
#include "rules/frames/attribution.h"
#include "rules/stream/events.h"
#include "rules/stream/trace_clock.h"
#include "rules/why/producer.h"

/* Interval between two checks of the queue, as most records do not change it. */
#define SETTLE_EVERY_NS UINT64_C(10000000)

/* gfx2019 counts at once, in the order of the records, which differs from the order of time by no
 * more than this. */
#define GFX2019_DISORDER_NS UINT64_C(1000000000)

/* Interval between two marks of apps that close rows, of all apps together. */
#define MARK_EVERY_NS UINT64_C(1000000000)

/* SurfaceFlinger plans no further ahead: such a name is forged. */
#define PLAN_MAX_NS INT64_C(10000000000)

/* No kernel loses more events between two reads: such a line is forged. */
#define LOST_MAX INT64_C(1000000000000)

struct pipeline {
	const struct ruleset *rules;
	struct memory memory; /* of all its tables */
	struct pipeline_counters counters;
	struct event_writer events;
	struct attribution attribution;
	struct producers producers;
	struct frame_queue queue;
	struct loss reported_loss; /* the part of queue.loss that events have reported */
	uint64_t
		reported_hole_ns; /* likewise of counters.hole_time_ns, with the gap that is open */
	struct overflow overflow;
	struct choreographer choreographer;
	struct frame_timeline *timeline; /* NULL: a live trace without such events */
	struct gfx2019 *gfx2019; /* used instead of all others for engine last-counter; or NULL */
	struct trace_clock clock;
	uint64_t unchecked_ns; /* trace_clock_unchecked_ns(), or 0 */
	bool unusual;	       /* hole_ns, gap_ns or gfx2019 is set, or counters.first_ns is not */
	uint64_t next_settle_ns;  /* time of the next check of the queue */
	uint64_t silent_until_ns; /* there was no record up to then */
	uint64_t read_until_ns;	  /* see pipeline_read_until() */
	uint64_t hole_ns;	  /* begin of a hole without a record since then; 0: none */
	struct cpu_hole {
		uint64_t from_ns, to_ns;
	} holes[TRACE_CLOCK_CPUS]; /* the last loss of each CPU: its last event, and the report */
	uint64_t gap_ns;   /* the last event before a loss or a hole; 0: there was one since then */
	uint64_t fence_ns; /* the last one; 0: none */
	uint64_t fence_presents, fence_frames;
};

/* --- the results of attribution --- */

/* The one package in the names of layers that ends with @end, of which the kernel cut the begin; or
 * @end. */
static const char *whole_app(const struct layer_table *layers, const char *end)
{
	const char *found = end;

	if (strlen(end) != WORK_COMM_MAX)
		return end;
	for (const struct layer *layer = NULL; (layer = layers_next(layers, layer));) {
		size_t length = layer->has_app ? strlen(layer->app) : 0;

		if (length <= WORK_COMM_MAX ||
		    strcmp(layer->app + length - WORK_COMM_MAX, end) != 0)
			continue;
		if (found != end && strcmp(found, layer->app) != 0)
			return end;
		found = layer->app;
	}
	return found;
}

static void on_doframes(void *context, const struct doframe_row *row)
{
	struct pipeline *p = context;
	struct doframe_row whole = *row;

	whole.app = whole_app(&p->queue.layers, row->app);
	p->events.sink.row(p->events.sink.context, ROW_DOFRAMES, &whole);
}

/* SurfaceFlinger states or asks for the period of a display. */
static void follow_period(struct pipeline *p, const struct role_event *event)
{
	const struct trace_record *record = event->record;
	struct vsync_lattice *vsync = &p->queue.vsync;
	struct span display = vsync_display_in(record->name);
	bool is_exact = event->role == RULE_PERIOD;
	int64_t value = record->value;
	uint64_t period_ns;

	if (event->role == RULE_NOMINAL && event->capture->time_ns > 0)
		value = event->capture->time_ns;
	if (value <= 0)
		return;
	if (is_exact || event->role == RULE_NOMINAL)
		period_ns = (uint64_t)value;
	else
		period_ns = UINT64_C(1000000000) / (uint64_t)value;
	if (event->role == RULE_ASKED)
		vsync_ask_period(vsync, display, period_ns, record->time_ns);
	else if (event->role == RULE_RENDER)
		reported_periods_render(&vsync->reported, display, period_ns, record->time_ns);
	else /* What is not measured is less exact: 60 Hz may mean 59.94. */
		vsync_report_period(vsync, display, period_ns, period_ns / (is_exact ? 1000 : 100),
				    record->time_ns);
}

static void on_event(struct pipeline *p, const struct role_event *event)
{
	struct producers *producers = &p->producers;
	struct compositions *compositions = &producers->compositions;
	const struct trace_record *record = event->record;
	uint64_t time_ns = record->time_ns;

	switch (event->role) {
	case RULE_TICK:
	case RULE_APP_TICK:
	case RULE_SF_TICK:
		p->counters.ticks++;
		if (event->role == RULE_SF_TICK)
			compositions->next.tick_ns = time_ns;
		vsync_tick(&p->queue.vsync, name_hash(record->name),
			   (unsigned int)(event->rule - p->rules->rules), time_ns);
		if (p->queue.log)
			recent_events_add(p->queue.log, time_ns, record->name, true);
		return;
	case RULE_HWVSYNC:
		vsync_hardware(&p->queue.vsync, vsync_display_in(record->name), time_ns);
		return;
	case RULE_PERIOD:
	case RULE_NOMINAL:
	case RULE_RATE:
	case RULE_ASKED:
	case RULE_RENDER:
		follow_period(p, event);
		return;
	case RULE_TARGET:
		vsync_log_add(&p->queue.vsync.log, VSYNC_TARGETS,
			      time_ns + (uint64_t)event->capture->time_ns);
		return;
	case RULE_COMMIT:
		compositions_commit(compositions, time_ns);
		return;
	case RULE_PRESENT:
		compositions_present(compositions, time_ns);
		vsync_present_on(&p->queue.vsync, record->name, time_ns);
		frame_queue_add_present(&p->queue, time_ns);
		return;
	case RULE_COMPOSITE:
		compositions_end(compositions, time_ns);
		return;
	/* SurfaceFlinger begins to compose for a vsync. */
	case RULE_PLAN:
	case RULE_REPLAN:
		if (event->capture->time_ns > 0 && event->capture->time_ns < PLAN_MAX_NS)
			compositions_plan(compositions, time_ns + (uint64_t)event->capture->time_ns,
					  event->role == RULE_REPLAN);
		return;
	case RULE_PRODUCER:
	case RULE_ANSWER:
		producers_event(producers, event->role, record, event->capture);
		return;
	case RULE_CLIENT:
		compositions_client(compositions, record->value > 0);
		break;
	case RULE_MISSED:
	case RULE_GPU_MISSED:
		if (record->value > 0)
			compositions_missed(compositions, time_ns, event->role == RULE_GPU_MISSED);
		break;
	case RULE_APP_TIME:
	case RULE_SF_TIME:
		expected_duration(producers->expected, event->role, record->value);
		break;
	default:
		break;
	}
	if (p->queue.log)
		recent_events_add(p->queue.log, time_ns, record->name, false);
}

static void on_surfaceflinger(struct pipeline *p, uint64_t time_ns, bool another)
{
	const struct surfaceflinger *sf = &p->attribution.sf;
	char text[96];

	/* Frames before and after are of different processes: no interval spans the change. */
	if (another) {
		frame_queue_count(&p->queue);
		frame_queue_break(&p->queue);
		producers_new_surfaceflinger(&p->producers);
	}
	/* The ticks so far came from another process than this SurfaceFlinger. */
	if (!surfaceflinger_is(sf, p->attribution.tick_pid, p->attribution.tick_tgid))
		vsync_reset(&p->queue.vsync);
	p->unchecked_ns = 0;
	snprintf(text, sizeof(text), "%s: process %d, presents on thread %d",
		 another ? "changed" : "found", (int)sf->pid, (int)sf->tid);
	events_write(&p->events, time_ns, TRACE_EVENT_SURFACEFLINGER, text);
}

static void on_forgery(struct pipeline *p, const struct trace_record *record)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "process %d (thread %d, %.*s) writes SurfaceFlinger's markers; ignored, as only "
		 "SurfaceFlinger's own count",
		 (int)record->tgid, (int)record->tid, (int)record->comm.len, record->comm.ptr);
	events_write(&p->events, record->time_ns, TRACE_EVENT_SURFACEFLINGER, text);
}

/* --- records --- */

_Static_assert(PIPELINE_CPUS == TRACE_CLOCK_CPUS, "the same CPUs are counted separately");

/* A shorter time without events is not told. */
#define HOLE_TOLD_NS 1000000

/* Reports the losses since the last such event: all these events together report the whole loss.
 * @cpus: of the losses, for the text. */
static void report_lost(struct pipeline *p, uint64_t time_ns, const char *cpus)
{
	char known[64] = "", more[64] = "", hole[48] = "", text[160];
	uint64_t events = p->queue.loss.events - p->reported_loss.events;
	uint64_t unknown = p->queue.loss.unknown_count - p->reported_loss.unknown_count;
	uint64_t open_ns = p->gap_ns > 0 ? since(p->gap_ns, time_ns) : 0;
	/* A gap that was open in the event before may have ended a little earlier. */
	uint64_t hole_ns = since(p->reported_hole_ns, p->counters.hole_time_ns + open_ns);

	if (events + unknown == 0 || !events_are_written(&p->events, TRACE_EVENT_LOST))
		return;
	if (events > 0)
		snprintf(known, sizeof(known), "%llu events lost", (unsigned long long)events);
	if (unknown > 0)
		snprintf(more, sizeof(more),
			 events > 0 ? ", plus %llu %s of unknown size"
				    : "unknown number of events lost (%llu %s)",
			 (unsigned long long)unknown, unknown == 1 ? "loss" : "losses");
	if (hole_ns >= HOLE_TOLD_NS)
		snprintf(hole, sizeof(hole), "; %llu.%03llu s without events",
			 (unsigned long long)(hole_ns / 1000000000),
			 (unsigned long long)(hole_ns / 1000000 % 1000));
	snprintf(text, sizeof(text), "%s: %s%s%s", cpus, known, more, hole);
	events_write(&p->events, time_ns, TRACE_EVENT_LOST, text);
	p->reported_loss = p->queue.loss;
	p->reported_hole_ns += hole_ns;
}

/* Events are missing between @since_ns and the next record. Where other CPUs have events since
 * then, only what is missing of all CPUs counts. */
static void begin_gap(struct pipeline *p, uint64_t since_ns)
{
	if (p->gap_ns == 0)
		p->gap_ns = later(since_ns, p->clock.now_ns);
	p->unusual = true;
}

static void end_gap(struct pipeline *p, uint64_t time_ns)
{
	if (p->gap_ns == 0 || time_ns <= p->gap_ns)
		return;
	p->counters.hole_time_ns += time_ns - p->gap_ns;
	if (time_ns - p->gap_ns > p->counters.hole_to_ns - p->counters.hole_from_ns) {
		p->counters.hole_from_ns = p->gap_ns;
		p->counters.hole_to_ns = time_ns;
	}
	p->gap_ns = 0;
}

static void report_overflow(struct pipeline *p, bool last)
{
	const struct frame_queue *q = &p->queue;
	const struct overflow_count counts[] = {
		{ "frames missing", p->attribution.layer_events.refused_frames },
		{ "frames counted early", q->counted_early },
		{ "surfaces in the row (others)", q->summary.in_others },
		{ "rows or surfaces without percentiles", q->store.refused },
		{ "callbacks missing in doframe.csv", p->choreographer.counters.refused },
		{ "slices that may have shown a freeze", q->work->refused },
		{ "entries of processes, ticks, displays or holes",
		  q->work->evicted + q->vsync.sources_evicted + q->vsync.reported.evicted +
			  p->attribution.runs.holes_refused },
		{ NULL, 0 },
	};

	overflow_report(&p->overflow, counts, &p->events, pipeline_now(p), last);
}

/* Another clock: later times cannot be compared with earlier ones, the last of which is @ended_ns.
 */
static void start_over(struct pipeline *p, uint64_t ended_ns)
{
	attribution_end(&p->attribution);
	frame_queue_new_clock(&p->queue);
	p->next_settle_ns = 0;
	attribution_new_clock(&p->attribution);
	p->unchecked_ns = 0;
	producers_new_clock(&p->producers);
	choreographer_new_clock(&p->choreographer);
	if (p->counters.first_ns > 0)
		p->counters.span_ns += since(p->counters.first_ns, ended_ns);
	p->counters.first_ns = p->counters.hole_from_ns = p->counters.hole_to_ns = 0;
	p->unusual = true;
	p->silent_until_ns = p->read_until_ns = p->hole_ns = p->gap_ns = 0;
	memset(p->holes, 0, sizeof(p->holes));
	if (p->events.sink.clock)
		p->events.sink.clock(p->events.sink.context);
}

static void forget_open(struct pipeline *p, uint64_t since_ns)
{
	attribution_forget_open(&p->attribution, since_ns);
	fences_forget(&p->producers.fences);
}

/* The first record after a hole. Those from before it, which came from buffers of other CPUs after
 * pipeline_hole(), may have begun slices that do not end after it. */
static void end_hole(struct pipeline *p)
{
	if (!p->gfx2019)
		forget_open(p, p->hole_ns);
	p->hole_ns = 0;
}

/* Handles what nearly no record needs. */
static __attribute__((noinline)) void follow_unusual(struct pipeline *p,
						     const struct trace_record *record)
{
	if (p->counters.first_ns == 0)
		p->counters.first_ns = record->time_ns;
	if (p->hole_ns && record->time_ns > p->hole_ns)
		end_hole(p);
	end_gap(p, record->time_ns);
	sf_runs_hole_ends(&p->attribution.runs, record->time_ns);
	p->unusual = p->hole_ns || p->gap_ns || p->gfx2019;
}

/* Any app may write a mark into the trace. */
static __attribute__((noinline)) void handle_mark(struct pipeline *p,
						  const struct trace_record *record)
{
	static const struct span prefix = SPAN_INIT("jankd:");
	char text[NAME_SIZE];

	if (record->name.len <= prefix.len || !span_starts_with(record->name, prefix))
		return;
	name_copy(text, sizeof(text), span_skip(record->name, prefix.len));
	events_write(&p->events, record->time_ns, TRACE_EVENT_MARK, text);
	if (p->gfx2019)
		return;
	if (rate_limit_allows(&p->queue.marks.of_apps, 1, MARK_EVERY_NS, record->time_ns) &&
	    marks_add(&p->queue.marks, record->time_ns))
		marks_add(&p->choreographer.marks, record->time_ns);
	else
		p->counters.marks_too_soon++;
}

void pipeline_timeline(struct pipeline *p, const struct trace_record *record)
{
	if (p->timeline)
		frame_timeline_record(p->timeline, record);
}

const struct timeline_app *pipeline_timeline_apps(const struct pipeline *p)
{
	return p->timeline ? p->timeline->apps : NULL;
}

static inline void settle_if_due(struct pipeline *p)
{
	if (p->clock.now_ns < p->next_settle_ns || trace_clock_sure(&p->clock) < p->next_settle_ns)
		return;
	frame_queue_settle(&p->queue, trace_clock_sure(&p->clock));
	p->next_settle_ns = trace_clock_sure(&p->clock) + SETTLE_EVERY_NS;
	report_overflow(p, false);
}

/* The period of the ticks that apps answer; 0: it is unknown, as another SurfaceFlinger may tick.
 */
static uint64_t app_period_ns(const struct pipeline *p)
{
	return p->attribution.candidate.sf.known ? 0 : vsync_period_ns(&p->queue.vsync);
}

/* The kernel reports a loss before the next event of that CPU. The hole begins with the CPU's last
 * event; if that had a report already, with the report, so that many of them cost no more than one.
 * Frames of that time, from other CPUs, may be in the queue already. */
static __attribute__((noinline)) void take_loss(struct pipeline *p,
						const struct trace_record *record)
{
	bool counted = trace_clock_counts_cpu(record->cpu);
	uint64_t from_ns = counted ? p->clock.cpu_last_ns[record->cpu] : 0;
	bool all_reported = p->reported_loss.events == p->queue.loss.events &&
			    p->reported_loss.unknown_count == p->queue.loss.unknown_count;
	struct loss loss = { 0 };
	char cpus[32];

	/* Events that are no markers are known only if the record has their time. */
	if (record->from_ns > from_ns)
		from_ns = record->from_ns < record->time_ns ? record->from_ns : record->time_ns;
	if (record->value < 0 || record->value > LOST_MAX)
		loss.unknown_count = 1;
	else
		loss.events = (uint64_t)record->value;
	if (counted) {
		struct cpu_hole *before = &p->holes[record->cpu];
		bool goes_on = before->from_ns == from_ns;

		before->from_ns = from_ns;
		if (goes_on)
			from_ns = before->to_ns;
		before->to_ns = record->time_ns;
	}
	p->counters.lost_by_cpu[counted ? record->cpu : PIPELINE_CPUS] += loss.events;
	begin_gap(p, from_ns); /* the next record ends it */
	frame_queue_lost(&p->queue, from_ns, record->time_ns, loss);
	producers_lost(&p->producers, from_ns);
	attribution_lost(&p->attribution, counted ? record->cpu : -1, from_ns, record->time_ns);
	snprintf(cpus, sizeof(cpus), "CPU %d", (int)record->cpu);
	report_lost(p, record->time_ns, all_reported ? cpus : "several CPUs");
	fences_forget(&p->producers.fences);
	if (p->hole_ns && record->time_ns > p->hole_ns)
		end_hole(p);
	if (!p->gfx2019)
		settle_if_due(p);
}

/* A slice begins or has @ended that is one of an app's frame, or a mark of a fence. */
static __attribute__((noinline)) void follow_role(struct pipeline *p,
						  const struct trace_record *record,
						  const struct slice_meaning *meaning,
						  const struct open_slice *ended)
{
	struct slice_stack *stack = slice_stacks_find(&p->attribution.stacks, record->tid);
	enum rule_role role = ended ? ended->role : meaning->role;

	/* Of the parts of a callback only the ends matter. */
	if (!ended && role >= RULE_INPUT && role <= RULE_DRAW)
		return;
	if (!ended)
		producers_begin(&p->producers, stack, record, meaning);
	else if (role >= RULE_ENQUEUE)
		producers_end(&p->producers, stack, ended, record->time_ns);
	if (!stack || role > RULE_DRAW_FRAME)
		return;
	if (ended)
		choreographer_end(&p->choreographer, stack, ended, record->time_ns,
				  app_period_ns(p));
	else
		choreographer_begin(&p->choreographer, stack, record, meaning, app_period_ns(p));
}

/* A marker whose time is believed. Most slices are of a thread and of a name that matter to
 * attribution only. */
static inline __attribute__((always_inline)) void take(struct pipeline *p,
						       const struct trace_record *record)
{
	const struct slice_meaning *meaning = &slice_unnamed;
	const struct open_slice *ended;
	struct slice_meaning named;

	if (p->unusual) {
		follow_unusual(p, record);
		if (p->gfx2019) {
			if (record->kind == TRACE_INSTANT)
				handle_mark(p, record);
			gfx2019_record(p->gfx2019, record);
			p->queue.settled_ns =
				back_from(trace_clock_sure(&p->clock), GFX2019_DISORDER_NS);
			return;
		}
	}
	if (record->kind == TRACE_SLICE_BEGIN) {
		if (rule_index_may_match(&p->rules->slices, record->name, 0))
			meaning = names_slice(&p->attribution.names, record->name, &named);
		attribution_begin(&p->attribution, record, meaning);
		if (meaning->role >= RULE_CALLBACK)
			follow_role(p, record, meaning, NULL);
	} else if (record->kind == TRACE_SLICE_END) {
		ended = attribution_end_slice(&p->attribution, record);
		if (ended && ended->role >= RULE_CALLBACK)
			follow_role(p, record, meaning, ended);
	} else {
		if (record->kind == TRACE_INSTANT)
			handle_mark(p, record);
		attribution_event(&p->attribution, record);
	}
	settle_if_due(p);
}

static void take_unusual(struct pipeline *p, const struct trace_record *record,
			 enum clock_verdict verdict)
{
	if (verdict == CLOCK_BACK) {
		start_over(p, p->clock.ended_ns);
		trace_clock_report_back(&p->clock, record->time_ns);
	}
	if (record->kind == TRACE_LOST)
		take_loss(p, record);
	else
		take(p, record);
}

/* Records that waited, and are to wait no longer. */
static __attribute__((noinline)) void take_waiting(struct pipeline *p)
{
	struct trace_record record;
	enum clock_verdict verdict;

	while ((verdict = trace_clock_next(&p->clock, &record)) != CLOCK_WAITS)
		take_unusual(p, &record, verdict);
	p->unchecked_ns = trace_clock_unchecked_ns(&p->clock, p->attribution.sf.tid);
}

/* No record follows on this clock. */
static __attribute__((noinline)) void decide(struct pipeline *p)
{
	trace_clock_decide(&p->clock);
	take_waiting(p);
}

/* A record that is no marker, or a clock sync, or whose time must be judged. */
static __attribute__((noinline)) void judge(struct pipeline *p, const struct trace_record *record)
{
	enum clock_verdict verdict;

	if (record->kind >= TRACE_LOST) {
		/* A loss in a run of duplicates is a duplicate, too. */
		if (record->kind == TRACE_TIMELINE)
			pipeline_timeline(p, record);
		else if (!p->clock.duplicates.active && !trace_clock_holds_loss(&p->clock, record))
			take_loss(p, record);
		p->unchecked_ns = 0;
		return;
	}
	if (trace_clock_has_waiting(&p->clock) && trace_clock_may_step(&p->clock, record))
		decide(p);
	verdict = trace_clock_check(&p->clock, record, p->attribution.sf.tid);
	if (verdict != CLOCK_WAITS)
		take_unusual(p, record, verdict);
	take_waiting(p);
}

size_t pipeline_records(struct pipeline *p, const struct trace_record *records, size_t n,
			const uint64_t *until_ns)
{
	size_t i = 0;

	do {
		const struct trace_record *record = &records[i];

		/* Earlier than now_ns: the difference is very large. */
		if (record->time_ns - p->clock.now_ns >= p->unchecked_ns ||
		    record->kind >= TRACE_CLOCK_SYNC)
			break;
		p->counters.records++;
		trace_clock_follow(&p->clock, record);
		take(p, record);
	} while (++i < n && p->queue.settled_ns < *until_ns);
	duplicates_keep(&p->clock.duplicates, records, i);
	if (i > 0)
		return i;
	p->counters.records++;
	judge(p, records);
	return 1;
}

void pipeline_record(struct pipeline *p, const struct trace_record *record)
{
	pipeline_records(p, record, 1, NULL);
}

uint64_t pipeline_now(const struct pipeline *p)
{
	return p->clock.now_ns;
}

void pipeline_fence(struct pipeline *p, const struct present_fence *fence)
{
	struct frame_queue *q = &p->queue;
	const struct trace_record record = { .kind = TRACE_INSTANT,
					     .cpu = TRACE_ID_UNKNOWN,
					     .time_ns = fence->actual_ns };
	struct layer *layer;

	p->counters.records++;
	trace_clock_follow(&p->clock, &record);
	if (p->unusual)
		follow_unusual(p, &record);
	if (p->fence_ns != 0 && p->fence_ns != fence->actual_ns)
		frame_queue_add_present(q, p->fence_ns);
	p->fence_presents += p->fence_ns != fence->actual_ns;
	p->fence_ns = fence->actual_ns;
	if (vsync_period_ns(&q->vsync) == 0)
		vsync_set_dumpsys_period(&q->vsync, fence->period_ns);
	layer = layer_events_layer(&p->attribution.layer_events, fence->layer);
	if (layer) {
		p->fence_frames += !layer->excluded;
		frame_queue_add_fence(q, (int)(layer - q->layers.layers), fence);
	}
	frame_queue_settle(q, trace_clock_sure(&p->clock));
	report_overflow(p, false);
}

int pipeline_set_rules(struct pipeline *p, const struct ruleset *rules)
{
	if (rules->last_counter != p->rules->last_counter)
		return -EINVAL;
	p->rules = rules;
	if (p->timeline)
		p->timeline->rules = rules;
	if (p->gfx2019) {
		p->gfx2019->rules = rules;
		return 0;
	}
	attribution_set_rules(&p->attribution, rules);
	vsync_forget_ranks(&p->queue.vsync);
	trigger_forget_surfaces(&p->queue.trigger);
	frame_queue_hole(&p->queue, pipeline_now(p), (struct loss){ 0 });
	return 0;
}

void pipeline_mark(struct pipeline *p, uint64_t time_ns)
{
	marks_add(&p->choreographer.marks, time_ns);
	if (!p->gfx2019 && !marks_add(&p->queue.marks, time_ns))
		p->counters.marks_too_soon++;
}

bool pipeline_focus(struct pipeline *p, const char *focus)
{
	if (p->gfx2019)
		return gfx2019_focus(p->gfx2019, focus);
	return front_app_set(&p->queue.front_app, focus);
}

uint64_t pipeline_front_app_uncertain_since(const struct pipeline *p, const char **app)
{
	*app = p->queue.front_app.other_app;
	return p->queue.front_app.uncertain_ns;
}

void pipeline_set_front_app(struct pipeline *p, const char *focus, uint64_t since_ns)
{
	front_app_answer(&p->queue.front_app, focus, since_ns);
}

void pipeline_set_dumpsys_period(struct pipeline *p, uint64_t period_ns)
{
	if (p->gfx2019 && p->queue.options.vsync_ns == 0)
		p->gfx2019->options.vsync_ns = period_ns;
	vsync_set_dumpsys_period(&p->queue.vsync, period_ns);
}

void pipeline_set_durations(struct pipeline *p, const struct work_durations *durations)
{
	p->queue.options.durations = p->attribution.expected.given = *durations;
	if (durations->period_ns > 0 && p->queue.vsync.dumpsys_ns == 0)
		pipeline_set_dumpsys_period(p, durations->period_ns);
}

void pipeline_hole(struct pipeline *p, uint64_t since_ns)
{
	p->counters.holes++;
	frame_queue_hole(&p->queue, since_ns, (struct loss){ .unknown_count = 1 });
	/* The caller reports it. */
	p->reported_loss.unknown_count++;
	forget_open(p, since_ns);
	p->hole_ns = since_ns;
	begin_gap(p, since_ns);
}

void pipeline_set_loss_ahead(struct pipeline *p, bool ahead)
{
	p->queue.loss_ahead = ahead;
}

void pipeline_set_loss_pending(struct pipeline *p, bool pending)
{
	/* The present of what was latched until now may be missing, and a later one have it. */
	if (p->queue.loss_pending && !pending)
		p->queue.lost_until_ns = p->clock.now_ns;
	p->queue.loss_pending = pending;
}

void pipeline_new_clock(struct pipeline *p, uint64_t since_ns)
{
	decide(p);
	pipeline_hole(p, since_ns);
	if (!p->gfx2019)
		start_over(p, pipeline_now(p));
	trace_clock_restart(&p->clock);
	p->hole_ns = p->queue.settled_ns = 0;
}

void pipeline_reached(struct pipeline *p, uint64_t time_ns)
{
	trace_clock_reached(&p->clock, time_ns);
}

void pipeline_read_until(struct pipeline *p, uint64_t time_ns)
{
	p->read_until_ns = time_ns;
}

void pipeline_silent(struct pipeline *p, uint64_t for_ns)
{
	uint64_t until_ns = p->clock.now_ns + for_ns;

	if (!p->clock.now_ns)
		return;
	trace_clock_reached(&p->clock, until_ns);
	take_waiting(p);
	if (p->gfx2019)
		return;
	p->silent_until_ns = until_ns;
	frame_queue_settle(&p->queue, until_ns);
}

uint64_t pipeline_settled(const struct pipeline *p)
{
	return p->queue.settled_ns;
}

bool pipeline_is_settled(const struct pipeline *p)
{
	return !trace_clock_has_waiting(&p->clock) && (p->gfx2019 || p->queue.n == 0);
}

uint64_t pipeline_waiting_ns(const struct pipeline *p)
{
	if (p->gfx2019 || p->queue.n == 0)
		return 0;
	return since(p->queue.waiting[p->queue.first].frame.present_ns, pipeline_now(p));
}

bool pipeline_is_by_cpu(const struct pipeline *p, bool ended)
{
	return cpu_order_is_sure(&p->clock.order, ended);
}

bool pipeline_may_be_by_cpu(const struct pipeline *p)
{
	return p->clock.order.possible;
}

/* The end of the trace. An app that hangs writes nothing, so there may be no record of that time.
 */
static uint64_t end_of(const struct pipeline *p)
{
	return later(p->silent_until_ns, pipeline_now(p));
}

void pipeline_end(struct pipeline *p)
{
	decide(p);
	end_gap(p, end_of(p));
	trace_clock_end(&p->clock);
	/* The remaining losses are reported without a limit. */
	p->events.limits[TRACE_EVENT_LOST].written = 0;
	report_lost(p, pipeline_now(p), "several CPUs");
	if (p->gfx2019) {
		gfx2019_end(p->gfx2019);
	} else {
		attribution_end(&p->attribution);
		frame_queue_end(&p->queue, end_of(p));
		choreographer_close(&p->choreographer);
	}
	if (p->timeline)
		frame_timeline_end(p->timeline);
	trigger_finish(&p->queue.trigger, pipeline_now(p));
	report_overflow(p, true);
	events_end(&p->events, pipeline_now(p));
}

/* Adds to a row of the summary what FrameTimeline says of that Surface. */
struct summary_sink {
	struct pipeline *pipeline;
	void *context;
	void (*row)(void *context, const struct summary_row *row);
};

static void on_summary_row(void *context, const struct summary_row *row)
{
	struct summary_sink *sink = context;
	struct summary_row full = *row;

	if (sink->pipeline->timeline && sink->pipeline->timeline->counts.rows > 0)
		full.jank_types = frame_timeline_jank_types(sink->pipeline->timeline, row->surface);
	sink->row(sink->context, &full);
}

void pipeline_summary(struct pipeline *p, void *context,
		      void (*row)(void *context, const struct summary_row *row))
{
	struct summary_sink sink = { p, context, row };
	const struct pipeline_counters *c = pipeline_counters(p);
	uint64_t now_ns = later(p->read_until_ns, end_of(p));

	p->queue.summary.span_ns = c->span_ns + (c->last_ns - c->first_ns);
	p->queue.summary.missing_ns = c->hole_time_ns;
	frame_queue_summary(&p->queue, now_ns, &sink, on_summary_row);
}

bool pipeline_trigger_matched(const struct pipeline *p)
{
	const struct trigger_state *trigger = &p->queue.trigger;

	return !trigger->trigger || !trigger->trigger->glob.ptr || trigger->matched;
}

const struct pipeline_counters *pipeline_counters(struct pipeline *p)
{
	struct pipeline_counters *c = &p->counters;
	const struct attribution *a = &p->attribution;
	const struct layer_events *events = &a->layer_events;
	uint64_t period_ns = vsync_period_ns(&p->queue.vsync);

	c->lost_events = p->queue.loss.events;
	c->lost_unknown = p->queue.loss.unknown_count;
	c->presents = p->gfx2019 ? p->gfx2019->presents : events->presents;
	c->frames = p->gfx2019 ? p->gfx2019->frames : a->frames - p->queue.excluded_frames;
	if (p->queue.options.is_fences) {
		c->presents = p->fence_presents;
		c->frames = p->fence_frames;
		period_ns = p->queue.fences.period_ns;
	}
	c->stale_frames = p->queue.stale;
	c->unattributed_presents = a->unattributed_presents;
	c->foreign_presents = a->foreign_presents;
	c->foreign_ticks = a->foreign_ticks;
	c->foreign_latches = a->foreign_latches;
	c->surfaceflinger_restarts = a->restarts;
	c->clock_steps = p->clock.steps;
	c->late = p->clock.late;
	c->ahead = p->clock.ahead;
	c->repeated = p->clock.repeated;
	c->queue_high_water = p->queue.high_water;
	c->dropped_frames = events->dropped_frames;
	c->layers_evicted = p->queue.layers_evicted;
	c->layers_refused = p->queue.layers.refusals;
	c->frames_refused = events->refused_frames;
	c->frames_counted_early = p->queue.counted_early;
	c->surfaces_evicted = p->gfx2019 ? p->gfx2019->evicted : 0;
	c->surfaces_others = p->queue.summary.in_others;
	c->frames_others = p->queue.summary.frames_in_others;
	c->percentiles_refused = p->queue.store.refused;
	c->threads_evicted = a->stacks.evicted;
	c->slices_refused = a->work->refused;
	c->processes_evicted = a->work->evicted;
	c->ticks_evicted = p->queue.vsync.sources_evicted;
	c->displays_evicted = p->queue.vsync.reported.evicted;
	c->holes_evicted = a->runs.holes_refused;
	c->doframes = p->choreographer.counters.callbacks;
	c->doframes_refused = p->choreographer.counters.refused;
	c->durations_learnt = a->expected.used_learnt;
	c->doframes_skipped = p->choreographer.counters.skipped_much;
	c->doframe_worst = p->choreographer.worst;
	if (p->timeline)
		c->timeline = p->timeline->counts;
	c->slices_unbalanced = a->stacks.unbalanced;
	c->fences = producers_counts(&p->producers);
	c->fences_evicted = p->producers.fences.evicted;
	c->last_ns = pipeline_now(p);
	c->durations = p->queue.options.durations;
	if (work_durations_known(&c->durations))
		c->durations_source = DURATIONS_DUMPSYS;
	else
		c->durations_source =
			c->durations_learnt > 0 ? DURATIONS_LEARNT : DURATIONS_UNKNOWN;
	c->refresh_mhz = period_ns ? (int64_t)(1e12 / (double)period_ns + 0.5) : ROW_UNKNOWN;
	c->sf_pid = a->sf.pid;
	c->sf_tid = a->sf.tid;
	return c;
}

/* --- new and free --- */

static int set_up(struct pipeline *p, const struct pipeline_options *options)
{
	struct attribution_sink findings = {
		.pipeline = p,
		.event = on_event,
		.each_counter = options->type > 0,
		.surfaceflinger = on_surfaceflinger,
		.forgery = on_forgery,
		.queue = &p->queue,
		.frame = frame_queue_add,
		.hole = frame_queue_break,
		.hidden = frame_queue_hidden,
		.evict = frame_queue_evict_layer,
		.close_row = frame_queue_close_row,
		.producers = &p->producers,
		.queued = producers_queued,
	};
	struct memory *memory = &p->memory;

	p->unusual = true;
	p->queue.options = *options;
	if (p->rules->last_counter)
		p->queue.options.max_surfaces = 1; /* unused */
	p->queue.events = &p->events;
	p->queue.choreographer = &p->choreographer;
	p->queue.clock = &p->clock;
	p->queue.producers = &p->producers;
	if (options->recorded || options->frame_timeline) {
		p->timeline = memory_keep(memory, calloc(1, sizeof(*p->timeline)));
		if (!p->timeline)
			return -ENOMEM;
		p->timeline->live = !options->recorded;
		p->timeline->rules = p->rules;
		p->timeline->context = p->events.sink.context;
		p->timeline->row = p->events.sink.row;
	}
	p->choreographer.expected = &p->attribution.expected;
	p->choreographer.lost = &p->queue.loss;
	p->choreographer.delay_ns = options->delay_ns;
	p->choreographer.min_frames = options->min_frames;
	p->choreographer.context = p;
	p->choreographer.row = p->events.sink.row ? on_doframes : NULL;
	frame_queue_init(&p->queue, memory);
	trace_clock_init(&p->clock, options->recorded, &p->events, memory);
	attribution_init(&p->attribution, p->rules, options->max_threads, &p->queue.layers,
			 &findings, memory);
	p->attribution.layer_events.include = options->include;
	p->attribution.layer_events.exclude = options->exclude;
	p->queue.work = p->attribution.work;
	producers_init(&p->producers, &p->attribution, memory);
	if (p->rules->last_counter)
		p->gfx2019 = memory_keep(memory, memory_new(1, sizeof(*p->gfx2019)));
	else if (options->type > 0)
		p->queue.log = memory_keep(memory, memory_new(1, sizeof(*p->queue.log)));
	if (p->gfx2019)
		gfx2019_init(p->gfx2019, p->rules, options, &p->events.sink, memory);
	return memory->failed ? -ENOMEM : 0;
}

bool pipeline_accepts(const struct ruleset *rules, const struct pipeline_options *options)
{
	return !rules->last_counter ||
	       (!options->trigger && !options->late_ns && !options->include && !options->exclude);
}

int pipeline_new(struct pipeline **out, const struct ruleset *rules,
		 const struct pipeline_options *options, const struct row_sink *sink)
{
	struct pipeline *p;
	int result;

	if (!pipeline_accepts(rules, options))
		return -EINVAL;
	p = memory_new(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->rules = rules;
	p->events.sink = *sink;
	p->events.records = &p->counters.records;
	result = set_up(p, options);
	if (result) {
		pipeline_free(p);
		return result;
	}
	pipeline_set_durations(p, &options->durations);
	*out = p;
	return 0;
}

struct pipeline *pipeline_free(struct pipeline *p)
{
	if (p)
		memory_free(&p->memory);
	free(p);
	return NULL;
}

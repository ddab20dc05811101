/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/frame_queue.h"

#include <stdio.h>
#include <stdlib.h>

#include "rules/frames/stall.h"

/* A frame waits for the ticks of this time, which decide on its period; while the lattice is new,
 * for the longer time. With 300 ms, 5 intervals of 400 phones that switch rates
 * (tests/lib/busy_phone.py) were wrong. */
#define LAG_NS UINT64_C(400000000)
#define LAG_EARLY_NS UINT64_C(600000000)
#define EARLY_NS UINT64_C(2000000000)	/* the lattice is new for this time */
#define LAG_MAX_NS UINT64_C(1500000000) /* if the period is uncertain */
/* If the app in front is uncertain, and an answer is expected: a live trace is read every two
 * seconds, and the answer comes after that. */
#define FRONT_APP_WAIT_NS UINT64_C(2500000000)
/* Soon after a loss, frames wait this long for the next event of each CPU, but not for a CPU that
 * is silent for longer. */
#define CPU_LAG_NS UINT64_C(3000000000)
#define CPU_IDLE_NS UINT64_C(5000000000)
/* Both, while a counter shows that events are missing. */
#define MISSING_LAG_NS UINT64_C(6500000000)
#define LOSSES_APART_NS UINT64_C(10000000000) /* a loss longer ago is no sign of another one */
#define LOCK_WAIT_NS UINT64_C(2000000000)     /* the first frames wait this long for the lattice */
#define IDLE_NS UINT64_C(5000000000) /* a series closes its row after this time without a frame */
#define IDLE_CHECK_NS UINT64_C(1000000000)
#define SILENCE_NS UINT64_C(1000000000) /* a hole without an event for so long is a silence */
#define BACK_NS UINT64_C(2000000000)	/* what draws is back in this time after it */

/* Interval between two events about presents out of order. */
#define MOVED_PERIOD_NS UINT64_C(60000000000)

/* Chunks of frame times and of their vsyncs: enough for a hundred different values of each Surface,
 * and for one with every possible frame time. */
#define CHUNKS 1660
#define CHUNKS_FOR_EACH 15
_Static_assert(CHUNKS + PIPELINE_SURFACES * CHUNKS_FOR_EACH <= UINT16_MAX, "numbers of chunks");

/* The text before a drop: that of callbacks, and with the counters. */
#define DOFRAMES_SIZE 512
#define DROP_INFO_SIZE (DOFRAMES_SIZE + RECENT_EVENTS_TEXT_SIZE)

/* --- rows --- */

static struct layer_count *count_of(const struct frame_queue *q, const struct layer *layer)
{
	struct layer_count *count = &q->counts[layer - q->layers.layers];

	if (count->layer != layer->id)
		*count = (struct layer_count){ .layer = layer->id, .series = FRAME_SERIES_EMPTY };
	if (count->surfaces != layer->surfaces)
		count->entry = NULL;
	count->surfaces = layer->surfaces;
	return count;
}

/* The losses up to the next frame in the queue. */
static struct loss loss_so_far(const struct frame_queue *q)
{
	return q->n > 0 ? q->waiting[q->first].loss_context.loss : q->loss;
}

/* @loss: up to the end of the row. */
static void close_row_with(struct frame_queue *q, struct layer *layer, struct loss loss)
{
	struct layer_count *count = count_of(q, layer);
	struct fps_row row;

	if (!frame_series_has_row(&count->series))
		return;
	frame_series_close(&count->series, &q->store, loss, q->options.target_fps,
			   q->options.kpi_ns, &row);
	row.app = layer->app;
	row.surface = layer->surface;
	if (layer->excluded)
		return;
	if (count->entry)
		frame_stats_merge(&count->entry->stats, &row.stats);
	if (q->events->sink.row && q->options.type < 3)
		q->events->sink.row(q->events->sink.context, ROW_FPS, &row);
}

/* The next row begins with the last frame of this one, so a hole behind that frame is in it. */
void frame_queue_close_row(struct frame_queue *q, struct layer *layer)
{
	close_row_with(q, layer, count_of(q, layer)->series.loss_context.loss);
}

/* Closes the rows with @least frames or more. */
static void close_rows(struct frame_queue *q, uint64_t least)
{
	for (struct layer *layer = NULL; (layer = layers_next(&q->layers, layer));)
		if (count_of(q, layer)->series.stats.frames >= least)
			frame_queue_close_row(q, layer);
}

/* All frames up to @now_ns are counted: the marks up to then close all rows. */
static void pass_marks(struct frame_queue *q, uint64_t now_ns)
{
	if (q->marks.n > 0 && marks_pass(&q->marks, now_ns))
		close_rows(q, 0);
}

/* --- frames whose wait is over --- */

static int64_t vsync_of(const struct vsync_stamp *stamp)
{
	return stamp->locked ? (int64_t)stamp->vsync_ns : ROW_UNKNOWN;
}

static void emit_frame_row(struct frame_queue *q, const struct waiting_frame *waiting,
			   const struct vsync_stamp *stamp, struct interval interval, int64_t lost,
			   enum cause cause, uint64_t gpu_done_ns)
{
	const struct frame *frame = &waiting->frame;
	const struct layer *layer = &q->layers.layers[frame->layer];
	struct frame_row row = {
		.present_ns = frame->present_ns,
		.vsync_ns = vsync_of(stamp),
		.interval_ns = interval.ns,
		.vsyncs = interval.vsyncs,
		.app = layer->app,
		.surface = layer->surface,
		.layer = layer->name,
		.frame_number = frame->number,
		.queued_ns = frame->queued_ns ? (int64_t)frame->queued_ns : ROW_UNKNOWN,
		.latched_ns = (int64_t)frame->latched_ns,
		.gpu_done_ns = gpu_done_ns ? (int64_t)gpu_done_ns : ROW_UNKNOWN,
		.lost = lost,
		.vsync_id = frame->vsync_id,
		.cause = cause,
	};

	if (q->options.is_fences) {
		/* See frame_queue_add_fence(). */
		if (frame->latched_ns == 0)
			row.latched_ns = ROW_UNKNOWN;
		if (q->events->sink.row)
			q->events->sink.row(q->events->sink.context, ROW_LATENCY, &row);
		row.queued_ns = row.latched_ns = row.vsync_id = ROW_UNKNOWN;
	}
	if (q->events->sink.row)
		q->events->sink.row(q->events->sink.context, ROW_FRAMES, &row);
}

static bool is_drop(const struct frame_queue *q, struct interval interval, enum wait_kind wait)
{
	if (interval.ns >= 0 && interval_is_wait(interval))
		return wait_is_stall(wait);
	if (!interval_is_frame_time(interval))
		return false;
	if (q->options.type == 1 || q->options.type == 3)
		return interval_is_at_least(interval, STATS_DROP_NS);
	return interval_missed(interval) > 0;
}

static void emit_drop_row(struct frame_queue *q, const struct waiting_frame *waiting,
			  const struct vsync_stamp *before, const struct vsync_stamp *now,
			  struct interval interval, enum cause cause,
			  const struct work_process *process)
{
	const struct frame *frame = &waiting->frame;
	const struct layer *layer = &q->layers.layers[frame->layer];
	char info[DROP_INFO_SIZE];
	struct drop_row row = {
		.start_ns = vsync_of(before),
		.end_ns = vsync_of(now),
		.interval_ns = (uint64_t)interval.ns,
		.tick = q->log->tick,
		.tx = frame->tx,
		.app = layer->app,
		.surface = layer->surface,
		.info = q->log->counters,
		.layer = layer->name,
		.missed = interval_missed(interval),
		.frame_number = frame->number,
		.cause = cause,
	};

	info[0] = '\0';
	if (process)
		choreographer_describe(q->choreographer, process->pid, before->time_ns,
				       now->time_ns, info, DOFRAMES_SIZE);
	recent_events_describe(q->log, before->time_ns, now->time_ns);
	/* The app's own long callbacks, then the counters. */
	if (info[0]) {
		size_t length = strlen(info);

		snprintf(info + length, DROP_INFO_SIZE - length, "%s%s",
			 q->log->counters[0] ? "; " : "", q->log->counters);
		row.info = info;
	}
	if (q->events->sink.row)
		q->events->sink.row(q->events->sink.context, ROW_DROPS, &row);
}

/* Reports another refresh or render rate with its first frame, and once that --vsync-ms is not
 * used, with the first frame without it. Rates without a frame are never reported. */
static void follow_refresh(struct frame_queue *q, const struct vsync_stamp *stamp)
{
	/* from_ns is 0 if the period is valid since the start: reported at the first frame. */
	uint64_t from_ns = stamp->from_ns ? stamp->from_ns : stamp->time_ns;
	double rate = 1e9 / (double)stamp->period_ns;
	double option_ms = (double)q->options.vsync_ns / 1e6;
	char render[32] = "", text[160];

	if (stamp->switches != q->switches)
		q->switched_ns = stamp->time_ns;
	q->switches = stamp->switches;
	if (stamp->locked &&
	    (vsync_is_switch(q->refresh_period_ns, stamp->period_ns) ||
	     q->refresh_is_guess != stamp->guessed || q->refresh_step != stamp->step)) {
		q->refresh_period_ns = stamp->period_ns;
		q->refresh_is_guess = stamp->guessed;
		q->refresh_step = stamp->step;
		if (stamp->step > 1)
			snprintf(render, sizeof(render), ", rendered at %.2f Hz",
				 rate / stamp->step);
		snprintf(text, sizeof(text), "%.2f Hz%s%s", rate, render,
			 stamp->guessed ? ", a guess: ticks are too sparse to rule out a faster "
					  "display"
					: "");
		events_write(q->events, later(from_ns, stamp->step_from_ns), TRACE_EVENT_REFRESH,
			     text);
	}
	if (q->overruled_reported || !vsync_overrules(&q->vsync))
		return;
	q->overruled_reported = true;
	if (stamp->locked)
		snprintf(text, sizeof(text),
			 "the trace %s a vsync period of %.3f ms, not the %.3f ms of "
			 "--vsync-ms; using the trace's",
			 q->vsync.authority == VSYNC_REPORTED ? "reports" : "shows",
			 (double)vsync_period_ns(&q->vsync) / 1e6, option_ms);
	else
		snprintf(text, sizeof(text),
			 "presents do not fit the vsync period of %.3f ms of --vsync-ms; not using "
			 "it",
			 option_ms);
	events_write(q->events, from_ns, TRACE_EVENT_REFRESH, text);
}

static struct composition with_gpu_time(const struct producers *p,
					const struct composition *composition)
{
	struct composition copy = composition ? *composition : (struct composition){ 0 };
	const struct fence *fence = fences_get(&p->fences, copy.fence);

	copy.gpu_done_ns = fence ? fence->done_ns : 0;
	return copy;
}

/* What is known about the way of a frame by its plan. */
static void add_plan(struct producers *p, struct cause_facts *facts,
		     const struct waiting_frame *waiting, const struct frame_vsync *vsync)
{
	const struct composition *own = compositions_get(&p->compositions, waiting->composition);
	uint64_t present_ns = waiting->frame.present_ns;
	struct expectation expectation;

	/* add() may have moved the present. */
	if (!own || own->present_ns != present_ns)
		return;
	facts->own = with_gpu_time(p, own);
	if (vsync->tick_ns == 0 || own->planned_ns == 0)
		return;
	expected_learn(p->expected, vsync, own->planned_ns, facts->period_ns);
	expectation = expected_at(p->expected, vsync, facts->period_ns);
	facts->expected_ns = expectation.present_ns;
	facts->deadline_ns = expectation.deadline_ns;
	if (cause_off_ns(facts) == 0)
		return;
	facts->before =
		with_gpu_time(p, compositions_get_before(&p->compositions, waiting->composition));
	facts->duration_ns = compositions_duration(&p->compositions, present_ns);
	if (expectation.deadline_ns == 0)
		facts->deadline_ns = expectation.present_ns - facts->duration_ns;
}

/* What is known about it by the cadence, of which it is late by @late_ns. */
static void add_cadence(const struct frame_queue *q, struct cause_facts *facts,
			const struct waiting_frame *waiting, const struct vsync_stamp *stamp,
			uint64_t late_ns)
{
	const struct producers *p = q->producers;
	const struct compositions *compositions = &p->compositions;
	uint64_t eighth_ns = facts->period_ns / 8, deadline_ns = facts->slot_ns - late_ns;
	const struct composition *first;
	const struct composition_miss *miss;

	facts->late_ns = late_ns;
	facts->usual_ns = compositions_usual(compositions, waiting->composition, q->switched_ns,
					     stamp->usual_ns, facts->period_ns);
	if (facts->usual_ns > 0)
		deadline_ns = facts->usual_ns -= late_ns;
	facts->before =
		with_gpu_time(p, compositions_get_before(compositions, waiting->composition));
	first = compositions_from(compositions, deadline_ns - eighth_ns);
	facts->first_commit_ns = first ? first->commit_ns : 0;
	miss = compositions_miss_in(compositions, deadline_ns - eighth_ns,
				    waiting->frame.latched_ns);
	facts->blocked = miss != NULL;
	facts->blocked_by_gpu = miss && miss->by_gpu;
	facts->first_blocked = first && first->present_ns == 0 && miss &&
			       miss->time_ns < first->commit_ns + facts->period_ns / 2;
}

/* Whose fault it is that the next frame of @layer is late. Keeps its times for the frame after it.
 */
static enum cause judge(const struct frame_queue *q, struct layer *layer,
			const struct waiting_frame *waiting, const struct vsync_stamp *stamp,
			struct interval interval, struct lateness late, const struct gpu_work *work)
{
	const struct frame *frame = &waiting->frame;
	struct cause_facts facts = {
		.period_ns = stamp->period_ns,
		.slot_ns = stamp->vsync_ns - stamp->period_ns,
		.queued_ns = frame->queued_ns,
		.gpu_done_ns = work->done_ns,
		.undrawn_at_ns = work->undrawn_at_ns,
		.expired = work->vsync.expired && !q->producers->expected->is_14,
		.replaced_ns = frame->replaced_ns,
		.last = layer->way,
		.undrawn_ns = layer->undrawn_ns,
		.woken_ns = work->woken_ns,
		.gpu_ns = work->gpu_ns,
		.lost = waiting->loss_context.in_hole,
	};
	bool is_wait = interval.ns >= 0 && interval_is_wait(interval);
	uint64_t late_ns = late.harm_ns, undrawn_ns;
	enum cause cause;

	layer->way = (struct frame_way){
		.latched_ns = frame->latched_ns,
		.woken_ns = late_ns > 0 ? 0 : work->woken_ns,
		.done_ns = work->done_ns,
		.gpu_ns = work->gpu_ns,
	};
	if (!stamp->locked || stamp->unknown)
		return late_ns > 0 ? CAUSE_UNKNOWN : CAUSE_NONE;
	if (q->options.is_fences)
		return late_ns > 0 ? present_fence_cause(frame->latched_ns, frame->present_ns,
							 frame->queued_ns, stamp->period_ns)
				   : CAUSE_NONE;
	/* The harm of a stall is its whole length. */
	if (is_wait)
		late_ns = since(stamp->period_ns, late_ns);
	add_plan(q->producers, &facts, waiting, &work->vsync);
	layer->way.planned_ns = facts.own.planned_ns;
	layer->way.expected_ns = facts.expected_ns;
	if (is_wait && !wait_is_stall(waiting->loss_context.wait))
		return CAUSE_NONE;
	if (is_wait && waiting->loss_context.wait == WAIT_STALL_QUEUED)
		return cause_of_queued(&facts, (uint64_t)interval.ns);
	/* The refresh rate has just changed: the cadence is still the one before. */
	if (late_ns > 0 && q->switched_ns > 0 &&
	    stamp->time_ns < q->switched_ns + 2 * LATE_INTERVALS * stamp->period_ns)
		facts.lost = true;
	if (late_ns > 0) {
		add_cadence(q, &facts, waiting, stamp, late_ns);
		facts.cadence_ns = (uint64_t)interval.ns - late_ns;
	}
	if (interval.ns < 0)
		facts.last.latched_ns = 0;
	cause = cause_of(&facts);
	if (cause == CAUSE_NONE && late.harm_ns == 0 && interval_is_whole(interval) &&
	    work->done_ns > 0 && work->done_ns < frame->latched_ns + 2 * stamp->period_ns) {
		undrawn_ns = since(frame->latched_ns, work->done_ns);
		if (undrawn_ns < layer->undrawn_ns)
			undrawn_ns = layer->undrawn_ns -
				     (layer->undrawn_ns - undrawn_ns) / LATE_INTERVALS;
		layer->undrawn_ns = undrawn_ns;
	}
	return cause == CAUSE_NONE && late.harm_ns > 0 ? CAUSE_UNKNOWN : cause;
}

/* True: the frame is not counted.
 *
 * In a hole the end of a slice may be lost, and then another counter seems to be a layer's: such a
 * layer has no frame elsewhere, and nothing queues its buffers.
 *
 * In a hole the present of a latched buffer may be lost, and a later present seems to have the
 * buffer. SurfaceFlinger presents in the vsync in which it latches, so an old latch shows this. */
static bool is_stale(const struct layer *layer, const struct frame_series *series,
		     const struct waiting_frame *waiting, const struct vsync_stamp *stamp)
{
	uint64_t age_ns = waiting->frame.present_ns - waiting->frame.latched_ns;

	if (waiting->loss_context.torn ||
	    (waiting->loss_context.in_hole && !series->begun && !layer->sure))
		return true;
	return waiting->loss_context.in_hole && stamp->locked && age_ns * 4 > stamp->period_ns * 3;
}

/* Reports the stalls of the app in front that no frame has ended. A frame that was read when
 * another app came in front may be counted seconds later: what was a stall then is known since. */
static void report_endless(struct frame_queue *q, uint64_t now_ns)
{
	uint64_t next_ns = now_ns + STATS_WAIT_NS / 2; /* or earlier */

	for (struct layer *layer = NULL;
	     (layer = layers_next_of(&q->layers, q->front_app.app, layer));) {
		struct stall_evidence *evidence = &layer->evidence;
		uint64_t from_ns = evidence->from_ns + STATS_WAIT_NS, length_ns;
		struct endless_stall stall;
		struct summary_surface *entry = count_of(q, layer)->entry;

		/* Before from_ns its next wait is no stall without an end. */
		if (layer->excluded || evidence->from_ns == 0 || evidence->reported ||
		    !front_app_has(&q->front_app, layer))
			continue;
		next_ns = from_ns < next_ns ? from_ns : next_ns;
		if (layer->behind_ns == now_ns)
			stall = layer->behind_stall;
		else if (from_ns > now_ns || layer->waiting > 0)
			continue;
		else
			stall = stall_without_end(q->work, layer, now_ns);
		if (stall.length_ns == 0)
			continue;
		evidence->reported = evidence->from_ns < now_ns;
		pause_report_endless(layer, stall, now_ns, q->events);
		if (!entry)
			continue;
		length_ns = pause_in_event(stall.length_ns);
		harm_add(&entry->harm, now_ns, length_ns);
		grade_add_endless(&entry->facts, stall.doframe_ns > 0 ? CAUSE_APP : CAUSE_UNKNOWN,
				  length_ns);
	}
	q->endless_ns = next_ns;
	q->endless_app = q->front_app.changes;
}

/* Another app may be in front with this frame. If it is, a stall of the one before has no end. */
static void follow_front_app(struct frame_queue *q, const struct waiting_frame *waiting,
			     const struct vsync_stamp *stamp)
{
	int id = waiting->frame.layer;
	const struct layer *layer = &q->layers.layers[id];
	int front;

	if (layer->is_activity && id != q->front_app.layer &&
	    (waiting->in_front || stamp->time_ns >= q->endless_ns ||
	     q->endless_app != q->front_app.changes) &&
	    !front_app_has(&q->front_app, layer))
		report_endless(q, stamp->time_ns);
	front = q->front_app.layer;
	front_app_follow(&q->front_app, &q->layers, id, stamp->time_ns,
			 front != LAYER_NONE &&
				 interval_is_wait(frame_series_since(
					 &count_of(q, &q->layers.layers[front])->series, stamp)));
}

/* Finds the place of a frame on the lattice, and its buffer: the ticks after it are known, and the
 * GPU has finished it. */
static void place(struct frame_queue *q, const struct waiting_frame *waiting,
		  struct placed_frame *placed)
{
	const struct frame *frame = &waiting->frame;

	placed->stamp.period_ns = vsync_period_ns(&q->vsync);
	if (frame->layer == LAYER_NONE)
		return;
	placed->work = producers_join(q->producers, &q->layers.layers[frame->layer], frame);
	if (q->options.is_fences)
		present_lattice_place(&q->fences, frame->present_ns, (uint64_t)frame->vsync_id,
				      &placed->stamp);
	else
		vsync_place(&q->vsync, frame->present_ns, &placed->stamp);
}

/* The frame's wait is over. */
static void count_frame(struct frame_queue *q, const struct waiting_frame *waiting,
			const struct placed_frame *placed)
{
	struct layer *layer = &q->layers.layers[waiting->frame.layer];
	struct layer_count *count = count_of(q, layer);
	struct frame_series *series = &count->series;
	bool had_frame = series->begun;
	struct vsync_stamp before = series->last;
	struct loss before_loss =
		had_frame ? series->loss_context.loss : waiting->loss_context.before;
	const struct gpu_work work = placed->work;
	const struct vsync_stamp stamp = placed->stamp;
	struct interval interval;
	struct lateness late;
	enum cause cause;
	struct summary_surface *entry;
	struct work_owner owner;
	const struct work_process *process;
	uint64_t pause_ns;
	enum wait_kind wait = waiting->loss_context.wait;

	layer->waiting--;
	if (had_frame && waiting->frame.present_ns >= series->last.time_ns + IDLE_NS)
		frame_queue_close_row(q, layer);
	follow_front_app(q, waiting, &stamp);
	front_app_apply_answer(&q->front_app, waiting->frame.present_ns);
	if (!layer->has_app && strcmp(layer->app, q->front_app.app) != 0)
		name_copy(layer->app, sizeof(layer->app), span_of(q->front_app.app));
	layers_show(&q->layers, waiting->frame.layer);
	follow_refresh(q, &stamp);
	if (is_stale(layer, series, waiting, &stamp)) {
		q->stale += !layer->excluded;
		series->in_time = false;
		return;
	}
	interval = frame_series_add(series, layer->excluded ? NULL : &q->store, &stamp,
				    &waiting->loss_context, waiting->frame.tx);
	frame_stats_add_gpu(&series->stats, work.gpu_ns);
	if (layer->excluded)
		return;
	late = late_follow(&count->late, layer->surface, q->options.late_ns, interval, wait);
	if (late.harm_ns > 0 && interval_is_frame_time(interval))
		frame_stats_add_late(&series->stats, late.harm_ns);
	cause = judge(q, layer, waiting, &stamp, interval, late, &work);
	if (!count->entry)
		count->entry = summary_entry(&q->summary, layer, stamp.time_ns);
	entry = count->entry;
	summary_frame(&q->summary, entry, layer->app, stamp.time_ns, interval, late, cause, &work);
	/* If the app was at work in an unknown interval, it may have hung, or its frames are lost.
	 */
	if (had_frame && interval.ns < 0)
		summary_add_uncounted(&q->summary, entry, layer->has_app, stamp.time_ns,
				      uncounted_between(before.time_ns, stamp.time_ns),
				      wait_is_stall(wait));
	else if (interval.ns >= 0 && interval_is_wait(interval) && wait == WAIT_UNKNOWN)
		summary_add_uncounted(&q->summary, entry, layer->has_app, stamp.time_ns,
				      (uint64_t)interval.ns, true);
	owner = layer->evidence.owner;
	process = layer_process(layer, q->work, &owner);
	if (process && process->answered_ns > 0)
		entry->with_marks = true;
	else if (process)
		entry->without_marks = true;
	trigger_frame(&q->trigger, waiting->frame.layer, layer, stamp.time_ns, interval, wait);
	emit_frame_row(q, waiting, &stamp, interval,
		       loss_between(before_loss, waiting->loss_context.loss), cause, work.done_ns);
	if (q->log && is_drop(q, interval, wait))
		emit_drop_row(q, waiting, &before, &stamp, interval, cause, process);
	if (late.reported && q->events->sink.late)
		q->events->sink.late(q->events->sink.context,
				     &(struct late_frame){ stamp.time_ns, (uint64_t)interval.ns,
							   layer->surface });
	pause_ns = pause_follow(layer, interval, wait, front_app_has(&q->front_app, layer),
				stamp.time_ns, q->events);
	if (pause_ns > 0)
		grade_add_gap(&entry->facts, pause_ns);
}

static void count_first(struct frame_queue *q)
{
	struct waiting_frame *waiting = &q->waiting[q->first];
	uint64_t present_ns = waiting->frame.present_ns;
	struct loss_context *context = &waiting->loss_context;
	struct placed_frame now, *placed = &q->placed[q->first];

	if (q->n_placed > 0)
		q->n_placed--;
	else
		place(q, waiting, placed = &now);
	/* SurfaceFlinger may have composed while it seemed to be at rest, but not between the
	 * presents of two consecutive vsyncs. A present can be late: then a little more than one
	 * vsync may be two. */
	if (!q->options.is_fences && context->loss.idle_count != q->chain_idle)
		q->unproven += (present_ns - q->counted_ns) * 4 > placed->stamp.period_ns * 5;
	q->chain_idle = context->loss.idle_count;
	context->loss.hole_count += q->unproven;
	context->unsure |= context->ahead && q->loss_ahead;
	trigger_pass(&q->trigger, present_ns);
	pass_marks(q, present_ns - 1);
	if (waiting->frame.layer != LAYER_NONE)
		count_frame(q, waiting, placed);
	else if (q->last_check_ns == 0)
		q->last_check_ns = present_ns;
	if (waiting->frame.layer == LAYER_NONE &&
	    present_ns - q->last_check_ns >= q->options.delay_ns) {
		q->last_check_ns = present_ns;
		close_rows(q, q->options.min_frames + 1);
	}
	q->counted_ns = present_ns;
	q->settled_ns = later(q->settled_ns, present_ns);
	q->first = (q->first + 1) % FRAME_QUEUE_MAX;
	q->n--;
}

static uint64_t lag_ns(const struct frame_queue *q, uint64_t now_ns)
{
	return now_ns < q->early_until_ns ? LAG_EARLY_NS : LAG_NS;
}

/* True: a CPU has not written since @present_ns. The kernel reports a loss with the next event of
 * the CPU: it may have lost some before @present_ns. Only frames soon after another loss wait for
 * that, or after a sign that events are missing, and none of a live trace. A snapshot would not
 * have a frame that waits. */
static bool is_cpu_behind(const struct frame_queue *q, const struct waiting_frame *waiting,
			  uint64_t now_ns)
{
	const struct producers *p = q->producers;
	uint64_t present_ns = waiting->frame.present_ns;
	uint64_t missing_ns = q->layers.missing_ns;
	bool is_missing = missing_ns > 0 && present_ns <= missing_ns + LOSSES_APART_NS;
	uint64_t sign_ns = later(missing_ns, q->lost_until_ns);
	uint64_t idle_ns = is_missing ? MISSING_LAG_NS : CPU_IDLE_NS;

	if (!q->options.recorded || q->options.late_ns > 0 || sign_ns == 0 ||
	    present_ns > sign_ns + LOSSES_APART_NS ||
	    now_ns >= present_ns + (is_missing ? MISSING_LAG_NS : CPU_LAG_NS) ||
	    q->n > FRAME_QUEUE_MAX / 2)
		return false;
	/* What tells the frame's cause, or is in the row of a drop, soon leaves its table. */
	if (p->compositions.n > waiting->composition + COMPOSITIONS_MAX * 3 / 4 ||
	    p->compositions.n_misses > waiting->misses + MISSES_MAX * 3 / 4 ||
	    p->fences.last - waiting->fence > FENCES_MAX * 3 / 4 ||
	    q->choreographer->n_long - waiting->callbacks > CHOREOGRAPHER_LONG * 3 / 4 ||
	    (q->log && q->log->n - waiting->events > RECENT_EVENTS_MAX * 3 / 4))
		return false;
	/* The trace begins with losses, so any CPU may have one. */
	if (q->lost_at_begin_ns > 0 && present_ns < q->lost_at_begin_ns + CPU_IDLE_NS)
		return true;
	for (unsigned int i = 0; i < TRACE_CLOCK_CPUS; i++) {
		uint64_t last_ns = q->clock->cpu_last_ns[i];

		if (last_ns > 0 && last_ns < present_ns && present_ns - last_ns < idle_ns)
			return true;
	}
	return false;
}

static struct waiting_frame *waiting_at(struct frame_queue *q, unsigned int i)
{
	return &q->waiting[(q->first + i) % FRAME_QUEUE_MAX];
}

/* True: the frame has waited long enough for its vsyncs. The wait is longer while the period or the
 * app in front is uncertain. */
static bool can_place(const struct frame_queue *q, uint64_t present_ns, uint64_t now_ns)
{
	const struct front_app *front = &q->front_app;

	if (front->queried && front->uncertain_ns > 0 && present_ns >= front->uncertain_ns &&
	    now_ns < front->uncertain_ns + FRONT_APP_WAIT_NS)
		return false;
	return now_ns >= present_ns + lag_ns(q, now_ns) &&
	       (now_ns >= present_ns + LAG_MAX_NS || present_ns < vsync_sure_until(&q->vsync));
}

void frame_queue_settle(struct frame_queue *q, uint64_t now_ns)
{
	uint64_t settled_ns;

	if (q->n > 0 && !q->locked_once) {
		uint64_t first_ns = q->waiting[q->first].frame.present_ns;

		q->locked_once = vsync_period_ns(&q->vsync) > 0 || now_ns > first_ns + LOCK_WAIT_NS;
		q->early_until_ns = now_ns + EARLY_NS;
	}
	while (q->n > 0 && q->locked_once &&
	       can_place(q, waiting_at(q, 0)->frame.present_ns, now_ns) &&
	       !is_cpu_behind(q, waiting_at(q, 0), now_ns))
		count_first(q);
	/* The others wait only for the report of a loss: their vsyncs and buffers are known now,
	 * and would be forgotten. */
	for (; q->n_placed < q->n && q->locked_once &&
	       can_place(q, waiting_at(q, q->n_placed)->frame.present_ns, now_ns);
	     q->n_placed++)
		place(q, waiting_at(q, q->n_placed),
		      &q->placed[(q->first + q->n_placed) % FRAME_QUEUE_MAX]);
	if (now_ns >= q->now_ns + SILENCE_NS && q->loss.events + q->loss.unknown_count > q->losses)
		q->silence_ns = now_ns;
	q->losses = q->loss.events + q->loss.unknown_count;
	q->now_ns = now_ns;
	if (now_ns <= lag_ns(q, now_ns))
		return;
	settled_ns = now_ns - lag_ns(q, now_ns);
	if (q->n > 0 && q->waiting[q->first].frame.present_ns < settled_ns)
		settled_ns = q->waiting[q->first].frame.present_ns;
	trigger_pass(&q->trigger, settled_ns);
	if (q->n == 0)
		pass_marks(q, settled_ns);
	if (settled_ns - q->last_idle_check_ns >= IDLE_CHECK_NS) {
		/* The losses since the layer's last frame may have been frames. But behind a hole
		 * without any event it may come back, and its next row spans that. */
		bool may_be_back = q->silence_ns > 0 && settled_ns < q->silence_ns + BACK_NS;

		q->last_idle_check_ns = settled_ns;
		for (struct layer *layer = NULL; (layer = layers_next(&q->layers, layer));) {
			const struct frame_series *series = &count_of(q, layer)->series;

			if (series->begun && settled_ns >= series->last.time_ns + IDLE_NS)
				close_row_with(q, layer,
					       may_be_back ? series->loss_context.loss
							   : loss_so_far(q));
		}
	}
	/* The lag becomes longer with the first frame. */
	q->settled_ns = later(settled_ns, q->settled_ns);
	q->summary.now_ns = settled_ns;
}

/* Counts the first frame, or present, without waiting. Returns the layer. */
static int count_first_early(struct frame_queue *q)
{
	int layer = q->waiting[q->first].frame.layer;

	q->locked_once = true;
	q->counted_early += layer != LAYER_NONE && !q->layers.layers[layer].excluded;
	count_first(q);
	return layer;
}

int frame_queue_evict_layer(struct frame_queue *q, bool early)
{
	int id = layers_to_evict(&q->layers);
	struct layer *layer;

	/* The oldest frames are counted, until a layer has none that waits. */
	while (id < LAYER_NONE && early && q->n > 0) {
		int counted = count_first_early(q);

		if (counted != LAYER_NONE && q->layers.layers[counted].waiting == 0)
			id = layers_to_evict(&q->layers);
	}
	if (id <= LAYER_NONE)
		return id == LAYER_NONE ? 0 : id;
	layer = &q->layers.layers[id];
	if (layer->shown) {
		frame_queue_close_row(q, layer);
		q->layers_evicted++;
	}
	if (q->front_app.layer == id)
		q->front_app.layer = LAYER_NONE;
	if (q->read_front == id)
		q->read_front = LAYER_NONE;
	layers_remove(&q->layers, id);
	return 0;
}

/* Adds a frame, or a present after all its frames. It leaves the queue in count_first(), called by
 * frame_queue_settle() when it has waited long enough. */
static void add(struct frame_queue *q, const struct frame *frame, enum wait_kind wait)
{
	struct waiting_frame *waiting;
	uint64_t present_ns = frame->present_ns, behind_ns;
	bool is_next; /* of those that were moved */
	char text[160];
	bool in_hole = q->loss_pending || q->loss_ahead ||
		       (frame->layer != LAYER_NONE && q->lost_until_ns > 0 &&
			frame->latched_ns <= q->lost_until_ns);

	if (q->n == FRAME_QUEUE_MAX)
		count_first_early(q);
	waiting = waiting_at(q, q->n++);
	*waiting = (struct waiting_frame){ *frame,
					   { .loss = q->loss,
					     .number = frame->number,
					     .wait = (uint8_t)wait,
					     .in_hole = in_hole,
					     .unsure = q->loss_pending,
					     .ahead = q->loss_ahead,
					     .is_new = frame->is_new },
					   compositions_next(&q->producers->compositions),
					   q->producers->compositions.n_misses,
					   q->producers->fences.last,
					   q->choreographer->n_long,
					   q->log ? q->log->n : 0,
					   false };
	if (frame->present_ns <= q->hole_from_ns)
		waiting->loss_context.loss = q->before_hole;
	waiting->loss_context.before = waiting->loss_context.loss;
	if (q->n > q->high_water)
		q->high_water = q->n;

	/* A present that is earlier than the previous one, as SurfaceFlinger moved to a CPU whose
	 * clock is behind, gets a time right after that one, as do all its frames. It has no
	 * interval. */
	behind_ns = since(present_ns, q->last_present_ns);
	is_next = present_ns == q->moved_from_ns && q->last_present_ns == q->moved_to_ns;
	if (behind_ns > 0 && !is_next) {
		q->moved++;
		snprintf(text, sizeof(text),
			 "a present is %llu.%03llu ms earlier than the previous one, on another "
			 "CPU; interval unknown (%llu so far)",
			 (unsigned long long)(behind_ns / 1000000),
			 (unsigned long long)(behind_ns / 1000 % 1000),
			 (unsigned long long)q->moved);
		if (rate_limit_allows(&q->moved_limit, 1, MOVED_PERIOD_NS, q->last_present_ns))
			events_write(q->events, q->last_present_ns, TRACE_EVENT_TRACING, text);
		q->moved_from_ns = present_ns;
		q->moved_to_ns = q->last_present_ns + 1000;
	}
	if (behind_ns > 0 || is_next) {
		waiting->frame.present_ns = q->moved_to_ns;
		waiting->loss_context.moved = true;
	}
	q->last_present_ns = waiting->frame.present_ns;
}

void frame_queue_add(struct frame_queue *q, const struct frame *frame)
{
	struct layer *layer = &q->layers.layers[frame->layer];
	struct layer *left = q->read_front == LAYER_NONE ? NULL : &q->layers.layers[q->read_front];
	/* Another window is in front with it, as in front_app_follow(). */
	bool in_front = layer->is_activity && layer != left &&
			(layer->drawn_ns == 0 || !left ||
			 frame->present_ns >= left->drawn_ns + STATS_WAIT_NS);

	layer->waiting++;
	q->excluded_frames += layer->excluded;
	front_app_watch(&q->front_app, layer, frame->present_ns);
	add(q, frame, stall_at_frame(q->work, layer, frame->present_ns));
	/* A frame that comes that soon has ended the stall. */
	if (frame->present_ns < layer->behind_ns + lag_ns(q, frame->present_ns))
		layer->behind_ns = 0;
	if (!in_front)
		return;
	waiting_at(q, q->n - 1)->in_front = true;
	q->read_front = frame->layer;
	if (!left || left->evidence.from_ns == 0 || strcmp(left->app, layer->app) == 0)
		return;
	/* What other apps do after that is of no window in front. */
	left->behind_ns = q->behind_ns = q->last_present_ns;
	left->behind_stall = stall_without_end(q->work, left, q->last_present_ns);
}

void frame_queue_add_fence(struct frame_queue *q, int layer, const struct present_fence *fence)
{
	/* The fields that a fence does not have hold those that a trace does not have. */
	struct frame frame = {
		.layer = layer,
		.present_ns = fence->actual_ns,
		.queued_ns = fence->ready_ns,
		.latched_ns = fence->desired_ns,
		.number = -1,
		.vsync_id = (int64_t)fence->period_ns,
	};

	q->locked_once = true;
	q->loss.unknown_count += fence->is_loss;
	q->before_hole.unknown_count += fence->is_loss;
	frame_queue_add(q, &frame);
	/* No interval of this layer spans the gap. */
	waiting_at(q, q->n - 1)->loss_context.loss.hole_count += fence->gaps;
}

void frame_queue_add_present(struct frame_queue *q, uint64_t present_ns)
{
	struct frame present_entry = { .layer = LAYER_NONE, .present_ns = present_ns };

	add(q, &present_entry, WAIT_IDLE);
	vsync_present(&q->vsync, q->last_present_ns);
}

/* --- discontinuities --- */

static void add_loss(struct loss *sum, struct loss lost)
{
	sum->events += lost.events;
	sum->unknown_count += lost.unknown_count;
	sum->hole_count += lost.hole_count;
	sum->break_count += lost.break_count;
	sum->idle_count += lost.idle_count;
}

/* Adds a loss to the sum, and to the frames that wait and are at @counts_ns or later. @in_hole: it
 * is of events near those later than its begin. */
static void lose(struct frame_queue *q, uint64_t from_ns, uint64_t counts_ns, struct loss lost,
		 bool in_hole, bool torn)
{
	add_loss(&q->loss, lost);
	if (!in_hole)
		add_loss(&q->before_hole, lost);
	/* A frame that ended it may be lost, or the end of the work. */
	for (struct layer *layer = NULL;
	     q->behind_ns > from_ns && (layer = layers_next(&q->layers, layer));)
		if (layer->behind_ns > from_ns)
			layer->behind_ns = 0;
	if (q->behind_ns > from_ns)
		q->behind_ns = from_ns;
	for (unsigned int i = q->n; i > 0; i--) {
		struct waiting_frame *waiting = waiting_at(q, i - 1);
		struct loss_context *context = &waiting->loss_context;
		struct frame *frame = &waiting->frame;

		if (frame->present_ns <= from_ns)
			break;
		if (frame->present_ns >= counts_ns)
			add_loss(&context->loss, lost);
		context->torn |= torn && frame->latched_ns <= from_ns;
		if (!in_hole) {
			add_loss(&context->before, lost);
			continue;
		}
		context->in_hole = true;
		context->unsure |= lost.break_count > 0;
		/* The buffer that was latched may have been queued inside the hole. */
		if (frame->queued_ns <= from_ns && from_ns < frame->latched_ns)
			frame->queued_ns = 0;
		if (context->wait == WAIT_STALL_LATE)
			context->wait = WAIT_UNKNOWN;
	}
}

/* Frames from before the hole may still come: their events are in buffers of other CPUs. */
void frame_queue_hole(struct frame_queue *q, uint64_t from_ns, struct loss lost)
{
	if (from_ns != q->hole_from_ns)
		q->before_hole = q->loss;
	q->hole_from_ns = from_ns;
	lost.hole_count = lost.break_count = 1;
	lose(q, from_ns, 0, lost, true, false);
}

void frame_queue_lost(struct frame_queue *q, uint64_t from_ns, uint64_t until_ns, struct loss lost)
{
	q->lost_until_ns = until_ns;
	if (from_ns == 0)
		q->lost_at_begin_ns = until_ns;
	q->hole_from_ns = 0;
	/* It counts at its end: the row that spans the hole has that, too. */
	lose(q, from_ns, until_ns, lost, true, false);
}

void frame_queue_hidden(struct frame_queue *q, uint64_t from_ns, bool at_rest, bool torn)
{
	lose(q, from_ns, 0, (struct loss){ .hole_count = !at_rest, .idle_count = at_rest }, false,
	     torn);
}

void frame_queue_count(struct frame_queue *q)
{
	q->locked_once = true;
	while (q->n > 0)
		count_first(q);
}

static void count_all(struct frame_queue *q)
{
	frame_queue_count(q);
	/* No row follows: losses behind the last frames may have been frames. */
	for (struct layer *layer = NULL; (layer = layers_next(&q->layers, layer));)
		close_row_with(q, layer, q->loss);
	q->marks = (struct marks){ .n = 0 };
	trigger_end(&q->trigger, q->last_present_ns);
}

void frame_queue_new_clock(struct frame_queue *q)
{
	vsync_finish(&q->vsync);
	count_all(q);
	for (struct layer *layer = NULL; (layer = layers_next(&q->layers, layer));) {
		struct layer_count *count = count_of(q, layer);

		frame_series_clear(&count->series, &q->store);
		layer->drawn_ns = layer->way.latched_ns = layer->behind_ns = 0;
		count->late = (struct late_series){ 0 };
	}
	front_app_new_clock(&q->front_app);
	front_app_set(&q->front_app, q->options.focus);
	if (q->log)
		q->log->forgotten = q->log->n;
	vsync_reset(&q->vsync);
	q->locked_once = false;
	q->read_front = LAYER_NONE;
	q->last_check_ns = q->last_idle_check_ns = 0;
	q->switched_ns = q->switches = 0;
	q->settled_ns = q->counted_ns = q->endless_ns = 0;
	q->last_present_ns = q->moved_from_ns = 0;
	q->now_ns = q->silence_ns = 0;
	q->lost_until_ns = q->lost_at_begin_ns = q->hole_from_ns = q->layers.missing_ns = 0;
	q->moved_limit = (struct rate_limit){ .allowed = 0 };
	summary_new_clock(&q->summary);
}

void frame_queue_end(struct frame_queue *q, uint64_t now_ns)
{
	vsync_finish(&q->vsync);
	count_all(q);
	for (struct layer *layer = NULL; (layer = layers_next(&q->layers, layer));) {
		struct summary_surface *entry = count_of(q, layer)->entry;
		uint64_t pause_ns;

		/* Its Surface may have no frame: another one had, before new rules. */
		if (layer->excluded || !entry)
			continue;
		pause_ns = pause_end(layer, PAUSE_FRAMES_AT_END, now_ns, q->events);
		if (pause_ns > 0)
			grade_add_gap(&entry->facts, pause_ns);
	}
	report_endless(q, now_ns);
}

void frame_queue_summary(struct frame_queue *q, uint64_t now_ns, void *context,
			 void (*row)(void *context, const struct summary_row *row))
{
	for (int i = 0; i < summary_count(&q->summary); i++) {
		q->summary.table[i].open = FRAME_STATS_EMPTY;
		q->summary.table[i].frozen_ns = 0;
	}
	for (struct layer *layer = NULL; (layer = layers_next(&q->layers, layer));) {
		const struct layer_count *count = count_of(q, layer);
		struct summary_surface *entry = count->entry;

		if (layer->excluded || !entry)
			continue;
		if (frame_series_has_row(&count->series)) {
			struct frame_stats stats = count->series.stats;

			stats.lost = loss_between(count->series.start_loss, loss_so_far(q));
			frame_stats_merge(&entry->open, &stats);
		}
		/* A stall under way of the app in front. */
		if (front_app_has(&q->front_app, layer))
			entry->frozen_ns =
				later(entry->frozen_ns, stall_now(q->work, layer, now_ns));
	}
	summary_write(&q->summary, context, row);
}

void frame_queue_init(struct frame_queue *q, struct memory *memory)
{
	unsigned int max = q->options.max_surfaces;

	front_app_init(&q->front_app, q->events, q->options.front_app_is_queried);
	front_app_set(&q->front_app, q->options.focus);
	q->read_front = LAYER_NONE;
	vsync_init(&q->vsync, q->options.vsync_ns);
	q->trigger = (struct trigger_state){ .trigger = q->options.trigger, .events = q->events };
	if (q->trigger.trigger)
		q->trigger.series = memory_keep(memory, calloc(max, sizeof(*q->trigger.series)));
	q->summary = (struct summary){ .options = &q->options, .store = &q->store };
	q->counts = memory_keep(memory, calloc(max, sizeof(*q->counts)));
	q->placed = memory_keep(memory, calloc(FRAME_QUEUE_MAX, sizeof(*q->placed)));
	chunks_init(&q->store, CHUNKS + max * CHUNKS_FOR_EACH, memory);
	layers_init(&q->layers, max, memory);
	summary_init(&q->summary, max, memory);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/frames/stall.h"

#include <stdio.h>
#include <string.h>

/* A shorter stretch is no wait, whatever the vsyncs of its ends are. */
#define STRETCH_LEAST_NS (STATS_WAIT_NS - STATS_WAIT_NS / 10)

/* With frames closer than this another layer draws steadily. */
#define STEADY_NS UINT64_C(100000000)

static struct work_sums sums_at(const struct app_work *work, const struct work_process *process,
				uint64_t now_ns)
{
	return (struct work_sums){ work_sum(process, now_ns),
				   work_long_sum(work, process, now_ns) };
}

static void add_work(struct work_sums *sums, struct work_sums from, struct work_sums to)
{
	sums->all_ns += since(from.all_ns, to.all_ns);
	sums->long_ns += since(from.long_ns, to.long_ns);
}

static void add_queued(const struct app_work *work, struct stall_evidence *evidence,
		       const struct work_process *process, uint64_t now_ns)
{
	struct work_sums sums = sums_at(work, process, now_ns), worked = { 0 };
	uint64_t queued_ns = since(evidence->queued_ns, now_ns);

	if (!evidence->queued_ns)
		return;
	evidence->queued_all_ns += queued_ns;
	add_work(&worked, evidence->at_queued, sums);
	add_work(&evidence->queued_only, worked, (struct work_sums){ queued_ns, queued_ns });
	evidence->queued_ns = now_ns;
	evidence->at_queued = sums;
}

/* The layer's process, or NULL. If it is another one than before, the work of the earlier one is
 * kept, and that of the new one counts from the moment on at which it was known to be the layer's.
 */
static struct work_process *process_of(struct app_work *work, struct layer *layer, uint64_t now_ns)
{
	struct stall_evidence *evidence = &layer->evidence;
	uint32_t id = evidence->owner.process;
	const struct work_process *before;
	struct work_process *process;

	if (evidence->owner.version == work->version)
		return app_work_by_id(work, id);
	process = layer_process(layer, work, &evidence->owner);
	if (evidence->owner.process == id)
		return process;
	before = app_work_by_id(work, id);
	add_queued(work, evidence, before, now_ns);
	add_work(&evidence->queued_only, evidence->at_frame, sums_at(work, before, now_ns));
	evidence->at_frame = evidence->at_queued = sums_at(work, process, now_ns);
	if (process && process->named_ns > evidence->from_ns)
		evidence->at_frame =
			(struct work_sums){ process->named_sum_ns, process->named_long_ns };
	else if (process && process->first_ns > evidence->from_ns)
		evidence->at_frame = (struct work_sums){ 0 };
	evidence->frames = process ? process->frames : 0;
	return process;
}

void stall_follow_buffers(struct app_work *work, struct layer *layer, bool waits, uint64_t time_ns)
{
	struct stall_evidence *evidence = &layer->evidence;
	struct work_process *process;

	if (waits == (evidence->queued_ns != 0))
		return;
	process = process_of(work, layer, time_ns);
	add_queued(work, evidence, process, time_ns);
	evidence->queued_ns = waits ? time_ns : 0;
	work->queued |= waits;
	evidence->at_queued = sums_at(work, process, time_ns);
}

/* What the stretch from the layer's last frame to @now_ns was. @process: process_of() it. */
static enum wait_kind kind_of(struct app_work *work, struct layer *layer,
			      const struct work_process *process, uint64_t now_ns)
{
	struct stall_evidence *evidence = &layer->evidence;
	uint64_t length_ns = since(evidence->from_ns, now_ns), work_ns, queued_ns;
	uint64_t delayed_ns = 0;
	struct work_sums worked = { 0 };
	bool others_draw;

	if (evidence->from_ns == 0 || length_ns < STRETCH_LEAST_NS)
		return WAIT_IDLE;
	/* The time at work with the delay of the last doFrame: it, the work before and after it. A
	 * bound of each part, as the parts are not kept: nothing counts twice. */
	if (process && process->late_to_ns > evidence->from_ns && process->late_to_ns <= now_ns) {
		uint64_t late_ns =
			process->late_to_ns - later(process->late_from_ns, evidence->from_ns);

		delayed_ns = late_ns + since(process->late_to_sum_ns, work_sum(process, now_ns));
		if (process->late_from_ns > evidence->from_ns)
			delayed_ns += since(evidence->at_frame.all_ns, process->late_from_sum_ns);
		if (!evidence->queued_ns)
			delayed_ns += since(late_ns, evidence->queued_only.all_ns);
	}
	add_queued(work, evidence, process, now_ns);
	add_work(&worked, evidence->at_frame, sums_at(work, process, now_ns));
	others_draw = process && (process->frames - evidence->frames) * STEADY_NS >= length_ns;
	work_ns = others_draw ? worked.long_ns : worked.all_ns;
	queued_ns = others_draw ? evidence->queued_only.long_ns : evidence->queued_only.all_ns;
	if (2 * later(work_ns + queued_ns, delayed_ns) < length_ns)
		return evidence->losses != work->losses ? WAIT_UNKNOWN : WAIT_IDLE;
	if (2 * (work_ns + queued_ns) < length_ns)
		return WAIT_STALL_LATE;
	/* It may be both. A buffer that is queued and not latched is not the app's fault, whatever
	 * the app does meanwhile. */
	return 2 * evidence->queued_all_ns >= length_ns || 2 * work_ns < length_ns
		       ? WAIT_STALL_QUEUED
		       : WAIT_STALL;
}

struct endless_stall stall_without_end(struct app_work *work, struct layer *layer, uint64_t now_ns)
{
	const struct work_process *process = process_of(work, layer, now_ns);
	struct stall_evidence *evidence = &layer->evidence;
	/* For how long the slice that is open longest has waited for its end. */
	uint64_t open_ns = process ? since(work_open_since(work, process, now_ns), now_ns) : 0;
	uint64_t queued_ns = evidence->queued_ns ? since(evidence->queued_ns, now_ns) : 0;
	uint64_t length_ns = since(evidence->from_ns, now_ns);
	enum wait_kind kind = kind_of(work, layer, process, now_ns);
	struct endless_stall stall = { .length_ns = length_ns };
	uint64_t doframe_ns = 0;

	if (evidence->from_ns == 0 || length_ns < STATS_WAIT_NS)
		return (struct endless_stall){ 0 };
	if (!wait_is_stall(kind))
		stall.length_ns = later(open_ns, queued_ns);
	if (stall.length_ns < STATS_WAIT_NS)
		return (struct endless_stall){ 0 };
	if (process)
		doframe_ns = work_doframe_since(work, process, now_ns - stall.length_ns / 2);
	/* No other layer of it draws, either. A doFrame that is older than frames of the layer has
	 * no end as category view went off. */
	if (doframe_ns > 0 && doframe_ns + STEADY_NS >= evidence->from_ns &&
	    process->frames == evidence->frames && queued_ns == 0 && kind != WAIT_STALL_QUEUED &&
	    evidence->losses == work->losses)
		stall.doframe_ns = since(doframe_ns, now_ns);
	return stall;
}

uint64_t stall_now(struct app_work *work, struct layer *layer, uint64_t now_ns)
{
	struct stall_evidence before = layer->evidence;
	const struct work_process *process;
	uint64_t length_ns, open_ns;

	if (layer->waiting > 0) { /* the evidence is that since an earlier frame */
		process = process_of(work, layer, now_ns);
		open_ns = process ? since(work_open_since(work, process, now_ns), now_ns) : 0;
		length_ns = since(layer->drawn_ns, now_ns);
		if (length_ns < STATS_WAIT_NS || 2 * open_ns < length_ns)
			length_ns = 0;
	} else {
		length_ns = stall_without_end(work, layer, now_ns).length_ns;
	}
	layer->evidence = before;
	return length_ns;
}

enum wait_kind stall_at_frame(struct app_work *work, struct layer *layer, uint64_t present_ns)
{
	struct stall_evidence *evidence = &layer->evidence;
	struct work_process *process = process_of(work, layer, present_ns);
	enum wait_kind kind = kind_of(work, layer, process, present_ns);
	struct work_sums sums = sums_at(work, process, present_ns);

	*evidence = (struct stall_evidence){
		.owner = evidence->owner,
		.from_ns = present_ns,
		.at_frame = sums,
		.frames = process ? ++process->frames : 0,
		.queued_ns = evidence->queued_ns ? present_ns : 0,
		.at_queued = sums,
		.losses = work->losses,
	};
	return kind;
}

/* --- events --- */

/* An odd interval counts as much as this many even ones. */
#define ODD_COSTS 10
#define STEADY_MAX (2 * PAUSE_FRAMES)

/* Bytes of a Surface's name in an event. */
#define NAME_MAX_LENGTH 700

/* Writes "716.7 ms on SURFACE of APP", and then @more. */
static void report(const struct layer *layer, enum trace_event_kind kind, uint64_t length_ns,
		   const char *more, uint64_t time_ns, struct event_writer *events)
{
	char text[NAME_MAX_LENGTH + APP_SIZE + 100];

	snprintf(text, sizeof(text), "%llu.%llu ms on %.*s%s%s%s",
		 (unsigned long long)(length_ns / 1000000),
		 (unsigned long long)(length_ns / 100000 % 10), NAME_MAX_LENGTH, layer->surface,
		 layer->app[0] ? " of " : "", layer->app, more);
	events_write(events, time_ns, kind, text);
}

void pause_report_endless(const struct layer *layer, struct endless_stall stall, uint64_t time_ns,
			  struct event_writer *events)
{
	char more[96] = "";

	/* As in dropFrames.csv. */
	if (stall.doframe_ns > 0)
		snprintf(more, sizeof(more), "; doFrame %llu.%llu ms (not ended)",
			 (unsigned long long)(stall.doframe_ns / 1000000),
			 (unsigned long long)(stall.doframe_ns / 100000 % 10));
	strcat(more, "; no frame ended it");
	report(layer, TRACE_EVENT_STALL, stall.length_ns, more, time_ns, events);
}

uint64_t pause_end(struct layer *layer, unsigned int least, uint64_t time_ns,
		   struct event_writer *events)
{
	struct pause_state *state = &layer->pause;
	bool is_pause = state->before > 0 && state->before == state->vsyncs;
	char more[64];

	if (state->before == 0 || state->n < least)
		return 0;
	state->before = 0;
	if (!is_pause)
		return 0;
	snprintf(more, sizeof(more), ": an unexplained gap before %d even frames", (int)state->n);
	report(layer, TRACE_EVENT_PAUSE, state->wait_ns, more, time_ns, events);
	return pause_in_event(state->wait_ns);
}

uint64_t pause_follow(struct layer *layer, struct interval interval, enum wait_kind wait,
		      bool in_front, uint64_t time_ns, struct event_writer *events)
{
	struct pause_state *state = &layer->pause;

	if (interval.ns < 0) {
		*state = (struct pause_state){ 0 };
		return 0;
	}
	if (interval_is_wait(interval)) {
		bool possible = !wait_is_stall(wait) && in_front && state->n >= PAUSE_FRAMES;

		if (wait_is_stall(wait))
			report(layer, TRACE_EVENT_STALL, (uint64_t)interval.ns, "", time_ns,
			       events);
		*state = (struct pause_state){ .before = possible ? state->vsyncs : 0,
					       .wait_ns = (uint64_t)interval.ns };
		return 0;
	}
	if (interval.vsyncs == state->vsyncs && interval.vsyncs > 0) {
		state->n += state->n < STEADY_MAX;
	} else if (state->n > ODD_COSTS) {
		state->n -= ODD_COSTS;
	} else {
		state->vsyncs = interval.vsyncs;
		state->n = 1;
	}
	return pause_end(layer, PAUSE_FRAMES, time_ns, events);
}

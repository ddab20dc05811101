/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/frames/pause.h"

#include <stdio.h>
#include <string.h>

/* An odd interval counts as much as this many even ones. */
#define ODD_COSTS 10
#define STEADY_MAX (2 * PAUSE_FRAMES)

/* So many frames must follow before the trace ends. */
#define FRAMES_AT_END 3

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

/* The last wait was a pause if @frames have followed at the cadence before it. */
static uint64_t end_pause(struct layer *layer, int64_t frames, uint64_t time_ns,
			  struct event_writer *events)
{
	struct pause_state *state = &layer->pause;
	bool is_pause = state->before > 0 && state->before == state->vsyncs;
	char more[64];

	if (state->before == 0 || state->n < frames)
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
	return end_pause(layer, PAUSE_FRAMES, time_ns, events);
}

uint64_t pause_end(struct layer *layer, uint64_t time_ns, struct event_writer *events)
{
	return end_pause(layer, FRAMES_AT_END, time_ns, events);
}

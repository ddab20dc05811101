/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/frames/front_app.h"

#include <string.h>

#include "rules/base/interval.h"

static const char unknown[] = "unknown: another app began to draw";

/* An activity's window that has a frame is in front if it is new, or if the one in front has not
 * drawn for 500 ms. So two windows that both draw during a transition do not alternate. */
void front_app_follow(struct front_app *front, const struct layer_table *layers, int id,
		      uint64_t time_ns, bool is_still)
{
	const struct layer *layer = &layers->layers[id];
	const struct layer *last =
		front->layer == LAYER_NONE ? NULL : &layers->layers[front->layer];
	bool still = !last || !last->is_activity || is_still;

	/* A window of another app draws, the app in front does not, and no answer will come. */
	if (!front->queried && still && layer->is_window && !layer->is_activity && front->app[0] &&
	    strcmp(layer->app, front->app) != 0) {
		front->app[0] = '\0';
		front->changes++;
		front->layer = LAYER_NONE;
		events_write(front->events, time_ns, TRACE_EVENT_FOCUS, unknown);
	}
	if (!layer->is_activity || id == front->layer || (layer->shown && !still))
		return;
	front->layer = id;
	if (span_equal(span_of(front->app), span_of(layer->app)))
		return;
	front->changes++;
	name_copy(front->app, sizeof(front->app), span_of(layer->app));
	events_write(front->events, time_ns, TRACE_EVENT_FOCUS, layer->surface);
}

static struct span app_of_focus(const char *focus)
{
	return (struct span){ focus, strcspn(focus, "/") };
}

void front_app_apply_answer(struct front_app *front, uint64_t present_ns)
{
	struct span app = app_of_focus(front->answer);

	if (front->answer_ns == 0 || present_ns < front->answer_ns)
		return;
	front->answer_ns = 0;
	/* The answer is 'unknown', but a window has shown since then that the other app is in
	 * front. */
	if (app.len == 0 && strcmp(front->app, front->other_app) == 0)
		return;
	if (span_equal(app, span_of(front->app)))
		return;
	front->changes++;
	name_copy(front->app, sizeof(front->app), app);
	events_write(front->events, present_ns, TRACE_EVENT_FOCUS,
		     app.len > 0 ? front->answer : unknown);
}

void front_app_watch(struct front_app *front, struct layer *layer, uint64_t present_ns)
{
	bool begins = !layer->drawn_ns || present_ns >= layer->drawn_ns + STATS_WAIT_NS;

	layer->drawn_ns = present_ns;
	if (!begins || !layer->is_window || strcmp(layer->app, front->app) == 0)
		return;
	front->uncertain_ns = present_ns;
	name_copy(front->other_app, sizeof(front->other_app), span_of(layer->app));
}

bool front_app_set(struct front_app *front, const char *focus)
{
	if (front->app[0] || !focus)
		return false;
	front->changes++;
	name_copy(front->app, sizeof(front->app), app_of_focus(focus));
	if (strcmp(front->other_app, front->app) == 0)
		front->uncertain_ns = 0;
	return true;
}

void front_app_answer(struct front_app *front, const char *focus, uint64_t since_ns)
{
	/* The clock has changed since the query: @since_ns is a time of the old clock. */
	if (front->uncertain_ns == 0)
		return;
	name_copy(front->answer, sizeof(front->answer), span_of(focus));
	front->answer_ns = since_ns;
	if (front->uncertain_ns <= since_ns)
		front->uncertain_ns = 0;
}

void front_app_new_clock(struct front_app *front)
{
	front->uncertain_ns = front->answer_ns = 0;
	if (front->queried)
		return;
	/* It may be another boot. */
	front->layer = LAYER_NONE;
	front->app[0] = '\0';
	front->changes++;
}

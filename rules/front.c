/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/front.h"

#include <string.h>

static const char unknown[] = "unknown: another app began to draw";

/* A view of another app draws, the app that was in front does not, and nobody says which is. */
static bool nobody_knows(const struct frame_queue *q, const struct layer *layer, bool still)
{
	return !q->options.asks_front && still && layer->is_window && !layer->is_activity &&
	       q->front[0] && strcmp(layer->app, q->front) != 0;
}

/* A window of an activity had a frame: it is in front if it is new, or if the one in front has
 * been still for a while. Two that move together, in a transition, do not take turns. */
void front_follow(struct frame_queue *q, int id, const struct vsync_stamp *stamp)
{
	struct layer *layer = &q->layers.layers[id];
	const struct layer *front =
		q->front_layer == LAYER_NONE ? NULL : &q->layers.layers[q->front_layer];
	bool still = !front || !front->is_activity ||
		     interval_is_wait(frame_series_since(&front->series, stamp));

	if (nobody_knows(q, layer, still)) {
		q->front[0] = '\0';
		q->front_layer = LAYER_NONE;
		events_write(q->events, stamp->time_ns, TRACE_EVENT_FOCUS, unknown);
	}
	if (!layer->is_activity || id == q->front_layer || (layer->shown && !still))
		return;
	q->front_layer = id;
	if (span_equal(span_of(q->front), span_of(layer->app)))
		return;
	name_copy(q->front, sizeof(q->front), span_of(layer->app));
	events_write(q->events, stamp->time_ns, TRACE_EVENT_FOCUS, layer->surface);
}

static struct span app_of_focus(const char *focus)
{
	return (struct span){ focus, strcspn(focus, "/") };
}

/* Whoever was asked has said who is in front since then. */
void front_take_answer(struct frame_queue *q, uint64_t present_ns)
{
	struct span app = app_of_focus(q->answer);

	if (q->answer_ns == 0 || present_ns < q->answer_ns)
		return;
	q->answer_ns = 0;
	/* No answer, but its own window shows the app that began to draw in front. */
	if (app.len == 0 && strcmp(q->front, q->doubt_app) == 0)
		return;
	if (span_equal(app, span_of(q->front)))
		return;
	name_copy(q->front, sizeof(q->front), app);
	events_write(q->events, present_ns, TRACE_EVENT_FOCUS, app.len > 0 ? q->answer : unknown);
}

/* A window of another app than the one in front begins to draw: that may be in front now. */
void front_doubt(struct frame_queue *q, struct layer *layer, uint64_t present_ns)
{
	bool begins = !layer->drawn_ns || present_ns >= layer->drawn_ns + STATS_WAIT_NS;

	layer->drawn_ns = present_ns;
	if (!begins || !layer->is_window || strcmp(layer->app, q->front) == 0)
		return;
	q->doubt_ns = present_ns;
	name_copy(q->doubt_app, sizeof(q->doubt_app), span_of(layer->app));
}

bool frame_queue_focus(struct frame_queue *q, const char *focus)
{
	if (q->front[0] || !focus)
		return false;
	name_copy(q->front, sizeof(q->front), app_of_focus(focus));
	if (strcmp(q->doubt_app, q->front) == 0)
		q->doubt_ns = 0;
	return true;
}

uint64_t frame_queue_front_doubt(const struct frame_queue *q, const char **app)
{
	*app = q->doubt_app;
	return q->doubt_ns;
}

void frame_queue_front(struct frame_queue *q, const char *focus, uint64_t since_ns)
{
	/* Times are another clock's since it was asked. */
	if (q->doubt_ns == 0)
		return;
	name_copy(q->answer, sizeof(q->answer), span_of(focus));
	q->answer_ns = since_ns;
	if (q->doubt_ns <= since_ns)
		q->doubt_ns = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The app in front. Frames of layers without a package in their name are counted for it.
 *
 * There are two sources: windows of activities that draw, and answers from outside (dumpsys). When
 * a window of another app begins to draw, the app in front is uncertain until one of the two
 * decides.
 */
#ifndef JANKD_RULES_FRAMES_FRONT_APP_H
#define JANKD_RULES_FRAMES_FRONT_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/frames/layer_table.h"
#include "rules/language/surface.h"
#include "rules/stream/events.h"

struct front_app {
	unsigned int changes;	     /* of app so far */
	struct event_writer *events; /* of the owner */
	bool queried;		     /* see pipeline_options.front_app_is_queried */
	char app[APP_SIZE];	     /* "": unknown */
	int layer;		     /* the activity's window in front, or LAYER_NONE */
	uint64_t uncertain_ns;	     /* a window of other_app began to draw then; 0: certain */
	char other_app[APP_SIZE];
	uint64_t answer_ns; /* frames from then on belong to the answer's app; 0: no answer */
	char answer[2 * APP_SIZE]; /* "app/activity", or "": unknown */
};

static inline void front_app_init(struct front_app *front, struct event_writer *events,
				  bool queried)
{
	*front = (struct front_app){ .events = events, .queried = queried, .layer = LAYER_NONE };
}

/* Sets the app in front at the start ("app/activity", or NULL). Returns false and changes nothing
 * if an app is set already. */
bool front_app_set(struct front_app *front, const char *focus);

/* The layer with the number @id has a frame at @time_ns. @is_still: by then, the layer in front has
 * not drawn for 500 ms. */
void front_app_follow(struct front_app *front, const struct layer_table *layers, int id,
		      uint64_t time_ns, bool is_still);

/* True: the layer belongs to the app in front, or it is a window and that app is unknown. */
static inline bool front_app_has(const struct front_app *front, const struct layer *layer)
{
	if (!layer->has_app)
		return false;
	return front->app[0] ? strcmp(layer->app, front->app) == 0 : layer->is_window;
}

/* Frames from @present_ns on are counted next: applies an answer that is valid for them. */
void front_app_apply_answer(struct front_app *front, uint64_t present_ns);

/* A frame of @layer arrives, before it is counted. If it shows that another app may be in front,
 * the app becomes uncertain. */
void front_app_watch(struct front_app *front, struct layer *layer, uint64_t present_ns);

/* See pipeline_set_front_app(). */
void front_app_answer(struct front_app *front, const char *focus, uint64_t since_ns);

/* Later times are those of another clock. */
void front_app_new_clock(struct front_app *front);

#endif

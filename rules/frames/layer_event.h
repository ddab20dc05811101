/* SPDX-License-Identifier: Apache-2.0 */
/* Events that name a layer: a latch, a queued or replaced buffer, an applied transaction. They
 * change the layer (layer.h, buffers.h) and the list of latches (latches.h). */
#ifndef JANKD_RULES_FRAMES_LAYER_EVENT_H
#define JANKD_RULES_FRAMES_LAYER_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"
#include "rules/frames/latches.h"
#include "rules/frames/layer_table.h"
#include "rules/language/ruleset_match.h"
#include "rules/threads/surfaceflinger.h"

struct frame;
struct frame_queue;
struct pipeline;
struct producers;
struct role_event;

/* Receives what is found in rules/frames/. The owner has all objects. */
struct attribution_sink {
	struct pipeline *pipeline;
	/* An event of SurfaceFlinger, or of an app if its role is producer or answer. A commit and
	 * a present begin with it, and a composite ends: that of the last present. Of a slice the
	 * period of role nominal is the captured time. */
	void (*event)(struct pipeline *p, const struct role_event *event);
	bool each_counter; /* also those of SurfaceFlinger that no rule names */
	/* SurfaceFlinger was found; @another: it replaced the previous one. */
	void (*surfaceflinger)(struct pipeline *p, uint64_t time_ns, bool another);
	/* Another process writes markers that only SurfaceFlinger writes; called once. */
	void (*forgery)(struct pipeline *p, const struct trace_record *record);
	struct frame_queue *queue;
	void (*frame)(struct frame_queue *q, const struct frame *frame); /* before its present */
	/* Events may be missing between the frames so far and the next ones. */
	void (*hole)(struct frame_queue *q);
	/* A loss may have hidden events of SurfaceFlinger after @from_ns; @at_rest: see sf_runs.h;
	 * @torn: a composition's first present may be missing, and there are others. */
	void (*hidden)(struct frame_queue *q, uint64_t from_ns, bool at_rest, bool torn);
	/* Frees an entry if the table of layers is full. Returns 0; < 0: impossible. @early: even
	 * if frames must be counted early for it. */
	int (*evict)(struct frame_queue *q, bool early);
	/* The layer gets another Surface: its row ends. */
	void (*close_row)(struct frame_queue *q, struct layer *layer);
	struct producers *producers;
	/* A producer queued a buffer of @layer, as @record shows; @process: the one whose frames
	 * the layer shows, or TRACE_ID_UNKNOWN; @direct: itself, without a transaction. */
	void (*queued)(struct producers *producers, struct layer *layer, int32_t process,
		       const struct trace_record *record, bool direct);
};

struct layer_events {
	/* Set by the owner; the pointers are borrowed. */
	const struct ruleset *rules;
	const char *const *include, *const *exclude; /* see struct pipeline_options */
	struct layer_table *layers;
	const struct surfaceflinger *sf;
	struct app_work *work;
	const struct attribution_sink *sink;

	/* The owner initializes the list, and counts the presents: it has the latches of the next.
	 */
	struct latch_list latches;
	uint64_t presents;	 /* of SurfaceFlinger so far */
	uint64_t lost_ns;	 /* begin of the latest loss */
	uint64_t resets;	 /* how often queues and counters became invalid */
	uint64_t sure_latches;	 /* found by rules without 'fallback' */
	uint64_t dropped_frames; /* buffers that were replaced before they were latched */
	uint64_t refused_frames; /* of layers that did not fit into the table */
};

/* The layer of that name, which is added if it is new. NULL if the rules ignore it or there is no
 * space. */
struct layer *layer_events_layer(struct layer_events *e, struct span name);

/* Processes @record. @rule matches it and names a layer. */
void layer_event(struct layer_events *e, const struct rule *rule,
		 const struct pattern_capture *capture, const struct trace_record *record);

/* Events are missing after @time_ns: queues and last values of counters become invalid. */
void layer_events_reset(struct layer_events *e, uint64_t time_ns);

/* The same, and latches. */
static inline void layer_events_forget(struct layer_events *e, uint64_t time_ns)
{
	latches_forget_until(&e->latches, UINT64_MAX);
	layer_events_reset(e, time_ns);
}

/* Events of one CPU are missing after @from_ns, but none of SurfaceFlinger: what shows that an app
 * was at work may be incomplete, and what is latched after that may have been queued after it. */
void layer_events_lost(struct layer_events *e, uint64_t from_ns);

/* Another thread, @tid, presents from @time_ns on: latches of other threads, queues and counters
 * become invalid. */
void layer_events_change_thread(struct layer_events *e, int32_t tid, uint64_t time_ns);

/* Changes the rules, and the Surfaces of the layers by the new ones. */
void layer_events_set_rules(struct layer_events *e, const struct ruleset *rules);

#endif

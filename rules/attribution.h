/* SPDX-License-Identifier: Apache-2.0 */
/* Records to frames: which layers did SurfaceFlinger latch before each present? See attribute.c. */
#ifndef JANKD_RULES_ATTRIBUTION_H
#define JANKD_RULES_ATTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"
#include "rules/candidate.h"
#include "rules/layer_event.h"
#include "rules/row.h"
#include "rules/ruleset_tables.h"
#include "rules/surfaceflinger.h"
#include "rules/slice_stack.h"

/* A layer's frame: its buffer was latched before this present. */
struct frame {
	int layer;
	bool tx; /* the present also applied a transaction of the layer */
	uint64_t present_ns;
	uint64_t queued_ns; /* 0: not seen */
	uint64_t latched_ns;
	int64_t number; /* the buffer's, or -1 */
};

/* Where the findings go. */
struct attribution_sink {
	void *context;
	void (*tick)(void *context, const struct trace_record *record, unsigned int rank,
		     bool hardware);
	/* Its name ends in the display's id; right to @error_ns. */
	void (*period)(void *context, const struct trace_record *record, uint64_t period_ns,
		       uint64_t error_ns);
	void (*target)(void *context, uint64_t time_ns);	 /* a vsync is foretold for then */
	void (*frame)(void *context, const struct frame *frame); /* before its present */
	void (*present)(void *context, uint64_t present_ns);
	void (*counter)(void *context, const struct trace_record *record); /* SurfaceFlinger's */
	void (*surfaceflinger)(void *context, uint64_t time_ns, bool another);
	/* Another process writes what only SurfaceFlinger does: the first time. */
	void (*forgery)(void *context, const struct trace_record *record);
	void (*hole)(void *context); /* between the frames before and those to come */
	/* See struct layer_events. */
	int (*evict)(void *context, bool early);
	void (*layer)(void *context, struct layer *layer); /* it is new */
};

struct attribution {
	const struct ruleset *rules;
	struct attribution_sink sink;
	struct layer_events layer_events;
	struct slice_stacks threads;
	struct surfaceflinger sf;
	struct surfaceflinger
		before;		    /* who was it before; known while it may only have been idle */
	struct candidate candidate; /* who may be it next */
	int32_t tick_pid;	    /* who wrote the last tick, as its marker says */
	int32_t tick_tgid;	    /* the same as the kernel says */
	uint64_t unattributed_presents; /* with no layer's frame in them */
	uint64_t foreign_presents;	/* of processes that are not SurfaceFlinger */
	uint64_t foreign_ticks;		/* the same of ticks, where the writer is known */
	uint64_t foreign_latches;	/* and of what it says of buffers */
	bool forgery_reported;		/* that there are such, where the writer is known */
	uint64_t restarts;		/* another process took over */
	uint64_t frames;
};

/* @rules and @layers are borrowed. Returns 0 or -ENOMEM; attribution_free() is due in any case. */
int attribution_init(struct attribution *a, const struct ruleset *rules, unsigned int max_threads,
		     struct layer_table *layers, const struct attribution_sink *sink);
void attribution_free(struct attribution *a);

/* Takes the next record. */
void attribution_record(struct attribution *a, const struct trace_record *record);

/* Did SurfaceFlinger write the last tick? */
bool attribution_ticks_are_its(const struct attribution *a);

/* Events may be missing, or the clock stepped: what is open says nothing any more, nor do latches
 * that wait for a present, which may be gone, and counters. */
void attribution_forget_open(struct attribution *a);

/* The same, and times that come have nothing to do with those before. */
void attribution_new_clock(struct attribution *a);

/* No record follows: decides what could not be decided before. */
void attribution_end(struct attribution *a);

/* Takes other rules: decisions of the old ones are made anew. A layer is renamed by the owner. */
void attribution_set_rules(struct attribution *a, const struct ruleset *rules);

#endif

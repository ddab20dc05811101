/* SPDX-License-Identifier: Apache-2.0 */
/* Frames wait until their vsyncs are known, then they are counted into rows.
 *
 * Only the ticks after a frame show the display's period at its present. So a frame waits 400 ms of
 * trace time; 600 ms while the lattice is new; up to 1.5 s while the period is uncertain. The first
 * frames wait up to 2 s for the lattice to be locked.
 *
 * Then it is placed on the lattice and gets its buffer. In a recorded trace it may wait on for CPUs
 * that are silent, as the kernel reports a loss with the CPU's next event: in the 10 s after a loss
 * up to 3 s after its present, in those after a counter shows that an event is missing up to 6.5 s.
 * It does not when half of the queue is full, when what is known of it would be forgotten, or with
 * snapshots.
 */
#ifndef JANKD_RULES_FRAME_QUEUE_H
#define JANKD_RULES_FRAME_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/base/rate_limit.h"
#include "rules/beside/choreographer.h"
#include "rules/beside/present_fence.h"
#include "rules/count/frame_series.h"
#include "rules/count/late.h"
#include "rules/count/options.h"
#include "rules/count/recent_events.h"
#include "rules/count/summary.h"
#include "rules/count/trigger.h"
#include "rules/frames/attribution.h"
#include "rules/frames/front_app.h"
#include "rules/frames/layer_table.h"
#include "rules/stream/events.h"
#include "rules/stream/marks.h"
#include "rules/stream/trace_clock.h"
#include "rules/vsync/vsync.h"
#include "rules/why/cause.h"
#include "rules/why/producer.h"

/* The frames and presents of 600 ms with 12 layers at 240 Hz. */
#define FRAME_QUEUE_MAX 1920

struct waiting_frame {
	struct frame frame; /* layer LAYER_NONE: the present itself, which follows its frames */
	struct loss_context loss_context;
	uint32_t composition; /* its number */
	/* So many there were when it was added. */
	uint32_t misses;
	fence_id fence;
	uint64_t callbacks, events;
	bool in_front; /* another app is in front with it, as far as is read */
};

/* What is known of a frame when its vsyncs are. */
struct placed_frame {
	struct vsync_stamp stamp;
	struct gpu_work work;
};

/* What is counted of a layer. */
struct layer_count {
	uint64_t layer;	       /* layer.id: an entry of the table gets one after the other */
	unsigned int surfaces; /* layer.surfaces: with another Surface it has another entry */
	struct summary_surface *entry; /* of its Surface, or NULL */
	struct frame_series series;
	struct late_series late;
};

struct frame_queue {
	struct pipeline_options options;
	struct event_writer *events; /* of the owner; it has the sink of all rows */
	struct app_work *work;	     /* the same */
	struct recent_events *log;   /* the events before a drop, for its row; or NULL */
	struct producers *producers; /* of the owner: fences */
	const struct choreographer *choreographer; /* of the owner */
	const struct trace_clock *clock;	   /* the same */
	struct trigger_state trigger;
	struct vsync_lattice vsync;
	struct present_lattice fences; /* used instead with options.is_fences */
	uint64_t refresh_period_ns;    /* of the last refresh event; 0: none */
	uint32_t switches;	       /* of the refresh rate, up to the last frame */
	uint64_t switched_ns;	       /* the first frame after the last one; 0: none */
	bool refresh_is_guess;	       /* the period of that event is a guess */
	uint8_t refresh_step;	       /* of that event */
	bool overruled_reported;       /* an event reported that the trace overrules --vsync-ms */
	bool locked_once; /* the lattice was locked, or the queue waited long enough for it */
	uint64_t early_until_ns; /* the lattice is new until then */
	uint64_t last_check_ns;	 /* 0: none yet */
	uint64_t last_idle_check_ns;
	uint64_t last_present_ns;
	/* Not reached yet: each closes the rows that are open then, and an interval that spans it
	 * belongs to the row after it. */
	struct marks marks;
	uint64_t moved;			     /* presents earlier than the previous one */
	uint64_t moved_from_ns, moved_to_ns; /* its old and new time, of the last one; 0: none */
	struct rate_limit moved_limit;	     /* of the events that report them */
	struct loss loss;		     /* so far */
	bool loss_pending;	   /* frames that are added now are in a hole: set by the owner */
	bool loss_ahead;	   /* the same; its record is not read yet */
	uint64_t lost_until_ns;	   /* time of the last loss; 0: none */
	uint64_t lost_at_begin_ns; /* the same of a CPU without an event before it */
	uint64_t now_ns, losses;   /* at the last settle: its time, and the sum of loss */
	uint64_t behind_ns;	   /* no layer's behind_ns is later */
	uint64_t silence_ns;	   /* end of the last hole without any event; 0: none */
	uint64_t hole_from_ns;	   /* the last hole without a record begins there */
	struct loss before_hole;   /* loss, without that hole */
	uint32_t chain_idle;	   /* loss.idle_count of the last present that was counted */
	uint32_t unproven; /* idle holes between presents that are not of consecutive vsyncs */
	uint64_t stale;	   /* frames not counted: they span a hole */
	uint64_t excluded_frames; /* of layers that are not counted */
	uint64_t layers_evicted;
	uint64_t counted_early; /* frames that were counted without waiting */
	struct front_app front_app;
	int read_front; /* layer of the app in front by the frames that are read, or LAYER_NONE */
	/* The app in front has no stall without an end before that time, unless it changes. */
	uint64_t endless_ns;
	unsigned int endless_app; /* front_app.changes at that time */
	uint64_t settled_ns;	  /* see pipeline_settled() */
	uint64_t counted_ns;	  /* the last present that was counted; 0: none */
	unsigned int first;
	unsigned int n;
	unsigned int high_water; /* of n */
	struct waiting_frame waiting[FRAME_QUEUE_MAX];
	/* Of the first n_placed ones, which wait only for the report of a loss: none of a live
	 * trace, whose process never touches this memory. */
	unsigned int n_placed;
	struct placed_frame *placed; /* [FRAME_QUEUE_MAX] */
	struct chunk_store store;
	struct layer_table layers;
	struct layer_count *counts; /* of layers.layers[i] */
	struct summary summary;
};

/* @q: all zeros, with options, events and log set. */
void frame_queue_init(struct frame_queue *q, struct memory *memory);

/* Add a frame to the queue, and the present after all its frames. Times must not go back. The way
 * of the frame continues in frame_queue_settle(), when its wait is over. */
void frame_queue_add(struct frame_queue *q, const struct frame *frame);
void frame_queue_add_present(struct frame_queue *q, uint64_t present_ns);

/* Adds the frame of a present fence to its layer's frames, instead of frame_queue_add(). */
void frame_queue_add_fence(struct frame_queue *q, int layer, const struct present_fence *fence);

/* Events may be missing between @from_ns, which may be among the waiting frames, and the next
 * record. @lost: their known number, without the hole itself. */
void frame_queue_hole(struct frame_queue *q, uint64_t from_ns, struct loss lost);

/* A hole since the last present, without a loss. */
static inline void frame_queue_break(struct frame_queue *q)
{
	frame_queue_hole(q, q->last_present_ns, (struct loss){ 0 });
}

/* Events of one CPU are missing, from @from_ns to @until_ns. Which frames that may have hidden is
 * shown by frame_queue_hidden(). */
void frame_queue_lost(struct frame_queue *q, uint64_t from_ns, uint64_t until_ns, struct loss lost);

/* Events of SurfaceFlinger may be missing between @from_ns and its next one. @at_rest: only whole
 * compositions. @torn: so may its first present after that. */
void frame_queue_hidden(struct frame_queue *q, uint64_t from_ns, bool at_rest, bool torn);

/* The trace has reached @now_ns: counts the frames that have waited long enough into rows, and
 * closes idle rows. */
void frame_queue_settle(struct frame_queue *q, uint64_t now_ns);

/* Frees an entry of the full table: evicts the layer that has been idle longest. @early: if all
 * layers have waiting frames, the oldest of these are counted early. Returns 0, or -ENOSPC: all
 * layers are in use. */
int frame_queue_evict_layer(struct frame_queue *q, bool early);

/* The layer gets another Surface: its row ends. */
void frame_queue_close_row(struct frame_queue *q, struct layer *layer);

/* Another SurfaceFlinger follows: counts all frames, leaves the rows open. */
void frame_queue_count(struct frame_queue *q);

/* Another clock follows: counts all frames and closes the rows. */
void frame_queue_new_clock(struct frame_queue *q);

/* The trace ends at @now_ns: counts all frames and closes all rows. */
void frame_queue_end(struct frame_queue *q, uint64_t now_ns);

/* See pipeline_summary(). */
void frame_queue_summary(struct frame_queue *q, uint64_t now_ns, void *context,
			 void (*row)(void *context, const struct summary_row *row));

#endif

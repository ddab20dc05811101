/* SPDX-License-Identifier: Apache-2.0 */
/* Frames wait until their vsyncs can be told, then they are counted into rows.
 *
 * Only the ticks behind a frame tell what the display's period was when it was presented, so a
 * frame waits 400 ms of trace time; at the begin of a trace, for the lattice and 600 ms.
 */
#ifndef JANKD_RULES_FRAME_QUEUE_H
#define JANKD_RULES_FRAME_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/attribution.h"
#include "rules/recent_events.h"
#include "rules/events.h"
#include "rules/front.h"
#include "rules/trigger_state.h"
#include "rules/late.h"
#include "rules/layer_table.h"
#include "rules/marks.h"
#include "rules/pipeline_options.h"
#include "rules/summary.h"
#include "rules/vsync.h"

/* 600 ms of 12 layers at 240 Hz, and twice as much. */
#define FRAME_QUEUE_MAX 4096

struct waiting_frame {
	struct frame frame; /* its layer is LAYER_NONE: the present itself, behind its frames */
	struct loss_context loss_context;
};

struct frame_queue {
	struct pipeline_options options;
	struct row_sink sink;
	struct event_writer *events; /* of the owner */
	struct recent_events *log;   /* what drop rows tell of the time before them, or NULL */
	struct trigger_state trigger;
	struct late_state late;
	struct vsync_lattice vsync;
	uint64_t refresh_period_ns; /* of the last refresh event, 0: there was none */
	bool refresh_is_guess;	    /* it was said to be a guess */
	bool overruled_reported;    /* the trace says another period than the user: said once */
	bool locked_once;	    /* or waited long enough for it */
	uint64_t early_until_ns;    /* the lattice is new until then */
	bool checked;		    /* there was a present */
	uint64_t last_check_ns;
	uint64_t last_idle_check_ns;
	uint64_t last_present_ns;
	struct marks marks;		     /* that close the open rows when they are passed */
	uint64_t moved;			     /* presents that came before the one before them */
	uint64_t moved_from_ns, moved_to_ns; /* of the last of them, 0: none */
	uint64_t next_moved_report_ns;	     /* when to tell of the next */
	struct loss loss;		     /* so far */
	bool loss_pending;		     /* frames that come now are in a hole */
	uint64_t stale;			     /* frames that were none: of a hole, or back in time */
	uint64_t hidden_frames;		     /* of layers that are not to be counted */
	uint64_t layers_evicted;
	uint64_t counted_early; /* frames that were counted before the vsyncs behind them were seen
				 */
	struct front front;
	uint64_t settled_ns; /* see frame_queue_settled_ns() */
	uint64_t counted_ns; /* the last present that was counted */
	unsigned int first;
	unsigned int n;
	unsigned int high_water; /* of n */
	struct waiting_frame waiting[FRAME_QUEUE_MAX];
	struct chunk_store store;
	struct layer_table layers;
	struct summary summary;
};

/* @q: all zeros, with options, sink, events and log set. Returns 0 or -ENOMEM;
 * frame_queue_free() is due in any case. */
int frame_queue_init(struct frame_queue *q);
void frame_queue_free(struct frame_queue *q);

/* A layer is new: is it one that options.include and options.exclude leave? Before it has a frame.
 */
void frame_queue_choose(const struct frame_queue *q, struct layer *layer);

/* A frame, and behind all of its present the present itself. Times may not go back. */
void frame_queue_add(struct frame_queue *q, const struct frame *frame);
void frame_queue_add_present(struct frame_queue *q, uint64_t present_ns);

/* Events may be missing behind @from_ns, where frames that wait may be, up to what comes next.
 * @lost: what is known of them, less the holes. */
void frame_queue_hole(struct frame_queue *q, uint64_t from_ns, struct loss lost);

/* It is @now_ns in the trace: counts what has waited long enough, closes rows that are idle. */
void frame_queue_settle(struct frame_queue *q, uint64_t now_ns);

/* Everything was counted up to this time: nothing that is told from now on happened before, but for
 * a refresh rate that began in a stretch without frames. */
uint64_t frame_queue_settled_ns(const struct frame_queue *q);

/* Makes room for another layer in the full table: the layer that has been idle longest is evicted.
 * @early: where all of them have frames that wait, the oldest frames are counted now. Returns 0, or
 * -ENOSPC: all layers are in use. */
int frame_queue_evict_layer(struct frame_queue *q, bool early);

/* Drops the frames from @from_ns on: they were none. @last_ns: the last present that was one. */
void frame_queue_drop(struct frame_queue *q, uint64_t from_ns, uint64_t last_ns);

/* The moment @time_ns is marked: the rows that are open then are closed, and what spans it
 * belongs to the row after it. False: there are too many that wait. */
bool frame_queue_mark(struct frame_queue *q, uint64_t time_ns);

/* The same for one that an app wrote into the trace: false, too, where another closed rows less
 * than a second before. */
bool frame_queue_mark_of_app(struct frame_queue *q, uint64_t time_ns);

/* The rules give the layer another Surface. */
void frame_queue_rename(struct frame_queue *q, struct layer *layer, struct span surface);

/* What comes is of another display: counts what is there, leaves its rows open. */
void frame_queue_count(struct frame_queue *q);

/* The clock went back: counts what is there; what comes has nothing to do with it. */
void frame_queue_new_clock(struct frame_queue *q);

/* The trace ends: counts what is there and closes all rows. */
void frame_queue_end(struct frame_queue *q);

/* See pipeline_summary(). */
void frame_queue_summary(struct frame_queue *q, void *context,
			 void (*row)(void *context, const struct summary_row *row));

#endif

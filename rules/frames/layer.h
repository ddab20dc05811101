/* SPDX-License-Identifier: Apache-2.0 */
/* One layer of SurfaceFlinger: its names, its buffer queue, its last frame. */
#ifndef JANKD_RULES_FRAMES_LAYER_H
#define JANKD_RULES_FRAMES_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/language/surface.h"
#include "rules/threads/app_work.h"

/* Queue times that are kept for a layer: no BufferQueue holds more buffers. */
#define LAYER_QUEUE_MAX 8

/* The last value of a counter. */
struct last_value {
	bool known;
	int64_t value;
};

/* Work of a process up to a moment, see work_sum() and work_long_sum(). */
struct work_sums {
	uint64_t all_ns, long_ns;
};

/* What a layer keeps for stall.h, since its last frame. */
struct stall_evidence {
	struct work_owner owner;
	uint64_t from_ns;	   /* its last frame; 0: none */
	struct work_sums at_frame; /* of its process */
	uint64_t frames;	   /* the same */
	/* Time in which a buffer was queued while the process was not at work, without the time
	 * since queued_ns; and the work of an earlier process of the layer. */
	struct work_sums queued_only;
	uint64_t queued_all_ns; /* time in which a buffer was queued, whatever the process did */
	uint64_t queued_ns;	/* a buffer is in the queue since then; 0: none is */
	struct work_sums at_queued; /* of the process at that time */
	uint64_t losses; /* app_work.losses at its last frame; another one: events are missing */
	bool reported;	 /* as a stall that no frame has ended */
};

/* A stall that no frame has ended. */
struct endless_stall {
	uint64_t length_ns; /* 0: there is none */
	/* Its app alone is to blame: in most of the stall a doFrame was open, and is since so long,
	 * and the app waits for nothing that the trace shows. 0: that is not known. */
	uint64_t doframe_ns;
};

/* What it keeps for stall.h: how steadily it draws. */
struct pause_state {
	int64_t vsyncs; /* the cadence */
	unsigned int n; /* frames at the cadence, less 10 for each other one */
	int64_t before; /* cadence before the last wait, which may be a pause; 0: none may be */
	uint64_t wait_ns;
};

/* The way of a frame that was counted, for the cause of the one after it; 0: unknown. */
struct frame_way {
	uint64_t latched_ns;
	uint64_t planned_ns;  /* the vsync that was to show it */
	uint64_t expected_ns; /* the one that its app drew it for */
	uint64_t woken_ns;    /* the one that its app may have followed; 0 also if it was late */
	uint64_t done_ns;     /* the end of the GPU's work */
	int64_t gpu_ns;	      /* how long that took, or ROW_UNKNOWN */
};

struct layer {
	size_t length; /* of the whole name, even if it was cut; 0: unused entry */
	uint64_t id;   /* unique in this capture */
	int next;      /* of an unused entry: in the list of these */
	char *name;    /* see struct long_names; the table has their memory */
	char *surface; /* the same */
	char short_name[SHORT_NAME_SIZE], short_surface[SHORT_NAME_SIZE];
	uint64_t surface_hash; /* of the whole Surface, even if it was cut */
	size_t surface_length; /* the same */
	unsigned int surfaces; /* so many it had, one after the other */
	char app[APP_SIZE]; /* the package in its name, else the app in front at its last frame */
	bool has_app;	    /* its name contains the package */
	bool is_activity;
	bool is_window; /* of an activity: its main window, a SurfaceView or a pop-up */
	bool is_view;	/* a SurfaceView, as far as its name tells */
	bool ignored;	/* according to the rules it is no layer */
	bool bare;	/* a counter's name without its bar, until another event confirms it */
	bool excluded;	/* by --include or --exclude: not counted, no rows */

	/* Its buffers, set by layer_event.c and buffers.c. */
	uint64_t resets; /* layer_events.resets at its last event: older values are invalid */
	struct last_value buffers;
	unsigned int in_turn; /* so many events of that counter, see layers_turn() */
	struct last_value transactions;
	uint64_t queued_ns[LAYER_QUEUE_MAX]; /* of the newest buffers in its queue, oldest first */
	unsigned int n_queued;
	bool sure;		 /* an event showed that it is a layer, wherever it was written */
	uint64_t doubted;	 /* app_work.losses when the queue times were last doubted */
	uint64_t left_queued_ns; /* queue time of the buffer that left the queue last, 0: unknown */
	uint64_t overtaken;   /* buffers that were dropped since the last latch, up to Android 11 */
	uint64_t replaced_ns; /* queue time of its first buffer since the last frame that was
				 replaced before its latch; 0: none, or unknown */
	uint64_t left_present; /* number of the present after that; 0: used already */
	uint64_t producer;     /* who queues its buffers, see producer.c; 0: unknown */
	unsigned int producer_votes;
	unsigned int producer_events; /* its buffers so far, of which few are counted */
	bool producer_is_sure;	      /* it had VOTES_ENOUGH */
	uint32_t producer_losses;     /* producers.losses at the last one */
	uint64_t buffer_ns; /* when its producer began to queue the buffer of the last frame */
	uint64_t applied_present; /* number of the present after its last transaction was applied */

	struct stall_evidence evidence; /* set by stall.c */
	struct pause_state pause;	/* set by stall.c */

	/* Its frames, set by frame_queue.c. */
	uint64_t drawn_ns;  /* its last frame, counted or not */
	uint64_t behind_ns; /* then a frame showed another app in front; 0: none, or unknown */
	struct endless_stall behind_stall; /* that it was in at that time */
	struct frame_way way;		   /* of its last counted frame */
	uint64_t undrawn_ns;  /* how long after the latch its GPU work ended in frames in time: the
				 longest, which decays with each frame that takes less */
	unsigned int waiting; /* latches and frames that are not counted yet; they keep it in the
				 table */
	bool shown;	      /* it had a frame */
};

/* The package in its name, or SPAN_NULL. Unlike the app in front it does not change. */
static inline struct span layer_app(const struct layer *layer)
{
	return layer->has_app ? span_of(layer->app) : SPAN_NULL;
}

/* The process whose frames it shows, or NULL. @owner: its evidence.owner, or a copy of that. */
static inline struct work_process *layer_process(const struct layer *layer, struct app_work *work,
						 struct work_owner *owner)
{
	return app_work_process_of(work, owner, span_of(layer->name), layer_app(layer));
}

#endif

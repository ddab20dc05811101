/* SPDX-License-Identifier: Apache-2.0 */
/* One layer of SurfaceFlinger: its names, its buffer queue, its series of frames. */
#ifndef JANKD_RULES_LAYER_H
#define JANKD_RULES_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/frame_series.h"
#include "rules/surface.h"

/* Buffers of one layer that wait to be latched: BufferQueues hold no more. */
#define LAYER_QUEUE_MAX 8

/* The last value of a counter. */
struct last_value {
	bool known;
	int64_t value;
};

struct layer {
	uint64_t hash;
	size_t length; /* of the whole name: it may have been cut; 0 = unused entry */
	uint64_t id;   /* no other layer has had it */
	int next;      /* in its bucket */
	char name[NAME_SIZE];
	char surface[NAME_SIZE];
	uint64_t surface_hash; /* of the whole, as surface may have been cut */
	size_t surface_length; /* of the whole, too */
	char app[APP_SIZE];    /* the package in its name, or that in front at its last frame */
	bool has_app;	       /* its name has the package */
	bool is_activity;
	bool is_window;	   /* of an activity: that itself, a SurfaceView in it, a pop-up of it */
	bool ignored;	   /* the rules say that it is no layer */
	bool bare;	   /* its name is a counter's without the bar in it: a guess */
	bool hidden;	   /* --include, --exclude: not counted, and of no row */
	uint64_t last_use; /* number of the last evidence of any kind */
	uint64_t refusals; /* of the table, when it went */

	/* What attribution knows of its buffers. */
	uint64_t resets; /* attribution.healed when it was heard of last: older says nothing */
	struct last_value buffers;
	struct last_value transactions;
	uint64_t queued_ns[LAYER_QUEUE_MAX]; /* of the newest in its queue, oldest first */
	unsigned int n_queued;
	uint64_t left_queued_ns;  /* when the one that left last was queued, 0: unknown */
	uint64_t left_present;	  /* number of the present that it left before; 0: told already */
	uint64_t applied_present; /* number of the present that a transaction was applied before */

	/* What is counted of its frames. */
	uint64_t drawn_ns;    /* its last frame of all, counted or not */
	unsigned int waiting; /* latches and frames not in its window yet: it cannot go */
	bool shown;	      /* it had a frame */
	int surface_number;   /* its Surface's in the summary, or SUMMARY_NONE */
	struct frame_series series;
};

/* What the name alone says of a layer. */
void layer_set_name(struct layer *layer, struct span name);

/* Is it the layer of that name? */
static inline bool layer_is(const struct layer *layer, uint64_t hash, struct span name)
{
	return layer->hash == hash && layer->length == name.len &&
	       name_is(layer->name, sizeof(layer->name), name);
}

/* Gives the layer another Surface than its name says. */
void layer_set_surface(struct layer *layer, struct span surface);
struct name_key layer_surface(const struct layer *layer);

#endif

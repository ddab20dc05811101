/* SPDX-License-Identifier: Apache-2.0 */
/* The bounded table of layers: the one place where names that live on are copied to.
 *
 * A layer is known by its whole name, number and all: that is its identity in every version, as
 * far as SurfaceFlinger gives it one. Where the table is full, a layer that never had a frame
 * goes first, then the one that has been idle longest: that one is spilled, and comes back.
 */
#ifndef JANKD_RULES_LAYER_H
#define JANKD_RULES_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/layer_spill.h"
#include "rules/summary.h"
#include "rules/surface.h"
#include "rules/frame_series.h"

#define LAYER_BUCKETS 1024
#define LAYER_REFUSED 512
#define LAYER_NONE (-1)

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
	uint64_t taken_ns;	  /* when the one that left last was queued, 0: unknown */
	uint64_t taken_present;	  /* number of the present that it left before; 0: told already */
	uint64_t applied_present; /* number of the present that a transaction was applied before */

	/* What is counted of its frames. */
	uint64_t drawn_ns;    /* its last frame of all, counted or not */
	unsigned int waiting; /* latches and frames not in its window yet: it cannot go */
	bool shown;	      /* it had a frame */
	int surface_number;   /* its Surface's in the summary, or SUMMARY_NONE */
	struct frame_series series;
};

/* What there was no room for, of layers that share an entry by their hash. */
struct layer_refusal {
	uint64_t event;	  /* number of the last event of any kind */
	uint64_t frame;	  /* the same of a frame, and */
	uint64_t hash;	  /* whose that was, */
	uint64_t present; /* in which present */
};

struct layer_table {
	struct layer *layers;
	int max;
	int n;
	uint64_t uses;	   /* evidence of any layer so far */
	uint64_t added;	   /* layers so far */
	uint64_t refusals; /* times that there was no room for one */
	struct layer_refusal refused[LAYER_REFUSED];
	struct layer_spill spill;
	int buckets[LAYER_BUCKETS];
};

/* @max: how many there are room for; @spill: for those that had to go, NULL: there is none. Returns
 * 0 or -ENOMEM; layers_free() is due in any case. */
int layers_init(struct layer_table *table, unsigned int max, const struct spill *spill);
void layers_free(struct layer_table *table);

/* The layer of that name, or LAYER_NONE. */
int layers_find(const struct layer_table *table, struct span name);

/**
 * layers_victim() - who has to go before another layer can come
 *
 * Returns LAYER_NONE where there is room; -ENOSPC where all are in use.
 */
int layers_victim(const struct layer_table *table);

/* What the name alone says of a layer. */
void layer_set_name(struct layer *layer, struct span name);

/* Is it the layer of that name? */
bool layer_is(const struct layer *layer, uint64_t hash, struct span name);

/* Takes the layer out of the table; there must be no row in its window. If it had a frame it is
 * spilled. */
void layers_remove(struct layer_table *table, int id);

/* Adds a layer that is not there; there must be room. Name, surface and app are set, or all is as
 * it was when it went. */
int layers_add(struct layer_table *table, struct span name);

/* There is no room for an event of the layer of that name. When the layer is back, nothing that was
 * known of its buffers holds. */
void layers_refuse(struct layer_table *table, struct span name);

/* That event told of a latch for the present of that number. When the layer is back, no interval
 * spans the frame that is missing. Returns false where an event before has told of it. */
bool layers_refuse_frame(struct layer_table *table, struct span name, uint64_t present);

/* Its name is @name: the one that it was added with was a guess. */
void layers_rename(struct layer_table *table, int id, struct span name);

/* Gives the layer another Surface than its name says. */
void layer_set_surface(struct layer *layer, struct span surface);
struct name_key layer_surface(const struct layer *layer);

/* There was evidence of it: it is not idle. */
void layers_use(struct layer_table *table, struct layer *layer);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The bounded table of layers: the one place where names that live on are copied to.
 *
 * A layer is known by its whole name, number and all: that is its identity in every version, as
 * far as SurfaceFlinger gives it one. Where the table is full, a layer that never had a frame
 * goes first, then the one that has been idle longest: that one is spilled, and comes back.
 */
#ifndef JANKD_RULES_LAYER_TABLE_H
#define JANKD_RULES_LAYER_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/layer_table.h"
#include "rules/layer_spill.h"

#define LAYER_BUCKETS 1024
#define LAYER_REFUSED 512
#define LAYER_NONE (-1)

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
 * layers_to_evict() - who has to go before another layer can come
 *
 * Returns LAYER_NONE where there is room; -ENOSPC where all are in use.
 */
int layers_to_evict(const struct layer_table *table);

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

/* There was evidence of it: it is not idle. */
void layers_use(struct layer_table *table, struct layer *layer);

#endif

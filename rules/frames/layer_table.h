/* SPDX-License-Identifier: Apache-2.0 */
/* The table of layers, of fixed size.
 *
 * A layer is identified by its whole name, with its number: no version of SurfaceFlinger has a
 * better identity in the trace. The table has space for all layers of most captures, and an entry
 * is not touched before it is used. If it is full, a layer that never had a frame is evicted first,
 * then the one that has been idle longest: if that comes back, its series begins anew.
 */
#ifndef JANKD_RULES_FRAMES_LAYER_TABLE_H
#define JANKD_RULES_FRAMES_LAYER_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/base/hash_index.h"
#include "rules/frames/layer.h"

#define LAYER_REFUSED 512
#define LAYER_NONE HASH_INDEX_END
#define LAYER_APPS 1024 /* lists of layers by their app: a list has those of several apps */

/* The last frame that was refused, of all layers whose hash leads to this entry. */
struct layer_refusal {
	uint64_t hash;	  /* of its layer's name */
	uint64_t present; /* the number of its present */
};

struct layer_table {
	struct layer *layers;
	/* Lists that go round; their ends are behind the entries of the layers. Those of uses[] are
	 * in the order of the last events of any kind: of layers without a frame, which are evicted
	 * first, and of the others. Those of apps[] are in the order in which layers were added. */
	struct layer_link {
		int before, after;
	} * uses, *apps;
	int max;
	int used;	   /* entries that were ever in use: the first ones */
	int first_free;	   /* of these, or LAYER_NONE */
	uint64_t added;	   /* layers so far */
	uint64_t refusals; /* events refused so far, as there was no space for their layer */
	struct layer_refusal refused[LAYER_REFUSED];
	uint64_t missing_ns; /* the last event that shows that one before it is missing; 0: none */
	struct long_names names;
	struct hash_index index; /* by the hashes of their names */
};

/* A counter changes, and its values come in turn. One that does not after many that did shows that
 * an event is missing. @n: so many values before were in turn. */
#define TURNS_LEAST 8
static inline void layers_turn(struct layer_table *table, unsigned int *n, bool in_turn,
			       uint64_t time_ns)
{
	if (!in_turn && *n >= TURNS_LEAST)
		table->missing_ns = time_ns;
	*n = in_turn ? *n + 1 : 0;
}

/* @max: number of entries. */
void layers_init(struct layer_table *table, unsigned int max, struct memory *memory);

/* The number of the layer of that name, or LAYER_NONE. */
int layers_find(const struct layer_table *table, struct span name);

/**
 * layers_to_evict() - which layer has to be evicted before another one can be added
 *
 * Returns its number; LAYER_NONE if there is space; -ENOSPC if all are in use.
 */
int layers_to_evict(struct layer_table *table);

/* Removes the layer from the table; its row must be closed. */
void layers_remove(struct layer_table *table, int id);

/* Adds a layer that is not in the table, which must have space: without its Surface. Returns
 * its number. */
int layers_add(struct layer_table *table, struct span name);

/* There was no space for the layer of that name, which had a latch for the present with that
 * number. Returns false if an event of the same frame was recorded before. */
bool layers_refuse_frame(struct layer_table *table, struct span name, uint64_t present);

/* Corrects the name of a layer that was added under an assumed one. */
void layers_rename(struct layer_table *table, int id, struct span name);

/* The layer after @layer, or the first one; NULL: there are no more. */
struct layer *layers_next(const struct layer_table *table, const struct layer *layer);

/* The same without most of those of other apps, in the order in which they were added; if @app is
 * empty, of all. */
struct layer *layers_next_of(const struct layer_table *table, const char *app,
			     const struct layer *layer);

/* The layer gets another Surface; or its first one, with its name. */
void layers_set_surface(struct layer_table *table, struct layer *layer, struct span surface);

/* The layer had an event: it is not idle. */
void layers_use(struct layer_table *table, int id);

/* The layer had a frame. */
void layers_show(struct layer_table *table, int id);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Evicted layers, outside of memory. With its next event a layer comes back unchanged, and its
 * series continues. If there is no space, older layers are dropped. Most layers never come back, as
 * each start of an app creates new ones. */
#ifndef JANKD_RULES_LAYER_SPILL_H
#define JANKD_RULES_LAYER_SPILL_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/layer.h"
#include "rules/spill.h"

#define LAYER_SPILL_BUCKETS 1024

/* A layer as it is spilled. */
struct layer_record {
	struct layer layer; /* its pointers are invalid */
	char name[NAME_SIZE], surface[NAME_SIZE];
};

struct layer_spill {
	const struct spill *spill;   /* borrowed; NULL: there is none */
	struct layer_record *record; /* the one that is being transferred */
	uint64_t *hashes;	     /* of the layers' names, by slot */
	uint16_t *next;		     /* slot + 1 of the next layer in the bucket; 0: none */
	uint16_t *free_slots;
	unsigned int n_free;
	unsigned int next_reused;	       /* the slot to reuse if none is free */
	uint16_t buckets[LAYER_SPILL_BUCKETS]; /* slot + 1 of the first layer; 0: none */
	uint64_t forgotten;		       /* layers dropped so far */
};

/* Returns 0 or -ENOMEM. */
int layer_spill_init(struct layer_spill *spill, const struct spill *where);
void layer_spill_free(struct layer_spill *spill);

/* Saves a layer that leaves the table; its row must be closed. */
void layer_spill_save(struct layer_spill *spill, const struct layer *layer);

/* Moves the layer of that name to @layer, and its names to @names. Returns false if it is not
 * stored. */
bool layer_spill_restore(struct layer_spill *spill, uint64_t hash, struct span name,
			 struct long_names *names, struct layer *layer);

/* Drops all layers: their state is invalid. */
void layer_spill_clear(struct layer_spill *spill);

#endif

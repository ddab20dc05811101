/* SPDX-License-Identifier: Apache-2.0 */
/* Layers that had to go, as they were: with its next frame or counter each comes back, and its
 * series goes on. Of more than there is room for, one that went long ago is forgotten: most are
 * gone for good, as each start of an app makes new ones. */
#ifndef JANKD_RULES_LAYER_SPILL_H
#define JANKD_RULES_LAYER_SPILL_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/layer.h"
#include "rules/spill.h"

#define LAYER_SPILL_BUCKETS 1024

struct layer_spill {
	const struct spill *spill; /* borrowed; NULL: there is none */
	uint64_t *hashes;	   /* of the names, by slot */
	uint16_t *next;		   /* slot + 1 of the next one in the bucket; 0: none */
	uint16_t *free_slots;
	unsigned int n_free;
	unsigned int hand;		       /* the slot that is taken where none is free */
	uint16_t buckets[LAYER_SPILL_BUCKETS]; /* slot + 1 of the first one; 0: none */
	uint64_t forgotten;		       /* layers */
};

/* Returns 0 or -ENOMEM. */
int layer_spill_init(struct layer_spill *spill, const struct spill *where);
void layer_spill_free(struct layer_spill *spill);

/* The layer goes; its window has no open row. */
void layer_spill_save(struct layer_spill *spill, const struct layer *layer);

/* Takes the layer of that name out, into @layer. Returns false where it is not there: what is in
 * @layer then is nothing. */
bool layer_spill_restore(struct layer_spill *spill, uint64_t hash, struct span name,
			 struct layer *layer);

/* What they were says nothing any more. */
void layer_spill_clear(struct layer_spill *spill);

#endif

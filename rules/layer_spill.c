/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/layer_spill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/memory.h"

int layer_spill_init(struct layer_spill *spill, const struct spill *where)
{
	*spill = (struct layer_spill){
		.spill = where,
		.record = calloc(1, sizeof(*spill->record)),
		.hashes = calloc(SPILL_LAYERS, sizeof(*spill->hashes)),
		.next = calloc(SPILL_LAYERS, sizeof(*spill->next)),
		.free_slots = memory_new(SPILL_LAYERS, sizeof(*spill->free_slots)),
	};
	if (!spill->record || !spill->hashes || !spill->next || !spill->free_slots)
		return -ENOMEM;
	layer_spill_clear(spill);
	return 0;
}

void layer_spill_free(struct layer_spill *spill)
{
	free(spill->record);
	free(spill->hashes);
	free(spill->next);
	free(spill->free_slots);
}

void layer_spill_clear(struct layer_spill *spill)
{
	memset(spill->buckets, 0, sizeof(spill->buckets));
	spill->n_free = spill->next_reused = 0;
	for (unsigned int slot = SPILL_LAYERS; slot > 0; slot--)
		spill->free_slots[spill->n_free++] = (uint16_t)(slot - 1);
}

static uint16_t *bucket_of(struct layer_spill *spill, uint64_t hash)
{
	return &spill->buckets[hash % LAYER_SPILL_BUCKETS];
}

static void unlink_slot(struct layer_spill *spill, unsigned int slot)
{
	uint16_t *link = bucket_of(spill, spill->hashes[slot]);

	while (*link != slot + 1)
		link = &spill->next[*link - 1];
	*link = spill->next[slot];
}

/* A free slot. If there is none, a layer is dropped and its slot is used. */
static unsigned int alloc_slot(struct layer_spill *spill)
{
	unsigned int slot = spill->next_reused;

	if (spill->n_free > 0)
		return spill->free_slots[--spill->n_free];
	spill->next_reused = (spill->next_reused + 1) % SPILL_LAYERS;
	unlink_slot(spill, slot);
	spill->forgotten++;
	return slot;
}

void layer_spill_save(struct layer_spill *spill, const struct layer *layer)
{
	uint16_t *bucket = bucket_of(spill, layer->hash);
	struct layer_record *record = spill->record;
	unsigned int slot;

	if (!spill->spill) {
		spill->forgotten++;
		return;
	}
	slot = alloc_slot(spill);
	record->layer = *layer;
	name_copy(record->name, sizeof(record->name), span_of(layer->name));
	name_copy(record->surface, sizeof(record->surface), span_of(layer->surface));
	if (spill->spill->write(spill->spill->context, slot * sizeof(*record), record,
				sizeof(*record)) < 0) {
		spill->forgotten++;
		spill->free_slots[spill->n_free++] = (uint16_t)slot;
		return;
	}
	spill->hashes[slot] = layer->hash;
	spill->next[slot] = *bucket;
	*bucket = (uint16_t)(slot + 1);
}

/* True: the layer of that name is in the slot, and was read into the record. */
static bool is_in(const struct layer_spill *spill, unsigned int slot, uint64_t hash,
		  struct span name)
{
	struct layer_record *record = spill->record;

	if (spill->hashes[slot] != hash ||
	    spill->spill->read(spill->spill->context, slot * sizeof(*record), record,
			       sizeof(*record)) < 0)
		return false;
	record->name[NAME_SIZE - 1] = record->surface[NAME_SIZE - 1] = '\0';
	record->layer.app[APP_SIZE - 1] = '\0';
	return record->layer.hash == hash && record->layer.length == name.len &&
	       span_starts_with(name, span_of(record->name));
}

bool layer_spill_restore(struct layer_spill *spill, uint64_t hash, struct span name,
			 struct long_names *names, struct layer *layer)
{
	for (unsigned int at = *bucket_of(spill, hash); at != 0; at = spill->next[at - 1]) {
		if (!is_in(spill, at - 1, hash, name))
			continue;
		unlink_slot(spill, at - 1);
		spill->free_slots[spill->n_free++] = (uint16_t)(at - 1);
		*layer = spill->record->layer;
		layer_copy_names(layer, names, spill->record->name, spill->record->surface);
		return true;
	}
	return false;
}

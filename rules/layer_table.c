/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/layer_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/memory.h"
#include "rules/summary.h"

static int *bucket_of(struct layer_table *table, uint64_t hash)
{
	return &table->buckets[hash % LAYER_BUCKETS];
}

int layers_init(struct layer_table *table, unsigned int max, const struct spill *spill)
{
	*table = (struct layer_table){ .layers = memory_new(max, sizeof(struct layer)),
				       .max = (int)max };
	for (unsigned int i = 0; i < LAYER_BUCKETS; i++)
		table->buckets[i] = LAYER_NONE;
	return layer_spill_init(&table->spill, spill) < 0 ||
			       long_names_init(&table->names, 2 * max) < 0 || !table->layers
		       ? -ENOMEM
		       : 0;
}

void layers_free(struct layer_table *table)
{
	layer_spill_free(&table->spill);
	long_names_free(&table->names);
	free(table->layers);
	table->layers = NULL;
}

int layers_find(const struct layer_table *table, struct span name)
{
	uint64_t hash = name_hash(name);
	int id = table->buckets[hash % LAYER_BUCKETS];

	while (id != LAYER_NONE && !layer_is(&table->layers[id], hash, name))
		id = table->layers[id].next;
	return id;
}

/* True: @a is evicted before @b. */
static bool is_evicted_before(const struct layer *a, const struct layer *b)
{
	if (a->shown != b->shown)
		return !a->shown;
	return a->last_use < b->last_use;
}

int layers_to_evict(const struct layer_table *table)
{
	int id = -ENOSPC;

	if (table->n < table->max)
		return LAYER_NONE;
	for (int i = 0; i < table->max; i++) {
		const struct layer *layer = &table->layers[i];

		if (layer->waiting > 0)
			continue;
		if (id < 0 || is_evicted_before(layer, &table->layers[id]))
			id = i;
	}
	return id;
}

static void unlink_layer(struct layer_table *table, int id)
{
	int *link = bucket_of(table, table->layers[id].hash);

	while (*link != id)
		link = &table->layers[*link].next;
	*link = table->layers[id].next;
}

void layers_remove(struct layer_table *table, int id)
{
	unlink_layer(table, id);
	table->layers[id].refusals = table->refusals;
	if (table->layers[id].shown)
		layer_spill_save(&table->spill, &table->layers[id]);
	layer_release_names(&table->layers[id], &table->names);
	table->layers[id].length = 0;
	table->n--;
}

void layers_use(struct layer_table *table, struct layer *layer)
{
	layer->last_use = ++table->uses;
}

static void link_layer(struct layer_table *table, int id)
{
	int *bucket = bucket_of(table, table->layers[id].hash);

	table->layers[id].next = *bucket;
	*bucket = id;
}

static struct layer_refusal *refusal_of(struct layer_table *table, uint64_t hash)
{
	return &table->refused[hash % LAYER_REFUSED];
}

void layers_refuse(struct layer_table *table, struct span name)
{
	refusal_of(table, name_hash(name))->event = ++table->refusals;
}

bool layers_refuse_frame(struct layer_table *table, struct span name, uint64_t present)
{
	uint64_t hash = name_hash(name);
	struct layer_refusal *refusal = refusal_of(table, hash);

	refusal->frame = table->refusals;
	if (refusal->hash == hash && refusal->present == present)
		return false;
	refusal->hash = hash;
	refusal->present = present;
	return true;
}

/* Events that were refused while the layer was evicted may have been its own. */
static void miss_refused(struct layer_table *table, struct layer *layer)
{
	const struct layer_refusal *refusal = refusal_of(table, layer->hash);

	if (refusal->event > layer->refusals)
		layer->resets = UINT64_MAX;
	if (refusal->frame > layer->refusals)
		layer->series.loss_context.unsure = true;
}

int layers_add(struct layer_table *table, struct span name)
{
	uint64_t hash = name_hash(name);
	struct layer *layer;
	int id = 0;

	while (table->layers[id].length != 0)
		id++;
	if (id == table->used)
		table->used++;
	layer = &table->layers[id];
	if (!layer_spill_restore(&table->spill, hash, name, &table->names, layer)) {
		*layer = (struct layer){ .series = FRAME_SERIES_EMPTY,
					 .id = ++table->added,
					 .surface_number = SUMMARY_NONE };
		layer_set_name(layer, &table->names, name);
	} else {
		miss_refused(table, layer);
	}
	link_layer(table, id);
	table->n++;
	return id;
}

void layers_rename(struct layer_table *table, int id, struct span name)
{
	unlink_layer(table, id);
	layer_set_name(&table->layers[id], &table->names, name);
	link_layer(table, id);
}

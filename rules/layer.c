/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/layer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/memory.h"

static int *bucket_of(struct layer_table *table, uint64_t hash)
{
	return &table->buckets[hash % LAYER_BUCKETS];
}

int layers_init(struct layer_table *table, unsigned int max)
{
	*table = (struct layer_table){ .layers = memory_new(max, sizeof(struct layer)),
				       .max = (int)max };
	for (unsigned int i = 0; i < LAYER_BUCKETS; i++)
		table->buckets[i] = LAYER_NONE;
	if (!table->layers)
		return -ENOMEM;
	return names_init(&table->names, 4 * LAYER_NAMES_SIZE + max * (size_t)LAYER_NAMES_USUAL);
}

void layers_free(struct layer_table *table)
{
	free(table->layers);
	table->layers = NULL;
	names_free(&table->names);
}

int layers_find(const struct layer_table *table, struct span name)
{
	uint64_t hash = name_hash(name);
	int id = table->buckets[hash % LAYER_BUCKETS];

	while (id != LAYER_NONE &&
	       (table->layers[id].hash != hash || table->layers[id].length != name.len))
		id = table->layers[id].next;
	return id;
}

/* Must @a go before @b? */
static bool goes_first(const struct layer *a, const struct layer *b)
{
	if (a->shown != b->shown)
		return !a->shown;
	return a->last_use < b->last_use;
}

int layers_idlest(const struct layer_table *table)
{
	int idlest = -ENOSPC;

	for (int i = 0; i < table->max; i++) {
		const struct layer *layer = &table->layers[i];

		if (!layer->length || layer->waiting > 0)
			continue;
		if (idlest < 0 || goes_first(layer, &table->layers[idlest]))
			idlest = i;
	}
	return idlest;
}

int layers_victim(const struct layer_table *table)
{
	if (table->n < table->max && names_have_room(&table->names, LAYER_NAMES_SIZE))
		return LAYER_NONE;
	return layers_idlest(table);
}

void layers_remove(struct layer_table *table, int id)
{
	struct layer *layer = &table->layers[id];
	int *link = bucket_of(table, layer->hash);

	while (*link != id)
		link = &table->layers[*link].next;
	*link = layer->next;
	layer->length = 0;
	names_drop(&table->names, &layer->name);
	names_drop(&table->names, &layer->surface);
	names_drop(&table->names, &layer->app);
	table->n--;
}

void layer_set_surface(struct layer_table *table, struct layer *layer, struct span surface)
{
	if (names_set(&table->names, &layer->surface, NAME_SIZE, surface))
		layer->surface_hash = name_hash(surface);
}

void layers_use(struct layer_table *table, struct layer *layer)
{
	layer->last_use = ++table->uses;
}

int layers_add(struct layer_table *table, struct span name, struct span surface)
{
	uint64_t hash = name_hash(name);
	int *bucket = bucket_of(table, hash);
	struct span app = app_of_layer(name);
	struct layer *layer;
	int id = 0;

	while (table->layers[id].length != 0)
		id++;
	layer = &table->layers[id];
	*layer = (struct layer){ .name = "", .surface = "", .app = "", .window = WINDOW_EMPTY };
	layer->hash = hash;
	layer->length = name.len;
	names_set(&table->names, &layer->name, NAME_SIZE, name);
	layer_set_surface(table, layer, surface);
	names_set(&table->names, &layer->app, APP_SIZE, app);
	layer->has_app = app.len > 0;
	layer->is_activity = is_activity_layer(name);
	layer->next = *bucket;
	*bucket = id;
	table->n++;
	return id;
}

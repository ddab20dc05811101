/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/frames/layer_table.h"

#include <errno.h>
#include <stdlib.h>

/* The end of the list with the layers of an app. */
static int end_of_app(const struct layer_table *table, const char *app)
{
	return table->max + (int)(name_hash(span_of(app)) % LAYER_APPS);
}

static void unlink_layer(struct layer_link *links, int id)
{
	links[links[id].before].after = links[id].after;
	links[links[id].after].before = links[id].before;
}

/* It becomes the last one of a list. */
static void link_layer(struct layer_link *links, int id, int end)
{
	links[id] = (struct layer_link){ .before = links[end].before, .after = end };
	links[links[id].before].after = links[end].before = id;
}

void layers_init(struct layer_table *table, unsigned int max, struct memory *memory)
{
	*table = (struct layer_table){
		.layers = memory_keep(memory, calloc(max, sizeof(*table->layers))),
		.uses = memory_keep(memory, calloc(max + 2, sizeof(*table->uses))),
		.apps = memory_keep(memory, calloc(max + LAYER_APPS, sizeof(*table->apps))),
		.max = (int)max,
		.first_free = LAYER_NONE,
	};
	long_names_init(&table->names, 2 * max, memory);
	hash_index_init(&table->index, max, memory);
	if (memory->failed)
		return;
	for (int end = table->max; end < table->max + 2; end++)
		table->uses[end] = (struct layer_link){ end, end };
	for (int end = table->max; end < table->max + LAYER_APPS; end++)
		table->apps[end] = (struct layer_link){ end, end };
}

int layers_find(const struct layer_table *table, struct span name)
{
	int id = hash_index_first(&table->index, name_hash(name));

	for (; id != LAYER_NONE; id = hash_index_next(&table->index, id)) {
		const struct layer *layer = &table->layers[id];

		if (layer->length == name.len &&
		    long_names_is(layer->name, layer->short_name, name))
			break;
	}
	return id;
}

struct layer *layers_next(const struct layer_table *table, const struct layer *layer)
{
	struct layer *next = table->layers + (layer ? layer - table->layers + 1 : 0);

	while (next < table->layers + table->used && next->length == 0)
		next++;
	return next < table->layers + table->used ? next : NULL;
}

struct layer *layers_next_of(const struct layer_table *table, const char *app,
			     const struct layer *layer)
{
	int id;

	if (!app[0])
		return layers_next(table, layer);
	id = table->apps[layer ? (int)(layer - table->layers) : end_of_app(table, app)].after;
	return id < table->max ? &table->layers[id] : NULL;
}

int layers_to_evict(struct layer_table *table)
{
	int none = table->max, shown = table->max + 1, id;
	struct layer_link *uses = table->uses;

	if (table->first_free != LAYER_NONE || table->used < table->max)
		return LAYER_NONE;
	while ((id = uses[none].after) != none) {
		if (table->layers[id].waiting == 0)
			return id;
		/* Its first frame is on the way: no later search passes it here. */
		unlink_layer(uses, id);
		link_layer(uses, id, shown);
	}
	for (id = uses[shown].after; id != shown; id = uses[id].after)
		if (table->layers[id].waiting == 0)
			return id;
	return -ENOSPC;
}

void layers_remove(struct layer_table *table, int id)
{
	struct layer *layer = &table->layers[id];

	unlink_layer(table->uses, id);
	unlink_layer(table->apps, id);
	hash_index_remove(&table->index, id);
	long_names_release(&table->names, &layer->name, layer->short_name);
	long_names_release(&table->names, &layer->surface, layer->short_surface);
	layer->length = 0;
	layer->next = table->first_free;
	table->first_free = id;
}

void layers_use(struct layer_table *table, int id)
{
	unlink_layer(table->uses, id);
	link_layer(table->uses, id, table->max + table->layers[id].shown);
}

void layers_show(struct layer_table *table, int id)
{
	if (table->layers[id].shown)
		return;
	table->layers[id].shown = true;
	layers_use(table, id);
}

void layers_set_surface(struct layer_table *table, struct layer *layer, struct span surface)
{
	if (layer->surface && layer->surface_length == surface.len &&
	    long_names_is(layer->surface, layer->short_surface, surface) &&
	    layer->surface_hash == name_hash(surface))
		return;
	layer->surface_hash = name_hash(surface);
	layer->surface_length = surface.len;
	layer->surfaces++;
	long_names_keep(&table->names, &layer->surface, layer->short_surface, surface);
}

/* Sets all members that depend only on the name. */
static void set_name(struct layer_table *table, int id, struct span name)
{
	struct layer *layer = &table->layers[id];
	struct span app = app_of_layer(name);

	layer->length = name.len;
	long_names_keep(&table->names, &layer->name, layer->short_name, name);
	name_copy(layer->app, sizeof(layer->app), app);
	layer->has_app = app.len > 0;
	layer->is_activity = is_activity_layer(name);
	layer->is_window =
		app.len > 0 && app.ptr + app.len < name.ptr + name.len && app.ptr[app.len] == '/';
	layer->is_view = strstr(layer->name, "SurfaceView[") != NULL;
	hash_index_add(&table->index, id, name_hash(name));
	link_layer(table->apps, id, end_of_app(table, layer->app));
}

int layers_add(struct layer_table *table, struct span name)
{
	int id = table->first_free;

	if (id == LAYER_NONE)
		id = table->used++;
	else
		table->first_free = table->layers[id].next;
	table->layers[id] = (struct layer){ .id = ++table->added };
	link_layer(table->uses, id, table->max);
	set_name(table, id, name);
	return id;
}

bool layers_refuse_frame(struct layer_table *table, struct span name, uint64_t present)
{
	uint64_t hash = name_hash(name);
	struct layer_refusal *refusal = &table->refused[hash % LAYER_REFUSED];

	if (refusal->hash == hash && refusal->present == present)
		return false;
	*refusal = (struct layer_refusal){ hash, present };
	return true;
}

void layers_rename(struct layer_table *table, int id, struct span name)
{
	hash_index_remove(&table->index, id);
	unlink_layer(table->apps, id);
	set_name(table, id, name);
}

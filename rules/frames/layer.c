/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/frames/layer.h"

#include <string.h>

void layer_set_surface(struct layer *layer, struct long_names *names, struct span surface)
{
	if (layer->surface && layer->surface_length == surface.len &&
	    long_names_is(layer->surface, layer->short_surface, surface) &&
	    layer->surface_hash == name_hash(surface))
		return;
	layer->surface_hash = name_hash(surface);
	layer->surface_length = surface.len;
	layer->surfaces++;
	long_names_keep(names, &layer->surface, layer->short_surface, surface);
}

void layer_release_names(struct layer *layer, struct long_names *names)
{
	long_names_release(names, &layer->name, layer->short_name);
	long_names_release(names, &layer->surface, layer->short_surface);
}

struct name_key layer_surface(const struct layer *layer)
{
	return (struct name_key){ layer->surface, layer->surface_hash, layer->surface_length };
}

void layer_set_name(struct layer *layer, struct long_names *names, struct span name)
{
	struct span app = app_of_layer(name);
	char copy[SURFACE_MAX];

	layer->hash = name_hash(name);
	layer->length = name.len;
	long_names_keep(names, &layer->name, layer->short_name, name);
	layer_set_surface(layer, names, surface_of_layer(name, copy));
	name_copy(layer->app, sizeof(layer->app), app);
	layer->has_app = app.len > 0;
	layer->is_activity = is_activity_layer(name);
	layer->is_window =
		app.len > 0 && app.ptr + app.len < name.ptr + name.len && app.ptr[app.len] == '/';
}

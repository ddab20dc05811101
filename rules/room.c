/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/room.h"

/* A row that gets more values than are kept one by one becomes a histogram: then a frame takes the
 * most that it ever does. The others are of the Surface's frame times, and of both's vsyncs. */
#define FRAME_CHUNKS_MAX (SAMPLES_MAX / (CHUNK_BINS / 2) + 4)

int room_for_layer(struct frame_queue *q)
{
	int victim = layers_victim(&q->layers);
	struct layer *layer;

	if (victim == LAYER_NONE)
		return 0;
	if (victim < 0)
		return victim;
	layer = &q->layers.layers[victim];
	if (layer->shown) {
		frame_queue_close_row(q, layer);
		q->layers_evicted++;
	}
	if (q->front_layer == victim)
		q->front_layer = LAYER_NONE;
	window_clear(&layer->window, &q->store);
	layers_remove(&q->layers, victim);
	return 0;
}

/* A Surface goes, but not the one at @but. Rows of its layers that are open would be left without
 * it, so they are closed first. Returns false where there is none. */
static bool evict_surface(struct frame_queue *q, int but)
{
	int place = summary_idlest(&q->summary, but);

	if (place < 0)
		return false;
	for (int i = 0; i < q->layers.max; i++) {
		struct layer *layer = &q->layers.layers[i];

		if (layer->length && summary_is(&q->summary, place, layer_surface(layer)))
			frame_queue_close_row(q, layer);
	}
	summary_evict(&q->summary, place, q->sink.context, q->sink.evicted);
	return true;
}

void room_for_surface(struct frame_queue *q)
{
	if (q->summary.n == q->summary.max)
		evict_surface(q, -1);
}

void room_for_frame_times(struct frame_queue *q, const struct layer *layer)
{
	int place = layer->place;

	while (q->store.n_free < FRAME_CHUNKS_MAX) {
		bool there = summary_find(&q->summary, layer_surface(layer), &place);

		if (!evict_surface(q, there ? place : -1))
			return;
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/eviction.h"

/* A row that gets more values than are kept one by one becomes a histogram: then a frame takes the
 * most that it ever does. The others are of the Surface's frame times, and of both's vsyncs. */
#define FRAME_CHUNKS_MAX (PERCENTILES_MAX / (CHUNK_BINS / 2) + 4)

int evict_for_layer(struct frame_queue *q, bool early)
{
	int victim = layers_victim(&q->layers);
	struct layer *layer;

	if (victim < LAYER_NONE && early && frame_queue_count_early(q))
		victim = layers_victim(&q->layers);
	if (victim == LAYER_NONE)
		return 0;
	if (victim < LAYER_NONE)
		return victim;
	layer = &q->layers.layers[victim];
	if (layer->shown) {
		frame_queue_close_row(q, layer);
		q->layers_evicted++;
	}
	if (q->front_layer == victim)
		q->front_layer = LAYER_NONE;
	layers_remove(&q->layers, victim);
	return 0;
}

void evict_for_frame_times(struct frame_queue *q, const struct layer *layer)
{
	while (q->store.n_free < FRAME_CHUNKS_MAX &&
	       summary_evict(&q->summary, layer->surface_number))
		;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/buffers.h"

#include <string.h>

void buffers_queue(struct layer *layer, uint64_t time_ns)
{
	if (layer->n_queued == LAYER_QUEUE_MAX)
		memmove(&layer->queued_ns[0], &layer->queued_ns[1],
			--layer->n_queued * sizeof(layer->queued_ns[0]));
	layer->queued_ns[layer->n_queued++] = time_ns;
}

uint64_t buffers_dequeue(struct layer *layer, unsigned int left)
{
	unsigned int gone;
	uint64_t queued_ns;

	if (layer->n_queued == 0)
		return 0;
	gone = layer->n_queued > left ? layer->n_queued - left : 1;
	queued_ns = layer->queued_ns[gone - 1];
	layer->n_queued -= gone;
	memmove(&layer->queued_ns[0], &layer->queued_ns[gone],
		layer->n_queued * sizeof(layer->queued_ns[0]));
	return queued_ns;
}

unsigned int buffers_left(const struct layer *layer)
{
	if (layer->buffers.known && layer->buffers.value >= 0 &&
	    layer->buffers.value < (int64_t)layer->n_queued)
		return (unsigned int)layer->buffers.value;
	return layer->n_queued ? layer->n_queued - 1 : 0;
}

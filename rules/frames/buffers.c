/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/frames/buffers.h"

#include <string.h>

/* Keeps the newest @n. */
static void keep(struct layer *layer, unsigned int n)
{
	if (layer->n_queued <= n)
		return;
	memmove(&layer->queued_ns[0], &layer->queued_ns[layer->n_queued - n],
		n * sizeof(layer->queued_ns[0]));
	layer->n_queued = n;
}

void buffers_queue(struct layer *layer, uint64_t time_ns)
{
	keep(layer, LAYER_QUEUE_MAX - 1);
	layer->queued_ns[layer->n_queued++] = time_ns;
}

void buffers_queued(struct layer *layer, struct last_value before, int64_t value, uint64_t time_ns,
		    bool locked)
{
	if (value <= 0)
		return;
	if (before.known && value == before.value) {
		if (!locked) {
			keep(layer, 0);
			return;
		}
		if (layer->n_queued > 0 && layer->replaced_ns == 0)
			layer->replaced_ns = layer->queued_ns[layer->n_queued - 1];
		layer->n_queued -= layer->n_queued > 0;
	} else if (before.known && value - 1 != before.value) {
		keep(layer, 0);
	}
	buffers_queue(layer, time_ns);
	if (value < LAYER_QUEUE_MAX)
		keep(layer, (unsigned int)value);
}

void buffers_left(struct layer *layer, struct last_value before, int64_t value, uint64_t present)
{
	layer->left_queued_ns = 0;
	layer->left_present = present;
	if (value >= 0 && value < (int64_t)layer->n_queued) {
		layer->left_queued_ns = layer->queued_ns[layer->n_queued - 1 - (unsigned int)value];
		/* It was not latched, or it was latched instead of older ones. */
		if (layer->replaced_ns == 0 &&
		    (present == 0 || layer->n_queued - (unsigned int)value > 1))
			layer->replaced_ns = layer->queued_ns[0];
		keep(layer, (unsigned int)value);
	} else if (value < 0 || (before.known && value >= before.value)) {
		keep(layer, 0);
	}
}

uint64_t buffers_pop(struct layer *layer)
{
	uint64_t queued_ns = buffers_oldest(layer);

	if (layer->n_queued > 0)
		keep(layer, layer->n_queued - 1);
	return queued_ns;
}

void buffers_doubt(struct layer *layer, uint64_t time_ns)
{
	for (unsigned int i = 0; i < layer->n_queued && layer->queued_ns[i] <= time_ns; i++)
		layer->queued_ns[i] = 0;
	if (layer->left_queued_ns <= time_ns)
		layer->left_queued_ns = 0;
}

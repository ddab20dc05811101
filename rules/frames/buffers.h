/* SPDX-License-Identifier: Apache-2.0 */
/* The queue times of a layer's buffers that are not latched yet.
 *
 * The trace has no queue time for a buffer that was in the queue before the capture began, or whose
 * event was lost. The layer's counter shows how many buffers there are. Those with a known time are
 * the newest; the times of older ones are unknown:
 *
 *     counter 3:   oldest  ?   queued_ns[0]   queued_ns[1]  newest
 *     latch, counter 2: the unknown one left the queue; its time stays unknown
 *
 * Up to Android 11 the counter is written while the queue is locked. From 12 on it is written
 * later, so that writes of the producer's and of SurfaceFlinger's thread can be in the wrong order.
 * After a value that does not follow from the last one, all queue times are unknown.
 */
#ifndef JANKD_RULES_FRAMES_BUFFERS_H
#define JANKD_RULES_FRAMES_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/frames/layer.h"

/* A buffer was queued without a counter. */
void buffers_queue(struct layer *layer, uint64_t time_ns);

/**
 * buffers_queued() - a producer wrote the counter; @value is not less than @before
 * @locked: the queue was locked, so an equal value means that the newest buffer was replaced
 */
void buffers_queued(struct layer *layer, struct last_value before, int64_t value, uint64_t time_ns,
		    bool locked);

/**
 * buffers_left() - SurfaceFlinger wrote the counter: @value buffers are left
 * @present: number of the present that the removed buffer was latched for; 0: it was not latched
 *
 * Sets left_queued_ns and left_present of the layer.
 */
void buffers_left(struct layer *layer, struct last_value before, int64_t value, uint64_t present);

/* The queue time of the oldest buffer; 0: unknown. */
static inline uint64_t buffers_oldest(const struct layer *layer)
{
	bool known = !layer->buffers.known || layer->buffers.value == (int64_t)layer->n_queued;

	return known && layer->n_queued > 0 ? layer->queued_ns[0] : 0;
}

/* True: there is a buffer in the queue, as far as is known. */
static inline bool buffers_wait(const struct layer *layer)
{
	return layer->buffers.known ? layer->buffers.value > 0 : layer->n_queued > 0;
}

/* Removes the oldest buffer, without a counter. Returns its queue time; 0: unknown. */
uint64_t buffers_pop(struct layer *layer);

/* Those that were queued until @time_ns have no queue time any more. */
void buffers_doubt(struct layer *layer, uint64_t time_ns);

#endif

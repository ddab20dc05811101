/* SPDX-License-Identifier: Apache-2.0 */
/* The buffers of a layer that are queued and not latched yet: when was which queued?
 *
 * A capture that begins with buffers in the queue, and one that lost events, have not seen all of
 * them being queued. How many there are says the layer's counter, so those that are known are the
 * newest, and the ones before them are unknown:
 *
 *     counter 3:   oldest  ?   queued_ns[0]   queued_ns[1]  newest
 *     latch, counter 2: the unknown one was taken; its time is empty
 *
 * To Android 11 the counter is written inside the queue's lock. From 12 on it is counted first and
 * written then, so that writes of the producer's and SurfaceFlinger's thread can change places: a
 * number that does not fit to the last one makes all that wait unknown.
 */
#ifndef JANKD_RULES_BUFFERS_H
#define JANKD_RULES_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/layer.h"

/* A buffer was queued, and no counter said so. */
void buffers_queue(struct layer *layer, uint64_t time_ns);

/**
 * buffers_queued() - a producer wrote the counter, with @value not less than @before
 * @locked: inside the queue's lock: the same number again says that the newest was replaced
 */
void buffers_queued(struct layer *layer, struct last_value before, int64_t value, uint64_t time_ns,
		    bool locked);

/**
 * buffers_left() - SurfaceFlinger wrote the counter: @value are left
 * @present: number of the present that the last one that went is latched before, 0: it is none's
 *
 * Sets left_queued_ns and left_present of the layer.
 */
void buffers_left(struct layer *layer, struct last_value before, int64_t value, uint64_t present);

/* When the oldest one was queued, 0: unknown. It stays. */
uint64_t buffers_oldest(const struct layer *layer);

/* The oldest one goes, and no counter will say so. Returns when it was queued, 0: unknown. */
uint64_t buffers_pop(struct layer *layer);

#endif

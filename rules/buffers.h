/* SPDX-License-Identifier: Apache-2.0 */
/* The buffers of a layer that are queued and not latched yet: when was which queued? */
#ifndef JANKD_RULES_BUFFERS_H
#define JANKD_RULES_BUFFERS_H

#include <stdint.h>

#include "rules/layer.h"

/* A buffer was queued. */
void buffers_queue(struct layer *layer, uint64_t time_ns);

/* Takes out the oldest buffer, and those before it that were replaced: @left stay. Returns when it
 * was queued, 0: not seen. */
uint64_t buffers_dequeue(struct layer *layer, unsigned int left);

/* How many buffers stay in the queue, as far as its counter says. */
unsigned int buffers_left(const struct layer *layer);

#endif

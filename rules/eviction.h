/* SPDX-License-Identifier: Apache-2.0 */
/* Room in tables that are full: what has been idle longest goes. */
#ifndef JANKD_RULES_EVICTION_H
#define JANKD_RULES_EVICTION_H

#include "rules/frame_queue.h"

/* For another layer. @hurry: where all have frames that wait, the oldest are counted now. Returns
 * 0, or < 0: all are in use. */
int evict_for_layer(struct frame_queue *q, bool early);

/* For what the next frame of @layer may take of the store. */
void evict_for_frame_times(struct frame_queue *q, const struct layer *layer);

#endif

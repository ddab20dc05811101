/* SPDX-License-Identifier: Apache-2.0 */
/* The app in front, as windows that draw show it, and as somebody outside says. Frames of layers
 * whose names hold no app are of that one. What is asked from outside: frame_queue.h. */
#ifndef JANKD_RULES_FRONT_H
#define JANKD_RULES_FRONT_H

#include "rules/frame_queue.h"

/* The layer of that number had a frame at @stamp, which is not in its window yet. */
void front_follow(struct frame_queue *q, int id, const struct vsync_stamp *stamp);

/* Frames from @present_ns on are counted now: an answer that holds for them counts from here. */
void front_take_answer(struct frame_queue *q, uint64_t present_ns);

/* A frame of @layer comes in: is another app in front, perhaps? */
void front_doubt(struct frame_queue *q, struct layer *layer, uint64_t present_ns);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Is a long time without a frame of a layer a stall, or was the layer idle?
 *
 *     frame of the layer   |                                |          a wait: 500 ms or more
 *     app's own process    ██─────────████████████──────────█          app_work.h
 *     buffer in the queue  ────────────────────────██████████          queued, not latched
 *                            <------->            at least half of the wait: a stall
 *
 * Both are evidence that a frame was under way; a moment with both counts once. What other
 * processes do is none. While another layer of the process draws steadily, the short slices of the
 * process are those of that layer's frames: then only long slices count (WORK_LONG_NS).
 */
#ifndef JANKD_RULES_FRAMES_STALL_H
#define JANKD_RULES_FRAMES_STALL_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/base/interval.h"
#include "rules/frames/layer.h"
#include "rules/threads/app_work.h"

/* A buffer of @layer was queued or left the queue: @waits, one is in it. */
void stall_follow_buffers(struct app_work *work, struct layer *layer, bool waits, uint64_t time_ns);

/* Events are missing after @time_ns. */
void stall_forget(struct app_work *work, struct layer *layer, uint64_t time_ns);

/* How long no frame has ended a stall of @layer at @now_ns; 0: there is none, as far as is known.
 * It changes nothing, so it may be asked at any time. */
uint64_t stall_now(struct app_work *work, struct layer *layer, uint64_t now_ns);

/* The same of a layer without a frame since, or whose later frames are not read yet. */
struct endless_stall stall_without_end(struct app_work *work, struct layer *layer, uint64_t now_ns);

/* The layer has a frame at @present_ns: what was before it, and a new stretch begins. */
enum wait_kind stall_at_frame(struct app_work *work, struct layer *layer, uint64_t present_ns);

#endif

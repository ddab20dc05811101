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
#include "rules/stream/events.h"
#include "rules/threads/app_work.h"

/* A buffer of @layer was queued or left the queue: @waits, one is in it. */
void stall_follow_buffers(struct app_work *work, struct layer *layer, bool waits, uint64_t time_ns);

/* How long no frame has ended a stall of @layer at @now_ns; 0: there is none, as far as is known.
 * It changes nothing, so it may be asked at any time. */
uint64_t stall_now(struct app_work *work, struct layer *layer, uint64_t now_ns);

/* The same of a layer without a frame since, or whose later frames are not read yet. */
struct endless_stall stall_without_end(struct app_work *work, struct layer *layer, uint64_t now_ns);

/* The layer has a frame at @present_ns: what was before it, and a new stretch begins. */
enum wait_kind stall_at_frame(struct app_work *work, struct layer *layer, uint64_t present_ns);

/* --- events --- */

/* About long times without a frame: stalls, and pauses that nothing explains.
 *
 *     . . . . . . . . .                    . . . . . . . . .       an unexplained gap
 *     30 or more frames    no evidence of   30 or more frames
 *     at the cadence       work: a wait     at the same cadence
 *
 * An app that is idle seldom draws at the same cadence right before and right after. A game that
 * hangs in its own code does, and its trace shows no work. So such a wait of the app in front is
 * unknown: it is no stall, and an event reports it.
 */
#define PAUSE_FRAMES 30
#define PAUSE_FRAMES_AT_END 3

/* A length as events give it: in tenths of a millisecond. */
static inline uint64_t pause_in_event(uint64_t length_ns)
{
	return length_ns / 100000 * 100000;
}

/* The layer has a frame at @time_ns, @interval after the one before. @in_front: it is of the app in
 * front. Writes the events of a stall that it ends, and of a pause that is certain with it. Returns
 * the length of that pause as in the event, or 0. */
uint64_t pause_follow(struct layer *layer, struct interval interval, enum wait_kind wait,
		      bool in_front, uint64_t time_ns, struct event_writer *events);

/* The last wait was a pause if @least frames have followed at the cadence before it: PAUSE_FRAMES,
 * or fewer as no frame comes any more. Returns as pause_follow(). */
uint64_t pause_end(struct layer *layer, unsigned int least, uint64_t time_ns,
		   struct event_writer *events);

/* No frame ended @stall, as far as the trace reaches or the app was in front. */
void pause_report_endless(const struct layer *layer, struct endless_stall stall, uint64_t time_ns,
			  struct event_writer *events);

#endif

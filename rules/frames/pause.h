/* SPDX-License-Identifier: Apache-2.0 */
/* Events about long times without a frame: stalls, and pauses that nothing explains.
 *
 *     . . . . . . . . .                    . . . . . . . . .       an unexplained gap
 *     30 or more frames    no evidence of   30 or more frames
 *     at the cadence       work: a wait     at the same cadence
 *
 * An app that is idle seldom draws at the same cadence right before and right after. A game that
 * hangs in its own code does, and its trace shows no work. So such a wait of the app in front is
 * unknown: it is no stall, and an event reports it.
 */
#ifndef JANKD_RULES_FRAMES_PAUSE_H
#define JANKD_RULES_FRAMES_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/base/interval.h"
#include "rules/frames/layer.h"
#include "rules/stream/events.h"

#define PAUSE_FRAMES 30

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

/* No frame comes any more: some even ones are enough then. Returns as pause_follow(). */
uint64_t pause_end(struct layer *layer, uint64_t time_ns, struct event_writer *events);

/* No frame ended @stall, as far as the trace reaches or the app was in front. */
void pause_report_endless(const struct layer *layer, struct endless_stall stall, uint64_t time_ns,
			  struct event_writer *events);

#endif

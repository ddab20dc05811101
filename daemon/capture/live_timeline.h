/* SPDX-License-Identifier: Apache-2.0 */
/* FrameTimeline beside a live trace: the output of a perfetto program to rows of frametimeline.csv.
 *
 *     perfetto ──► bytes ──► timeline_stream ──► records ──► pipeline_timeline()
 *
 * Nothing else of the capture depends on it: whatever happens to that program is an event. */
#ifndef JANKD_DAEMON_CAPTURE_LIVE_TIMELINE_H
#define JANKD_DAEMON_CAPTURE_LIVE_TIMELINE_H

#include <stdbool.h>

#include "daemon/base/loop.h"
#include "daemon/capture/session.h"

struct live_timeline;

/* True: a device with this ro.build.version.sdk has FrameTimeline, and the program is there. */
bool live_timeline_is_there(const char *sdk);

/* Starts perfetto. If that fails, an event says so. @session, @loop: borrowed. Returns NULL if
 * there is nothing to do; each function accepts that. */
struct live_timeline *live_timeline_begin(struct session *session, struct loop *loop);

/* Call it about once a second. */
void live_timeline_tick(struct live_timeline *timeline);

/* Asks perfetto to end; the trace can be read meanwhile. */
void live_timeline_stop(struct live_timeline *timeline);

/* Waits for its end, at most for two seconds, and counts all that it sent. */
void live_timeline_finish(struct live_timeline *timeline);

/* Kills perfetto if it runs. Returns NULL. */
struct live_timeline *live_timeline_end(struct live_timeline *timeline);

#endif

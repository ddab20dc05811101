/* SPDX-License-Identifier: Apache-2.0 */
/* When the trace of a capture is read: often enough that no ring runs over, and seldom enough that
 * it costs nothing. */
#ifndef JANKD_DAEMON_CAPTURE_DRAIN_H
#define JANKD_DAEMON_CAPTURE_DRAIN_H

#include "daemon/capture.h"

/* Four drains a second: a trace buffer of 1 MB holds as much of 100 000 events a second, and a
 * reader that is woken for every event costs more than the trace. */
#define CAPTURE_DRAIN_NS UINT64_C(250000000)
#define CAPTURE_TICK_NS UINT64_C(1000000000)

/* The source is open: its bell, and what it calls urgent, are watched. */
void capture_watch_source(struct capture *capture);

/* Reads, where it is time for that. */
void capture_drain_if_due(struct capture *capture);

/* What was written before now is read, but for a second at most: others may go on writing. */
void capture_drain_before(struct capture *capture);

/* The same at the end. */
void capture_drain_last(struct capture *capture);

/* From an urgent drain to the next tick we come before those that keep all CPUs busy. */
void capture_hurry(struct capture *capture, bool hurries);

/* A program may be started now, or not any more: it disturbs what calls for urgent drains. */
void capture_deafen(struct capture *capture);
void capture_listen(struct capture *capture);

#endif

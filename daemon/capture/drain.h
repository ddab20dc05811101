/* SPDX-License-Identifier: Apache-2.0 */
/* When the trace of a capture is read: often enough that no buffer overflows, and seldom enough
 * that it costs little. */
#ifndef JANKD_DAEMON_CAPTURE_DRAIN_H
#define JANKD_DAEMON_CAPTURE_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/capture/interference.h"
#include "daemon/base/loop.h"
#include "daemon/trace/trace.h"
#include "daemon/capture/session.h"

/* Four drains a second: a trace buffer of 1 MB holds as much of 100 000 events a second, and a
 * reader that is woken for every event costs more than the trace. */
#define DRAIN_NS UINT64_C(250000000)
#define DRAIN_TICK_NS UINT64_C(1000000000)

struct drain {
	struct session *session;
	struct source *source;
	struct interference *interference;
	struct loop *loop;
	const struct trace_files *files; /* of its trace */
	enum source_how how;		 /* of the last read */
	struct watcher readable;	 /* watched while the source is idle */
	bool was_readable;		 /* since the last drain */
	struct watcher highwater;	 /* a buffer is half full */
	bool was_highwater;
	bool highwater_is_off;	   /* while a program is started */
	unsigned int false_alarms; /* in a row */
	int nice;		   /* as the program was started */
	bool is_boosted;	   /* at another nice */
	uint64_t next_ns;	   /* when the next drain is due: CLOCK_BOOTTIME, as all below */
	uint64_t tick_ns;	   /* when the program wakes up anyway */
	uint64_t any_ns;	   /* when there was something to read */
	uint64_t drained_ns;	   /* when there was nothing to read */
	struct cpu_buffer_stats buffers; /* as they were looked at when it was late for that */
};

/* Watches the source. ->session to ->files are set: borrowed; all else is zero. */
void drain_watch(struct drain *drain);

/* The first drain is due now, and the next tick. */
void drain_begin(struct drain *drain);

/* Reads, where it is time for that. Returns 0; -EAGAIN: nothing was to be read; or
 * -errno of the source. */
int drain_if_due(struct drain *drain);

/* Reads what was written until now, but no more than some reads: a mark stands behind it. */
void drain_for_mark(struct drain *drain);

/* What was written before now is read, but for a second at most: others may go on writing. */
void drain_before(struct drain *drain);

/* The same at the end: @tracefs takes nothing more. */
void drain_last(struct drain *drain, struct tracefs *tracefs);

/* From an urgent drain to the next tick it comes before those that keep all CPUs busy. */
void drain_boost(struct drain *drain, bool boosted);

/* A program may be started now, or not any more: it disturbs what calls for urgent drains. */
void drain_highwater_off(struct drain *drain);
void drain_highwater_on(struct drain *drain);

/* Watches the source no more; in any state. */
void drain_end(struct drain *drain);

#endif

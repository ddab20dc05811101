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

/* Four drains a second: a trace buffer of 1 MB holds so much of 100 000 events a second, and waking
 * up for every event would cost more than the trace. */
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

/* Reads, where a drain is due. Returns 0; -EAGAIN: it is not due, or must not be read; or another
 * -errno of the source. */
int drain_if_due(struct drain *drain);

/* Reads what was written until now, but limits the number of reads: a mark is to come after it. */
void drain_for_mark(struct drain *drain);

/* Reads what was written until now, but for a second at most: other programs may go on writing. */
void drain_before(struct drain *drain);

/* The same at the end, after tracing was stopped in @tracefs. */
void drain_last(struct drain *drain, struct tracefs *tracefs);

/* Raises the priority, from a drain at high water to the next tick, or sets it back. */
void drain_boost(struct drain *drain, bool boosted);

/* Stops watching for high water while a child process may be started, which would disturb it; and
 * starts again. */
void drain_highwater_off(struct drain *drain);
void drain_highwater_on(struct drain *drain);

/* Stops watching the source; in any state. */
void drain_end(struct drain *drain);

#endif

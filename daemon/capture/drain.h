/* SPDX-License-Identifier: Apache-2.0 */
/* Decides when a capture reads the trace: often enough that no buffer overflows, and seldom enough
 * to cost little CPU time. */
#ifndef JANKD_DAEMON_CAPTURE_DRAIN_H
#define JANKD_DAEMON_CAPTURE_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/capture/interference.h"
#include "daemon/base/loop.h"
#include "daemon/trace/trace.h"
#include "daemon/capture/session.h"

/* Four drains a second: a trace buffer of 1 MB holds what a load of 100,000 events a second writes
 * in that time. A wakeup for each event would cost more than the trace itself. */
#define DRAIN_NS UINT64_C(250000000)
#define DRAIN_TICK_NS UINT64_C(1000000000)

struct drain {
	struct session *session;
	struct interference *interference;
	struct loop *loop;
	const struct trace_files *files; /* of the trace */
	struct source *source;		 /* NULL before drain_watch() */
	enum source_how how;		 /* of the last read */
	struct watcher readable;	 /* watched while the source is idle */
	bool was_readable;		 /* since the last drain */
	struct watcher highwater;	 /* readable when a buffer is half full */
	bool was_highwater;
	bool highwater_is_off;	   /* while a child process is started */
	unsigned int false_alarms; /* in a row */
	int nice;		   /* at the start of the program */
	bool is_boosted;	   /* the priority is not ->nice */
	/* Times on the clock of loop_now(): */
	uint64_t next_ns;		 /* the next drain */
	uint64_t wake_ns;		 /* the next tick, even if the source is idle */
	uint64_t last_data_ns;		 /* the last read with events */
	uint64_t drained_ns;		 /* the last read without events */
	struct cpu_buffer_stats buffers; /* as read after the last long delay */
};

/* Nothing is watched. Only the members that are arguments are set. All of them are borrowed; they
 * need not be open yet. */
void drain_init(struct drain *drain, struct session *session, struct interference *interference,
		struct loop *loop, const struct trace_files *files);

/* Starts watching @source: borrowed until drain_end(). An earlier source must be closed. */
void drain_watch(struct drain *drain, struct source *source);

/* The first drain and the next tick are due now. */
void drain_begin(struct drain *drain);

/* The next drain is due at once. */
void drain_now(struct drain *drain);

/* True: a tick is due, once in DRAIN_TICK_NS. The caller runs it; the next one is due later. */
bool drain_tick_due(struct drain *drain);

/* When the next drain or the next tick is due, on the clock of loop_now(). */
uint64_t drain_next(const struct drain *drain);

/* Reads if a drain is due. Returns 0; -EAGAIN: it is not due, or the trace must not be read now; or
 * another -errno of the source. */
int drain_if_due(struct drain *drain);

/* Reads the events from before a mark, with a limited number of reads. */
void drain_for_mark(struct drain *drain);

/* Reads the events that are in the buffers, for a second at most: other programs may continue to
 * write. */
void drain_backlog(struct drain *drain);

/* Does the same at the end, after tracing was stopped in @tracefs. */
void drain_last(struct drain *drain, struct tracefs *tracefs);

/* Raises the priority until the next tick, or resets it. */
void drain_boost(struct drain *drain, bool boosted);

/* Stops watching for high water before child processes may be started, as they cause false reports,
 * and starts again when none is running. */
void drain_highwater_off(struct drain *drain);
void drain_highwater_on(struct drain *drain);

/* Stops watching the source, in any state. */
void drain_end(struct drain *drain);

#endif

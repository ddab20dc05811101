/* SPDX-License-Identifier: Apache-2.0 */
/* Decides when a capture reads the trace: often enough that no buffer overflows, and seldom enough
 * to cost little CPU time.
 *
 *     events come     the next drain is due after a quarter of the time in which the fullest
 *                     buffer runs over, at the rates at which the last drains found the buffers
 *                     filled; at most drain_most_ns; less if rows are late
 *     a burst         a buffer is half full: the kernel wakes jankd up
 *     no events       the first event wakes jankd up; ticks continue, see drain_set_may_sleep()
 *     an event about the files waits: within 0.6 s
 *     a request, interference, the end: a drain at once
 *
 * All other regular work (ticks) is done with a drain, so that both need one wakeup. */
#ifndef JANKD_DAEMON_CAPTURE_DRAIN_H
#define JANKD_DAEMON_CAPTURE_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/capture/interference.h"
#include "daemon/base/loop.h"
#include "daemon/trace/trace.h"
#include "daemon/capture/session.h"

/* ->session, ->interference and ->loop are set by the caller: borrowed, and they need not be open
 * yet. ->readable and ->highwater are WATCHER_NONE at first, all other members zero. */
struct drain {
	struct session *session;
	struct interference *interference;
	struct loop *loop;
	uint64_t most_ns;  /* between two drains */
	uint64_t limit_ns; /* the same while the rates are known from few measurements */
	uint64_t rates[TRACE_CPUS_MAX]; /* of each CPU, bytes per second */
	uint64_t bytes[TRACE_CPUS_MAX]; /* read from each CPU until ->rates_ns */
	bool has_more;			/* the last part of a drain is still to come */
	bool has_read;			/* an event, in any part of the last drain */
	struct watcher readable;	/* watched while the source is idle */
	bool was_readable;		/* since the last drain */
	struct watcher highwater;	/* readable when a buffer is half full */
	bool was_highwater;
	bool highwater_is_watched;
	unsigned int false_alarms; /* in a row */
	int nice;		   /* at the start of the program */
	bool is_boosted;	   /* the priority is not ->nice */
	bool may_sleep;		   /* see drain_set_may_sleep() */
	/* Times on the clock of loop_now(): */
	uint64_t begin_ns;     /* the first part of the last drain */
	uint64_t next_ns;      /* the next drain, or part; UINT64_MAX: without a timer */
	uint64_t tick_ns;      /* the last tick */
	uint64_t last_data_ns; /* the last read with events */
	/* The last measurement of ->rates, or the first event after a silence: the rate of the
	 * events that follow does not include that time. */
	uint64_t rates_ns;
};

/* Starts watching @source: borrowed until drain_end(). An earlier source must be closed. */
void drain_watch(struct drain *drain, struct source *source);

/* The first drain and the next tick are due now. The rates are unknown, so the first periods are
 * short. @most_ns: drain_most_ns or drain_fresh_ns. */
void drain_begin(struct drain *drain, uint64_t most_ns);

/* The shortest time that shows a rate: in a shorter one, one burst of events would count as a
 * flood. */
#define DRAIN_MEASURE_NS UINT64_C(100000000)

/* Measures the rates, when the buffers were read to their end. @now_ns: of loop_now(). */
void drain_measure(struct drain *drain, uint64_t now_ns);

/* The time to the next drain. @delay_ns: it is earlier by that, so that a kill does not lose the
 * rows of a longer time. */
uint64_t drain_period_ns(const struct drain *drain, uint64_t delay_ns);

/* How much later than usual the rows of the next drain will be written: on a slow CPU a drain takes
 * long (@took_ns), and while the period of the vsyncs is uncertain frames wait longer. @waiting_ns:
 * of the frame that waits longest. */
uint64_t drain_delay_ns(uint64_t took_ns, uint64_t waiting_ns);

/* True: while there are no events, and nothing waits to be counted or written, no timer wakes the
 * process: ticks wait for a wakeup of another cause. */
void drain_set_may_sleep(struct drain *drain, bool may_sleep);

/* The next drain is due in @ns or earlier. */
void drain_within(struct drain *drain, uint64_t ns);

/* True: a tick is due: about a second has passed since the last one, or interference needs one. The
 * caller runs it. To be called after drain_if_due(). */
bool drain_tick_due(struct drain *drain);

/* When the next drain and tick are due, on the clock of loop_now(). UINT64_MAX: without a timer. */
uint64_t drain_next(const struct drain *drain);

/* Reads if a drain is due. Returns 0; -EAGAIN: it is not due, or the trace must not be read now; or
 * another -errno of the source. */
int drain_if_due(struct drain *drain);

/* Reads the events from before a request of a client or a signal, with a limited number of reads.
 */
void drain_for_request(struct drain *drain);

/* Reads what is in the buffers at the end, after tracing was stopped in @trace. */
void drain_last(struct drain *drain, struct live_trace *trace);

/* Raises the priority until the next tick, or resets it. */
void drain_boost(struct drain *drain, bool boosted);

/* Not watched while a child process runs, or may be started: it inherits the descriptors of the
 * buffers and closes them, and for each close the kernel reports high water. */
void drain_watch_highwater(struct drain *drain, bool is_watched);

/* Stops watching the source, in any state. */
void drain_end(struct drain *drain);

#endif

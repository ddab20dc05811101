/* SPDX-License-Identifier: Apache-2.0 */
/* How long the next drain may wait: a quarter of the time after which the fullest buffer runs over,
 * at the rates at which the last drains found the buffers filled. */
#ifndef JANKD_DAEMON_CAPTURE_DRAIN_PERIOD_H
#define JANKD_DAEMON_CAPTURE_DRAIN_PERIOD_H

#include "daemon/trace/trace.h"

struct drain_period {
	uint64_t bytes[TRACE_CPUS_MAX]; /* read from each CPU until ->since_ns */
	uint64_t rates[TRACE_CPUS_MAX]; /* bytes per second */
	uint64_t since_ns;		/* of the last measurement: a time of loop_now() */
	uint64_t most_ns;		/* limit while the rates are known from few measurements */
};

/* The rates are unknown: the first periods are short. @now_ns: on the clock of loop_now(). */
void drain_period_begin(struct drain_period *period, uint64_t now_ns);

/* The first event after a silence: the rate of the events that follow does not include that time.
 */
void drain_period_resume(struct drain_period *period, uint64_t now_ns);

/* The shortest time that shows a rate: in a shorter one, one burst of events would count as a
 * flood. */
#define DRAIN_PERIOD_MEASURE_NS UINT64_C(100000000)

/* Measures the rates. Call it when the buffers were read to their end. */
void drain_period_measure(struct drain_period *period, const struct source *source,
			  uint64_t now_ns);

/* The time from one drain to the next, at most @most_ns. @size: of the buffers, now. */
uint64_t drain_period_ns(const struct drain_period *period, const struct buffer_sizes *size,
			 uint64_t most_ns);

/* How much later than usual the rows of the next drain will be written: on a slow CPU a drain takes
 * long (@took_ns), and while the period of the vsyncs is uncertain frames wait longer. @waiting_ns:
 * of the frame that waits longest. */
uint64_t drain_period_delay_ns(uint64_t took_ns, uint64_t waiting_ns);

/* The next drain is earlier by @delay_ns, so that a kill does not lose the rows of a longer time.
 */
uint64_t drain_period_with_delay_ns(uint64_t period_ns, uint64_t delay_ns);

#endif

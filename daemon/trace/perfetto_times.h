/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks of a perfetto trace: brings times of packets to the clock of its ftrace events. */
#ifndef JANKD_DAEMON_TRACE_PERFETTO_TIMES_H
#define JANKD_DAEMON_TRACE_PERFETTO_TIMES_H

#include <stdint.h>

#include "parser/perfetto.h"

/* Of more moments some are left out: clocks drift slowly. */
#define PERFETTO_MOMENTS 1024

/* The clocks differ by that much more than before: after a suspend, or the setting of a clock. Less
 * is not followed at once, so a converted time may be off by it. */
#define PERFETTO_JUMP_NS 1000000

#define PERFETTO_TIMES_FTRACE PERFETTO_CLOCK_UNKNOWN

/* One moment on CLOCK_BOOTTIME and on another clock. */
struct perfetto_moment {
	uint64_t boot_ns, other_ns;
};

struct perfetto_moments {
	unsigned int n;
	uint64_t apart_ns; /* a moment is at least that long after the one before, or a jump */
	struct perfetto_moment moments[PERFETTO_MOMENTS]; /* in the order of CLOCK_BOOTTIME */
};

struct perfetto_times {
	uint64_t ftrace_clock; /* enum perfetto_ftrace_clock, of the last bundle that names it */
	/* From bundles of events that of the events, in the place that no clock has; the others
	 * from clock snapshots. */
	struct perfetto_moments clocks[PERFETTO_CLOCKS];
};

void perfetto_times_add_bundle(struct perfetto_times *times, const struct perfetto_bundle *bundle);
void perfetto_times_add_snapshot(struct perfetto_times *times,
				 const uint64_t times_ns[static PERFETTO_CLOCKS]);

/* Brings @time_ns of @clock (0: CLOCK_BOOTTIME, as FrameTimeline's) to the clock of the ftrace
 * events. Between clocks of which the trace has no common moment nothing changes. */
uint64_t perfetto_times_convert(const struct perfetto_times *times, uint64_t clock,
				uint64_t time_ns);

#endif

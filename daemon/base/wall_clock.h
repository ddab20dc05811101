/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's clocks, and from the trace clock to the time of day. */
#ifndef JANKD_DAEMON_BASE_WALL_CLOCK_H
#define JANKD_DAEMON_BASE_WALL_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "parser/span.h"

struct wall_clock {
	bool known;
	int64_t offset_ns; /* wall time (ns since 1970) = trace time + this */
};

/* "2026-11-21T01:02:03.456Z" and its NUL. */
#define WALL_CLOCK_TEXT 32

/* Measures the offset of a trace clock by its name in trace_clock. Clocks with a zero point of
 * their own ("local", "global") stay unknown: kernel_clock_measure() measures them. */
struct wall_clock wall_clock_measure(const char *trace_clock);

/* Are the times of this trace clock in seconds? "counter" counts events, "x86-tsc" cycles, "uptime"
 * jiffies. */
bool wall_clock_is_time(const char *trace_clock);

/* The clock of user space that is the same as a trace clock. False where there is none. */
bool wall_clock_same(const char *trace_clock, clockid_t *id);

/* Reads the offset from atrace's marker "realtime_ts=MILLISECONDS", written at @time_ns of the
 * trace clock. False where @marker is another. */
bool wall_clock_read_marker(struct wall_clock *clock, struct span marker, uint64_t time_ns);

/* Nanoseconds of a clock, now. */
int64_t clock_read(clockid_t id);

/* Nanoseconds since 1970, now. */
int64_t wall_clock_now(void);

/* Writes a time as ISO 8601, UTC, with milliseconds. */
void wall_clock_format(char text[static WALL_CLOCK_TEXT], int64_t wall_ns);

#endif

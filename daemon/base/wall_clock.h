/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's clocks, and the conversion of trace clock times to wall time. */
#ifndef JANKD_DAEMON_BASE_WALL_CLOCK_H
#define JANKD_DAEMON_BASE_WALL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "parser/span.h"

struct wall_clock {
	bool known;
	int64_t offset_ns; /* wall time (ns since 1970) = trace time + this */
};

/* "2026-11-21T01:02:03.456Z" and its NUL. */
#define WALL_CLOCK_TEXT 32

/* Measures the offset of the trace clock with this name. Clocks that only the kernel can read
 * ("local", "global") stay unknown here: kernel_clock_measure() measures them. */
struct wall_clock wall_clock_measure(const char *trace_clock);

/* Returns true if this trace clock counts time. "counter" counts events, "x86-tsc" cycles, "uptime"
 * jiffies. */
bool wall_clock_is_time(const char *trace_clock);

/* Sets *id to the clock of user space that is the same as a trace clock. Returns false if there is
 * none. */
bool wall_clock_same(const char *trace_clock, clockid_t *id);

/* Reads the offset from atrace's marker "realtime_ts=MILLISECONDS", written at @time_ns of the
 * trace clock. Returns false if @marker is another one. */
bool wall_clock_read_marker(struct wall_clock *clock, struct span marker, uint64_t time_ns);

/* Nanoseconds of a clock, and milliseconds of CLOCK_MONOTONIC, now. */
int64_t clock_read(clockid_t id);
int64_t clock_monotonic_ms(void);

/* How much more the clock @to is than @from. *at_ns: then, on @from. *error_ns: how far the offset
 * may be wrong. */
int64_t clock_offset(clockid_t from, clockid_t to, int64_t *at_ns, int64_t *error_ns);

/* Nanoseconds since 1970, now. */
int64_t wall_clock_now(void);

/* Writes a time as ISO 8601, UTC, with milliseconds. */
void wall_clock_format(char text[static WALL_CLOCK_TEXT], int64_t wall_ns);

/* --- suspends, and jumps of the wall clock --- */

/* The clocks of the machine at one moment, in ns. */
struct clock_reading {
	int64_t mono; /* does not advance while the device is suspended */
	int64_t boot; /* advances then, too */
	int64_t wall; /* set by users and the network */
};

/* All zeros before the first use. */
struct clock_watch {
	bool known;
	struct clock_reading last;
};

struct clock_change {
	int64_t slept_ns;   /* how long the device was suspended since the last call */
	int64_t stepped_ns; /* change of the wall clock beyond the elapsed time */
};

struct clock_reading clock_watch_read(void);

/* Compares with the previous call. The first call finds no change. */
struct clock_change clock_watch_compare(struct clock_watch *watch, struct clock_reading now);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Detects that the device slept, and that the time of day was changed. */
#ifndef JANKD_DAEMON_CAPTURE_CLOCK_WATCH_H
#define JANKD_DAEMON_CAPTURE_CLOCK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* The clocks of the machine at one moment, in ns. */
struct clock_reading {
	int64_t mono; /* does not advance while the device sleeps */
	int64_t boot; /* advances while the device sleeps */
	int64_t wall; /* the time of day: users and the network set it */
};

/* All zeros before the first use. */
struct clock_watch {
	bool known;
	struct clock_reading last;
};

struct clock_change {
	int64_t slept_ns;   /* since the last call; 0: it did not sleep */
	int64_t stepped_ns; /* change of the time of day beyond the elapsed time */
};

struct clock_reading clock_watch_read(void);

/* Compares with the previous call. The first call finds no change. */
struct clock_change clock_watch_compare(struct clock_watch *watch, struct clock_reading now);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Detects that the device was suspended, and that the wall clock was changed. */
#ifndef JANKD_DAEMON_CAPTURE_CLOCK_WATCH_H
#define JANKD_DAEMON_CAPTURE_CLOCK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

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

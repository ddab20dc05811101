/* SPDX-License-Identifier: Apache-2.0 */
/* Notices that the device slept, and that the time of day was changed. */
#ifndef JANKD_DAEMON_CAPTURE_CLOCK_WATCH_H
#define JANKD_DAEMON_CAPTURE_CLOCK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* The machine's clocks at one moment, ns. */
struct clock_reading {
	int64_t mono; /* stands still while the device sleeps */
	int64_t boot; /* goes on while it sleeps */
	int64_t wall; /* the time of day: is set by people and networks */
};

/* All zeros at the begin. */
struct clock_watch {
	bool known;
	struct clock_reading last;
};

struct clock_change {
	int64_t slept_ns; /* since the last comparison; 0: no more than it takes to read the clocks
			   */
	int64_t stepped_ns; /* what the time of day gained against the time that passed; likewise */
};

struct clock_reading clock_watch_read(void);

/* Compares with the call before; the first one finds no change. */
struct clock_change clock_watch_compare(struct clock_watch *watch, struct clock_reading now);

#endif

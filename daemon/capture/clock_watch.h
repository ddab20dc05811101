/* SPDX-License-Identifier: Apache-2.0 */
/* Sees that the device slept, and that somebody set the time of day. */
#ifndef JANKD_DAEMON_CAPTURE_CLOCK_WATCH_H
#define JANKD_DAEMON_CAPTURE_CLOCK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* One look at the machine's clocks, ns. */
struct clock_reading {
	int64_t mono; /* does not count while the device sleeps */
	int64_t boot; /* counts always */
	int64_t wall; /* is set by people and networks */
};

/* All zeros at the begin. */
struct clock_watch {
	bool known;
	struct clock_reading last;
};

struct clock_change {
	int64_t slept_ns;   /* since the last look; 0: not worth a word */
	int64_t stepped_ns; /* the time of day against the time that passed, as well */
};

struct clock_reading clock_watch_read(void);

struct clock_change clock_watch_take(struct clock_watch *watch, struct clock_reading now);

#endif

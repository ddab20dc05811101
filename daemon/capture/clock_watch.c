/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/clock_watch.h"

#include <time.h>

#include "daemon/base/wall_clock.h"

#define NS_PER_MS INT64_C(1000000)

/* Smaller differences are ignored: an interrupt between the reads of two clocks can cause them. */
#define SLEEP_NS (50 * NS_PER_MS)
#define STEP_NS (200 * NS_PER_MS)

struct clock_reading clock_watch_read(void)
{
	return (struct clock_reading){
		.mono = clock_read(CLOCK_MONOTONIC),
		.boot = clock_read(CLOCK_BOOTTIME),
		.wall = wall_clock_now(),
	};
}

struct clock_change clock_watch_compare(struct clock_watch *watch, struct clock_reading now)
{
	struct clock_reading last = watch->known ? watch->last : now;
	struct clock_change change = {
		.slept_ns = (now.boot - last.boot) - (now.mono - last.mono),
		.stepped_ns = (now.wall - last.wall) - (now.boot - last.boot),
	};

	*watch = (struct clock_watch){ true, now };
	if (change.slept_ns < SLEEP_NS)
		change.slept_ns = 0;
	if (change.stepped_ns < STEP_NS && change.stepped_ns > -STEP_NS)
		change.stepped_ns = 0;
	return change;
}

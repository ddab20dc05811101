/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/wall_clock.h"

#include <stdio.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

int64_t clock_read(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t clock_monotonic_ms(void)
{
	return clock_read(CLOCK_MONOTONIC) / NS_PER_MS;
}

#define READINGS 5
#define GOOD_WIDTH_NS 2000 /* clocks of user space, without an interrupt */

/* The best of some readings counts: in others, an interrupt may have come between the clocks. */
int64_t clock_offset(clockid_t from, clockid_t to, int64_t *at_ns, int64_t *error_ns)
{
	int64_t narrowest_ns = INT64_MAX, offset_ns = 0;

	for (int i = 0; i < READINGS && narrowest_ns > GOOD_WIDTH_NS; i++) {
		int64_t before_ns = clock_read(from), now_ns = clock_read(to);
		int64_t width_ns = clock_read(from) - before_ns;

		if (width_ns >= narrowest_ns)
			continue;
		narrowest_ns = width_ns;
		*at_ns = before_ns;
		offset_ns = now_ns - before_ns - width_ns / 2;
		*error_ns = width_ns / 2 + 1;
	}
	return offset_ns;
}

int64_t wall_clock_now(void)
{
	return clock_read(CLOCK_REALTIME);
}

bool wall_clock_same(const char *trace_clock, clockid_t *id)
{
	static const struct {
		const char *name;
		clockid_t id;
	} known[] = {
		{ "boot", CLOCK_BOOTTIME },
		{ "mono", CLOCK_MONOTONIC },
		{ "mono_raw", CLOCK_MONOTONIC_RAW },
		{ "tai", CLOCK_TAI },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, trace_clock) == 0) {
			*id = known[i].id;
			return true;
		}
	}
	return false;
}

bool wall_clock_is_time(const char *trace_clock)
{
	static const char *const none[] = { "counter", "uptime", "x86-tsc", "ppc-tb" };

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (strcmp(none[i], trace_clock) == 0)
			return false;
	return true;
}

struct wall_clock wall_clock_measure(const char *trace_clock)
{
	struct wall_clock clock = { false, 0 };
	int64_t at_ns, error_ns;
	clockid_t id;

	if (!wall_clock_same(trace_clock, &id))
		return clock;
	clock.offset_ns = clock_offset(id, CLOCK_REALTIME, &at_ns, &error_ns);
	clock.known = true;
	return clock;
}

bool wall_clock_read_marker(struct wall_clock *clock, struct span marker, uint64_t time_ns)
{
	static const struct span key = SPAN_INIT("realtime_ts=");
	uint64_t ms;

	if (!span_starts_with(marker, key) || time_ns > INT64_MAX)
		return false;
	marker = span_skip(marker, key.len);
	/* Nanoseconds in 64 bits end in 2262. */
	if (!span_take_number(&marker, INT64_MAX / NS_PER_MS, &ms))
		return false;
	clock->known = true;
	clock->offset_ns = (int64_t)ms * NS_PER_MS - (int64_t)time_ns;
	return true;
}

void wall_clock_format(char text[static WALL_CLOCK_TEXT], int64_t wall_ns)
{
	time_t seconds = wall_ns / NS_PER_S;
	int ms = (int)(wall_ns % NS_PER_S / NS_PER_MS);
	struct tm utc;
	char date[24];

	text[0] = '\0';
	if (wall_ns < 0 || !gmtime_r(&seconds, &utc))
		return;
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text, WALL_CLOCK_TEXT, "%s.%03dZ", date, ms);
}

/* --- suspends, and jumps of the wall clock --- */

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

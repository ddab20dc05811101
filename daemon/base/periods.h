/* SPDX-License-Identifier: Apache-2.0 */
/* Times, in ns, for which a user, or a test, waits: how often a capture looks at the world, and how
 * long it gives others. What is a property of Android or of the kernel is not here. */
#ifndef JANKD_DAEMON_BASE_PERIODS_H
#define JANKD_DAEMON_BASE_PERIODS_H

#include <stdint.h>

/* A test program defines this as nothing, to divide all of them: tests/lib/quick.c. */
#ifndef PERIODS_CONST
#define PERIODS_CONST const
#endif

struct periods {
	/* The longest time between two drains. A kill loses the rows of this time and of the first
	 * part of the next drain, together less than the 2 s that the README promises. */
	uint64_t drain_most_ns;

	/* The same if a table or another program shows rows at once, or if a trigger or a snapshot
	 * waits for a frame. */
	uint64_t drain_fresh_ns;

	/* The shortest time between two drains with a delay: each costs two wakeups. A frame waits
	 * 1.7 s at most. Together they are not more than drain_most_ns and the usual wait. */
	uint64_t drain_delayed_least_ns;

	/* A tick waits for the first drain after this time: with drain_fresh_ns for every fourth
	 * one. So is the next one after a tick in which another program was found to do something.
	 */
	uint64_t tick_ns;

	/* Without events for silent_ns the trace is silent: frames wait half of this time. After
	 * asleep_ns the rows of the last events are in the files, and a device whose screen is off
	 * is not woken up any more. */
	uint64_t silent_ns, asleep_ns;

	/* The delay from a detected change to its restore. A tool that sets up a trace writes
	 * several settings, and a restore between two of them would break its setup. */
	uint64_t restore_ns;

	/* In this time only a few settings are restored: another program may change them again and
	 * again. */
	uint64_t restores_ns;

	/* The thread that writes files is woken up with each drain if there are rows, but twice a
	 * second at most. Drains that are between flush_few_ns and flush_many_ns apart, because of
	 * many events, share a wakeup: so there are no more than two wakeups a second. If there are
	 * no rows, it is woken up by every second call of a caller that calls twice in four
	 * seconds, to check disk and folder. */
	uint64_t flush_ns, flush_few_ns, flush_many_ns, flush_idle_ns;

	/* During a long drain the thread is woken up this often. */
	uint64_t flush_long_drain_ns;

	/* No row waits for the thread longer than this; of doframe.csv not longer than the check of
	 * disk and folder. */
	uint64_t flush_most_ns;

	/* If one job of the thread takes this long, an event reports that the disk is not
	 * responding. */
	uint64_t disk_stall_ns;

	/* The longest time that a live event waits for earlier ones. */
	uint64_t events_held_ns;

	/* Between two checks of disk and folder. A little less than a second: a caller once a
	 * second must not find that it is too early. */
	uint64_t watch_ns;

	/* Time limit for a client to send its request, and again to read the answer. */
	uint64_t client_ns;

	/* Between two queries for the app in front. One costs Android some tens of milliseconds of
	 * CPU time. */
	uint64_t front_app_ns;
};

extern PERIODS_CONST struct periods periods;

#endif

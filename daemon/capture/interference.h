/* SPDX-License-Identifier: Apache-2.0 */
/* What other programs do to the trace while jankd captures, and what jankd does about it.
 *
 * A device has one trace for all programs. Another program (atrace, perfetto, a script) may
 *
 *     switch tracing off; make the buffers smaller; change the trace clock;      lasts until it
 *     switch off CPUs, markers or the atrace tags of apps; let a full buffer     is changed back
 *     drop new events; change the format of the lines
 *     empty the buffers                                                          is over at once
 *     read the raw trace, which removes events, or the text trace,               lasts while it
 *     which pauses recording on some kernels                                     reads
 *
 * For each of these jankd
 *   - detects it. Before each read it checks for writes to files of tracefs (inotify, see
 *     trace_watch.c), which wake it up. It checks everything else with each tick.
 *   - reports it in events.csv 100 ms later, at most 30 times a minute, even if it was changed back
 *     before.
 *   - adds a hole to the pipeline: events may be missing since the last good check. So a late
 *     frame in that time is not counted as jank. While events are hidden, as those of a CPU that is
 *     not traced, all frames are in a hole, whoever wanted it so.
 *   - switches tracing and tags on again, and enlarges the buffers, after 0.7 s, at most 4 times a
 *     minute. After that, and with --yield, they stay. So does every other value at once.
 *
 * A new clock that counts time is used from then on. While it does not, nothing is read. Suspends
 * of the device and jumps of the wall clock are detected here, too (base/wall_clock.h).
 */
#ifndef JANKD_DAEMON_CAPTURE_INTERFERENCE_H
#define JANKD_DAEMON_CAPTURE_INTERFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/capture/interference_tags.h"
#include "daemon/trace/trace.h"
#include "daemon/capture/session.h"
#include "daemon/capture/trace_watch.h"
#include "rules/base/rate_limit.h"

/* What is restored. */
enum interference_restored {
	INTERFERENCE_ON,
	INTERFERENCE_SIZE,
	INTERFERENCE_TAGS,
	INTERFERENCE_RESTORED
};

struct interference_wrong {
	uint64_t since_ns; /* it has to be restored: since then, of loop_now(); 0: it has not */
	/* The other program's value stays: it was changed too often, or --yield was given. */
	bool is_accepted;
};

struct interference {
	struct session *session;
	struct loop *loop;
	const struct trace_files *files;
	const char *path; /* of the trace */

	/* the settings */
	char values[TRACE_SETTINGS][SETTING_SIZE]; /* as they are known; "": not read yet */
	char first[TRACE_SETTINGS];		   /* the first character of the first value */
	bool has_format;			   /* lines of text are read */
	struct buffer_sizes size;		   /* to keep */
	struct buffer_sizes size_now;		   /* as of the last check */
	uint64_t cpus;				   /* of the trace, a bit each */
	char clock[SETTING_SIZE];		   /* of the records that are read */
	bool has_other_clock;			   /* was set, see interference_follow_clock() */
	struct interference_tags tags;
	struct interference_wrong wrong[INTERFERENCE_RESTORED];

	/* what is checked */
	struct trace_watch watch;
	struct cpu_buffer_stats buffer;
	uint64_t unreadable; /* CPUs whose statistics cannot be read, which was reported */
	struct clock_watch clocks;

	/* The settings that another program wrote last, a bit (1 << enum trace_setting) for each.
	 */
	unsigned int set_by_others;
	uint64_t wall_ns;	/* when the wall clock was measured, or 0: loop_now() */
	uint64_t good_ns;	/* trace time of the last good check */
	uint64_t tags_good_ns;	/* the same for the tags: at the last query but one */
	uint64_t tags_query_ns; /* at the last query */

	unsigned int written; /* files that were written or differ, until the recheck */
	uint64_t written_ns;  /* when the first of them was detected; 0: none */
	bool is_ending;	      /* see interference_end_soon() */
	uint64_t tick_ns;     /* of the last tick */
	bool is_watching;     /* the next write wakes up the loop */
	uint64_t event_ns;    /* of an event whose trace is not read yet; 0: none */

	bool readers_reported[2]; /* of the raw trace; of the trace, which pauses it */

	struct rate_limit restores; /* of settings */
	struct rate_limit events;
	unsigned int withheld; /* events not written since the last one */
	bool is_on;	       /* between interference_begin() and interference_end() */
};

/**
 * interference_begin() - watch the trace; its current settings are those to keep
 * @files: of the trace; borrowed, as @session and @loop
 * @tags: the atrace tags that were switched on for this capture; 0: none, or unknown
 * @watcher: its ready() is called after another program's write, and should call
 *	interference_may_read()
 */
void interference_begin(struct interference *interference, struct session *session,
			struct loop *loop, const struct trace_files *files, uint64_t tags,
			struct watcher watcher);

/* Checks the trace. Call it before each series of reads. False: the events have no usable
 * times and must not be read. */
bool interference_may_read(struct interference *interference);

/* Call it after that was false, when what was read before is counted. Uses the other clock from now
 * on. False: it does not count time. */
bool interference_follow_clock(struct interference *interference);

/* The next check is the last one: it does not wait for a recheck. */
void interference_end_soon(struct interference *interference);

/* Call it when the buffers were read to their end. */
void interference_drained(struct interference *interference);

/* Checks the trace, and restores settings. Call it every second or two, and when it is due.
 * @is_paused: starts no program that reads the tags: its end would wake up the process. The next
 * query reports a change since the last one. */
void interference_tick(struct interference *interference, bool is_paused);

/* True: a tick may run a program. */
static inline bool interference_runs_program(const struct interference *interference)
{
	return interference->is_on && interference->tags.wanted != 0;
}

/* True: the program of the last tick is still running. */
static inline bool interference_program_is_running(const struct interference *interference)
{
	return interference->tags.getprop.output.fd >= 0 && child_runs(&interference->tags.getprop);
}

/* True: a program runs that has a time limit. */
static inline bool interference_has_child(const struct interference *interference)
{
	return interference->is_on && (interference_program_is_running(interference) ||
				       child_runs(&interference->tags.atrace));
}

/* When the next drain and the next tick are due because of what other programs did, on the clock of
 * loop_now(). UINT64_MAX: they did nothing. */
uint64_t interference_due_ns(const struct interference *interference);

/* Call it, in any state, after the last events were read: the kernel's statistics are complete
 * then. */
void interference_end(struct interference *interference);

#endif

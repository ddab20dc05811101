/* SPDX-License-Identifier: Apache-2.0 */
/* What other programs do to the trace while jankd captures, and what jankd does about it.
 *
 * A device has one trace for all programs. Another one (atrace, perfetto, a shell script) may
 *
 *     switch tracing off; make the buffers smaller; change the trace clock;      it lasts until it
 *     switch off CPUs, markers or the atrace tags of apps; let a full buffer     is changed back
 *     drop new events; change the format of the lines
 *     empty the buffers                                                          it is done
 *     read the raw trace, which removes events, or a trace that pauses           while it reads
 *     meanwhile
 *
 * Of each of these jankd
 *   - notices it: a write to a file of tracefs by inotify (trace_watch.c) just before the next
 * read, everything else once a second. A change that was reverted before it was seen ("brief") is
 *     reported after a second look, 100 ms later;
 *   - reports it in events.csv, at most 30 times a minute;
 *   - tells the pipeline that events may be missing since the last time when all was well: a hole,
 *     so that nothing of it is counted as jank;
 *   - restores the setting after 0.7 s, at most 4 times a minute; then, and with --yield, the other
 *     program's value stays.
 *
 * While another clock is set, records have no usable times and are not read. Suspend of the device
 * and steps of the time of day are noticed here as well (clock_watch.c).
 */
#ifndef JANKD_DAEMON_CAPTURE_INTERFERENCE_H
#define JANKD_DAEMON_CAPTURE_INTERFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/capture/clock_watch.h"
#include "daemon/capture/interference_format.h"
#include "daemon/capture/interference_size.h"
#include "daemon/capture/interference_tags.h"
#include "daemon/trace/trace.h"
#include "daemon/capture/session.h"
#include "daemon/capture/trace_watch.h"
#include "rules/rate_limit.h"

/* Changes that last. */
enum interference_kind {
	INTERFERENCE_OFF,	/* tracing_on is 0 */
	INTERFERENCE_CLOCK,	/* another trace clock */
	INTERFERENCE_SIZE,	/* smaller buffers */
	INTERFERENCE_TAGS,	/* apps write no markers */
	INTERFERENCE_CPUS,	/* other CPUs are traced */
	INTERFERENCE_MARKERS,	/* markers are not recorded */
	INTERFERENCE_OVERWRITE, /* a full buffer drops new events instead of old ones */
	INTERFERENCE_FORMAT,	/* lines of a text in another format */
	INTERFERENCE_KINDS,
};

struct interference_change {
	bool is_changed;  /* now */
	bool is_accepted; /* it is not restored: another program changed it too often, or --yield */
	uint64_t since_ns; /* when it was noticed or restored last, on the clock of loop_now() */
};

struct interference {
	struct session *session;
	struct loop *loop;
	const struct trace_files *files;
	const char *path; /* of the trace */

	/* the settings as they are to be */
	char clock[SETTING_SIZE];
	struct interference_size size;
	struct interference_format format;	       /* of a text; else nothing is open */
	char values[INTERFERENCE_KINDS][SETTING_SIZE]; /* of the other kinds; "": unknown */
	struct interference_tags tags;

	/* what is watched */
	struct trace_watch watch;
	struct cpu_buffer_stats buffer;
	struct clock_watch clocks;

	struct interference_change changes[INTERFERENCE_KINDS];
	unsigned int set_by_others; /* see interference_set_by_others() */
	uint64_t good_ns;	    /* trace time when all was well last */
	uint64_t tags_good_ns;	    /* the same for the tags: at the query before the last one */
	uint64_t tags_query_ns;	    /* at the last one */

	/* brief changes */
	unsigned int brief;	   /* files that were written: a bit (1 << enum trace_file) each */
	uint64_t recheck_since_ns; /* when the first of them was noticed; 0: there is none */
	bool has_reported;	   /* there was an event in this check */
	uint64_t reported_ns;	   /* of the last check with an event */

	bool raw_reader_reported;  /* another program reads the raw trace */
	bool text_reader_reported; /* another program reads the trace, which pauses it */

	struct rate_limit restores; /* of settings */
	struct rate_limit events;
	unsigned int withheld; /* events since the last one that was written */
	bool is_on;	       /* between interference_begin() and interference_end() */
};

/**
 * interference_begin() - the settings of now are those that are to stay
 * @files: of the trace that is read; borrowed, as @session and @loop
 * @tags: the atrace tags that were switched on for this capture, 0: none, or unknown
 * @watcher: its ready() is called after another program's write: then interference_may_read() is
 *	due
 */
void interference_begin(struct interference *interference, struct session *session,
			struct loop *loop, const struct trace_files *files, uint64_t tags,
			struct watcher watcher);

/* Checks the trace. To be called before each series of reads. False: the events have no usable
 * times, and are not to be read. */
bool interference_may_read(struct interference *interference);

/* To be called when the buffers were read to their end. */
void interference_drained(struct interference *interference);

/* Checks the trace, and restores what is due. To be called once a second. */
void interference_tick(struct interference *interference);

/* Does each tick run a program? */
static inline bool interference_runs_program(const struct interference *interference)
{
	return interference->is_on && interference->tags.wanted != 0;
}

/* Is the program of the last tick still running? */
static inline bool interference_program_is_running(const struct interference *interference)
{
	return interference->tags.getprop.output.fd >= 0 && child_runs(&interference->tags.getprop);
}

/* Is another check due soon, 100 ms after something was noticed? */
static inline bool interference_needs_recheck(const struct interference *interference)
{
	return interference->recheck_since_ns > 0;
}

/* The settings that another program has written last, and not jankd: a bit (1 << enum
 * trace_setting) for each. */
static inline unsigned int interference_set_by_others(const struct interference *interference)
{
	return interference->set_by_others;
}

/* To be called when the last events were read: the kernel's statistics are complete then. In any
 * state. */
void interference_end(struct interference *interference);

#endif

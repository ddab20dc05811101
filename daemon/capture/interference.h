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
 *   - detects it. Before each read it checks for writes to files of tracefs (inotify), which wake
 * it up. It checks everything else with each tick.
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

#include "daemon/android/android.h"
#include "daemon/base/child.h"
#include "daemon/base/loop.h"
#include "daemon/base/options.h"
#include "daemon/capture/session.h"
#include "daemon/trace/trace.h"
#include "rules/base/rate_limit.h"

/* --- trace_watch.c ---
 *
 * Detects at once, with inotify, that a program writes to the files that control a trace, or reads
 * the trace. If the kernel or a policy does not allow that, only lasting changes are detected, when
 * the files are read. */

enum trace_file {
	/* Before these are the settings: see enum trace_setting. */
	TRACE_FILE_OPTIONS = TRACE_SETTINGS, /* trace_options: any option was written */
	TRACE_FILE_EMPTIED,  /* a write that empties the buffers: to trace, to snapshot, which puts
				an empty buffer in place of the full one, or a new size of
				sub-buffers */
	TRACE_FILE_TRACE,    /* trace: a write to it empties the buffers */
	TRACE_FILE_WAS_READ, /* trace was read: some kernels record nothing during a read */
	TRACE_FILE_RAW,	     /* trace_pipe_raw of a CPU: a read removes events */
	TRACE_FILES,
};

/* Each CPU has a trace_pipe_raw, a trace, a snapshot and a size. */
#define TRACE_WATCHES_MAX (16 + TRACE_SETTINGS + 4 * TRACE_CPUS_MAX)

struct trace_watch {
	/* fd is -1 if no file can be watched. */
	struct watcher watcher;
	struct {
		int wd;
		unsigned int file;
	} watches[TRACE_WATCHES_MAX];
	unsigned int n_watches;
	int raw_readers;  /* programs that have TRACE_FILE_RAW open */
	int text_readers; /* programs that have trace open, to read or to write */
	uint64_t events;  /* of inotify so far */
};

/* Starts watching the files of the trace at @path. @watcher: its ready() and context; ->watcher can
 * be added to a loop after this call, and is to be closed by loop_close_watcher(). @line_format:
 * watch also the options that change the format of the lines. */
void trace_watch_open(struct trace_watch *watch, struct watcher watcher, const char *path,
		      bool line_format);

/* Returns the files that were written or read since the last call, a bit each:
 * 1 << enum trace_setting or enum trace_file. */
unsigned int trace_watch_read(struct trace_watch *watch);

/* --- interference_tags.c ---
 *
 * The atrace tags. They select the markers that apps write, and are a property of the whole device.
 * Another program that ends its trace may switch them off. Then apps write no markers although
 * tracing is on. */

struct interference_tags {
	/* Called when at least one tag is off, @missing; or when all are on again. */
	void (*changed)(void *context, bool missing);
	/* Called when atrace has ended. @status: 0: all tags are on; else it failed. */
	void (*restored)(void *context, int status);
	void *context; /* of both */
	const struct options *options;
	struct loop *loop;
	struct child getprop; /* reads the tags */
	struct child atrace;  /* sets them */
	struct atrace_command command;
	bool answered;	 /* the last getprop has printed its line */
	int serial_fd;	 /* of property_serial_open() */
	int64_t serial;	 /* when that getprop was started; -1: unknown */
	uint64_t set;	 /* the value of the last read */
	uint64_t wanted; /* the tags that this capture's atrace set; 0: they are not watched */
	bool missing;	 /* at least one of them is off */
	bool restart;	 /* atrace cannot set only the tags: it is started with tracing */
	unsigned int timeouts; /* in a row, of getprop */
};

/* Starts watching. The caller has set the functions, ->options, ->loop and ->wanted; all else is
 * zero. */
void interference_tags_begin(struct interference_tags *tags);

/* Call it with each tick. @query: start getprop, too, if it is not running, and if a property has
 * changed since its last answer. */
void interference_tags_tick(struct interference_tags *tags, bool query);

/* Starts atrace to switch the tags on again. Returns 0 or -errno; restored() is called at the
 * end. */
int interference_tags_restore(struct interference_tags *tags);

void interference_tags_end(struct interference_tags *tags);

/* --- interference.c --- */

/* What is restored. */
enum interference_restored {
	INTERFERENCE_ON,
	INTERFERENCE_SIZE,
	INTERFERENCE_TAGS,
	INTERFERENCE_RESTORED
};

struct interference {
	struct session *session;
	struct loop *loop;
	const struct trace_files *files;

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
	/* When each is to be restored, of loop_now(). 0: it is as it should be. UINT64_MAX: the
	 * other program's value stays: it was changed too often, or --yield was given. */
	uint64_t restore_ns[INTERFERENCE_RESTORED];

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
	uint64_t tick_ns;     /* of the last tick */
	bool is_watching;     /* the next write wakes up the loop */
	uint64_t event_ns;    /* of an event whose trace is not read yet; 0: none */

	bool readers_reported[2]; /* of the raw trace; of the trace, which pauses it */

	struct rate_limit restores; /* of settings */
	struct rate_limit events;
	unsigned int withheld; /* events not written since the last one */
	bool is_on;	       /* between interference_begin() and interference_end() */
};

/* Watches the trace; its current settings are those to keep. @files: of the trace; borrowed, as
 * @session and @loop. @tags: the atrace tags that were switched on for this capture; 0: none, or
 * unknown. @watcher: its ready() is called after another program's write, and should call
 * interference_may_read(). */
void interference_begin(struct interference *interference, struct session *session,
			struct loop *loop, const struct trace_files *files, uint64_t tags,
			struct watcher watcher);

/* Checks the trace. Call it before each series of reads. @is_last: it does not wait for a recheck.
 * False: the events have no usable times and must not be read. */
bool interference_may_read(struct interference *interference, bool is_last);

/* Call it after that was false, when what was read before is counted. Uses the other clock from now
 * on. False: it does not count time. */
bool interference_follow_clock(struct interference *interference);

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

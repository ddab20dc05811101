/* SPDX-License-Identifier: Apache-2.0 */
/* One capture from begin to end: the records of a source go through the pipeline into the files.
 * 'run' and 'analyze' share all of it. */
#ifndef JANKD_DAEMON_CAPTURE_SESSION_H
#define JANKD_DAEMON_CAPTURE_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "daemon/android/android.h"
#include "daemon/base/folder.h"
#include "daemon/base/options.h"
#include "daemon/base/status.h"
#include "daemon/files/files.h"
#include "daemon/trace/trace.h"
#include "daemon/base/wall_clock.h"
#include "rules/pipeline.h"
#include "rules/rate_limit.h"
#include "rules/ruleset.h"

/* Where the events come from, for session.json. */
struct session_origin {
	const char *kind;	      /* "file", "trace_pipe" or "trace_pipe_raw" */
	const char *why;	      /* why it is that one; NULL for files */
	const char *path;	      /* directory of the trace; NULL for files */
	const char *trace_clock;      /* its name; "": unknown */
	struct wall_clock clock;      /* trace clock to wall time, if it could be measured */
	struct android_device device; /* if it is live */
	bool live;		      /* captured on this machine, now */
};

struct session {
	const struct options *options;
	struct session_origin origin;
	struct folder folder;
	struct output output;
	struct ruleset *rules;
	struct pipeline *pipeline;
	struct source *source;		/* NULL before session_begin() */
	struct snapshot snapshot;	/* saves text of the trace around late frames */
	uint64_t damage_seen;		/* damaged lines that an event reported */
	struct rate_limit damage_limit; /* of these events, by trace time */
	uint64_t summary_next_ns;	/* trace time of the next summary.csv */
	int64_t end_wall_ns;		/* live: when it ended, or ROW_UNKNOWN */
	bool broke_off;			/* the source is damaged, and an event reported it */
	bool failed;			/* the source could not be read, which was reported */
	bool started;			/* the start is in events.csv */
	uint64_t begun_again;	/* how often the folder was made again, when it was checked last */
	bool discarding;	/* records are read, but not counted */
	uint64_t from_ns;	/* earlier records are of before the begin; 0: it was reached */
	uint64_t from_until_ns; /* on the clock of loop_now(): then it is reached in any case */
	const struct cpu_buffer_stats *buffers; /* see session_set_counts() */
	const uint64_t *recoveries;		/* likewise */
};

/**
 * session_open() - load the rules, make the pipeline
 * @session: must not move afterwards
 * @options: borrowed
 *
 * Changes nothing in the file system. Returns 0, or EXIT_FAILED or EXIT_USAGE after the reason was
 * reported.
 */
int session_open(struct session *session, const struct options *options);

/* Opens the folder, unless the caller did, and its files. @source: borrowed until session_close().
 * @origin: copied, but its text is borrowed. Returns 0, or EXIT_FAILED after the reason was
 * reported. */
int session_begin(struct session *session, struct source *source,
		  const struct session_origin *origin);

/* Reads the source once. Returns as source_read(). */
ssize_t session_read(struct session *session, enum source_how how);

/* Whether the trace held any markers; false before session_begin(). */
bool session_has_markers(const struct session *session);

/* A row of events.csv, dated now; for live captures. */
void session_event(struct session *session, const char *kind, const char *text);

/* Saves a part of a snapshot that is due. True: there is more to save. */
bool session_save(struct session *session);

/* Writes what is due: rows, once a minute of trace time summary.csv. */
void session_flush(struct session *session);

/* Marks the present moment: a row of events.csv, and the open rows end. @text: any bytes. Returns
 * 0, or -ENOSPC: nothing was done, see pipeline_mark(). */
int session_mark(struct session *session, const char *text);

/* Reloads the rules; if that fails the old ones stay. Both are reported as an event. */
void session_reload_rules(struct session *session);

/* Ends the counting: all rows are on their way to the files. */
void session_finish(struct session *session);

/* Ends it, after session_finish(): completes and closes the files. Returns 0, or EXIT_FAILED after
 * the reason was reported: the files are incomplete, or there was nothing to count. */
int session_end(struct session *session);

/* Ends it if nothing in the trace can be counted: the folder is restored. @why: the reason to
 * report, or NULL: there were no markers. Returns EXIT_FAILED. */
int session_refuse(struct session *session, const char *why);

/* The name of its command, for messages. */
const char *session_command(const struct session *session);

/* --- of a live capture --- */

/* Whether records are counted, or discarded (--wait). */
void session_set_discarding(struct session *session, bool discarding);

/* The counters of the kernel's buffers, and how many settings were restored after another program's
 * change, for struct status; borrowed. */
void session_set_counts(struct session *session, const struct cpu_buffer_stats *buffers,
			const uint64_t *recoveries);

/* The name of the trace clock; borrowed: it may change. */
void session_set_trace_clock(struct session *session, const char *name);

/* From now on records have times of another clock; events may be missing since @since_ns. */
void session_new_clock(struct session *session, uint64_t since_ns);

/* --- session_status.c: what is known of it --- */

/* @begin_ns: when the capture began, on the clock of loop_now(); 0: unknown. Returns what is known
 * now, to be freed with free(), or NULL without memory. */
struct status *session_status(const struct session *session, uint64_t begin_ns,
			      enum status_surfaces which);

/* The part of it that a pipeline knows: counters and surfaces, which are all zeros before. */
void status_read_pipeline(struct status *status, struct pipeline *pipeline,
			  enum status_surfaces which);

/* Frees everything, in any state. */
void session_close(struct session *session);

#endif

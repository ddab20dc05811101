/* SPDX-License-Identifier: Apache-2.0 */
/* One trace, live or recorded, from start to end: the records of a source go through the pipeline
 * into the files. 'run', 'start' and 'analyze' use it. */
#ifndef JANKD_DAEMON_CAPTURE_SESSION_H
#define JANKD_DAEMON_CAPTURE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/android/android.h"
#include "daemon/base/folder.h"
#include "daemon/base/options.h"
#include "daemon/base/ids.h"
#include "daemon/base/status.h"
#include "daemon/files/files.h"
#include "daemon/trace/trace.h"
#include "daemon/base/wall_clock.h"
#include "rules/pipeline.h"
#include "rules/base/rate_limit.h"
#include "rules/language/ruleset.h"

/* Where the events come from. Written to session.json. All text is borrowed. */
struct session_origin {
	const char *kind;		     /* "file", "trace_pipe" or "trace_pipe_raw" */
	const char *why;		     /* the reason for that source; NULL for files */
	const char *path;		     /* directory of the trace; NULL for files */
	const char *trace_clock;	     /* its name; "": unknown */
	struct wall_clock clock;	     /* trace clock to wall time, if it was measured */
	struct android_device device;	     /* of a live capture */
	char id[SESSION_ID_SIZE];	     /* of a live capture, random; else "" */
	bool live;			     /* captured on this machine, now */
	const struct background *background; /* where a live capture runs; else NULL */
};

struct session {
	const struct options *options;
	struct session_origin origin; /* set by the caller before session_begin() */
	struct folder folder;
	struct output output;
	struct ruleset *rules;
	struct pipeline *pipeline;
	struct source *source;		/* NULL before session_begin() */
	struct snapshot snapshot;	/* saves text of the trace around late frames */
	uint64_t damage_reported;	/* counts.damaged at the last event about it */
	struct rate_limit damage_limit; /* of these events, in trace time */
	uint64_t summary_next_ns;	/* trace time of the next summary.csv */
	int64_t begin_wall_ns;		/* live: ns since 1970 when it began, or ROW_UNKNOWN */
	uint64_t begin_ns;		/* when a live capture's loop began, set by it; else 0 */
	int64_t end_wall_ns;		/* live: when the capture ended, or ROW_UNKNOWN */
	/* Of the device at these two times: a live capture sets them; else all are unknown. */
	struct device_values begin_values, end_values;
	unsigned int failures_reported; /* source->failures at the last event about it */
	struct rate_limit failure_limit;
	bool broke_off;		 /* the source is damaged, and an event was written */
	bool failed;		 /* the source could not be read, and the reason was reported */
	bool has_kept_earlier;	 /* session_keep_earlier() was successful */
	bool started;		 /* the event of the start is in events.csv */
	uint64_t recreations;	 /* how often the folder was created again, at the last check */
	bool discarding;	 /* set by a live capture: records are read, but not counted */
	bool is_again;		 /* session_begin_again() */
	uint64_t count_from_ns;	 /* earlier records are not counted; 0: all are */
	uint64_t count_until_ns; /* neither are later ones */
	uint64_t plain_until_ns; /* earlier markers need no check; 0: all do */
	uint64_t count_from_limit_ns; /* when ->count_from_ns ends, on the clock of loop_now() */
	/* For struct status: the counters of the kernel's buffers, how many settings were restored,
	 * and the counts of the polls of present fences. Borrowed; NULL: there are none. A live
	 * capture sets them. */
	const struct cpu_buffer_stats *buffers;
	const uint64_t *recoveries;
	const struct status_latency *latency;
	bool is_loss_pending; /* see session_set_loss_pending() */
};

/* Loads the rules and checks them; changes nothing in the file system. @session: must not move
 * afterwards. @options: borrowed. Returns 0, or EXIT_FAILED or EXIT_USAGE after the reason was
 * reported. */
int session_open(struct session *session, const struct options *options);

/* Renames the files of the earlier session, if that was not done: a capture does it before tracing
 * is on, as a slow disk takes time. Returns 0, or -errno after the reason was reported. */
int session_keep_earlier(struct session *session);

/* Replaces session.json. Errors are reported together with those of the other files. To be called
 * when the thread that writes files runs: session_begin() did not wait for the disk. */
void session_write_json(struct session *session);

/* Opens the folder, if the caller did not, and its files. @source: borrowed until session_close().
 * Returns 0, or EXIT_FAILED after the reason was reported. */
int session_begin(struct session *session, struct source *source);

/* Continues the session of a killed capture: the rows are appended to its files. Writes neither
 * start nor stop, no summary.csv and no session.json. @source: NULL: only output_event_now() may
 * follow. @from_ns, @until_ns: only records from this trace time on, and from before that one, are
 * counted. Ends with pipeline_end(), after the last record, and output_close(). */
int session_begin_again(struct session *session, struct source *source, uint64_t from_ns,
			uint64_t until_ns);

/* Reads the source once. Returns as source_read(). */
ssize_t session_read(struct session *session, enum source_how how);

/* Reads what is in the buffers, for ten seconds at most: other programs may continue to write. What
 * is left then is said in an event and on stderr, except for records that do not count. */
void session_read_rest(struct session *session, enum source_how how);

/* For struct latency_calls, with options.pipeline.is_fences; @session: a struct session. Counts the
 * frame of a present fence; and says that all of them up to @until_ns were counted. */
void session_fence(void *session, const struct present_fence *fence);
void session_fences_passed(void *session, uint64_t until_ns);

/* Writes pending rows, and summary.csv once a minute of trace time. Returns true if the folder was
 * removed and created again since the last call. */
bool session_flush(struct session *session);

/* Closes the segments, see output_rotate(), and writes summary.csv. Returns true if a segment was
 * closed. */
bool session_rotate(struct session *session, const char *why);

/* Marks the current moment: adds a row to events.csv, and ends the open rows. @text: any bytes.
 * False: the queue has no space for that row. */
bool session_mark(struct session *session, const char *text);

/* Uses these rules from now on, and frees the old ones; NULL: they could not be loaded, which was
 * reported, and the old ones stay. Both are reported as an event. */
void session_set_rules(struct session *session, struct ruleset *rules);

/* Ends the counting: all rows are sent to the files. */
void session_finish(struct session *session);

/* Completes and closes the files, after session_finish(). Returns 0, or EXIT_FAILED after the
 * reason was reported: the files are incomplete, or there was nothing to count. */
int session_end(struct session *session);

/* Removes the files of this session, and gives those of the earlier one their names back. Does
 * nothing if it has ended. */
void session_undo(struct session *session);

/* Ends a session whose trace cannot be counted, and restores the folder. @why: the reason, which is
 * reported; NULL: there were no markers. Returns EXIT_FAILED. */
int session_refuse(struct session *session, const char *why);

/* --- of a live capture --- */

/* Events may be missing, and the source does not report it: until this is set to false, frames are
 * in a hole. See pipeline_set_loss_pending(). */
void session_set_loss_pending(struct session *session, bool pending);

/* True: there is nothing to do before the next event: no frame waits to be counted, and all rows,
 * events and snapshots are in the files. */
bool session_is_idle(const struct session *session);

/* Says how many events were lost: "5 events lost". */
#define SESSION_LOST_SIZE 48
void session_describe_lost(const struct session *session, char text[static SESSION_LOST_SIZE]);

/* For how long the trace has had no event, ns. Call it when the source was read to its end. 0:
 * unknown. */
uint64_t session_silent_ns(const struct session *session);

/* After this call records have times of another clock. Events may be missing since @since_ns.
 * @clock: its offset. */
void session_new_clock(struct session *session, uint64_t since_ns, struct wall_clock clock);

/* --- session_status.c: the state of the session --- */

/* As capture_status(). */
struct status *session_status(const struct session *session, enum status_surfaces which);

/* Fills in the counters and surfaces of a pipeline. These fields of @status have to be zeros. */
void status_read_pipeline(struct status *status, struct pipeline *pipeline,
			  enum status_surfaces which);

/* Frees everything, in any state. */
void session_close(struct session *session);

#endif

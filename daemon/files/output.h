/* SPDX-License-Identifier: Apache-2.0 */
/* The destination of a pipeline's rows and events (files.h).
 *
 * The functions below wait for the disk if the trace is recorded. In a live capture another thread
 * writes the files (file_thread.h): only output_complete(), output_wait() and output_close() wait
 * for it, by calling the function @wait of output_begin_thread(). */
#ifndef JANKD_DAEMON_FILES_OUTPUT_H
#define JANKD_DAEMON_FILES_OUTPUT_H

#include "daemon/base/folder.h"
#include "daemon/base/options.h"
#include "daemon/base/status.h"
#include "daemon/base/wall_clock.h"
#include "daemon/files/csv.h"
#include "daemon/files/csv_file.h"
#include "daemon/files/event_queue.h"
#include "daemon/files/file_thread.h"
#include "daemon/files/session_files.h"
#include "daemon/files/trigger_gate.h"
#include "rules/pipeline.h"

struct snapshot;

/* Saves the trace around late frames (snapshot.h). All NULL: none is saved. */
struct output_late {
	void (*frame)(struct snapshot *snapshot, const struct late_frame *frame);
	/* The time of the frame whose event is pending, or UINT64_MAX. */
	uint64_t (*pending_ns)(const struct snapshot *snapshot);
	void (*update)(struct snapshot *snapshot); /* called when output->state has changed */
	struct snapshot *snapshot;
};

struct output {
	/* Set by the owner after output_open(). */
	struct wall_clock clock;	 /* for the wall time of later events */
	const struct pipeline *pipeline; /* the source of most events: borrowed */
	struct output_late late;
	/* NULL, or called with the text of each later event about lost events or rows, or about the
	 * settings of tracing (kinds "lost" and "tracing"). */
	void (*trouble)(void *context, const char *text);
	void *trouble_context;

	const struct options *options;
	const char *path; /* of the folder, for messages: borrowed */
	struct session_files files;
	struct file_thread *thread;	  /* may be asked by others; NULL: jobs are done at once */
	struct session_files_state state; /* of the files, as of the last output_update() */
	struct csv_row *text;		  /* the row that is being formatted */
	struct csv_file console;	  /* rows of fps.csv on standard output */
	struct event_queue *events;	  /* not sent yet: an earlier event may come */
	bool is_open, is_live;
	struct trigger_gate *gate; /* NULL: without --trigger */

	uint64_t rows[ROW_FILES];	/* sent to the files */
	uint64_t queue_lost[ROW_FILES]; /* rows for which the queue had no space */
	uint64_t left_out[ROW_FILES];	/* rows of files that the disk floor had stopped */
	uint64_t queue_lost_reported;	/* of all files */
	bool has_rows;			/* since the last rotation */
	uint64_t rotate_job;		/* the number of the last FILE_JOB_ROTATE */
	bool has_unflushed;		/* jobs were sent since the last flush */
	bool has_unflushed_doframes;	/* rows of doframe.csv were */
	uint64_t flush_ns;		/* of the last flush: a time of loop_now() */
	uint64_t flushed;		/* the number of the job of that flush */
	uint64_t segment_begin_ns;	/* trace time from which --rotate-time counts */
	bool mark_lost;			/* the queue had no space for the last mark */
	bool summary_failed;		/* the queue had no space for one of its rows */
	bool stall_reported;		/* the event of a stall was written */
	bool console_reported;

	bool failed; /* the files are incomplete */

	void (*wait)(void *context); /* see output_begin_thread() */
	void *wait_context;
};

/**
 * output_open() - create the files that the options require
 * @output: must not move afterwards: its address is in the sink
 * @options, @folder: borrowed
 * @again: the files are those that a killed capture left: they are repaired, and rows are appended
 *
 * Returns 0, or -errno after the reason was printed on stderr.
 */
int output_open(struct output *output, const struct options *options, struct folder *folder,
		bool again);

/* After this call the files and @folder, except for its path, belong to a thread. @wait: called to
 * wait until all jobs are done; may do other work meanwhile. @check: called by the thread every
 * few seconds, until FILE_JOB_REMOVE_JOURNAL; checks other files in the folder. Returns 0, or
 * -errno after the reason was printed on stderr. */
int output_begin_thread(struct output *output, void (*wait)(void *context), void *wait_context,
			void (*check)(void *context), void *check_context);

struct row_sink output_sink(struct output *output);

/* Closes the segment if its time is over. With --rotate-time, to be called at each record, so that
 * reads of any size give the same segments. */
void output_rotate_if_due(struct output *output);

/* --- events --- */

/* Adds a row to events.csv, which is sent when no earlier event can come. @time_ns: trace clock, or
 * ROW_UNKNOWN. @wall_ns: ns since 1970; ROW_UNKNOWN: calculated from @time_ns if the clock is
 * known. */
void output_event(struct output *output, int64_t time_ns, int64_t wall_ns, const char *kind,
		  const char *text);

/* The same with the current time. */
void output_event_now(struct output *output, const char *kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static inline bool output_has_events(const struct output *output)
{
	return output->events->n > 0;
}

/* The time of the first of these; UINT64_MAX: there is none. */
static inline const uint64_t *output_first_event(const struct output *output)
{
	return &output->events->places[0].key_ns;
}

/* Sends the events before which no other event can come any more. To be called at a record. */
void output_settle(struct output *output);

/* Sends all events now. */
void output_release_events(struct output *output);

/* --- files --- */

/* Closes the current segment and begins the next; @why is the text of the event. False: there is no
 * row. The result is in output->state when the jobs are done. */
bool output_rotate(struct output *output, const char *why);

/* Writes the buffers, and reports failures. */
void output_flush(struct output *output);

/* The same, if the last flush was long enough ago, or would be too long ago at the next call, which
 * is in @next_ns; 0: unknown, or at once; UINT64_MAX: after the next part of a drain that takes
 * long. To be called often. */
void output_flush_if_due(struct output *output, uint64_t next_ns);

bool output_is_flushed(const struct output *output);

/* Checks disk and folder while a recorded trace is read, which can take long. */
void output_watch(struct output *output);

/* Replaces summary.csv. A flush reports a failure. */
void output_summary(struct output *output, struct pipeline *pipeline);

/* Replaces a file: begin, pieces, end. The new file has a temporary name until its end. @size: its
 * bytes if it is large, else 0. @error: not 0: the new file is discarded. False: the queue has no
 * space now. */
bool output_replace_begin(struct output *output, enum replaced_file which, const char *name,
			  uint64_t size);
bool output_replace_bytes(struct output *output, enum replaced_file which, struct span bytes);
void output_replace_end(struct output *output, enum replaced_file which, int error);

/* Sends a job without bytes. */
void output_post(struct output *output, enum file_job_kind kind);

/* Waits until all jobs are done. */
void output_wait(struct output *output);

/* Flushes, waits, and reports the result. @final: for the first call at the end, which reports the
 * lost rows, too. */
void output_complete(struct output *output, bool final);

/* Updates output->state, and writes the reports of the files as events. */
void output_update(struct output *output);

/* A file's name; NULL: the file is not written in this session. */
const char *output_name(const struct output *output, enum csv_file_kind which);

struct status_rows output_rows(const struct output *output, enum csv_file_kind which);
uint64_t output_all_rows_lost(const struct output *output);

/* Writes and closes all files. A failure is in output->failed. */
void output_close(struct output *output);

#endif

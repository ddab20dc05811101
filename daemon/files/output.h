/* SPDX-License-Identifier: Apache-2.0 */
/* Where the rows and events of a pipeline go. A row is a value until it is decided that it is
 * written: by the type of the session, by --trigger (gate.h), by the floor of the disk
 * (disk_floor.h). Then it becomes text (csv.h) and is sent to its file.
 *
 * Reading a recorded trace waits for its files. A live capture does not: its files have a thread of
 * their own (file_thread.h), and no function here waits for the disk but output_complete(),
 * output_wait() and output_close(), which call @wait meanwhile. */
#ifndef JANKD_DAEMON_FILES_OUTPUT_H
#define JANKD_DAEMON_FILES_OUTPUT_H

#include "daemon/base/folder.h"
#include "daemon/base/options.h"
#include "daemon/base/wall_clock.h"
#include "daemon/files/csv.h"
#include "daemon/files/csv_file.h"
#include "daemon/files/event_queue.h"
#include "daemon/files/file_thread.h"
#include "daemon/files/gate.h"
#include "daemon/files/session_files.h"
#include "daemon/files/spill_file.h"
#include "rules/pipeline.h"

/* What saves the trace around late frames (snapshot.h). All NULL: none is saved. */
struct output_late {
	void (*frame)(void *context, const struct late_frame *frame);
	/* The time of the frame whose event is still to come, or UINT64_MAX. */
	uint64_t (*pending_ns)(const void *context);
	void (*update)(void *context); /* output->state is new */
	void *context;
};

struct output {
	const struct options *options;
	const char *command;
	const char *path; /* of the folder, for messages: borrowed */
	struct session_files files;
	struct file_thread *thread;	  /* NULL: jobs are done at once */
	struct session_files_state state; /* of the files, as output_update() copied it last */
	struct spill_file spills[SPILL_KINDS];
	struct csv_row *text;		 /* the row that is being formatted */
	struct csv_file console;	 /* rows of fps.csv on standard output */
	struct wall_clock clock;	 /* for the wall time of events */
	struct event_queue *events;	 /* not sent yet: an earlier one may come */
	const struct pipeline *pipeline; /* where most of them come from: borrowed */
	struct output_late late;
	bool is_live;
	uint64_t now_ns;   /* of the trace */
	struct gate *gate; /* NULL: no --trigger */

	uint64_t rows[ROW_FILES];	/* sent to the files, or refused by the floor of the disk */
	uint64_t queue_lost[ROW_FILES]; /* rows for which the queue had no space */
	uint64_t queue_lost_reported;	/* of all files */
	bool has_rows;			/* since a segment was closed last */
	uint64_t rolled;		/* the number of that job */
	bool has_unflushed;		/* sent since the last flush */
	uint64_t flush_ns;		/* the last one, on the clock of loop_now() */
	uint64_t flushed;		/* the number of its job */
	uint64_t segment_begin_ns;	/* trace time from which --rotate-time counts */
	bool summary_failed;		/* the queue had no space for a row of it */
	bool stall_reported;		/* the disk does not respond */
	bool spill_reported;
	bool console_reported;

	bool failed; /* the files are incomplete */

	void (*wait)(void *context); /* see output_begin_thread() */
	void *wait_context;
};

/**
 * output_open() - create the files that the options require
 * @output: must not move afterwards: its address is in the sink
 * @options, @folder: borrowed
 *
 * Returns 0, or -errno after the reason was printed on stderr.
 */
int output_open(struct output *output, const struct options *options, struct folder *folder);

/* From now on the files and @folder, but for its path, belong to a thread. @wait: called to wait
 * until all jobs are done; it may do other things meanwhile. @check: called by that thread about
 * once a second, until output_remove_journal(); checks other files in the folder. Returns 0, or
 * -errno after the reason was printed on stderr. */
int output_begin_thread(struct output *output, void (*wait)(void *context), void *wait_context,
			void (*check)(void *context), void *check_context);

/* --- what the rows come from --- */

/* Where a pipeline's rows go. */
struct row_sink output_sink(struct output *output);

/* @pipeline: borrowed, until output_close(). */
void output_set_pipeline(struct output *output, const struct pipeline *pipeline);

/* For the wall time of events from now on. */
void output_set_clock(struct output *output, struct wall_clock clock);

/* The same, from a marker of atrace in a recorded trace, see wall_clock_read_marker(). */
void output_read_clock_marker(struct output *output, struct span marker, uint64_t time_ns);

void output_set_late(struct output *output, struct output_late late);

/* The trace has reached @now_ns. To be called where a record is in the stream: --rotate-time then
 * gives the same segments however the stream is read. */
void output_follow(struct output *output, uint64_t now_ns);

/* --- events --- */

/* A row of events.csv: it is sent as soon as no earlier one can come. @time_ns: trace clock, or
 * ROW_UNKNOWN. @wall_ns: ns since 1970, or ROW_UNKNOWN: calculated from @time_ns where the clock is
 * known. */
void output_event(struct output *output, int64_t time_ns, int64_t wall_ns, const char *kind,
		  const char *text);

/* The same, dated now. */
void output_event_now(struct output *output, const char *kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static inline bool output_has_events(const struct output *output)
{
	return output->events->n > 0;
}

/* Sends the events before which none can come any more. To be called where a record is in the
 * stream. */
void output_settle(struct output *output);

/* Sends all events now. */
void output_release_events(struct output *output);

/* --- files --- */

/* Closes the current segment; @why is the event's text. False: there is no row to close. The result
 * is in output->state when the jobs are done. */
bool output_rotate(struct output *output, const char *why);

/* Writes what is buffered, and reports what could not be written. */
void output_flush(struct output *output);

/* The same, where the last flush is long enough ago: to be called often. */
void output_flush_if_due(struct output *output);

/* Reading a recorded trace takes long: checks disk and folder meanwhile. */
void output_watch(struct output *output);

/* Replaces summary.csv. A flush reports what fails. */
void output_summary(struct output *output, struct pipeline *pipeline);

/* Replaces a file as a whole: begin, pieces, end. @size: bytes to come, where they are many.
 * @error: not 0: the file is given up. Returns false where the queue has no space now. */
bool output_whole_begin(struct output *output, enum whole_file which, const char *name,
			uint64_t size);
bool output_whole_bytes(struct output *output, enum whole_file which, const char *bytes,
			size_t len);
void output_whole_end(struct output *output, enum whole_file which, int error);

/* The session will not be refused: closing a segment may remove old ones. A live one never is. */
void output_accept(struct output *output);

/* The same, and removes the segments beyond --keep now. */
void output_keep(struct output *output);

/* All settings are restored: removes the journal. */
void output_remove_journal(struct output *output);

/* --- the jobs that were sent --- */

/* Waits until all are done. */
void output_wait(struct output *output);

/* The same, after a flush, and reports the result. @last: lost rows, too. */
void output_complete(struct output *output, bool last);

/* The number of the last job; is the job of that number done? */
uint64_t output_posted(const struct output *output);
bool output_is_done(const struct output *output, uint64_t posted);

/* The descriptor becomes readable when output_update() has something to report, and, once, when all
 * jobs are done: output_notify() requests that. */
int output_fd(const struct output *output);
void output_notify(struct output *output);

/* Brings output->state up to date, and reports what the files' thread has to report. */
void output_update(struct output *output);

/* How long the disk has been busy with the current job, ns. */
uint64_t output_busy_ns(const struct output *output);

/* --- counts --- */

/* A file's name; NULL: it is not written in this session. */
const char *output_name(const struct output *output, enum row_file which);

/* Rows in a file; rows that could not be written; rows that were not written: low disk space. */
uint64_t output_rows_written(const struct output *output, enum row_file which);
uint64_t output_rows_lost(const struct output *output, enum row_file which);
uint64_t output_rows_left_out(const struct output *output, enum row_file which);
uint64_t output_all_rows_lost(const struct output *output);

/* --- the end --- */

/* Writes and closes all files. Whether that succeeded is in output->failed. */
void output_close(struct output *output);

/* Frees what a pipeline may still use after that; to be called when there is none. */
void output_free(struct output *output);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Where the rows of a pipeline go: as text to the files of the session (files.h), once it is
 * decided that they are wanted. A recorded trace waits for its files. In a live capture they have a
 * thread of their own (file_thread.h), and nothing here waits for the disk. */
#ifndef JANKD_DAEMON_FILES_OUTPUT_H
#define JANKD_DAEMON_FILES_OUTPUT_H

#include "daemon/files/csv_file.h"
#include "daemon/files/event_queue.h"
#include "daemon/files/file_thread.h"
#include "daemon/files/files.h"
#include "daemon/base/folder.h"
#include "daemon/files/gate.h"
#include "daemon/base/options.h"
#include "daemon/files/spill_file.h"
#include "daemon/base/wall_clock.h"
#include "rules/pipeline.h"

/* Who saves the trace around late frames. All NULL: none is saved. */
struct output_late {
	void (*frame)(void *context, const struct late_frame *frame);
	/* The time of the frame that an event is still to tell of, or UINT64_MAX. */
	uint64_t (*tells_ns)(const void *context);
	void (*look)(void *context); /* the state of the files is a new one */
	void *context;
};

struct output {
	const struct options *options;
	const char *command;
	const char *path; /* of the folder, for messages: borrowed */
	struct files files;
	struct file_thread *thread; /* NULL: jobs are done at once */
	struct files_state state;   /* what has become of them, as it was looked at last */
	struct spill_file spills[SPILL_KINDS];
	struct csv_file maker;		 /* a row becomes text there */
	unsigned int making;		 /* which file it is for: enum row_file, or more */
	struct csv_file console;	 /* rows of fps.csv on standard output */
	struct wall_clock clock;	 /* for the wall time of events */
	struct event_queue *events;	 /* on their way */
	const struct pipeline *pipeline; /* that tells of most of them: borrowed */
	struct output_late late;
	bool is_live;
	uint64_t now_ns; /* of the trace */

	struct gate *gate;     /* NULL: all rows are wanted */
	struct gate_span span; /* of the row that is being written */

	uint64_t rows[ROW_FILES];    /* sent to the files */
	uint64_t refused[ROW_FILES]; /* there was no room for in the queue */
	uint64_t refused_told;	     /* of all files */
	bool has_rows;		     /* sent since a segment was closed last */
	uint64_t rolled;	     /* what the thread has to do for that */
	bool summary_failed;	     /* a row of the one that is being made found no room */
	bool has_unflushed;	     /* sent since the last flush */
	uint64_t flush_ns;	     /* the last one, on the clock of loop_now() */
	uint64_t flushed;	     /* what the thread has to do for the last flush */
	uint64_t segment_begin_ns;   /* trace time from which on the next segment counts */
	bool stall_told;	     /* that the disk holds up the thread */
	bool spill_told;
	bool console_told;

	bool failed; /* the files are incomplete */

	/* Called to wait until all jobs are done: whoever has other things to do meanwhile. */
	void (*wait)(void *context);
	void *wait_context;
};

/**
 * output_open() - create the files that the options ask for
 * @output: must not move afterwards: its address is in the sink
 * @options, @folder: borrowed
 *
 * Returns 0, or -errno after the reason was said on stderr.
 */
int output_open(struct output *output, const struct options *options, struct folder *folder);

/* From now on the files are a thread's, and so is @folder, but for its path. @wait: see struct
 * output. Returns 0, or -errno after the reason was said on stderr. */
int output_begin_thread(struct output *output, void (*wait)(void *context), void *context);

/* Where a pipeline's rows go. */
struct row_sink output_sink(struct output *output);

/* A row of events.csv: it goes out as soon as no earlier one can come. @time_ns: trace clock, or
 * ROW_UNKNOWN. @wall_ns: ns since 1970, or ROW_UNKNOWN: made from @time_ns where the clock is
 * known. */
void output_event(struct output *output, int64_t time_ns, int64_t wall_ns, const char *kind,
		  const char *text);

/* The same for what happens now. */
void output_tell(struct output *output, const char *kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Lets the events go out before which none can come any more. To be called where a record stands in
 * the stream. */
void output_settle(struct output *output);

/* Somebody waits for the event that was told last: all go out. */
void output_release_events(struct output *output);

/* The trace has come to @now_ns. To be called where a record stands in the stream: --rotate-time
 * then gives the same segments however the stream is read. */
void output_follow(struct output *output, uint64_t now_ns);

/* Closes the current segment because someone asks for it: @why is the event's text. False: there is
 * no row to close. How it went is in output->state when the jobs are done. */
bool output_rotate(struct output *output, const char *why);

/* Writes what is buffered, and tells what could not be written. */
void output_flush(struct output *output);

/* The same, where it was not done just before: to be called often. */
void output_flush_if_due(struct output *output);

/* Reading a recorded trace takes long: looks after disk and folder meanwhile. */
void output_watch(struct output *output);

/* Replaces summary.csv. What goes wrong is told with a flush. */
void output_summary(struct output *output, struct pipeline *pipeline);

/* Replaces a file as a whole: begin, pieces, end. @size: bytes to come, where they are many.
 * @error: not 0: it is given up. Returns false where there is no room for the piece now. */
bool output_whole_begin(struct output *output, enum whole_file which, const char *name,
			uint64_t size);
bool output_whole_bytes(struct output *output, enum whole_file which, const char *bytes,
			size_t len);
void output_whole_end(struct output *output, enum whole_file which, int error);

/* Waits until all that was sent to the files is done. */
void output_wait(struct output *output);

/* The same, after a flush, and tells what became of it. @last: of lost
 * rows, too. */
void output_complete(struct output *output, bool last);

/* The job with that number is done, as output_posted() gave it. */
uint64_t output_posted(const struct output *output);
bool output_is_done(const struct output *output, uint64_t posted);

/* The descriptor is readable when output_look() has something to take, and, once, when all jobs are
 * done: output_call() asks for that. */
int output_fd(const struct output *output);
void output_call(struct output *output);

/* So long the disk takes by now for one thing, ns. */
uint64_t output_busy_ns(const struct output *output);

/* Takes what the files' thread tells. */
void output_look(struct output *output);

/* A file's name; NULL: it is not asked for. */
const char *output_name(const struct output *output, enum row_file which);

/* Rows of a file that reached it, and those that never did. */
uint64_t output_rows_written(const struct output *output, enum row_file which);
uint64_t output_rows_lost(const struct output *output, enum row_file which);
uint64_t output_all_rows_lost(const struct output *output);

/* All may be as it was: nothing is there to be undone. */
void output_keep(struct output *output);

/* All settings are put back. */
void output_forget_journal(struct output *output);

/* Writes, closes. Whether all went well is in output->failed. */
void output_close(struct output *output);

/* Lets go of what a pipeline may still ask for after that; to be called when there is none. */
void output_free(struct output *output);

/* --- between the files of this module --- */

/* Sends a whole row to its file. */
void output_post_row(struct output *output, enum row_file which, const char *row, size_t len);

/* Rows and events are taken (output_rows.c). */
void output_rows_begin(struct output *output);

/* Where nothing is read from a trace, what happens to it is told all the same. */
void output_settle_live(struct output *output);

#endif

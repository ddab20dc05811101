/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a session: takes the rows, writes them, and keeps going when the disk does not. */
#ifndef JANKD_DAEMON_OUTPUT_H
#define JANKD_DAEMON_OUTPUT_H

#include "daemon/csv_file.h"
#include "daemon/event_queue.h"
#include "daemon/folder.h"
#include "daemon/gate.h"
#include "daemon/options.h"
#include "daemon/spill_file.h"
#include "daemon/wall_clock.h"
#include "rules/pipeline.h"

/* The files that grow, in the order in which a disk that is nearly full stops them. */
enum output_file { OUTPUT_FRAMES, OUTPUT_DROPS, OUTPUT_FPS, OUTPUT_EVENTS, OUTPUT_FILES };

struct snapshot;

struct output {
	struct folder *folder;
	const struct options *options;
	const char *command;
	struct csv_file files[OUTPUT_FILES];
	struct csv_file console;	 /* rows of fps.csv on standard output */
	struct spill_file spill;	 /* Surfaces that the rules' table has no room for */
	struct spill_file layers;	 /* the same of layers */
	struct csv_file summary;	 /* open while it is written: it is there for its buffer */
	struct wall_clock clock;	 /* for the wall time of events */
	struct event_queue *events;	 /* on their way */
	const struct pipeline *pipeline; /* that tells of most of them: borrowed */
	struct snapshot *snapshot;	 /* who wants to know of late frames, or NULL: nobody */
	bool is_live;
	bool may_undo;	 /* all may have to be as it was: no old segment is removed */
	uint64_t now_ns; /* of the trace */

	struct gate *gate;     /* NULL: all rows are wanted */
	struct gate_span span; /* of the row that is being written */

	unsigned long segment;	   /* number of the last one that was closed */
	uint64_t segment_begin_ns; /* trace time from which on the next one counts */
	uint64_t rotations;
	uint64_t removed; /* segments */

	unsigned int stopped; /* so many files of the list have to wait for room on the disk */
	uint64_t left_out[OUTPUT_FILES]; /* rows that came meanwhile */
	uint64_t left_out_told;
	uint64_t next_watch_ns, next_sync_ns; /* on the clock of loop_now() */

	/* What could not be done, until it can: it is told between rows, not within one. */
	const char *trouble;
	int trouble_error;
	bool trouble_told;
	bool spill_told;
	bool console_told;
	uint64_t lost_told; /* rows */

	bool failed;   /* the files are incomplete */
	bool reported; /* something could not be written: said on stderr */
};

/**
 * output_open() - create the files that the options ask for
 * @output: must not move afterwards: its address is in the sink
 * @options, @folder: borrowed
 *
 * Returns 0, or -errno after the reason was said on stderr.
 */
int output_open(struct output *output, const struct options *options, struct folder *folder);

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

/* Closes the current segment because someone asks for it: @why is the event's text. Returns 0; 1
 * where there is no row to close; or -errno: told where all trouble is told. */
int output_rotate(struct output *output, const char *why);

/* Writes what is buffered, and tells what could not be written. */
void output_flush(struct output *output);

/* Looks after disk and folder; to be called before a flush, and often: it works about
 * once a second. True: the folder was
 * gone, and summary.csv and session.json are wanted again. */
bool output_watch(struct output *output);

/* Replaces summary.csv. Returns 0, or -errno: told with the next flush. */
int output_summary(struct output *output, struct pipeline *pipeline);

/* Tells of rows that are lost and were not told of. */
void output_tell_lost(struct output *output);

/* Notes that a file of the folder could not be written in the end: said once on stderr. */
void output_failed(struct output *output, const char *name, int error);

/* Rows that never reached a file. */
uint64_t output_rows_lost(const struct output *output);

/* Writes, closes. Whether all went well is in output->failed. */
void output_close(struct output *output);

/* Lets go of what a pipeline may still ask for after that; to be called when there is none. */
void output_free(struct output *output);

/* --- between the files of this module --- */

/* Notes that @name could not be written, for the next flush to tell. @name: constant. */
void output_trouble(struct output *output, const char *name, int error);

/* Takes the row that @file is about to end: closes the segment first where it would be too large
 * (output_roll.c). */
void output_make_room(struct output *output, const struct csv_file *file);

/* Closes the segment of all files. Returns as output_rotate(). */
int output_roll(struct output *output);

/* Does what --sync asks for. */
void output_sync_if_due(struct output *output);

/* Removes the segments that --keep does not want, unless all may have to be as it was. */
void output_keep(struct output *output);

#endif

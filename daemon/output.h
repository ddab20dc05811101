/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a session: takes the rows, writes them, and keeps going when the disk does not. */
#ifndef JANKD_DAEMON_OUTPUT_H
#define JANKD_DAEMON_OUTPUT_H

#include "daemon/csv_file.h"
#include "daemon/folder.h"
#include "daemon/options.h"
#include "daemon/wall_clock.h"
#include "rules/pipeline.h"

struct output {
	const struct folder *folder;
	const char *command;
	struct csv_file fps, drops, frames, events;
	struct csv_file console; /* rows of fps.csv on standard output */
	struct wall_clock clock; /* for the wall time of events */
	bool failed;		 /* something could not be written; said once on stderr */
	bool reported;
};

/**
 * output_open() - create the files that the options ask for
 * @output: must not move afterwards: its address is in the sink
 * @folder: borrowed
 *
 * Returns 0, or -errno after the reason was said on stderr.
 */
int output_open(struct output *output, const struct options *options, const struct folder *folder);

/* Where a pipeline's rows go. */
struct row_sink output_sink(struct output *output);

/* A row of events.csv. @time_ns: trace clock, or ROW_UNKNOWN. @wall_ns: ns since 1970, or
 * ROW_UNKNOWN: made from @time_ns where the clock is known. */
void output_event(struct output *output, int64_t time_ns, int64_t wall_ns, const char *kind,
		  const char *text);

/* Writes what is buffered. */
void output_flush(struct output *output);

/* Replaces summary.csv. */
void output_summary(struct output *output, struct pipeline *pipeline);

/* Notes that a file of the folder could not be written: said once on stderr. */
void output_failed(struct output *output, const char *name, int error);

/* Rows that never reached a file. */
uint64_t output_rows_lost(const struct output *output);

/* Writes, closes. Whether all went well is in output->failed. */
void output_close(struct output *output);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Saves the trace around a late frame as ftrace text: snapshot-000001.txt and so on. Most of a file
 * is the trace before the frame. The file is written when some trace after the frame was read, too.
 * At most one is saved in 10 s of trace time, and only the newest 64 are kept. */
#ifndef JANKD_DAEMON_FILES_SNAPSHOT_H
#define JANKD_DAEMON_FILES_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/options.h"
#include "daemon/files/numbered_files.h"
#include "daemon/files/output.h"
#include "daemon/trace/trace.h"
#include "parser/span.h"
#include "rules/base/rate_limit.h"
#include "rules/base/row.h"

struct snapshot {
	struct output *output; /* NULL: without --snapshot */
	const struct source *source;
	uint64_t length_ns;
	bool live;		 /* saved in pieces, and the trace may stop */
	uint64_t due_ns;	 /* trace time from which it can be saved, or UINT64_MAX */
	uint64_t due_clock_ns;	 /* live: the latest time to save it, on CLOCK_BOOTTIME */
	struct rate_limit limit; /* of accepted late frames, in trace time */
	/* Of the last late frame that was accepted. */
	uint64_t present_ns, interval_ns;
	char surface[1024];
	unsigned long number; /* of the last file */
	struct numbered_name name;
	bool is_begun;	      /* the file is being written */
	struct span parts[2]; /* of the buffer, not sent yet */
	bool is_ended;	      /* all was sent, but the result is not known yet */
	uint64_t ended;	      /* number of files that were ended */
	/* Counts of the session. */
	uint64_t written;
	uint64_t suppressed; /* late frames too soon after another one */
	uint64_t failed;     /* the disk was full, or was not responding */
};

/* Does nothing until snapshot_open(). */
#define SNAPSHOT_NONE ((struct snapshot){ .due_ns = UINT64_MAX })

/* @output: borrowed; its folder gets the files, and it reports late frames. @source: borrowed; it
 * keeps the text until snapshot_end(). @live: see struct snapshot. */
void snapshot_open(struct snapshot *snapshot, struct output *output, const struct source *source,
		   const struct options *options, bool live);

void snapshot_late(struct snapshot *snapshot, const struct late_frame *frame);

/* To be called when the trace was read up to ->due_ns. Saves it: of a recorded trace all at once,
 * of a live one in pieces. */
void snapshot_begin(struct snapshot *snapshot);

/* See struct output_late. */
uint64_t snapshot_pending_ns(const struct snapshot *snapshot);

/* Sends a piece to the file. True: there is more, and the queue may have space for it. */
bool snapshot_save(struct snapshot *snapshot);

/* To be called before a read of the trace: sends the text that is still needed and that the read
 * overwrites. If the disk is too slow for that, the file is discarded. */
void snapshot_make_way(struct snapshot *snapshot);

/* To be called once a second: detects that the trace has stopped. */
void snapshot_tick(struct snapshot *snapshot);

/* Removes the files of this session. */
void snapshot_undo(struct snapshot *snapshot, int folder_fd);

/* At the end of the trace: saves a snapshot that waits, and completes one that is being written. */
void snapshot_end(struct snapshot *snapshot);

#endif

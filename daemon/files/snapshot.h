/* SPDX-License-Identifier: Apache-2.0 */
/* The trace around a late frame, into a file of its own: snapshot-000001.txt and so on, ftrace
 * text. Most of it is what came before the frame; a little that comes behind it is waited for.
 * One each 10 s of trace time at most; of more than 64 the oldest goes. */
#ifndef JANKD_DAEMON_FILES_SNAPSHOT_H
#define JANKD_DAEMON_FILES_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/options.h"
#include "daemon/files/numbered_files.h"
#include "daemon/files/output.h"
#include "daemon/trace/trace_buffer.h"
#include "parser/span.h"
#include "rules/row.h"

struct snapshot {
	struct output *output; /* NULL: none is asked for */
	uint64_t length_ns;
	bool live;	       /* saved in pieces; and the trace may fall silent */
	uint64_t due_ns;       /* trace time at which what is waited for is there, or UINT64_MAX */
	uint64_t due_clock_ns; /* live: CLOCK_BOOTTIME from which on nothing is waited for */
	bool any;	       /* there was a late frame: the last that was to be saved */
	uint64_t present_ns, interval_ns;
	char surface[1024];
	unsigned long number; /* of the last file */
	struct numbered_name name;
	bool is_begun;	      /* the file is being written */
	struct span parts[2]; /* what of the ring was not yet sent there */
	bool is_ended;	      /* all was: it is waited for what becomes of it */
	uint64_t ended;	      /* files that were, whatever became of them */
	/* since the beginning */
	uint64_t written;
	uint64_t suppressed; /* late frames that came too soon behind another */
	uint64_t failed;     /* the disk was full, or kept from us */
};

/* Nothing happens to it, but in snapshot_open(). */
#define SNAPSHOT_NONE ((struct snapshot){ .due_ns = UINT64_MAX })

/* @output: borrowed; its folder is where the files go, and it is asked to tell of late frames.
 * @live: see struct snapshot. */
void snapshot_open(struct snapshot *snapshot, struct output *output, const struct options *options,
		   bool live);

/* A frame was late. */
void snapshot_late(struct snapshot *snapshot, const struct late_frame *frame);

/* What is due is there, and ends at the line around @end, see trace_buffer_find(). It is saved, in
 * pieces where the capture is live. */
void snapshot_begin(struct snapshot *snapshot, const struct trace_buffer *buffer, const char *end);

/* The time of the frame that an event is still to tell of; UINT64_MAX: there is none. */
uint64_t snapshot_tells_ns(const struct snapshot *snapshot);

/* Sends a piece to the file. True: more is left, and there may be room for it. */
bool snapshot_save(struct snapshot *snapshot);

/* Sees whether the file that was ended is written, and tells. */
void snapshot_look(struct snapshot *snapshot);

/* The ring is about to be read into: what is still needed of the text there is saved. Where the
 * disk holds that up, the file is given up. */
void snapshot_make_way(struct snapshot *snapshot, const struct trace_buffer *buffer);

/* Once a second: a trace that fell silent is not waited for. */
void snapshot_tick(struct snapshot *snapshot, const struct trace_buffer *buffer);

/* Removes those that were saved. */
void snapshot_undo(struct snapshot *snapshot, int folder_fd);

/* The trace ends: saves what is waiting or begun. */
void snapshot_end(struct snapshot *snapshot, const struct trace_buffer *buffer);

#endif

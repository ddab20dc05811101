/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture changes on the device, and that it is put back: by the capture's own end, or by
 * the next one's begin. */
#ifndef JANKD_DAEMON_CAPTURE_TRACING_UNDO_H
#define JANKD_DAEMON_CAPTURE_TRACING_UNDO_H

#include <stdbool.h>

#include "daemon/base/folder.h"
#include "daemon/base/options.h"
#include "daemon/trace/trace.h"

struct tracing_undo {
	const struct options *options;
	const struct folder *folder; /* NULL: nothing is remembered */
	char directory[512];	     /* tracefs */
	struct settings settings;    /* as they were */
	struct settings set;	     /* when all was set up; nothing in it: not yet */
	struct settings kept; /* the same without what other programs set since; or nothing */
	struct settings aim;  /* what is to be put back, once tracing_undo_look() was called */
	bool looked, restored;
	struct settings_left left;	     /* what other programs have changed, and stays */
	bool recovered;			     /* what an earlier one had left was put back */
	struct settings_left recovered_left; /* but for this */
	bool atrace;			     /* started, as far as it came */
	bool answers;			     /* properties can be read */
	uint64_t tags;	 /* that it switched on for apps to look at, 0: none, or nobody knows */
	bool failed;	 /* and it did not come far */
	char small[200]; /* that the trace buffer is smaller than wanted, and why; "" */
};

/**
 * tracing_undo_begin() - put back what an earlier capture left, and remember what is there
 * @folder: borrowed until tracing_undo_end()
 *
 * Nothing may have been changed yet. Returns 0, or EXIT_FAILED after the reason was said on
 * stderr; tracing_undo_end() is due in any case.
 */
int tracing_undo_begin(struct tracing_undo *undo, const struct options *options,
		       const struct folder *folder);

/* Starts atrace, where it is there and wanted. Returns as tracing_undo_begin(). */
int tracing_undo_start_atrace(struct tracing_undo *undo);

/* Gives the trace at @path, an instance that is not ours or the top level, the buffer that it needs
 * or the options ask for. Where it stays small changes->small is set, and a warning was said on
 * stderr. */
void tracing_undo_make_buffer(struct tracing_undo *undo, const char *path);

/* All is set up: what differs from now on at the end was done by others. */
void tracing_undo_note(struct tracing_undo *undo);

/* To be called about once a second: what is to be put back is written down again where the folder
 * was emptied, removed or moved. */
void tracing_undo_watch(const struct tracing_undo *undo);

/* Another program has written to these since, a bit (1 << enum trace_setting) for each of the trace
 * that is read: they stay as they are, if only the value that we had given them. */
void tracing_undo_leave(struct tracing_undo *undo, unsigned int settings);

/* Sees which settings other programs have changed meanwhile: those stay. Said on stderr, and in
 * changes->left. To be called before tracing_undo_end(), which otherwise does it. */
void tracing_undo_look(struct tracing_undo *undo);

/* Puts everything back. True: nothing is left to do, and the journal can go. */
bool tracing_undo_restore(struct tracing_undo *undo);

/* The same, and removes the journal, in any state. */
void tracing_undo_end(struct tracing_undo *undo);

#endif

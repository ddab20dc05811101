/* SPDX-License-Identifier: Apache-2.0 */
/* Saves the tracing settings before a capture changes them, and restores them: at the end of the
 * capture, or, if it was killed, at the start of the next one.
 *
 *     tracing_undo_begin()          reads the settings of before, also into the folder's journal
 *     (atrace and jankd change settings)
 *     tracing_undo_setup_done()     reads them as jankd has set them
 *     (other programs may change settings)
 *     tracing_undo_find_changes()   reads them as they are: those that are still as jankd has set
 *                                   them are to be restored. Others were set by another program,
 *                                   and stay
 *     tracing_undo_restore()        restores them; one that fails stays in the journal
 *
 * The settings as text: trace/settings.h. The journal is declared there, too.
 */
#ifndef JANKD_DAEMON_CAPTURE_TRACING_UNDO_H
#define JANKD_DAEMON_CAPTURE_TRACING_UNDO_H

#include <stdbool.h>

#include "daemon/base/folder.h"
#include "daemon/base/options.h"
#include "daemon/trace/trace.h"

struct tracing_undo {
	const struct options *options;
	const struct folder *folder; /* of the journal; NULL: no settings were saved */
	char directory[512];	     /* tracefs */
	struct settings settings;
	char *journal; /* its text, also for another thread; NULL: not written yet */
	int lock_fd;   /* see live_trace_lock(); < 0: not held */
	bool writes;   /* settings may have been changed */
	bool has_found_changes, has_restored;
	struct settings_kept kept; /* by other programs: found by the last call */
	bool recovered;		   /* an earlier capture was killed: its settings were restored, */
	struct settings_kept recovered_kept; /* except for these */
	bool atrace;			     /* atrace was started */
	bool atrace_failed;		     /* atrace failed */
	bool has_properties;		     /* properties can be read */
	uint64_t tags; /* atrace tags that were switched on for apps; 0: none, or unknown */
	char small_buffer[200]; /* the trace buffer is too small, with the reason; or "" */
};

/* Restores the settings of a killed capture, and saves the current ones. Call it before any setting
 * is changed. No other jankd changes settings from then on until tracing_undo_unlock(). @folder:
 * borrowed until tracing_undo_end(), which must always be called. Returns 0, or EXIT_FAILED after
 * the reason was reported. */
int tracing_undo_begin(struct tracing_undo *undo, const struct options *options,
		       const struct folder *folder);

/* Starts atrace, if the device has it and the options allow it. Returns as tracing_undo_begin(). */
int tracing_undo_start_atrace(struct tracing_undo *undo);

/* Sets the buffer size of the trace at @path, an instance or the top level, if it is too small or
 * the options request it. If the buffer stays too small, ->small_buffer is set and a warning was
 * reported. */
void tracing_undo_resize_buffer(struct tracing_undo *undo, const char *path);

/* The setup is complete: later changes are those of other programs. */
void tracing_undo_setup_done(struct tracing_undo *undo);

/* Call tracing_undo_unlock() when all files of the trace are open, tracing_undo_lock() before they
 * are closed. Then tracing_undo_restore() unlocks. */
void tracing_undo_unlock(struct tracing_undo *undo);
void tracing_undo_lock(struct tracing_undo *undo);

/* Writes the journal again if the folder was emptied, removed or moved. Call it every few
 * seconds; from any thread. @undo: a struct tracing_undo. */
void tracing_undo_keep_journal(void *undo);

/* Finds the settings that other programs have changed: they stay, and ->kept and a warning list
 * them. @written: a bit (1 << enum trace_setting) for each that another program has written: they
 * stay, even if they have jankd's value. If it was not called before, tracing_undo_restore() does
 * it. */
void tracing_undo_find_changes(struct tracing_undo *undo, unsigned int written);

/* Restores the settings. True: all of them, and the journal can be removed. */
bool tracing_undo_restore(struct tracing_undo *undo);

/* Restores the settings if that was not done, removes the journal, and frees the memory. May be
 * called in any state. */
void tracing_undo_end(struct tracing_undo *undo);

#endif

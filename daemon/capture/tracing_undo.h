/* SPDX-License-Identifier: Apache-2.0 */
/* Saves the settings of tracing before a capture changes them, and restores them: at the end of the
 * capture, or, if it was killed, at the begin of the next one.
 *
 *     tracing_undo_begin()          ->before     settings as they are, also in the folder's journal
 *     (atrace and jankd change settings)
 *     tracing_undo_setup_done()     ->setup      settings as jankd has set them
 *     (other programs may change settings)
 *     tracing_undo_find_changes()   ->to_restore what still is as in ->setup gets its value of
 *                                                ->before; everything else was set by another
 *                                                program, and stays
 *     tracing_undo_restore()        writes ->to_restore; what fails stays in the journal
 *
 * The settings as text: trace/settings.h. The journal: trace/journal.h.
 */
#ifndef JANKD_DAEMON_CAPTURE_TRACING_UNDO_H
#define JANKD_DAEMON_CAPTURE_TRACING_UNDO_H

#include <stdbool.h>

#include "daemon/base/folder.h"
#include "daemon/base/options.h"
#include "daemon/trace/trace.h"

struct tracing_undo {
	const struct options *options;
	const struct folder *folder; /* of the journal; NULL: nothing was saved */
	char directory[512];	     /* tracefs */
	struct settings before;
	struct settings setup; /* empty until tracing_undo_setup_done() */
	struct settings
		setup_kept; /* ->setup without what other programs have set since, or empty */
	struct settings to_restore; /* after tracing_undo_find_changes() */
	bool has_found, has_restored;
	struct settings_left left; /* what other programs have set, and stays */
	bool recovered;		   /* settings of a capture that was killed were restored, */
	struct settings_left recovered_left; /* but for these */
	bool atrace;			     /* atrace was started */
	bool atrace_failed;		     /* but it failed */
	bool has_properties;		     /* properties can be read */
	uint64_t tags; /* atrace tags that were switched on for apps; 0: none, or unknown */
	char small_buffer[200]; /* that the trace buffer is smaller than wanted, and why; or "" */
};

/**
 * tracing_undo_begin() - restore what a killed capture left, and save the settings
 * @folder: borrowed until tracing_undo_end()
 *
 * To be called before any setting is changed. Returns 0, or EXIT_FAILED after the reason was
 * reported; tracing_undo_end() is due in any case.
 */
int tracing_undo_begin(struct tracing_undo *undo, const struct options *options,
		       const struct folder *folder);

/* Starts atrace, if the device has it and the options allow it. Returns as tracing_undo_begin(). */
int tracing_undo_start_atrace(struct tracing_undo *undo);

/* Sets the buffer size of the trace at @path, which is an instance of another program or the top
 * level, if that is needed or the options say so. If the buffer stays small ->small_buffer is set,
 * and a warning was reported. */
void tracing_undo_resize_buffer(struct tracing_undo *undo, const char *path);

/* All is set up: what changes from now on is set by other programs. */
void tracing_undo_setup_done(struct tracing_undo *undo);

/* Writes the journal again if the folder was emptied, removed or moved. To be called about once a
 * second; from any thread. */
void tracing_undo_keep_journal(const struct tracing_undo *undo);

/* Another program has written these since, a bit (1 << enum trace_setting) for each, of the trace
 * that is read: they stay, also if they have the value that jankd has set. */
void tracing_undo_keep_settings(struct tracing_undo *undo, unsigned int settings);

/* Finds the settings that other programs have changed: they stay, are in ->left, and are reported
 * as a warning. tracing_undo_restore() does it if it was not called before. */
void tracing_undo_find_changes(struct tracing_undo *undo);

/* Restores the settings. True: all of them, and the journal can be removed. */
bool tracing_undo_restore(struct tracing_undo *undo);

/* Restores them if that was not done, removes the journal, frees the memory; in any state. */
void tracing_undo_end(struct tracing_undo *undo);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What a live capture does beside reading its trace; capture.c runs these parts.
 *
 *     tracing_undo.c     saves the tracing settings, and restores them
 *     rules_reload.c     reads the file of --rules again (SIGHUP)
 *     live_timeline.c    FrameTimeline: the output of a perfetto program to frametimeline.csv
 *     rescue.c           counts what a killed capture left in the trace
 */
#ifndef JANKD_DAEMON_CAPTURE_BESIDE_H
#define JANKD_DAEMON_CAPTURE_BESIDE_H

#include "daemon/base/child.h"
#include "daemon/capture/capture.h"
#include "daemon/capture/drain.h"
#include "daemon/capture/session.h"

/* --- tracing_undo.c ---
 *
 * Saves the tracing settings before a capture changes them, and restores them: at the end of the
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
 * The settings as text, and the journal: trace/settings.h. */

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

/* --- rules_reload.c ---
 *
 * A child process reads the file, as it may be a FIFO by now, or on a disk that no longer answers:
 * nothing waits for it. */

/* All zeros: no reload has begun. */
struct rules_reload {
	struct child child; /* to be checked every quarter of a second while it runs */
	struct session *session;
	struct drain *drain;
	char *text; /* up to 1 MB, so it is freed at the end; NULL: none */
	size_t len;
};

/* Begins, or begins again. Events from before the end are counted by the old rules. How it ends is
 * an event. */
void rules_reload_begin(struct rules_reload *reload, struct session *session, struct drain *drain,
			struct loop *loop);

/* Ends it, in any state. */
void rules_reload_end(struct rules_reload *reload);

/* --- live_timeline.c ---
 *
 *     perfetto ──► bytes ──► timeline_stream ──► records ──► pipeline_timeline()
 *
 * Nothing else of the capture depends on it: whatever happens to that program is an event. */

struct live_timeline;

/* True: a device with this ro.build.version.sdk has FrameTimeline, and the program is there. */
bool live_timeline_is_there(const char *sdk);

/* Starts perfetto. If that fails, an event says so. @session, @loop: borrowed. Returns NULL if
 * there is nothing to do; each function accepts that. */
struct live_timeline *live_timeline_begin(struct session *session, struct loop *loop);

/* Call it about once a second. */
void live_timeline_tick(struct live_timeline *timeline);

/* Asks perfetto to end; the trace can be read meanwhile. */
void live_timeline_stop(struct live_timeline *timeline);

/* Waits for its end, at most for two seconds, and counts all that it sent. */
void live_timeline_finish(struct live_timeline *timeline);

/* Kills perfetto if it runs. Returns NULL. */
struct live_timeline *live_timeline_end(struct live_timeline *timeline);

/* --- rescue.c ---
 *
 * After a kill the kernel's buffers still hold the events that the killed capture has not read.
 * They are counted into its files before its settings are restored, as that may empty the buffers.
 *
 *     killed capture    ... drain ─ frames ─ rows ─ kill
 *     buffers                                      . . . . . . . . . (the oldest are overwritten)
 *     next start, stop                             read ─ frames ─ rows, one event; then restored
 *
 * Only events that the killed capture had read, and not written, are lost. A second kill repeats no
 * row: what was read is no longer in the buffers. */

/* Takes a few seconds at most. The result, or the reason why nothing could be taken, is an event in
 * the files of the killed capture. @folder: of both captures; locked. @command: that runs now.
 * @killed: NULL: no capture was killed, and nothing is done. Returns 0, or another value if it
 * could not be tried or written, after the reason was reported. */
int rescue(struct folder *folder, enum options_command command,
	   const struct capture_killed *killed);

#endif

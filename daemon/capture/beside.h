/* SPDX-License-Identifier: Apache-2.0 */
/* What a live capture does beside reading its trace; capture.c runs these parts.
 *
 *     capture_control.c  answers the requests of clients (control.h)
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
#include "daemon/control/control.h"

/* --- capture_control.c --- */

struct capture_control {
	struct session *session;
	struct drain *drain;
	bool *is_over;		   /* the capture is ending; set by 'stop' */
	struct control *control;   /* NULL: no socket */
	char end[PATH_MAX + 2048]; /* the answer to 'stop' */
	bool is_stalled;	   /* the capture has waited long for its files */
	bool is_closing;	   /* 'stop' is answered now */
};

/* Opens the socket. The caller sets ->session to ->is_over, which are borrowed. Returns 0, or
 * EXIT_FAILED after the reason was reported. A daemon fails, as it cannot be stopped without a
 * socket; 'run' continues. */
int capture_control_begin(struct capture_control *control, struct loop *loop);

/* Call it while the capture waits for its files: answers the clients that have waited too long. */
void capture_control_wait(struct capture_control *control);

/* Call it when the session has ended: prepares the answer to 'stop', which
 * capture_control_close() sends. @failed: the exit code of the capture is not 0; the last report
 * says why. */
void capture_control_ended(struct capture_control *control, bool failed);

/* Closes the socket, in any state. */
void capture_control_close(struct capture_control *control);

/* --- rules_reload.c ---
 *
 * A child process reads the file, as it may be a FIFO by now, or on a disk that no longer answers:
 * nothing waits for it. */

/* All zeros: no reload has begun. */
struct rules_reload {
	struct child child; /* to be checked every quarter of a second while it runs */
	struct session *session;
	struct drain *drain;
	char *text;
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

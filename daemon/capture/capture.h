/* SPDX-License-Identifier: Apache-2.0 */
/* capture/: one capture, or the analysis of one recorded trace, from start to end. The only header
 * of this room that other rooms include.
 *
 *     capture.c          a live capture: set up, event loop, requests of clients, signals, end
 *     recorded.c         a recorded trace, read from start to end
 *     session.c          both: from a source's records through the pipeline (rules/) to the files
 *     session_status.c   the state of a session as struct status (base/status.h)
 *
 * and for a live capture
 *
 *     drain.c            decides when to read the trace, so that no buffer overflows
 *     interference.h     detects what other programs change in the trace; reports and restores it
 *     beside.h           settings to restore, --rules again, FrameTimeline, what a kill left
 *
 *     capture_begin()   lock folder ── save settings ── open trace ── atrace, buffers ── files
 *     capture_loop()    drain ─► session ─► files, until the end; then the settings are restored
 *     capture_close()
 *
 * Start reading at capture_loop() in capture.c. A record enters in session.c.
 */
#ifndef JANKD_DAEMON_CAPTURE_CAPTURE_H
#define JANKD_DAEMON_CAPTURE_CAPTURE_H

#include <stdbool.h>

#include "daemon/base/options.h"
#include "daemon/base/status.h"

/* --- a live capture --- */

struct capture;

/* What a terminal shows during a capture. Each function may be NULL. */
struct capture_view {
	/* Called once a second, if is_table; else every second or two. */
	void (*tick)(void *context, const struct capture *capture);
	/* Called when the capture is over, before anything is reported about it. */
	void (*over)(void *context);
	/* Called for SIGTSTP, before this process stops, and for SIGWINCH. */
	void (*signal)(void *context, const struct capture *capture, int number);
	void *context; /* argument of all functions */
	bool is_table; /* shows rows as they come */
};

/* A capture that was killed since this machine has started. */
struct capture_killed {
	struct options options;
	char clock[64];	  /* name of its trace clock */
	int64_t begin_ns; /* when it began, on that clock; < 0: unknown */
};

/* Prepares the capture: folder, tracing settings, files. @options: borrowed; defaults that depend
 * on the folder are set. @killed: the last capture of that folder, if it was killed, or NULL: what
 * it left in the trace is counted into its files. Returns 0, or an exit code after the reason was
 * reported. The caller must always call capture_close(). */
int capture_begin(struct capture **capture, struct options *options,
		  const struct capture_killed *killed);

/* Captures until a signal, the end of --duration, a client's 'stop' or a failure. Then restores
 * tracing, and completes the files. @view: borrowed, or NULL. Returns an exit code. */
int capture_loop(struct capture *capture, const struct capture_view *view);

/* The current state, to be freed with free(), or NULL if out of memory. */
struct status *capture_status(const struct capture *capture, enum status_surfaces which);

/* Restores the settings and frees @capture, in any state. @capture may be NULL. */
void capture_close(struct capture *capture);

/* --- after a kill --- */

enum capture_recovered {
	CAPTURE_RECOVERED,   /* the tracing settings are restored */
	CAPTURE_NOT_KILLED,  /* no capture was killed in that folder */
	CAPTURE_UNRECOVERED, /* not all could be restored or counted; the reason was reported */
};

/* Does what the next capture_begin() would do: counts what a killed capture left in the trace into
 * its files, and restores the tracing settings. @options: of 'stop'. @killed: as above. */
enum capture_recovered capture_recover(const struct options *options,
				       const struct capture_killed *killed);

/* --- a recorded trace --- */

/* Analyzes the one file that the options name. ->stdout_begun is set once standard output has its
 * header. *status: the result, to be freed with free(); NULL: there is none to show. Returns 0, or
 * an exit code after the reason was reported. */
int capture_recorded(struct options *options, struct status **status);

/* Reads the file of --dumpsys, before the traces, and sets ->pipeline.durations. Returns 0, or
 * EXIT_FAILED after the reason was reported. */
int capture_read_dumpsys(struct options *options);

#endif

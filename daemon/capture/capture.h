/* SPDX-License-Identifier: Apache-2.0 */
/* A live capture: takes folder and trace, switches on what is needed, reads until something ends
 * it, and puts everything back. 'run' and 'start' differ in who looks on. */
#ifndef JANKD_DAEMON_CAPTURE_CAPTURE_H
#define JANKD_DAEMON_CAPTURE_CAPTURE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/android/android.h"
#include "daemon/capture/tracing_undo.h"
#include "daemon/capture/capture_control.h"
#include "daemon/capture/drain.h"
#include "daemon/capture/interference.h"
#include "daemon/base/loop.h"
#include "daemon/base/options.h"
#include "daemon/trace/trace.h"
#include "daemon/capture/session.h"

struct capture {
	const struct options *options;
	struct session session;
	struct tracefs *tracefs;
	struct trace_files files; /* of its trace */
	struct source *source;
	const char *why_source; /* it is that one */
	char why_text[SOURCE_WHY_SIZE];
	struct tracing_undo undo; /* to be put back */
	struct interference interference;
	struct drain drain;
	struct android_probe probe;
	struct loop loop;
	struct watcher signals;
	struct app_watch app;	   /* whose end is the capture's, too */
	struct watcher files_done; /* the files have all that was sent to them */
	char path[PATH_MAX];	   /* of the trace: it is told when the trace is closed, too */
	bool is_over;		   /* something asked for the end */
	bool told_wait;		   /* that the disk does not let it end */
	int code;		   /* why: exit code */
	/* CLOCK_BOOTTIME: a suspended device's seconds count, too. */
	uint64_t begin_ns;
	uint64_t count_ns; /* --wait is over */
	struct capture_control control;
	/* Called once a second, and when it ends; may be NULL. */
	void (*on_tick)(struct capture *capture);
	/* Called when the capture is over, before anything is said of it; may be NULL. */
	void (*on_over)(struct capture *capture);
	/* Called for SIGTSTP, which is to stop this process, and SIGWINCH; may be NULL. */
	void (*on_terminal)(struct capture *capture, int signal);
	void *context; /* of these */
};

/* Everything up to the first event: folder, trace, files. Returns 0, or an exit code after the
 * reason was said on stderr; capture_close() is due in any case. @options: borrowed. */
int capture_begin(struct capture *capture, const struct options *options);

/* Captures until a signal, the end of --duration, capture_stop() or a failure; then ends the
 * session: the files are complete. Returns an exit code. */
int capture_loop(struct capture *capture);

/* Asks for the end with that exit code. */
void capture_stop(struct capture *capture, int code);

/* Puts back what was changed, in any state. */
void capture_close(struct capture *capture);

#endif

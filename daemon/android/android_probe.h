/* SPDX-License-Identifier: Apache-2.0 */
/* dumpsys beside a capture: the display's period, once, and the app in the foreground, at the begin
 * and whenever a window of another app begins to draw. The pipeline holds frames until their vsyncs
 * come, which is longer than dumpsys takes; if no answer comes, it counts them without one. */
#ifndef JANKD_DAEMON_ANDROID_ANDROID_PROBE_H
#define JANKD_DAEMON_ANDROID_ANDROID_PROBE_H

#include <stdbool.h>

#include "daemon/android/dumpsys.h"
#include "daemon/base/child.h"
#include "daemon/base/options.h"
#include "rules/pipeline.h"
#include "rules/surface.h"

struct android_probe {
	struct pipeline *const *pipeline; /* the current one: it may be replaced */
	void (*found_focus)(void *context, const char *name);
	void *context;
	struct loop *loop;
	bool is_available;	    /* dumpsys exists */
	struct child focus, period; /* dumpsys, while it runs */
	bool has_period_line;	    /* the first line about the period came */
	struct dumpsys_focus found; /* in what ->focus has printed */
	bool use_window;	    /* 'dumpsys window': 'dumpsys input' does not name the app */
	/* Of the query that runs or was last: */
	uint64_t since_ns;	/* trace time from which its answer holds; 0: the begin */
	uint64_t uncertain_ns;	/* since when the pipeline was uncertain */
	bool is_second;		/* the query before had the same ->uncertain_ns */
	char new_app[APP_SIZE]; /* that began to draw then */
	uint64_t next_ns;	/* no query before, on the clock of loop_now() */
};

/* Starts the first queries, for what @options do not give, if dumpsys exists. ->pipeline,
 * ->found_focus, called with the activity in the foreground at the begin, and ->context are set;
 * all else is zero. @loop: borrowed. */
void android_probe_begin(struct android_probe *probe, const struct options *options,
			 struct loop *loop);

/* Starts a query if the pipeline is uncertain which app is in the foreground. Call it after records
 * were read. */
void android_probe_follow(struct android_probe *probe);

/* Call it about once a second. */
void android_probe_tick(struct android_probe *probe);

/* Ends the queries; in any state. */
void android_probe_end(struct android_probe *probe);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs dumpsys during a capture. It queries the display's period and the durations of frames once,
 * and the app in the foreground at the start and each time a window of another app begins to draw.
 * The pipeline holds frames until their vsyncs arrive, which takes longer than dumpsys. Without an
 * answer, it counts them without the app. */
#ifndef JANKD_DAEMON_ANDROID_ANDROID_PROBE_H
#define JANKD_DAEMON_ANDROID_ANDROID_PROBE_H

#include <stdbool.h>

#include "daemon/android/dumpsys.h"
#include "daemon/base/child.h"
#include "daemon/base/options.h"
#include "parser/surfaceflinger_dump.h"
#include "rules/pipeline.h"
#include "rules/base/rate_limit.h"
#include "rules/language/surface.h"

struct android_probe {
	struct pipeline *const *pipeline; /* the current one: it may be replaced */
	void (*event)(void *context, const char *kind, const char *text);
	void *context;
	struct loop *loop;
	bool is_available;  /* dumpsys exists */
	struct child focus; /* dumpsys, while it runs */
	/* dumpsys SurfaceFlinger: one query at a time, as each holds it up. */
	struct child display;
	enum display_query {
		DISPLAY_PERIOD,	   /* the period, in the first line */
		DISPLAY_VSYNC,	   /* the durations that SurfaceFlinger plans for a frame */
		DISPLAY_SCHEDULER, /* the same, if DISPLAY_VSYNC has none, as on Android 14 */
	} query;
	bool has_line;			 /* the first line was read */
	struct surfaceflinger_dump dump; /* the output so far */
	bool wants_durations;
	struct dumpsys_focus found; /* from the output of ->focus */
	bool use_window; /* run 'dumpsys window', because 'dumpsys input' does not name the app */
	/* Of the query that runs, or of the last one: */
	uint64_t since_ns;	   /* trace time from which its answer is valid; 0: the start */
	uint64_t uncertain_ns;	   /* trace time since which the pipeline was uncertain */
	bool is_second;		   /* the previous query had the same ->uncertain_ns */
	char new_app[APP_SIZE];	   /* the app that began to draw then */
	struct rate_limit queries; /* of the app in the foreground */
};

/* Starts the first queries, if dumpsys exists: for the values that @options does not have. The
 * caller has set ->pipeline, ->event and ->context; all other members are zero. ->event is called
 * with "focus" and the activity in the foreground at the start. @loop: borrowed. */
void android_probe_begin(struct android_probe *probe, const struct options *options,
			 struct loop *loop);

/* Starts a query if the pipeline is uncertain about the app in the foreground. Call it after
 * records were read. */
void android_probe_follow(struct android_probe *probe);

/* Call it every second or two while a query runs. */
void android_probe_tick(struct android_probe *probe);

/* Runs dumpsys to its end, for at most 10 s: sets the display's period in ns, 0 if it is unknown,
 * and the rates of its modes. Returns false if this machine has no dumpsys. */
bool android_display_read(uint64_t *period_ns, struct dumpsys_rates *rates);

/* True: a query runs. */
bool android_probe_runs(const struct android_probe *probe);

/* Ends the queries. May be called in any state. */
void android_probe_end(struct android_probe *probe);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs dumpsys during a capture. It queries the display's period and the durations of frames once,
 * and the app in the foreground at the start and each time a window of another app begins to draw.
 * The pipeline holds frames until their vsyncs arrive, which takes longer than dumpsys. Without an
 * answer, it counts them without the app. */
#ifndef JANKD_DAEMON_ANDROID_ANDROID_PROBE_H
#define JANKD_DAEMON_ANDROID_ANDROID_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/child.h"
#include "daemon/base/options.h"
#include "parser/span.h"
#include "parser/surfaceflinger_dump.h"
#include "rules/pipeline.h"
#include "rules/base/rate_limit.h"
#include "rules/language/surface.h"

/* --- dumpsys.c ---
 *
 * Parses what dumpsys prints about the app in the foreground and the display's period, in each
 * version of Android. Names of windows come from apps and may be any text. */

#define DUMPSYS_NAME_SIZE 512

/* What a line names. A name of higher rank replaces one of lower rank. */
enum dumpsys_rank {
	DUMPSYS_NOTHING,
	DUMPSYS_APP,	/* the app with the focus */
	DUMPSYS_WINDOW, /* the window with the focus */
	DUMPSYS_DISPLAY /* the window with the focus, on the display with the focus */
};

/* All zeros before the first line. */
struct dumpsys_focus {
	enum dumpsys_rank rank;	      /* of the name */
	enum dumpsys_rank block;      /* of the current list, from its headline */
	uint64_t display;	      /* with the focus; 0 before its line */
	bool is_past;		      /* the lines describe the last ANR, not the current state */
	char name[DUMPSYS_NAME_SIZE]; /* "package/activity" with the full class name; or "" */
};

/* Parses the next line of 'dumpsys input' or 'dumpsys window'. 'dumpsys input' names the focused
 * window in different ways: up to Android 9 in a line of its own, up to 11 with hasFocus=true,
 * since 10 in a list with one window for each display. */
void dumpsys_focus_line(struct dumpsys_focus *focus, struct span line);

/* The display's period in ns: the first line of 'dumpsys SurfaceFlinger --latency'. 0 if @line is
 * not a period of 2 ms to 1 s. */
uint64_t dumpsys_period_ns(struct span line);

/* The refresh rates of the displays' modes, in mHz, without repetitions. All zeros at first. */
#define DUMPSYS_RATES_MAX 16

struct dumpsys_rates {
	unsigned int mhz[DUMPSYS_RATES_MAX];
	unsigned int n;
};

/* Adds the rates in @text, the output of 'dumpsys display': "fps=60.000004" of each mode. Further
 * ones than DUMPSYS_RATES_MAX are left out. */
void dumpsys_add_rates(struct dumpsys_rates *rates, struct span text);

/* --- android_probe.c --- */

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

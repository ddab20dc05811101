/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a capture, or of a recorded trace, at one moment. capture/session_status.c sets it.
 * control/ prints session.json, 'jankd status', 'jankd top' and the live view only from it.
 *
 * It has copies of all values, except @options and constants, so it stays valid after the end of
 * the capture. The name of a time has its unit. An unknown signed number is ROW_UNKNOWN, an unknown
 * text is "". Texts may have any bytes.
 */
#ifndef JANKD_DAEMON_BASE_STATUS_H
#define JANKD_DAEMON_BASE_STATUS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/device_values.h"
#include "daemon/base/options.h"
#include "daemon/base/ids.h"
#include "daemon/base/wall_clock.h"
#include "rules/pipeline.h"
#include "rules/base/row.h"
#include "rules/count/summary_row.h"

/* Limits of the Surfaces and CSV files in it, and of the bytes of a Surface's name with its NUL. */
#define STATUS_SURFACES_MAX 40
#define STATUS_APPS_MAX 40
#define STATUS_NAME_SIZE 1024
#define STATUS_FILES_MAX 8

/* Which surfaces are in it. */
enum status_surfaces {
	STATUS_NO_SURFACES,
	STATUS_OF_SESSION, /* those with most frames in the whole session */
	STATUS_OF_NOW, /* for a live view: the frozen ones, then those with most frames in the last
			  ten seconds */
};

/* The rows of one CSV file. */
struct status_rows {
	const char *name; /* of the file; constant */
	uint64_t written;
	uint64_t lost;	   /* could not be written */
	uint64_t left_out; /* not written because the disk was nearly full */
};

/* An app: all Surfaces of the session with its package in their name. */
struct status_app {
	char app[STATUS_NAME_SIZE];
	struct grade_facts facts;
	/* Of the Surface that draws longest, which has the app's frame rate and verdict. */
	char surface[STATUS_NAME_SIZE], verdict[VERDICT_SIZE];
	uint64_t surface_ns;	       /* frame times and freezes */
	double fps;		       /* negative: none */
	double rate_hz;		       /* the display's, or the render rate; negative: unknown */
	double slowest_hz, fastest_hz; /* where that changed; 0: unknown */
	bool has_activity;	       /* see app_has_activity() */
	bool is_even;		       /* nearly all intervals have the same number of vsyncs */
	const char *sentence, *whose;  /* instead of what follows from the facts; or NULL */
	const char *next;	       /* the next step; or NULL */
	const char *missing_at;	       /* see struct graded; NULL: unknown */
};

/* What this process has cost the device so far. */
struct status_cost {
	uint64_t cpu_ms;
	uint64_t children_cpu_ms; /* of atrace and other child processes */
	uint64_t rss_kb;	  /* current memory */
	uint64_t wakeups;	  /* number of wakeups from sleep */
};

/* The polls of present fences. */
struct status_latency {
	bool is_on;		/* else all are 0 */
	uint64_t polls, failed; /* runs of dumpsys; those of them that failed */
	uint64_t scans;		/* of all layers */
	uint64_t wall_ns;	/* of all runs, from start to end */
	uint64_t wall_most_ns;	/* of the longest run */
	uint64_t cpu_ns;	/* of all runs */
	uint64_t frames;
	uint64_t overruns;     /* rings that were overwritten before they were read */
	uint64_t restarts;     /* rings that were cleared, or whose layer was another one */
	uint64_t out_of_order; /* frames that came too late for their place in latency.csv */
	uint64_t refused;      /* names, layers and frames without space */
	bool has_answer;       /* dumpsys printed a period at least once */
	char said[160];	       /* the first line that is no answer, or "" */
};

/* Where this process runs, and how early the kernel ends it when memory is short. */
struct status_process {
	int oom_score_adj;  /* -1000 (last) to 1000; DEVICE_UNKNOWN: unknown */
	const char *cpuset; /* that jankd entered; NULL: none. Constant */
	char cpus[128];	    /* on which it may run: "0-3,6" */
};

struct status {
	/* what it does */
	const struct options *options; /* borrowed */
	char folder[PATH_MAX];
	bool live;		/* a capture on this machine; else a recorded trace */
	bool discarding;	/* --wait is not over: what is read is not counted */
	long pid;		/* of this process */
	double uptime_s;	/* since the capture began; negative: unknown */
	double counting_s;	/* since --wait was over; negative: until it is over */
	int64_t begin_ns;	/* on the trace clock, when the capture began, or ROW_UNKNOWN */
	int64_t begin_wall_ns;	/* ns since 1970 when the capture began, and */
	int64_t end_wall_ns;	/* when it ended; ROW_UNKNOWN: it runs */
	char last_report[1024]; /* the last line on standard error */

	/* where the events come from */
	const char *source;	    /* "file", "trace_pipe" or "trace_pipe_raw"; constant */
	char source_why[160];	    /* why this source is used */
	char source_path[PATH_MAX]; /* directory of the trace; "": options->files */
	char trace_clock[64];	    /* name of the trace clock */
	struct wall_clock clock;    /* trace clock to wall time */
	/* of the device; only of a live trace */
	struct android_device device;
	char kernel[65];
	char boot_id[BOOT_ID_SIZE];	  /* also only then */
	char session_id[SESSION_ID_SIZE]; /* likewise */
	/* Also only then. All values are unknown if it is no Android device. */
	struct device_values device_start, device_end;

	/* what was read */
	uint64_t bytes;
	uint64_t markers;		   /* texts that were written to trace_marker */
	uint64_t malformed_markers;	   /* of those: in no known form */
	uint64_t glued_lines;		   /* lines after a NUL within a line */
	uint64_t too_long_lines;	   /* dropped */
	struct pipeline_counters counters; /* what was counted, and lost */
	/* What FrameTimeline says of apps, if nothing else is known of their frames: the one with
	 * most frames first, and after them some without a frame. */
	struct timeline_app timeline_apps[TIMELINE_APPS_MAX];
	uint64_t first_ns;		  /* 0:00 of the session: its first frame; 0: none */
	char missing_at[80];		  /* see struct graded */
	bool has_overruns;		  /* the two below are known: of a live capture */
	unsigned int cpus;		  /* of @overruns */
	uint64_t overruns[PIPELINE_CPUS]; /* events of each CPU that the kernel overwrote */
	uint64_t recoveries;		  /* settings restored after another program's change */

	/* what was written */
	unsigned int files; /* of @rows */
	struct status_rows rows[STATUS_FILES_MAX];
	uint64_t rows_lost; /* of all files */
	uint64_t rotations, segments_removed;
	uint64_t disk_busy_ns; /* since the current write to the disk began */
	uint64_t snapshots, snapshots_suppressed, snapshots_failed;

	struct status_cost cost;
	struct status_latency latency;
	struct status_process process; /* of a live capture */

	/* the surfaces with most frames, the one with most first */
	enum status_surfaces which;
	unsigned int surfaces_total; /* all of the session, in @surfaces or not */
	unsigned int n_surfaces;
	struct summary_row surfaces[STATUS_SURFACES_MAX]; /* without ->jank_types */
	/* Of a capture: their apps and names, which may be cut. In any order. */
	char names[STATUS_SURFACES_MAX][2][STATUS_NAME_SIZE];
	/* The apps that drew longest, the one with most first, those of the system last. */
	unsigned int apps_total, n_apps;
	struct status_app apps[STATUS_APPS_MAX];
};

#endif

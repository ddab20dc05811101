/* SPDX-License-Identifier: Apache-2.0 */
/* The output of rules/: rows, and the sink that receives them.
 *
 * All times are nanoseconds of the trace clock, all durations are nanoseconds. Names are raw bytes
 * from the trace, NUL-terminated and valid during the call only. They may be hostile: escape them
 * before printing.
 */
#ifndef JANKD_RULES_BASE_ROW_H
#define JANKD_RULES_BASE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/perfetto.h"

/* An unknown signed number; its field in a file is empty. */
#define ROW_UNKNOWN INT64_C(-1)

/* Whose fault a late frame was: see cause.h. */
enum cause {
	CAUSE_NONE, /* the frame was in time, as far as is known */
	CAUSE_APP,
	CAUSE_GPU,
	CAUSE_SF_CPU,
	CAUSE_SF_GPU,
	CAUSE_SCHEDULING,
	CAUSE_DISPLAY,
	CAUSE_STUFFING,
	CAUSE_PREDICTION,
	CAUSE_DROPPED,
	CAUSE_UNKNOWN,
	CAUSES, /* their number */
};

/* As in the files; "" for CAUSE_NONE. */
extern const char *const cause_names[CAUSES];

/* Frame times of one row or of one session, with the counts of every definition of jank: see
 * jankd-metrics(7). */
struct frame_stats {
	union {
		struct {
			uint64_t frames;  /* intervals below 500 ms */
			uint64_t time_ns; /* their sum */
			uint64_t waits;	  /* intervals of 500 ms and more */
			uint64_t wait_ns; /* their sum */
			uint64_t a, b, c; /* [100, 500), [50, 100), [42, 50) ms */
			uint64_t unknown; /* frames whose vsyncs are unknown: not in d, missed, late
					   */
			uint64_t late;	  /* more vsyncs than the cadence so far, see late.h */
			uint64_t late_ns; /* the time that they lost */
			uint64_t stall_ns;		     /* sum of stalls */
			uint64_t small_jank, jank, big_jank; /* the last two with stalls */
			uint64_t jank_ns;		     /* sum of all janks, with stalls */
			uint64_t gpu_frames;		     /* frames with a known GPU time */
			uint64_t gpu_ns;		     /* their sum */
			uint64_t tx; /* frames whose present applied a transaction of the layer */
		};
		uint64_t sums[18]; /* all of these */
	};
	uint64_t max_ns; /* the longest frame time, stall, GPU time */
	uint64_t longest_stall_ns;
	uint64_t gpu_max_ns;
	double periods; /* render periods in time_ns; of 60 Hz if the rate is unknown */
	/* Of a sum: the render rates of its rows in Hz, without rows that have unknown vsyncs; 0:
	 * unknown. */
	double slowest_hz, fastest_hz;
	union {
		struct {
			int64_t d;	/* more vsyncs than a render period has */
			int64_t missed; /* sum of these vsyncs */
			int64_t stalls; /* waits in which a frame was under way */
			/* Best, normal, middle, high, frozen: frames with known vsyncs, and stalls.
			 * If stalls is ROW_UNKNOWN, matrix[3], matrix[4], slow and frozen are, too.
			 */
			int64_t matrix[5];
			int64_t slow;	/* more than one vsync missed */
			int64_t frozen; /* longer than 700 ms */
			int64_t lost;	/* events lost in the time of the row */
		};
		int64_t unsure[11]; /* all of these; each may be ROW_UNKNOWN */
	};
	double score;	   /* 0 to 100; negative = none */
	bool max_is_whole; /* max_ns is a whole number of vsyncs */
};

/* A new field needs a longer array. */
_Static_assert(offsetof(struct frame_stats, max_ns) == sizeof(((struct frame_stats *)0)->sums), "");
_Static_assert(offsetof(struct frame_stats, score) - offsetof(struct frame_stats, d) ==
		       sizeof(((struct frame_stats *)0)->unsure),
	       "");

/* A row of fps.csv. */
struct fps_row {
	uint64_t start_ns, end_ns;
	const char *app;
	const char *surface;
	struct frame_stats stats;
	double fps;	     /* negative = none */
	int64_t refresh_mhz; /* the display's refresh rate in mHz, or ROW_UNKNOWN */
	int64_t p50_ns, p90_ns, p99_ns;
	int64_t cadence;     /* the most frequent known number of vsyncs, or ROW_UNKNOWN */
	int64_t off_cadence; /* intervals with another number, or ROW_UNKNOWN */
	bool legacy;	     /* rule set gfx2019: the columns after Surface are empty */
};

/* A row of dropFrames.csv. */
struct drop_row {
	int64_t start_ns, end_ns; /* vsyncs of the previous frame and of this one, or ROW_UNKNOWN */
	uint64_t interval_ns;	  /* since the previous frame */
	const char *tick;	  /* name of the last tick, "" before the first */
	uint64_t tx;
	const char *app;
	const char *surface;
	const char *info; /* counters written in that time, joined by "; " */
	const char *layer;
	int64_t missed;	      /* vsyncs beyond the render period, or ROW_UNKNOWN */
	int64_t frame_number; /* or ROW_UNKNOWN */
	enum cause cause;
	bool legacy;
};

/* A row of frames.csv, or of latency.csv: there latched_ns is when the frame should be presented,
 * and queued_ns when its buffer was complete. */
struct frame_row {
	uint64_t present_ns;
	int64_t vsync_ns; /* or ROW_UNKNOWN, as all numbers below */
	int64_t interval_ns;
	int64_t vsyncs;
	const char *app;
	const char *surface;
	const char *layer;
	int64_t frame_number;
	int64_t queued_ns;
	int64_t latched_ns;
	int64_t gpu_done_ns;
	int64_t lost; /* events lost since the layer's previous frame */
	enum cause cause;
	int64_t vsync_id; /* SurfaceFlinger's token of the composition */
};

/* The most bytes of an app's name in a row of doframe.csv, with its NUL. */
#define DOFRAME_APP_SIZE 64

/* A row of doframe.csv: the callbacks of one thread's Choreographer. */
struct doframe_row {
	uint64_t start_ns, end_ns; /* begins of callbacks */
	const char *app;	   /* of the process, perhaps only its last 15 bytes; "": unknown */
	int32_t pid, tid;
	uint64_t frames;		/* callbacks */
	uint64_t time_ns;		/* between callbacks, without pauses of 500 ms and more */
	double fps;			/* negative = none */
	int64_t avg_ns, p99_ns, max_ns; /* of the callbacks, or ROW_UNKNOWN, as all below */
	int64_t draw_avg_ns, draw_max_ns;
	int64_t skipped;   /* periods, of callbacks whose edge of VSYNC-app is known */
	int64_t matrix[5]; /* these callbacks by skipped periods: best to frozen */
	int64_t lost;	   /* events lost in the time of the row */
};

/* A row of frametimeline.csv: a finished frame of FrameTimeline. ROW_UNKNOWN: the trace does not
 * say it. */
struct timeline_row {
	bool is_surface; /* of a Surface; else of the display */
	int64_t start_ns, end_ns;
	int64_t expected_start_ns, expected_end_ns;
	struct timeline_event event; /* of its actual start, without the layer */
	const char *app;
	const char *surface;
	const char *layer; /* as SurfaceFlinger writes it, "TX - com.a/com.a.Main#7" */
};

/* A row of events.csv that the trace causes. */
enum trace_event_kind {
	TRACE_EVENT_REFRESH,	    /* the display's refresh rate was found or changed */
	TRACE_EVENT_LOST,	    /* the kernel lost events */
	TRACE_EVENT_SURFACEFLINGER, /* found, or replaced by another process */
	TRACE_EVENT_TRACING,	    /* the clock stepped, the stream was damaged or forged */
	TRACE_EVENT_FOCUS,	    /* another app is in front */
	TRACE_EVENT_MARK,	    /* a mark of an app: I|pid|jankd:TEXT */
	TRACE_EVENT_TRIGGER,	    /* the trigger begins or ceases to hold */
	TRACE_EVENT_STALL,	    /* a stall ended, or no frame ended it */
	TRACE_EVENT_PAUSE,	    /* a wait between steady frames, without evidence of work */
	TRACE_EVENT_KINDS,
};

struct trace_event {
	uint64_t time_ns;
	enum trace_event_kind kind;
	const char *text;
};

/* A frame that is late by at least pipeline_options.late_ns, see late.h. */
struct late_frame {
	uint64_t present_ns;
	uint64_t interval_ns; /* since the previous frame */
	const char *surface;
};

/* The files of a session: daemon/base/csv_files.h has the one list of them. First those to which
 * rows are appended, in the order in which low disk space stops them (daemon/files/disk_floor.h);
 * then those that are replaced as a whole. */
enum csv_file_kind {
	ROW_FRAMES,   /* struct frame_row */
	ROW_TIMELINE, /* struct timeline_row */
	ROW_DROPS,    /* struct drop_row */
	ROW_DOFRAMES, /* struct doframe_row */
	ROW_LATENCY,  /* struct frame_row */
	ROW_FPS,      /* struct fps_row */
	ROW_EVENTS,   /* struct trace_event */
	ROW_FILES,    /* their number */
	CSV_SUMMARY = ROW_FILES,
	CSV_SESSION,
	CSV_FILES,
};

/* Receives the rows. Every callback may be NULL. */
struct row_sink {
	void *context;
	/* @row: the struct of its @kind; rows of every kind come, wanted or not. */
	void (*row)(void *context, enum csv_file_kind kind, const void *row);
	/* Later times are those of another clock and cannot be compared with earlier ones. */
	void (*clock)(void *context);
	void (*late)(void *context, const struct late_frame *frame);
	/* From @time_ns on the trigger holds (@open) or no longer holds; at the start it does not.
	 * The call with @open comes before the row of the frame that fulfils the condition. Rows of
	 * fps.csv come when they close, so a row may come after the trigger held at its start. */
	void (*gate)(void *context, bool open, uint64_t time_ns);
};

#endif

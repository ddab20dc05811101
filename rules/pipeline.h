/* SPDX-License-Identifier: Apache-2.0 */
/* The room's one door: records in, rows out.
 *
 * Time moves only by the records' own times, so a recorded trace and the live stream give the
 * same rows. After pipeline_new() nothing is allocated.
 */
#ifndef JANKD_RULES_PIPELINE_H
#define JANKD_RULES_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"
#include "rules/row.h"
#include "rules/ruleset.h"

struct pipeline_options {
	double target_fps;   /* 0: the display's refresh rate as seen, 60 where unknown */
	uint64_t kpi_ns;     /* a frame this long is acceptable; 100 ms */
	unsigned int type;   /* 0 to 4: which of fps and drop rows are made, README "-T" */
	uint64_t delay_ns;   /* between two checks; 1 s */
	uint64_t min_frames; /* a row needs more frames than this at a check; 20 */
	uint64_t vsync_ns;   /* period where the trace has none; 0: not given */
	const char *focus;   /* "app/activity" in front at the start, or NULL; copied */
	/* Globs on the whole Surface, or on the whole app in the layer's name; NULL-ended, or NULL;
	 * borrowed as long as the pipeline lives. */
	const char *const *include;
	const char *const *exclude;
	const struct trigger *trigger; /* what is told of by the sink's gate(), or NULL; borrowed */
	uint64_t late_ns;	       /* frames late by that much are told of, late.h; 0: none */
	bool recorded;		       /* lines may come twice, or sorted by CPU */
	bool asks_front;	       /* somebody answers pipeline_front_doubt() */
	unsigned int max_surfaces;     /* layers and Surfaces that are known at a time; 320 */
	unsigned int max_threads;      /* with open slices; 256 */
};

#define PIPELINE_OPTIONS_DEFAULT                                                                   \
	((struct pipeline_options){ .kpi_ns = UINT64_C(100000000),                                 \
				    .delay_ns = UINT64_C(1000000000),                              \
				    .min_frames = 20,                                              \
				    .max_surfaces = 320,                                           \
				    .max_threads = 256 })

/* CPUs whose losses are counted one by one. */
#define PIPELINE_CPUS 64

/* What was seen and what did not fit: every count since the beginning. */
struct pipeline_counters {
	uint64_t records;
	uint64_t ticks;
	uint64_t presents;
	uint64_t frames;       /* (present, layer) pairs, of layers that are to be counted */
	uint64_t lost_events;  /* of known number */
	uint64_t lost_unknown; /* times that an unknown number was lost, holes too */
	uint64_t lost_by_cpu[PIPELINE_CPUS + 1]; /* lost_events; the last: of all other CPUs */
	uint64_t holes;				 /* calls of pipeline_hole() */
	uint64_t stale_frames; /* latched a vsync before a hole, or back in time: not counted */
	uint64_t unattributed_presents; /* of SurfaceFlinger, without a frame of any layer */
	uint64_t foreign_presents; /* present slices of threads that are not SurfaceFlinger's */
	uint64_t foreign_ticks;	   /* ticks of other processes, where the writer is known */
	uint64_t foreign_latches;  /* the same of what it says of buffers */
	uint64_t surfaceflinger_restarts;
	uint64_t clock_steps;
	uint64_t late;		   /* records passed over: their time was past, and theirs alone */
	uint64_t repeated;	   /* records passed over: they were there before */
	uint64_t queue_high_water; /* frames and presents that waited to be counted, at most */
	uint64_t dropped_frames;   /* buffers replaced before they were latched */
	uint64_t layers_evicted;   /* full: the one idle longest went, and comes back as it was, */
	uint64_t layers_forgotten; /* but not these */
	uint64_t layers_refused;   /* and times that there was none that could go, */
	uint64_t frames_refused;   /* so that a frame is missing */
	uint64_t frames_counted_early; /* counted before the vsyncs behind them were seen, for
					  others */
	uint64_t surfaces_evicted;     /* each comes back with its next frame, as it was */
	uint64_t surfaces_others;      /* but these are counted in the row '(others)' */
	uint64_t frames_others;	       /* frames that were counted there and nowhere else */
	uint64_t surfaces_unreadable;  /* and of these what was spilled is lost */
	uint64_t marks_too_soon;       /* of apps: they closed no row, see pipeline_mark() */
	uint64_t percentiles_refused;  /* rows and Surfaces with too many different frame times */
	uint64_t threads_evicted;
	uint64_t slices_unbalanced; /* ends without a begin, and begins dropped while healing */
	uint64_t first_ns, last_ns; /* times of the first and the last record of the latest clock */
	int64_t refresh_mhz;	    /* ROW_UNKNOWN where no vsync lattice is locked */
	int32_t sf_pid, sf_tid;	    /* SurfaceFlinger as learnt, or TRACE_ID_UNKNOWN */
};

struct pipeline;

/* Can rules be followed with these options? The engine last-counter knows no layers: it has no
 * trigger, no late frames, and no choice of Surfaces. */
bool pipeline_accepts(const struct ruleset *rules, const struct pipeline_options *options);

/**
 * pipeline_new() - set up everything that records need
 * @out: the caller gives it back with pipeline_free()
 * @rules: borrowed as long as the pipeline lives
 * @options: copied (but for the lists it points to)
 * @sink: copied; its callbacks run inside the functions below
 *
 * Returns 0; -ENOMEM; -EINVAL where pipeline_accepts() says no.
 */
int pipeline_new(struct pipeline **out, const struct ruleset *rules,
		 const struct pipeline_options *options, const struct row_sink *sink);

/* Frees @p, which may be NULL. Rows not yet written are lost. Returns NULL. */
struct pipeline *pipeline_free(struct pipeline *p);

/* Takes the next record of the trace. */
void pipeline_record(struct pipeline *p, const struct trace_record *record);

/* The time that the trace has come to, as far as it is believed; 0 before the first record. */
uint64_t pipeline_now(const struct pipeline *p);

/**
 * pipeline_set_rules() - go on with other rules
 * @rules: borrowed from now on; the old ones are not needed any more
 *
 * Layers that they rename begin a new row. What is in the midst of being latched is forgotten: for
 * intervals it is as if there was a hole.
 *
 * Returns 0, or -EINVAL where the rules ask for another engine: nothing has changed then.
 */
int pipeline_set_rules(struct pipeline *p, const struct ruleset *rules);

/* Somebody says which app is in front ("app/activity"), or the display's period. Both are as good
 * as options.focus and options.vsync_ns, where those were not given and until the trace says more.
 * False: the app is known already. */
bool pipeline_focus(struct pipeline *p, const char *focus);
void pipeline_give_period(struct pipeline *p, uint64_t period_ns);

/* The moment @time_ns of the trace is marked, which may be ahead of the last record: all open
 * rows end with their last frame before it, and are written however few frames they have. Rule set
 * gfx2019 has no such marks. One that an app writes into the trace, I|pid|jankd:TEXT, does the
 * same, once a second at most. Returns 0, or -ENOSPC: too many wait for the records before them. */
int pipeline_mark(struct pipeline *p, uint64_t time_ns);

/* Since when it is in doubt which app is in front, in trace time: a window of another one, *@app,
 * began to draw then. 0: it is not. And the answer for that moment,
 * "app/activity" or "" for unknown; it holds for frames from @since_ns on that are not counted yet.
 * Without options.asks_front it is unknown as soon as the app that was in front draws no more.
 */
uint64_t pipeline_front_doubt(const struct pipeline *p, const char **app);
void pipeline_front(struct pipeline *p, const char *focus, uint64_t since_ns);

/* Between the trace time @since_ns and the next record events may be missing, and no record says
 * so: tracing was switched off, the buffer was cleared, the device slept. Across such a hole, as
 * across a loss that a record tells of, an interval is known only where it is one vsync; a frame
 * with any other has none, as a layer's first frame. So each is one row more in frames.csv than
 * frames, waits and first frames make. */
void pipeline_hole(struct pipeline *p, uint64_t since_ns);

/* While @doubt, events are known to be missing and the record that says so has not come yet: a
 * reader that was held up sees from the kernel's own statistics that some CPU's buffer ran over,
 * but the other CPUs' events come first. Frames that come meanwhile are as if in a hole. */
void pipeline_doubt(struct pipeline *p, bool doubt);

/* From the next record on times are those of another clock: rows end here. The hole is as in
 * pipeline_hole(). */
void pipeline_new_clock(struct pipeline *p, uint64_t since_ns);

/* Nothing was written into the trace for @for_ns behind the last record: what waits for later
 * records is counted without them. The next record would do the same. */
void pipeline_silent(struct pipeline *p, uint64_t for_ns);

/* Is the recorded trace sorted by CPU instead of by time? Then nothing that was counted is right.
 * As long as one CPU alone has written it may still turn out so. */
bool pipeline_is_by_cpu(const struct pipeline *p);
bool pipeline_may_be_by_cpu(const struct pipeline *p);

/* The trace ends: writes what is left. No record may follow. */
void pipeline_end(struct pipeline *p);

/* Nothing that is told from now on happened before this time, but for the begin of a refresh rate;
 * and nothing waits to be counted, so that nothing at all may come for long. */
uint64_t pipeline_settled(const struct pipeline *p);
bool pipeline_is_settled(const struct pipeline *p);

/* Calls @row once for each Surface of the session so far, in order of first appearance; rows that
 * are open count. Behind them '(others)' stands for those that the tables and the sink's spill have
 * no room for. */
void pipeline_summary(struct pipeline *p, void *context,
		      void (*row)(void *context, const struct summary_row *row));

/* Was there a frame of a Surface that options.trigger is about? True where it asks for none. */
bool pipeline_trigger_matched(const struct pipeline *p);

/* Brings the counters up to date; valid as long as the pipeline lives. */
const struct pipeline_counters *pipeline_counters(struct pipeline *p);

#endif

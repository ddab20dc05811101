/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of rules/ for the daemon: records in, rows out.
 *
 * Time advances only with the records, so a recorded trace and the live stream give the same rows.
 * Nothing is allocated after pipeline_new().
 */
#ifndef JANKD_RULES_PIPELINE_H
#define JANKD_RULES_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"
#include "rules/base/row.h"
#include "rules/beside/choreographer.h"
#include "rules/beside/frame_timeline.h"
#include "rules/beside/present_fence.h"
#include "rules/count/options.h"
#include "rules/count/summary_row.h"
#include "rules/language/ruleset.h"
#include "rules/vsync/work_durations.h"
#include "rules/why/producer.h"

/* CPUs whose losses are counted separately. */
#define PIPELINE_CPUS 64

/* Counts since the start of the trace. */
struct pipeline_counters {
	uint64_t records;
	uint64_t ticks;
	uint64_t presents;
	uint64_t frames;       /* (present, layer) pairs of layers that are counted */
	uint64_t lost_events;  /* known number of lost events */
	uint64_t lost_unknown; /* losses of unknown size, holes included */
	/* lost_events by CPU; the last entry: of all other CPUs */
	uint64_t lost_by_cpu[PIPELINE_CPUS + 1];
	uint64_t holes;			/* calls of pipeline_hole() */
	uint64_t stale_frames;		/* not counted: they span a hole */
	uint64_t unattributed_presents; /* of SurfaceFlinger, without a frame of any layer */
	uint64_t foreign_presents; /* present slices of threads that are not SurfaceFlinger's */
	uint64_t foreign_ticks;	   /* ticks of other processes, if the writer is known */
	uint64_t foreign_latches;  /* the same for events of buffers */
	uint64_t surfaceflinger_restarts;
	uint64_t clock_steps;
	uint64_t late;		   /* ignored records: with a time in the past */
	uint64_t repeated;	   /* ignored records: duplicates */
	uint64_t queue_high_water; /* most frames and presents that waited to be counted */
	uint64_t dropped_frames;   /* buffers replaced before they were latched */
	uint64_t layers_evicted;   /* from the full table, with frames; they would begin anew */
	uint64_t layers_refused; /* events without space for their layer: all layers were in use */
	uint64_t frames_refused; /* frames that are missing for that reason */
	uint64_t frames_counted_early; /* counted without waiting for later vsyncs, to free space */
	uint64_t surfaces_evicted;     /* series of gfx2019, from the full table */
	uint64_t surfaces_others;      /* counted in the row '(others)' instead of their own */
	uint64_t frames_others;	       /* frames that only that row counts */
	uint64_t marks_too_soon;       /* marks that closed no row: see pipeline_mark() */
	uint64_t percentiles_refused; /* rows and Surfaces without percentiles: no space was left */
	uint64_t threads_evicted;
	uint64_t slices_refused; /* of apps, without space: stalls may be missing */
	/* Entries that were in use and gave their place, as a table was full: processes with a
	 * Choreographer, names of ticks, displays, holes of SurfaceFlinger's events. */
	uint64_t processes_evicted, ticks_evicted, displays_evicted, holes_evicted;
	uint64_t doframes;	   /* callbacks of all Choreographers */
	uint64_t doframes_refused; /* without space for their thread: in no row of doframe.csv */
	uint64_t durations_learnt; /* frames whose expected time comes from learnt durations */
	uint64_t doframes_skipped; /* callbacks that skipped 30 periods or more */
	struct doframe_skipped doframe_worst; /* the worst of these */
	struct timeline_counts timeline;      /* of FrameTimeline */
	uint64_t slices_unbalanced; /* ends without a begin, and begins dropped without an end */
	struct fence_counts fences; /* what became of the fences of queued buffers */
	uint64_t fences_evicted;    /* their ends are unknown: a table was full */
	uint64_t first_ns, last_ns; /* times of the first and last record on the latest clock */
	int64_t refresh_mhz;	    /* ROW_UNKNOWN if no vsync lattice is locked */
	struct work_durations durations; /* that are used; 0: unknown */
	enum durations_source durations_source;
	int32_t sf_pid, sf_tid; /* SurfaceFlinger as found in the trace, or TRACE_ID_UNKNOWN */
	uint64_t hole_time_ns;	/* time without any event in which some were lost, or not traced */
	uint64_t hole_from_ns, hole_to_ns; /* the longest of these, on the latest clock */
	uint64_t span_ns; /* from the first record to the last of all earlier clocks */
	uint64_t ahead;	  /* ignored records: far ahead of all others, never confirmed */
};

struct pipeline;

/* True: these rules can be used with these options. The engine last-counter has no layers, so it
 * cannot have a trigger, late frames, or lists to include or exclude. */
bool pipeline_accepts(const struct ruleset *rules, const struct pipeline_options *options);

/**
 * pipeline_new() - allocate and set up a pipeline
 * @out: the caller frees it with pipeline_free()
 * @rules: borrowed as long as the pipeline lives
 * @options: copied, except for the lists that it points to
 * @sink: copied; its callbacks are called by the functions below
 *
 * Returns 0; -ENOMEM; -EINVAL if pipeline_accepts() returns false.
 */
int pipeline_new(struct pipeline **out, const struct ruleset *rules,
		 const struct pipeline_options *options, const struct row_sink *sink);

/* Frees @p, which may be NULL. Rows that are not written yet are lost. Returns NULL. */
struct pipeline *pipeline_free(struct pipeline *p);

/* Processes the next record of the trace. */
void pipeline_record(struct pipeline *p, const struct trace_record *record);

/* Processes the first of @n records, and those after it up to the one with which pipeline_settled()
 * reaches *@until_ns, as far as each is a marker other than a clock sync and its time needs no
 * judgement. The sink may change *@until_ns meanwhile. It is not used if @n is 1. Returns how many
 * records were processed. */
size_t pipeline_records(struct pipeline *p, const struct trace_record *records, size_t n,
			const uint64_t *until_ns);

/* Counts an event of FrameTimeline (TRACE_TIMELINE) that comes beside a live trace: only
 * frametimeline.csv and the jank types depend on it. With options.frame_timeline. */
void pipeline_timeline(struct pipeline *p, const struct trace_record *record);

/* What it says of each app; NULL without it. */
const struct timeline_app *pipeline_timeline_apps(const struct pipeline *p);

/* Counts the frame of a present fence; with options.is_fences, instead of records. Fences of all
 * layers must come in the order of their actual times. */
void pipeline_fence(struct pipeline *p, const struct present_fence *fence);

/* The current time of the trace in ns; 0 before the first record. Lines far ahead of all others do
 * not count until others confirm them. */
uint64_t pipeline_now(const struct pipeline *p);

/**
 * pipeline_set_rules() - change the rules
 * @rules: borrowed from now on; the old ones are no longer used
 *
 * A layer that the new rules rename begins a new row. Latches that are not presented yet are
 * dropped, so no interval spans the change: it is a hole.
 *
 * Returns 0, or -EINVAL if the rules need another engine; then nothing has changed.
 */
int pipeline_set_rules(struct pipeline *p, const struct ruleset *rules);

/* Set the app in front ("app/activity") or the display's period (ns) from outside, if options.focus
 * or options.vsync_ns was not given. The values are used until the trace shows other ones.
 * pipeline_focus() returns false if an app is set already. */
bool pipeline_focus(struct pipeline *p, const char *focus);
void pipeline_set_dumpsys_period(struct pipeline *p, uint64_t period_ns);

/* Sets options.durations, for frames that are not counted yet, and the display's period as above,
 * unless it was set. */
void pipeline_set_durations(struct pipeline *p, const struct work_durations *durations);

/* Adds a mark at the trace time @time_ns, which may be ahead of the last record: all open rows end
 * with their last frame before it, and are written even with few frames. Rule set gfx2019 ignores
 * marks. A mark that an app writes into the trace, I|pid|jankd:TEXT, has the same effect, at most
 * once a second. Of more than 256 that wait for a record, those that are closest become one. */
void pipeline_mark(struct pipeline *p, uint64_t time_ns);

/* pipeline_front_app_uncertain_since() returns the trace time since which the app in front is
 * uncertain: a window of another app, *@app, began to draw then. 0: it is certain.
 * pipeline_set_front_app() gives the answer for that time, "app/activity" or "" for unknown. It is
 * valid for frames from @since_ns on that are not counted yet. Without options.front_app_is_queried
 * the app in front becomes unknown when another app draws and the previous one no longer does. */
uint64_t pipeline_front_app_uncertain_since(const struct pipeline *p, const char **app);
void pipeline_set_front_app(struct pipeline *p, const char *focus, uint64_t since_ns);

/* A hole: events may be missing between the trace time @since_ns and the next record, and no record
 * reports that. Tracing was switched off, the buffer was emptied, or the device slept. Across a
 * hole, and across a reported loss, most intervals are unknown: see frame_series_add(). */
void pipeline_hole(struct pipeline *p, uint64_t since_ns);

/* While @pending, events are missing, and the record that reports the loss comes later: a reader
 * that was delayed finds in the kernel's statistics that the buffer of a CPU overflowed, but reads
 * events of other CPUs first. Frames in that time are in a hole. */
void pipeline_set_loss_pending(struct pipeline *p, bool pending);

/* While @ahead, the same, but the loss is certain, and its record is on the way: when it comes,
 * frames that still wait are judged by it. */
void pipeline_set_loss_ahead(struct pipeline *p, bool ahead);

/* After this call times are those of another clock: all rows end. Includes pipeline_hole(). */
void pipeline_new_clock(struct pipeline *p, uint64_t since_ns);

/* A live trace has reached @time_ns. Only records of later times may be from the future, so no
 * other waits for those that confirm its time. */
void pipeline_reached(struct pipeline *p, uint64_t time_ns);

/* All records up to @time_ns were given: what has no frame since its last one has none until then.
 * Only for pipeline_summary(). */
void pipeline_read_until(struct pipeline *p, uint64_t time_ns);

/* There was no record for @for_ns after the last one: counts the frames that have waited long
 * enough, as the next record would. */
void pipeline_silent(struct pipeline *p, uint64_t for_ns);

/* True: the recorded trace is sorted by CPU instead of by time, so all counts are wrong; or it may
 * be sorted like that, as nothing so far shows another order. @ended: it is read to its end. */
bool pipeline_is_by_cpu(const struct pipeline *p, bool ended);
bool pipeline_may_be_by_cpu(const struct pipeline *p);

/* The trace ends: writes the remaining rows. No record may follow. */
void pipeline_end(struct pipeline *p);

/* pipeline_settled(): a trace time in ns. No later row or event has an earlier one, except for the
 * event of a refresh rate that began while there were no frames. pipeline_is_settled(): no frame
 * waits to be counted, so there may be no row for a long time. */
uint64_t pipeline_settled(const struct pipeline *p);
bool pipeline_is_settled(const struct pipeline *p);

/* For how long the first of the frames that are not counted yet has waited, in ns of trace time. 0:
 * none waits. */
uint64_t pipeline_waiting_ns(const struct pipeline *p);

/* Calls @row once for each Surface of the session so far, in the order of first frames. Its open
 * rows are included. The last row, '(others)', is the sum of the Surfaces for which the table had
 * no space. */
void pipeline_summary(struct pipeline *p, void *context,
		      void (*row)(void *context, const struct summary_row *row));

/* True: there was a frame of a Surface that options.trigger selects, or it selects none. */
bool pipeline_trigger_matched(const struct pipeline *p);

/* Updates the counters; valid as long as the pipeline lives. */
const struct pipeline_counters *pipeline_counters(struct pipeline *p);

#endif

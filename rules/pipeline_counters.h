/* SPDX-License-Identifier: Apache-2.0 */
/* What a pipeline counts about the trace and about its own tables. */
#ifndef JANKD_RULES_PIPELINE_COUNTERS_H
#define JANKD_RULES_PIPELINE_COUNTERS_H

#include <stdint.h>

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
	uint64_t stale_frames;		/* not counted: they span a hole or go back in time */
	uint64_t unattributed_presents; /* of SurfaceFlinger, without a frame of any layer */
	uint64_t foreign_presents; /* present slices of threads that are not SurfaceFlinger's */
	uint64_t foreign_ticks;	   /* ticks of other processes, if the writer is known */
	uint64_t foreign_latches;  /* the same for events of buffers */
	uint64_t surfaceflinger_restarts;
	uint64_t clock_steps;
	uint64_t late;		   /* ignored records: single, with a time in the past */
	uint64_t repeated;	   /* ignored records: duplicates */
	uint64_t queue_high_water; /* most frames and presents that waited to be counted */
	uint64_t dropped_frames;   /* buffers replaced before they were latched */
	uint64_t layers_evicted;   /* from the full table; they can come back */
	uint64_t layers_forgotten; /* evicted layers that cannot come back */
	uint64_t layers_refused; /* events without space for their layer: all layers were in use */
	uint64_t frames_refused; /* frames that are missing for that reason */
	uint64_t frames_counted_early; /* counted without waiting for later vsyncs, to free space */
	uint64_t surfaces_evicted;     /* they can come back with their next frame */
	uint64_t surfaces_others;      /* counted in the row '(others)' instead of their own */
	uint64_t frames_others;	       /* frames that only that row counts */
	uint64_t surfaces_unreadable;  /* evicted Surfaces that could not be read back */
	uint64_t marks_too_soon;       /* marks of apps that closed no row: see pipeline_mark() */
	uint64_t percentiles_refused; /* rows and Surfaces without percentiles: no space was left */
	uint64_t threads_evicted;
	uint64_t slices_unbalanced; /* ends without a begin, and begins dropped without an end */
	uint64_t first_ns, last_ns; /* times of the first and last record on the latest clock */
	int64_t refresh_mhz;	    /* ROW_UNKNOWN if no vsync lattice is locked */
	int32_t sf_pid, sf_tid;	    /* SurfaceFlinger as found in the trace, or TRACE_ID_UNKNOWN */
};

#endif

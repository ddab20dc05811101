/* SPDX-License-Identifier: Apache-2.0 */
/* What a pipeline counts about the trace and about its own tables. */
#ifndef JANKD_RULES_PIPELINE_COUNTERS_H
#define JANKD_RULES_PIPELINE_COUNTERS_H

#include <stdint.h>

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

#endif

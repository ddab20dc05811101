/* SPDX-License-Identifier: Apache-2.0 */
/* What the whole session shows of one Surface. As for the rows of rules/base/row.h, names are raw
 * bytes from the trace. */
#ifndef JANKD_RULES_COUNT_SUMMARY_ROW_H
#define JANKD_RULES_COUNT_SUMMARY_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/base/row.h"
#include "rules/count/grade.h"
#include "rules/count/harm.h"
#include "rules/count/verdict.h"

/* What the fences show of the frames of a Surface. Frames are late if they have more vsyncs than
 * the cadence so far. */
struct fence_stats {
	uint64_t bound;		/* late, as the GPU had not finished when they could be latched */
	uint64_t late;		/* late frames of which the wait for the buffer is known */
	uint64_t late_released; /* those that waited 1 ms or more for the display to release it */
	uint64_t paced;		/* frames of which the pacing is known */
	uint64_t paced_itself;	/* those without a vsync of the app since the one before */
};

/* A row of summary.csv: one Surface over the whole session. */
struct summary_row {
	const char *app;
	const char *surface;
	uint64_t first_ns, last_ns;
	struct frame_stats stats;
	double fps;		/* negative = none */
	double now_fps;		/* of the last complete second of the trace; negative = none */
	uint64_t recent_frames; /* in the last RECENT_SECONDS complete seconds */
	uint64_t frozen_ns; /* so long a stall has lasted that no frame has ended yet; 0: none */
	int64_t p50_ns, p90_ns, p95_ns, p99_ns, p999_ns;
	double low1_fps, low01_fps; /* 1000 / mean of the slowest 1 %, 0.1 %; negative = none */
	/* 1000 / the fastest of the slowest frame times that make up 1 %, 0.1 % of all time */
	double low1_time_fps, low01_time_fps;
	int64_t cadence, off_cadence; /* as in struct fps_row */
	struct harm harm;
	struct grade_facts facts;
	enum grade grade;
	uint64_t drawing_ns;		/* time of continuous drawing */
	char verdict[VERDICT_SIZE];	/* "": of the others */
	const char *jank_types;		/* FrameTimeline's; "": it has no frame of the Surface */
	int64_t gpu_p50_ns, gpu_p99_ns; /* GPU times; or ROW_UNKNOWN, as the next two */
	int64_t gpu_bound;
	int64_t release_p99_ns; /* waits for the display to release a buffer */
	struct fence_stats fences;
	bool paces_itself;  /* 90 % of its frames or more without a vsync of the app: see producer.h
			     */
	bool no_view_marks; /* its process presents frames and has no Choreographer */
};

#endif

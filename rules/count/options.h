/* SPDX-License-Identifier: Apache-2.0 */
/* What of the trace counts, and how. For pipeline_new(). */
#ifndef JANKD_RULES_COUNT_OPTIONS_H
#define JANKD_RULES_COUNT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/count/verdict.h"
#include "rules/vsync/work_durations.h"

struct trigger;

struct pipeline_options {
	bool is_fences;		  /* frames come from pipeline_fence(), not from records */
	double target_fps;	  /* in Hz; 0: the display's refresh rate, 60 if unknown */
	enum app_class app_class; /* of all apps; APP_CLASS_UNKNOWN: learnt */
	uint64_t kpi_ns;	  /* longest acceptable frame time; default 100 ms */
	unsigned int type;	  /* 0 to 4: which of fps and drop rows are written, see jankd(1) */
	uint64_t delay_ns;	  /* time between two checks that close rows; default 1 s */
	uint64_t min_frames;	  /* a check closes rows with more frames than this; default 20 */
	uint64_t vsync_ns;	  /* period, unless the trace reports one; 0: not given */
	const char *focus;	  /* app/activity in front at the start, or NULL; copied */
	/* Globs: each matches a whole Surface, or the whole app in a layer's name. The last entry
	 * is NULL; NULL: no list. Borrowed as long as the pipeline lives. */
	const char *const *include;
	const char *const *exclude;
	const struct trigger *trigger; /* reported by the sink's gate(), or NULL; borrowed */
	uint64_t late_ns;    /* report frames that are late by this much, see late.h; 0: none */
	bool recorded;	     /* lines may be duplicated, or sorted by CPU */
	bool frame_timeline; /* a live trace has FrameTimeline, see pipeline_timeline() */
	bool front_app_is_queried; /* the caller answers pipeline_front_app_uncertain_since() */
	struct work_durations durations;
	unsigned int max_surfaces; /* layers, and Surfaces, in the tables */
	unsigned int max_series;   /* with the engine last-counter; default 256 */
	unsigned int max_threads;  /* threads in the table; default 256 */
};

/* More layers and Surfaces than a capture of days has. They take memory only as they are used. */
#define PIPELINE_SURFACES 4096

#define PIPELINE_OPTIONS_DEFAULT                                                                   \
	((struct pipeline_options){ .kpi_ns = UINT64_C(100000000),                                 \
				    .delay_ns = UINT64_C(1000000000),                              \
				    .min_frames = 20,                                              \
				    .max_surfaces = PIPELINE_SURFACES,                             \
				    .max_series = 256,                                             \
				    .max_threads = 256 })

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the caller of pipeline_new() chooses. */
#ifndef JANKD_RULES_PIPELINE_OPTIONS_H
#define JANKD_RULES_PIPELINE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct trigger;

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
	bool front_is_queried;	       /* somebody answers pipeline_front_uncertain_since() */
	unsigned int max_surfaces;     /* layers and Surfaces that are known at a time; 320 */
	unsigned int max_threads;      /* with open slices; 256 */
};

#define PIPELINE_OPTIONS_DEFAULT                                                                   \
	((struct pipeline_options){ .kpi_ns = UINT64_C(100000000),                                 \
				    .delay_ns = UINT64_C(1000000000),                              \
				    .min_frames = 20,                                              \
				    .max_surfaces = 320,                                           \
				    .max_threads = 256 })

#endif

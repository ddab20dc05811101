/* SPDX-License-Identifier: Apache-2.0 */
/* The measuring method of the program of 2019, with its errors, to compare with its files: engine
 * last-counter.
 *
 * The last counter of any process between two ticks names the frame. A present makes the next tick
 * the frame's time. A series is (TX, app in front, name). One difference from the original: -T 3
 * and 4, drop rows only, work here; an error in the program prevented them.
 */
#ifndef JANKD_RULES_BESIDE_GFX2019_H
#define JANKD_RULES_BESIDE_GFX2019_H

#include <stdint.h>

#include "parser/record.h"
#include "rules/base/memory.h"
#include "rules/base/row.h"
#include "rules/count/options.h"
#include "rules/language/ruleset_match.h"
#include "rules/language/surface.h"

struct gfx2019_series {
	uint64_t tx;
	char app[APP_SIZE];
	char surface[NAME_SIZE];
	bool begun; /* had a frame: start_ns and last_ns are valid */
	uint64_t start_ns;
	uint64_t last_ns;
	uint64_t last_use; /* number of its last frame */
	struct frame_stats stats;
};

struct gfx2019 {
	const struct ruleset *rules; /* borrowed; the owner may change it, as options.vsync_ns */
	struct pipeline_options options;
	struct row_sink sink;
	bool ticked; /* there was a tick */
	uint64_t check_ns;
	uint64_t tick_ns; /* time of the last tick */
	bool open;	  /* between a tick and a present: counters name the frame */
	bool presented;	  /* since the last tick */
	uint64_t tx;
	char app[APP_SIZE];
	char activity[NAME_SIZE];
	char counter[NAME_SIZE];  /* name of the last counter, "": none */
	char info[NAME_SIZE + 1]; /* for drop rows: a line end and the last counter */
	uint64_t presents;
	uint64_t frames;
	uint64_t evicted; /* series that were replaced */
	int n;
	int max;
	struct gfx2019_series *series;
};

/* @g: all zeros. @options: copied; the text of its focus is not used after this call. */
void gfx2019_init(struct gfx2019 *g, const struct ruleset *rules,
		  const struct pipeline_options *options, const struct row_sink *sink,
		  struct memory *memory);

/* Sets the app in front ("app/activity"). Returns false if one was set before. */
bool gfx2019_focus(struct gfx2019 *g, const char *focus);

void gfx2019_record(struct gfx2019 *g, const struct trace_record *record);

/* Writes the open rows. */
void gfx2019_end(struct gfx2019 *g);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The program of 2019, slips and all, for comparing with its files: engine last-counter.
 *
 * Between two ticks the last counter of any process names the frame; a present makes the next
 * tick the frame's time; a series is (TX, app in front, name). Where it differs from its source:
 * drop rows alone (-T 3, 4) are written, which a slip kept it from.
 */
#ifndef JANKD_RULES_GFX2019_H
#define JANKD_RULES_GFX2019_H

#include <stdint.h>

#include "parser/record.h"
#include "rules/row.h"
#include "rules/ruleset_tables.h"
#include "rules/surface.h"

struct gfx2019_options {
	double target_fps;
	uint64_t kpi_ns;
	unsigned int type;
	uint64_t delay_ns;
	uint64_t min_frames;
	uint64_t vsync_ns;
	const char *focus;	 /* "app/activity" or NULL */
	unsigned int max_series; /* that are known at a time */
};

struct gfx2019_series {
	uint64_t tx;
	char app[APP_SIZE];
	char surface[NAME_SIZE];
	bool begun; /* had a frame: start and last are set */
	uint64_t start_ns;
	uint64_t last_ns;
	uint64_t last_use; /* number of the frame that was its last */
	struct frame_stats stats;
};

struct gfx2019 {
	const struct ruleset *rules;
	struct gfx2019_options options;
	struct row_sink sink;
	bool ticked; /* there was a tick */
	uint64_t check_ns;
	uint64_t tick_ns; /* the last one */
	bool open;	  /* between a tick and a present: counters name the frame */
	bool presented;	  /* since the last tick */
	uint64_t tx;
	char app[APP_SIZE];
	char activity[NAME_SIZE];
	char counter[NAME_SIZE];  /* the last one, "" = none */
	char info[NAME_SIZE + 1]; /* of drop rows: a line end and the last counter */
	uint64_t presents;
	uint64_t frames;
	uint64_t evicted; /* series that had to make room */
	int n;
	int max;
	struct gfx2019_series *series;
};

/* @g: all zeros. @options are copied but for the focus, which is read only here. Returns 0 or
 * -ENOMEM; gfx2019_free() is due in any case. */
int gfx2019_init(struct gfx2019 *g, const struct ruleset *rules,
		 const struct gfx2019_options *options, const struct row_sink *sink);

void gfx2019_free(struct gfx2019 *g);

/* Somebody says which app is in front ("app/activity"). False: somebody said it before. */
bool gfx2019_focus(struct gfx2019 *g, const char *focus);

void gfx2019_record(struct gfx2019 *g, const struct trace_record *record);

/* Writes the rows that are open. */
void gfx2019_end(struct gfx2019 *g);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The whole session: what all rows and layers of one Surface add up to. */
#ifndef JANKD_RULES_SUMMARY_H
#define JANKD_RULES_SUMMARY_H

#include <stdint.h>

#include "rules/row.h"
#include "rules/samples.h"
#include "rules/stats.h"
#include "rules/surface.h"

#define SURFACES_MAX 320

struct summary_surface {
	char name[NAME_SIZE];
	char app[APP_SIZE];
	uint64_t number; /* of its first appearance */
	uint64_t first_ns, last_ns;
	double target_fps;
	struct frame_stats stats; /* of the rows that are closed */
	struct frame_stats open;  /* of those that are not, when a summary is written */
	struct histogram histogram;
};

struct summary {
	uint64_t hashes[SURFACES_MAX]; /* of the names: what a search reads */
	struct summary_surface surfaces[SURFACES_MAX];
	int n;
	uint64_t numbers;
	uint64_t evicted;
	uint64_t kpi_ns;
};

/* A frame of @surface: makes the entry where it is the first. @interval_ns: from the frame before,
 * or ROW_UNKNOWN; a wait is none of the frame times. */
void summary_frame(struct summary *summary, const char *surface, const char *app,
		   uint64_t present_ns, int64_t interval_ns);

/* A row of @surface was closed. */
void summary_add_row(struct summary *summary, const struct fps_row *row, double target_fps);

/* Rows that are still open: forgets those of the last summary, then takes each. */
void summary_begin_open(struct summary *summary);
void summary_add_open(struct summary *summary, const char *surface, const struct frame_stats *stats,
		      double target_fps);

/* See pipeline_summary(). */
void summary_write(const struct summary *summary, void *context,
		   void (*row)(void *context, const struct summary_row *row));

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The whole session: what all rows and layers of one Surface add up to.
 *
 * A Surface has a number, in order of first appearance. Those that had frames of late are in the
 * table. Where that is full the one that has been idle longest is spilled, histogram and all, and
 * comes back as it was with its next frame: a small table gives the same rows as a large one.
 *
 *     number --> directory --> place in the table
 *                         --> slot of the spill      ^ its next frame, v room for another
 *                         --> the row of the others  for good
 *
 * What exceeds the spill, or cannot be written there, is counted in one row, '(others)'. Who is in
 * that row stays there: each other row is of all frames of its Surface.
 */
#ifndef JANKD_RULES_SUMMARY_H
#define JANKD_RULES_SUMMARY_H

#include <stdint.h>

#include "rules/chunk.h"
#include "rules/directory.h"
#include "rules/interval.h"
#include "rules/recent.h"
#include "rules/row.h"
#include "rules/percentiles.h"
#include "rules/spill.h"
#include "rules/stats.h"
#include "rules/surface.h"

struct summary_surface {
	int number;    /* SUMMARY_NONE: a place that is free */
	size_t length; /* of the whole name: it may have been cut */
	char name[NAME_SIZE];
	char app[APP_SIZE];
	uint64_t last_use;	    /* number of its last frame */
	uint64_t first_ns, last_ns; /* of the latest clock that it had a frame on */
	uint64_t clock;		    /* number of that */
	struct recent recent;	    /* frame times on that clock */
	struct frame_stats stats;   /* of the rows that are closed */
	struct histogram histogram; /* of frame times */
	struct histogram vsyncs;    /* the same, by their number of vsyncs */
};

#define SUMMARY_NONE (-1)   /* the number of no Surface */
#define SUMMARY_OTHERS (-2) /* of those that have none */

#define SUMMARY_OTHERS_NAME "(others)"

/* A Surface as it is spilled: its histogram is among the chunks. */
struct summary_record {
	struct summary_surface surface;
	struct packed_chunks packed;
};

struct summary {
	struct summary_surface *table;
	int max;
	struct directory directory;
	const struct spill *spill;     /* borrowed; NULL: there is none */
	struct summary_record *record; /* the one that is on its way */
	struct summary_surface others; /* used where last_use is not 0 */
	uint64_t uses;		       /* frames so far */
	uint64_t clocks;	       /* times that the clock went back */
	uint64_t now_ns;	       /* set by the owner: all frames up to then were counted */
	uint64_t evicted;	       /* times that one had to go */
	uint64_t in_others;	       /* Surfaces that went to the others, new ones each time */
	uint64_t frames_in_others;
	uint64_t unreadable; /* Surfaces that were spilled, and cannot be read back */
	double target_fps;   /* of the score, see frame_stats_score() */
	uint64_t kpi_ns;
	struct chunk_store *store; /* borrowed */
};

/* Returns 0 or -ENOMEM; summary_free() is due in any case. */
int summary_init(struct summary *summary, unsigned int max, const struct spill *spill,
		 struct chunk_store *store, double target_fps, uint64_t kpi_ns);
void summary_free(struct summary *summary);

/* The number of the Surface of that name, which may be a new one. */
int summary_number(struct summary *summary, struct name_key name, uint64_t present_ns);

/* Where the Surface of that number is told of: SUMMARY_OTHERS, or as it is. */
int summary_home(const struct summary *summary, int number);

/* A frame of it. @interval: from the frame before; a wait is none of the frame times. */
void summary_frame(struct summary *summary, int number, const char *app, uint64_t present_ns,
		   struct interval interval);

/* A row of it was closed. */
void summary_add_row(struct summary *summary, int number, const struct fps_row *row);

/* Numbers given so far: they count from 0. */
int summary_count(const struct summary *summary);

/* Calls @row with what the Surface of that number adds up to, or SUMMARY_OTHERS; not where it has
 * no row of its own. @open: its rows that are not closed. */
void summary_write(struct summary *summary, int number, const struct frame_stats *open,
		   void *context, void (*row)(void *context, const struct summary_row *row));

/* The Surface that has been idle longest leaves the table, but not the one of number @but. Returns
 * false where there is none. */
bool summary_evict(struct summary *summary, int but);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The whole session: what all rows and layers of one Surface add up to. */
#ifndef JANKD_RULES_SUMMARY_H
#define JANKD_RULES_SUMMARY_H

#include <stdint.h>

#include "rules/chunk.h"
#include "rules/interval.h"
#include "rules/row.h"
#include "rules/samples.h"
#include "rules/stats.h"
#include "rules/surface.h"

struct summary_surface {
	char name[NAME_SIZE];
	size_t length; /* of the whole name: it may have been cut */
	char app[APP_SIZE];
	uint64_t last_use;	    /* number of its last frame */
	uint64_t first_ns, last_ns; /* of the latest clock that it had a frame on */
	uint64_t clock;		    /* number of that */
	struct frame_stats stats;   /* of the rows that are closed */
	struct histogram histogram; /* of frame times */
	struct histogram vsyncs;    /* the same, by their number of vsyncs */
};

struct summary {
	/* In order of first appearance, side by side; behind the first n are unused ones. */
	uint64_t *hashes; /* of the names: what a search reads */
	struct summary_surface **surfaces;
	struct summary_surface *memory; /* where they are */
	int max;
	int n;
	uint64_t uses;	 /* frames so far */
	uint64_t clocks; /* times that the clock went back */
	uint64_t evicted;
	double target_fps; /* of the score, see frame_stats_score() */
	uint64_t kpi_ns;
	struct chunk_store *store; /* borrowed */
};

/* Returns 0 or -ENOMEM; summary_free() is due in any case. */
int summary_init(struct summary *summary, unsigned int max, struct chunk_store *store,
		 double target_fps, uint64_t kpi_ns);
void summary_free(struct summary *summary);

/* The Surface of that name, or NULL. *place: where it was the last time, any number the first
 * time; is set. */
struct summary_surface *summary_find(struct summary *summary, struct name_key name, int *place);

/* Is the one at @place of that name? */
bool summary_is(const struct summary *summary, int place, struct name_key name);

/* A Surface that is not there; there must be room. */
struct summary_surface *summary_add(struct summary *summary, struct name_key name,
				    uint64_t present_ns);

/* A frame of it. @interval: from the frame before; a wait is none of the frame times. */
void summary_frame(struct summary *summary, struct summary_surface *entry, const char *app,
		   uint64_t present_ns, struct interval interval);

/* A row of it was closed. */
void summary_add_row(struct summary_surface *entry, const struct fps_row *row);

/* Calls @row with what the Surface at @place adds up to. @open: its rows that are not closed. */
void summary_write(const struct summary *summary, int place, const struct frame_stats *open,
		   void *context, void (*row)(void *context, const struct summary_row *row));

/* The place of the Surface that has been idle longest, but for the one at @but; -1: there is
 * none. */
int summary_idlest(const struct summary *summary, int but);

/* Takes it out, and calls @row with what it was. Its rows must be closed. */
void summary_evict(struct summary *summary, int place, void *context,
		   void (*row)(void *context, const struct summary_row *row));

#endif

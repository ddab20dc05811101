/* SPDX-License-Identifier: Apache-2.0 */
/* The whole session: the sum of all rows and layers of each Surface.
 *
 * A Surface has a number, in the order of first frames: its place in the table. An entry is not
 * touched before it is used. Surfaces for which the table has no space are counted in one row
 * behind it, '(others)'; each other row contains all frames of its Surface. The first of these have
 * a number, too, so that each is one, however many layers it has.
 */
#ifndef JANKD_RULES_COUNT_SUMMARY_H
#define JANKD_RULES_COUNT_SUMMARY_H

#include <stdint.h>

#include "rules/base/hash_index.h"
#include "rules/base/interval.h"
#include "rules/base/row.h"
#include "rules/count/grade.h"
#include "rules/count/harm.h"
#include "rules/count/late.h"
#include "rules/count/options.h"
#include "rules/count/percentiles.h"
#include "rules/count/stats.h"
#include "rules/count/summary_row.h"
#include "rules/frames/layer.h"
#include "rules/language/surface.h"
#include "rules/vsync/expected.h"

/* Who decides when the next frame is drawn. */
enum pacing {
	PACING_UNKNOWN,
	PACING_VSYNC,  /* there was a tick for apps, or a doFrame, since the previous frame */
	PACING_ITSELF, /* there was none: the process does not follow the display's vsyncs */
};

/* What is known of the GPU's work for a frame, and of its buffer. */
struct gpu_work {
	uint64_t done_ns;	 /* 0: unknown */
	int64_t gpu_ns;		 /* ROW_UNKNOWN: unknown */
	int64_t release_wait_ns; /* the display gave the buffer back so long after it was dequeued;
				    ROW_UNKNOWN: unknown */
	enum pacing pacing;
	uint64_t woken_ns;	  /* the vsync that its process may have followed; 0: unknown */
	struct frame_vsync vsync; /* that the app's frame answers */
	uint64_t undrawn_at_ns;	  /* the last commit that could have latched the buffer, if the GPU
				     had finished it; 0: none, or unknown */
};

struct summary_surface {
	size_t length; /* of the whole name, even if it was cut */
	char *name;    /* see struct long_names; summary.names has its memory */
	char short_name[SHORT_NAME_SIZE];
	char app[APP_SIZE];
	uint64_t first_ns, last_ns; /* on the latest clock on which it had a frame */
	uint64_t clock;		    /* number of that clock */
	uint64_t frozen_ns;	    /* as in struct summary_row; set for summary_write() */
	struct harm harm;	    /* with the frame times of the last seconds */
	struct grade_facts facts;   /* without those that stats has */
	/* Without numbers: of its layers; and, in the first Surface of an app, of all of them. */
	struct stretches uncounted, app_uncounted;
	struct drawing drawing;
	/* It had frames of a process that has a Choreographer, and of one that has none. */
	bool with_marks, without_marks;
	struct frame_stats stats;   /* of the closed rows */
	struct frame_stats open;    /* of the open ones; set for summary_write() */
	struct histogram histogram; /* of frame times */
	struct histogram vsyncs;    /* the same as numbers of vsyncs */
	struct histogram gpu;	    /* GPU times */
	struct histogram release;   /* waits for a buffer that the display had not given back */
	struct fence_stats fences;
};

#define SUMMARY_OTHERS_NAME "(others)"

/* Surfaces in that row that have a number. */
#define SUMMARY_OTHERS_MAX 4096

struct summary {
	struct summary_surface *table; /* with that of the others behind the last one */
	int max;
	struct long_names names;      /* of the table and the others */
	struct hash_index index;      /* the numbers, by the hashes of the names */
	int n;			      /* numbers so far, in the order of first frames */
	uint64_t clocks;	      /* times that the clock changed */
	uint64_t now_ns;	      /* all frames up to then are counted */
	uint64_t span_ns, missing_ns; /* see struct grade_facts */
	uint64_t
		in_others; /* Surfaces in that row; those beyond its numbers: once for each layer */
	uint64_t frames_in_others;
	const struct pipeline_options *options; /* borrowed, as the store */
	struct chunk_store *store;
};

/* @summary: all zeros, with options and store set. */
void summary_init(struct summary *summary, unsigned int max, struct memory *memory);

/* What is counted of the layer's Surface, which is added if it is new, or of the others: facts and
 * closed rows are added to it. */
struct summary_surface *summary_entry(struct summary *summary, const struct layer *layer,
				      uint64_t present_ns);

/* Adds a frame. @interval: since the previous frame; counted only if it is a frame time, but the
 * pacing and the GPU's work are those of every frame. @work: what is known of its buffer. */
void summary_frame(struct summary *summary, struct summary_surface *entry, const char *app,
		   uint64_t present_ns, struct interval interval, struct lateness late,
		   enum cause cause, const struct gpu_work *work);

/* Adds time that is in no number, the last @ns before @until_ns: what is new of it for the Surface,
 * and, with @has_app, for the app that its name has. @may_freeze: see grade_add_uncounted(). */
void summary_add_uncounted(struct summary *summary, struct summary_surface *entry, bool has_app,
			   uint64_t until_ns, uint64_t ns, bool may_freeze);

/* Later times are those of another clock. */
void summary_new_clock(struct summary *summary);

/* How many rows there are so far: the first entries of the table. */
int summary_count(const struct summary *summary);

/* Calls @row with the sum of each Surface, and with that of the others if there are any. */
void summary_write(const struct summary *summary, void *context,
		   void (*row)(void *context, const struct summary_row *row));

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The app's own frames: the callbacks of Choreographer, thread by thread.
 *
 * Category view; frameworks/base Choreographer.java, libs/hwui DrawFrameTask.cpp:
 *
 *     main thread    Choreographer#doFrame [vsync id]     a callback; Android 12+ has the id
 *                       Choreographer#doFrame - resynced to ...    Android 13+: a part of it, with
 *                                                                  the others, if it is late
 *                       input, animation, insets_animation, traversal, commit: its parts
 *                          draw, draw-VRI[...]        a part of traversal
 *     RenderThread   DrawFrame [vsync id], DrawFrames vsync id     the process draws
 *
 * A process may have several threads with a Choreographer. Any process can write these names, so
 * all tables are bounded.
 */
#ifndef JANKD_RULES_BESIDE_CHOREOGRAPHER_H
#define JANKD_RULES_BESIDE_CHOREOGRAPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/record.h"
#include "rules/base/row.h"
#include "rules/count/frame_series.h"
#include "rules/language/ruleset_match.h"
#include "rules/stream/marks.h"
#include "rules/threads/slice_stack.h"
#include "rules/vsync/expected.h"

#define CHOREOGRAPHER_THREADS 64

/* The longest callbacks of a row that are kept: enough for the 99th percentile of 6,400. */
#define CHOREOGRAPHER_SLOWEST 64

/* What Android reports in its log as 'Skipped N frames!'. */
#define CHOREOGRAPHER_SKIPPED_MUCH 30

/* Callbacks longer than a period that are kept for the rows of dropFrames.csv: those of some
 * seconds. */
#define CHOREOGRAPHER_LONG 128

/* The longest part so far, and the drawing in a traversal. A part is known by its role, RULE_INPUT
 * to RULE_DRAW; RULE_NONE: one of no known name, or none. */
struct doframe_parts {
	enum rule_role longest;
	uint64_t longest_ns, draw_ns;
};

/* A callback. */
struct doframe {
	uint64_t begin_ns, end_ns;
	int32_t pid; /* as the kernel states, else as its markers state */
	struct doframe_parts parts;
};

/* The open row of a thread. */
struct choreographer_row {
	uint64_t start_ns;
	uint64_t frames; /* callbacks */
	uint64_t intervals, time_ns;
	uint64_t timed, duration_ns, max_ns; /* callbacks whose end is known */
	uint64_t draws, draw_ns, draw_max_ns;
	uint64_t placed, skipped; /* callbacks whose edge is known */
	uint64_t unplaced;	  /* those whose edge is not, though no event is missing */
	uint64_t matrix[5];
	struct loss lost_before; /* all losses at the end of the row before */
	unsigned int n_slowest;
	uint32_t slowest_us[CHOREOGRAPHER_SLOWEST]; /* the longest first */
};

/* A thread with a Choreographer. */
struct choreographer_thread {
	int32_t pid; /* as its markers state */
	char app[DOFRAME_APP_SIZE];
	/* So many edges of VSYNC-app there were at its last callback; valid if @follows. */
	uint64_t edge_at_begin, edge_at_end;
	bool follows;		/* no event is missing since the last callback */
	uint32_t losses;	/* of the edges, at that callback */
	uint64_t usual_ns;	/* from its edge to a callback whose edge is certain; 0: unknown */
	struct loss lost_last;	/* all losses at its last callback */
	struct doframe doframe; /* that began last; end_ns 0: unknown */
	int64_t skipped;	/* periods that were counted for it, or ROW_UNKNOWN */
	uint64_t first_edge;	/* of VSYNC-app that it may answer; 0: unknown */
	bool is_placed;		/* its number tells the edge that it answers */
	struct choreographer_row row;
};

struct choreographer_counters {
	uint64_t callbacks;    /* of all threads */
	uint64_t refused;      /* callbacks of threads without space in the table */
	uint64_t skipped_much; /* callbacks with CHOREOGRAPHER_SKIPPED_MUCH periods or more */
};

/* The callback that skipped most. */
struct doframe_skipped {
	uint64_t periods; /* 0: none skipped CHOREOGRAPHER_SKIPPED_MUCH */
	uint64_t begin_ns;
	int32_t pid, tid;
	char app[DOFRAME_APP_SIZE]; /* as in struct doframe_row */
};

/* At first all zeros, except for delay_ns, min_frames, expected, lost, context and row. */
struct choreographer {
	uint64_t delay_ns, min_frames; /* as in struct pipeline_options */
	struct choreographer_counters counters;
	struct doframe_skipped worst;
	uint64_t n_long;			    /* so far; the last ones are kept */
	uint64_t last_check_ns, last_idle_check_ns; /* 0: none yet */
	/* Borrowed: its ticks for apps are the edges, VSYNC-app or VSYNC-appSf. Which a thread has
	 * asked for is unknown. */
	const struct expected *expected;
	const struct loss *lost; /* so far; borrowed */
	struct marks marks;	 /* not reached yet: no row spans one */
	void *context;
	void (*row)(void *context, const struct doframe_row *row); /* or NULL */
	unsigned int n, found;					   /* found: the last one */
	int32_t tids[CHOREOGRAPHER_THREADS];			   /* of threads[i] */
	struct choreographer_thread threads[CHOREOGRAPHER_THREADS];
	struct doframe longs[CHOREOGRAPHER_LONG]; /* longer than a period */
};

/* A slice of a role from callback to drawframe begins on the thread of @stack, or has ended.
 * @period_ns: of the display; 0: unknown. */
void choreographer_begin(struct choreographer *c, struct slice_stack *stack,
			 const struct trace_record *record, const struct slice_meaning *meaning,
			 uint64_t period_ns);
void choreographer_end(struct choreographer *c, const struct slice_stack *stack,
		       const struct open_slice *ended, uint64_t now_ns, uint64_t period_ns);

/* Writes the long callbacks of process @pid that ended in (@from_ns, @to_ns], for dropFrames.csv:
 * "doFrame 45.2 ms (traversal 30.1 draw 25.0); doFrame ...", "" if there are none. */
void choreographer_describe(const struct choreographer *c, int32_t pid, uint64_t from_ns,
			    uint64_t to_ns, char *text, size_t size);

/* Closes all rows: the trace ends. */
void choreographer_close(struct choreographer *c);

/* The same; later times cannot be compared with earlier ones. */
void choreographer_new_clock(struct choreographer *c);

#endif

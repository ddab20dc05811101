/* SPDX-License-Identifier: Apache-2.0 */
/* One series of frames, that of a layer, and the row that is open for it. */
#ifndef JANKD_RULES_FRAME_SERIES_H
#define JANKD_RULES_FRAME_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/interval.h"
#include "rules/row.h"
#include "rules/percentiles.h"
#include "rules/stats.h"
#include "rules/vsync.h"

/* Events lost since the begin of the trace. */
struct loss {
	uint64_t events;  /* of known number */
	uint32_t unknown; /* times that the number was not known */
	uint32_t holes;	  /* times that events were or may have been lost */
};

/* What a frame's record knows of the trace around it. */
struct loss_context {
	struct loss loss; /* up to its present, and of the hole that it is in */
	struct loss hole; /* of that alone */
	bool in_hole;	  /* the present itself is where events may be missing */
	bool moved;	  /* its time is not its own */
	int64_t number;	  /* of the buffer, or -1 */
};

/* Lost from @before to @now, or ROW_UNKNOWN. */
int64_t loss_between(struct loss before, struct loss now);

/* What was lost before the layer whose first frame is @around had any. */
struct loss loss_before(const struct loss_context *loss_context);

struct frame_series {
	bool begun;			  /* there was a frame */
	struct vsync_stamp last;	  /* the last one */
	struct loss_context loss_context; /* of the last one */
	bool in_time;			  /* was the last one, as far as the one before it tells? */
	uint64_t start_ns;		  /* of the open row */
	struct loss start_loss;
	struct frame_stats stats; /* of the open row */
	struct jank_history history;
	struct percentiles percentiles; /* intervals of the open row */
	struct histogram vsyncs;	/* the same, by their number of vsyncs */
};

#define FRAME_SERIES_EMPTY ((struct frame_series){ .stats = FRAME_STATS_EMPTY })

/* Makes the window as empty as a new one. */
void frame_series_clear(struct frame_series *series, struct chunk_store *store);

/**
 * frame_series_add() - count the frame at @stamp
 * @store: for the percentiles of its row; NULL: nobody wants them
 * @tx: its present applied a transaction of the layer
 *
 * Across a hole frames may be missing, so an interval is known there only where it is one vsync:
 * then none can be between, unless the frame before came late, for the next one follows such a one
 * at once. Any other is like that of a first frame.
 */
struct interval frame_series_add(struct frame_series *series, struct chunk_store *store,
				 const struct vsync_stamp *stamp,
				 const struct loss_context *loss_context, bool tx);

/* How long its last frame has been there at @stamp. */
struct interval frame_series_since(const struct frame_series *series,
				   const struct vsync_stamp *stamp);

/* Is there anything in the open row? */
bool frame_series_has_row(const struct frame_series *series);

/**
 * frame_series_close() - make a row of what is there and begin the next
 * @loss: up to here: what is lost behind the last frame is told of, too
 * @row: set but for app and surface
 * @target_fps, @kpi_ns: of the score, see frame_stats_score()
 */
void frame_series_close(struct frame_series *series, struct chunk_store *store, struct loss loss,
			double target_fps, uint64_t kpi_ns, struct fps_row *row);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of one layer, and its open row. */
#ifndef JANKD_RULES_COUNT_FRAME_SERIES_H
#define JANKD_RULES_COUNT_FRAME_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/base/interval.h"
#include "rules/base/row.h"
#include "rules/count/percentiles.h"
#include "rules/count/stats.h"
#include "rules/vsync/vsync.h"

/* Events lost since the start of the trace. */
struct loss {
	uint64_t events;	/* known number of them */
	uint32_t unknown_count; /* losses of unknown size */
	uint32_t hole_count;	/* how often events of SurfaceFlinger were or may have been lost */
	uint32_t break_count;	/* the same, and numbers of buffers prove nothing: a restart */
	uint32_t idle_count;	/* the same while its thread was at rest, see sf_runs.h */
};

/* What a frame keeps in the queue besides its times: the losses up to it and the hole it is in. */
struct loss_context {
	struct loss loss;   /* up to its present, with the hole that it is in */
	struct loss before; /* the same without that hole */
	int64_t number;	    /* of its buffer, or -1 */
	uint8_t wait;	    /* enum wait_kind: the time since the frame before, if it is a wait */
	bool in_hole;	    /* events near the present may be missing */
	bool torn;	    /* its present may be that of another display */
	bool unsure;	    /* the same, and it is unknown which */
	bool ahead;	    /* the same, until the record that reports the loss is read */
	bool moved;	    /* its time was changed to keep the order */
	bool is_new;	    /* see struct frame */
};

/* Events lost from @before to @now, or ROW_UNKNOWN. */
static inline int64_t loss_between(struct loss before, struct loss now)
{
	if (before.unknown_count != now.unknown_count)
		return ROW_UNKNOWN;
	return now.events < before.events ? 0 : (int64_t)(now.events - before.events);
}

struct frame_series {
	bool begun;			  /* there was a frame */
	struct vsync_stamp last;	  /* the last one */
	struct loss_context loss_context; /* of the last one */
	bool in_time;			  /* the last frame was counted, and not late */
	bool repeats;			  /* two frames in a row had the same buffer */
	int64_t off_ns; /* known intervals since the last unknown one, less their presents' span */
	uint64_t off_vsync_ns; /* the vsync of the present where that sum begins */
	uint64_t start_ns;     /* of the open row */
	struct loss start_loss;
	struct frame_stats stats; /* of the open row */
	struct jank_history history;
	struct histogram intervals; /* of the open row */
	struct histogram vsyncs;    /* the same as numbers of vsyncs */
};

#define FRAME_SERIES_EMPTY ((struct frame_series){ .stats = FRAME_STATS_EMPTY })

/* Empties the series and its row. */
void frame_series_clear(struct frame_series *series, struct chunk_store *store);

/**
 * frame_series_add() - count the frame at @stamp
 * @store: for the percentiles of its row; NULL: none are needed
 * @tx: its present applied a transaction of the layer
 *
 * Across a hole frames may be missing. There an interval is known in two cases: the numbers of the
 * buffers are consecutive and the second one was certainly taken from the queue, as a frame can
 * show its layer's last buffer again; or it is one vsync, so no frame can be between, and the
 * previous frame was in time. After a late frame the next one follows at once, so even one vsync
 * proves nothing. Any other interval is unknown, like that of a first frame. Returns the interval
 * since the last frame.
 */
struct interval frame_series_add(struct frame_series *series, struct chunk_store *store,
				 const struct vsync_stamp *stamp,
				 const struct loss_context *loss_context, bool tx);

/* The interval from the last frame to @now. */
struct interval frame_series_since(const struct frame_series *series,
				   const struct vsync_stamp *now);

/* True: the open row has frames or waits. */
static inline bool frame_series_has_row(const struct frame_series *series)
{
	return series->begun && series->stats.frames + series->stats.waits > 0;
}

/**
 * frame_series_close() - fill @row from the open row and begin the next one
 * @loss: up to the end of the row
 * @row: set except for app and surface
 * @target_fps, @kpi_ns: for the score, see frame_stats_score()
 */
void frame_series_close(struct frame_series *series, struct chunk_store *store, struct loss loss,
			double target_fps, uint64_t kpi_ns, struct fps_row *row);

#endif

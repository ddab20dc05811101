/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/window.h"

#include <stdlib.h>
#include <string.h>

int64_t loss_between(struct loss before, struct loss now)
{
	if (before.unknown != now.unknown)
		return ROW_UNKNOWN;
	return now.events < before.events ? 0 : (int64_t)(now.events - before.events);
}

struct loss loss_before(const struct around *around)
{
	return (struct loss){
		.events = around->loss.events - around->hole.events,
		.unknown = around->loss.unknown - around->hole.unknown,
		.holes = around->loss.holes - around->hole.holes,
	};
}

static struct interval interval_between(const struct vsync_stamp *before,
					const struct vsync_stamp *now)
{
	struct interval interval = { .vsyncs = vsync_between(before, now) };

	if (interval.vsyncs < 0)
		interval.ns = (int64_t)(now->time_ns - before->time_ns);
	else if (!vsync_is_switch(before->period_ns, now->period_ns) ||
		 now->vsync_ns < before->vsync_ns)
		interval.ns = interval.vsyncs * (int64_t)now->period_ns;
	else /* over a switch of the refresh rate: vsyncs of both lengths */
		interval.ns = (int64_t)(now->vsync_ns - before->vsync_ns);
	return interval;
}

void window_clear(struct window *w, struct chunk_store *store)
{
	samples_clear(store, &w->samples);
	histogram_clear(store, &w->vsyncs);
	*w = WINDOW_EMPTY;
}

static bool is_across_hole(const struct around *before, const struct around *now)
{
	return before->in_hole || now->in_hole || before->loss.holes != now->loss.holes;
}

/* Is there no room for a frame between the last one and the one @around? */
static bool is_next(const struct window *w, struct interval interval, const struct around *around)
{
	if (w->around.number >= 0 && around->number >= 0 && around->number != w->around.number + 1)
		return false;
	return interval.vsyncs == 1 && w->in_time;
}

static bool is_unknown(const struct window *w, struct interval interval,
		       const struct around *around)
{
	return w->around.moved || around->moved ||
	       (is_across_hole(&w->around, around) && !is_next(w, interval, around));
}

/* @interval is that from the last frame to @stamp. A frame that is late is no whole number of
 * vsyncs behind the one before, or in the vsync of that. */
static bool is_in_time(const struct window *w, const struct vsync_stamp *stamp,
		       struct interval interval)
{
	int64_t late_ns = (int64_t)(stamp->time_ns - w->last.time_ns) - interval.ns;

	return interval.vsyncs > 0 && llabs(late_ns) * 4 <= (int64_t)stamp->period_ns;
}

static void count(struct window *w, struct chunk_store *store, struct interval interval,
		  uint64_t period_ns, bool tx)
{
	frame_stats_add(&w->stats, &w->history, interval, period_ns);
	if (interval_is_wait(interval))
		return;
	w->stats.tx += tx;
	if (!store)
		return;
	samples_add(store, &w->samples, (uint32_t)interval.ns);
	if (interval_is_whole(interval))
		histogram_add_number(store, &w->vsyncs, (uint32_t)interval.vsyncs);
}

struct interval window_frame(struct window *w, struct chunk_store *store,
			     const struct vsync_stamp *stamp, const struct around *around, bool tx)
{
	struct interval interval = { ROW_UNKNOWN, ROW_UNKNOWN };
	bool in_time = true;

	if (w->begun) {
		interval = interval_between(&w->last, stamp);
		in_time = is_in_time(w, stamp, interval);
		if (is_unknown(w, interval, around)) {
			interval = (struct interval){ ROW_UNKNOWN, ROW_UNKNOWN };
			w->history.n = 0;
		} else {
			count(w, store, interval, stamp->locked ? stamp->period_ns : 0, tx);
		}
	} else {
		w->start_ns = stamp->time_ns;
		w->start_loss = loss_before(around);
		w->begun = true;
	}
	w->last = *stamp;
	w->around = *around;
	w->in_time = in_time;
	return interval;
}

struct interval window_since(const struct window *w, const struct vsync_stamp *stamp)
{
	return interval_between(&w->last, stamp);
}

bool window_has_row(const struct window *w)
{
	return w->begun && w->stats.frames + w->stats.waits > 0;
}

void window_close(struct window *w, struct chunk_store *store, struct loss loss, double target_fps,
		  uint64_t kpi_ns, struct fps_row *row)
{
	static const unsigned int permilles[3] = { 500, 900, 990 };
	int64_t percentiles_ns[3];
	double refresh = w->last.locked ? 1e9 / (double)w->last.period_ns : 0;

	*row = (struct fps_row){ .start_ns = w->start_ns, .end_ns = w->last.time_ns };
	row->stats = w->stats;
	row->stats.lost = loss_between(w->start_loss, loss);
	row->fps = frame_stats_fps(&w->stats);
	row->stats.score = frame_stats_score(&w->stats, row->fps, target_fps, kpi_ns);
	row->refresh_mhz = refresh > 0 ? (int64_t)(refresh * 1000 + 0.5) : ROW_UNKNOWN;
	samples_percentiles(store, &w->samples, 3, permilles, percentiles_ns);
	row->p50_ns = percentiles_ns[0];
	row->p90_ns = percentiles_ns[1];
	row->p99_ns = percentiles_ns[2];
	row->cadence = frame_stats_cadence(&w->stats, store, &w->vsyncs, &row->off_cadence);
	w->start_ns = w->last.time_ns;
	w->start_loss = loss;
	w->stats = FRAME_STATS_EMPTY;
	samples_clear(store, &w->samples);
	histogram_clear(store, &w->vsyncs);
}

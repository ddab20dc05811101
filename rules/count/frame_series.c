/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/frame_series.h"

#include <stdlib.h>

struct interval frame_series_since(const struct frame_series *series, const struct vsync_stamp *now)
{
	const struct vsync_stamp *before = &series->last;
	/* A frame that was under way when the render rate rose has the old one's time. */
	struct interval interval = { .vsyncs = vsync_between(before, now),
				     .step = before->step > now->step ? before->step : now->step };

	if (interval.vsyncs < 0) {
		interval.ns = (int64_t)(now->time_ns - before->time_ns);
	} else if (before->switches == now->switches || now->vsync_ns < before->vsync_ns) {
		interval.ns = interval.vsyncs * (int64_t)now->period_ns;
	} else {
		/* Across a switch of the refresh rate vsyncs of both lengths are in it. Their sum
		 * is that of the ticks behind both presents; but each rate has its ticks at another
		 * place between presents, so it may be less than all of them at the shorter length,
		 * or more than all at the longer one. */
		uint64_t slower_ns = later(before->period_ns, now->period_ns);
		uint64_t faster_ns = before->period_ns + now->period_ns - slower_ns;
		int64_t least_ns = interval.vsyncs * (int64_t)faster_ns;
		int64_t most_ns = interval.vsyncs * (int64_t)slower_ns;

		interval.ns = (int64_t)(now->vsync_ns - before->vsync_ns);
		if (now->switches - before->switches == 1 && interval.ns < least_ns)
			interval.ns = least_ns;
		else if (now->switches - before->switches == 1 && interval.ns > most_ns)
			interval.ns = most_ns;
	}
	return interval;
}

void frame_series_clear(struct frame_series *series, struct chunk_store *store)
{
	histogram_clear(store, &series->intervals);
	histogram_clear(store, &series->vsyncs);
	*series = FRAME_SERIES_EMPTY;
}

/* True: events between the last frame and this one may be missing, and with them a frame. */
static bool is_unknown(const struct frame_series *series, struct interval interval,
		       const struct loss_context *now)
{
	const struct loss_context *before = &series->loss_context;
	bool hole =
		before->in_hole || now->in_hole || before->loss.idle_count != now->loss.idle_count;
	bool unsure = before->unsure || now->unsure;
	bool across = unsure || before->loss.hole_count != now->loss.hole_count;
	bool has_numbers = before->number >= 0 && now->number >= 0;

	if (before->moved || now->moved)
		return true;
	/* In a hole the numbers decide: they show that a frame is missing. */
	if ((hole || across) && has_numbers && now->number != before->number + 1)
		return true;
	/* Without a restart they also show that none is. */
	if (!across || (has_numbers && !unsure && now->is_new && !series->repeats &&
			before->loss.break_count == now->loss.break_count))
		return false;
	return interval.vsyncs != 1 || !series->in_time;
}

struct interval frame_series_add(struct frame_series *series, struct chunk_store *store,
				 const struct vsync_stamp *stamp,
				 const struct loss_context *loss_context, bool tx)
{
	struct interval interval = { ROW_UNKNOWN, ROW_UNKNOWN, 0 };
	bool in_time = true, sum_begins = true;

	if (!series->begun) {
		series->start_ns = stamp->time_ns;
		series->start_loss = loss_context->before;
		series->begun = true;
	} else {
		int64_t plain_ns = (int64_t)(stamp->time_ns - series->last.time_ns);

		interval = frame_series_since(series, stamp);
		/* The sum of intervals is the span of their presents, to half a vsync at its begin
		 * and half a one at its end, as a present is near its vsync; and to one of the last
		 * present's rate. If it is not, the period does not explain the presents, and the
		 * interval is unknown. */
		series->off_ns += interval.ns - plain_ns;
		sum_begins = interval.vsyncs < 0 ||
			     (uint64_t)llabs(series->off_ns) >
				     later((series->off_vsync_ns + stamp->period_ns) / 2,
					   stamp->period_ns);
		if (sum_begins)
			interval = (struct interval){ plain_ns, ROW_UNKNOWN, interval.step };
		/* It is a whole number of vsyncs, at least one, after the previous one. */
		in_time = interval.vsyncs > 0 &&
			  llabs(plain_ns - interval.ns) * 4 <= (int64_t)stamp->period_ns;
		series->repeats |= loss_context->number >= 0 &&
				   loss_context->number == series->loss_context.number;
		if (is_unknown(series, interval, loss_context)) {
			interval = (struct interval){ ROW_UNKNOWN, ROW_UNKNOWN, 0 };
			series->history.n = 0;
			sum_begins = true;
		} else {
			frame_stats_add(&series->stats, &series->history, interval,
					stamp->locked ? stamp->period_ns : 0, loss_context->wait);
		}
	}
	if (sum_begins) {
		series->off_ns = 0;
		series->off_vsync_ns = stamp->period_ns;
	}
	if (interval_is_frame_time(interval)) {
		series->stats.tx += tx;
		if (store)
			histogram_add_exact(store, &series->intervals, (uint32_t)interval.ns);
		if (store && interval_is_whole(interval))
			histogram_add_exact(store, &series->vsyncs, (uint32_t)interval.vsyncs);
	}
	series->last = *stamp;
	series->loss_context = *loss_context;
	series->in_time = in_time;
	return interval;
}

void frame_series_close(struct frame_series *series, struct chunk_store *store, struct loss loss,
			double target_fps, uint64_t kpi_ns, struct fps_row *row)
{
	double refresh = series->last.locked ? 1e9 / (double)series->last.period_ns : 0;

	*row = (struct fps_row){ .start_ns = series->start_ns, .end_ns = series->last.time_ns };
	row->stats = series->stats;
	row->stats.lost = loss_between(series->start_loss, loss);
	row->fps = frame_stats_fps(&series->stats);
	row->stats.score = frame_stats_score(&series->stats, row->fps, target_fps, kpi_ns);
	row->refresh_mhz = refresh > 0 ? (int64_t)(refresh * 1000 + 0.5) : ROW_UNKNOWN;
	row->p50_ns = histogram_percentile(store, &series->intervals, 500);
	row->p90_ns = histogram_percentile(store, &series->intervals, 900);
	row->p99_ns = histogram_percentile(store, &series->intervals, 990);
	row->cadence = histogram_mode(store, &series->vsyncs, &row->off_cadence);
	series->start_ns = series->last.time_ns;
	series->start_loss = loss;
	series->stats = FRAME_STATS_EMPTY;
	histogram_clear(store, &series->intervals);
	histogram_clear(store, &series->vsyncs);
}

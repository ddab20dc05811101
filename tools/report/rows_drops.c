/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/rows.h"

#include <string.h>

#include "rules/base/interval.h"

/* --- dropFrames.csv --- */

#define DROP_COLUMNS(X)                                                                            \
	X(DROP_START, "start VSYNC", 6, true)                                                      \
	X(DROP_END, "end VSYNC", 6, true)                                                          \
	X(DROP_USED, "used time(ms)", 3, true)                                                     \
	X(DROP_SURFACE, "Surface", 0, true)                                                        \
	X(DROP_APP, "app", 0, false)                                                               \
	X(DROP_MISSED, "missed vsyncs", 0, false)                                                  \
	X(DROP_CAUSE, "cause", 0, false)                                                           \
	X(DROP_INFO, "info", 0, false)                                                             \
	X(DROP_LAYER, "layer", 0, false)                                                           \
	X(DROP_NUMBER, "frame number", 0, false)

enum drop_column { DROP_COLUMNS(COLUMN_NUMBER) };
static const struct column drop_columns[COLUMNS_MAX] = { DROP_COLUMNS(COLUMN_INFO) };
static const char drops_of_2019[] =
	"start VSYNC,end VSYNC,used time(ms),VSYNC type,TX,app,Surface,info";

/* If frames.csv was written for a part of the session only, all harm is that of the drops. */
static void prefer_drops(struct reading *reading)
{
	struct session *session = reading->session;
	double in_frames = 0, in_all = 0;

	if (reading->has_chosen_harm)
		return;
	reading->has_chosen_harm = true;
	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		const struct surface *surface = &session->surfaces[i];

		in_frames += (double)surface->sums.frames.frames;
		in_all += surface->source == FROM_SUMMARY ? surface->numbers.of[METRIC_FRAMES]
							  : (double)surface->sums.windows.frames;
	}
	/* It has less frames than the rows of fps.csv, or the session. */
	reading->harm_from_drops = session->files[ROW_FRAMES].rows == 0 || in_frames < in_all;
	if (!reading->harm_from_drops) {
		order_late(reading, false);
		return;
	}
	session->n_late = 0;
	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		session->surfaces[i].harm = (struct harm){ 0 };
		session->surfaces[i].sums.facts = (struct grade_facts){ 0 };
	}
}

/* Without all frames, harm is that of the drops, against the cadence of the whole session. */
static void read_drop(const struct csv_row *csv)
{
	struct reading *reading = csv->reading;
	struct session *session = reading->session;
	const struct keyed_list *order = &reading->late_order;
	struct surface *surface = surface_in_row(csv, DROP_SURFACE, DROP_APP);
	int64_t end_us = number_in(csv, DROP_END);
	int64_t used_us = number_in(csv, DROP_USED);
	int64_t missed = count_in(csv, DROP_MISSED);
	double harm_us = 0; /* unknown */
	enum cause cause = cause_in(text_in(csv, DROP_CAUSE));
	struct late_row *row;
	bool is_stall;

	if (used_us < 0) {
		session->files[ROW_DROPS].malformed++;
		return;
	}
	extend(session, end_us);
	prefer_drops(reading);
	if (!surface || end_us < 0)
		return;
	if (!reading->harm_from_drops) {
		/* Its info belongs to the late frame of its layer at its vsync. */
		for (uint32_t i = first_keyed(order, end_us);
		     i < order->n && order->all[i].key == end_us; i++) {
			struct late_row *late = &session->late[order->all[i].value];

			if (late->surface == number_of_surface(session, surface) &&
			    late->info == NAME_NONE)
				late->info = name_in(csv, DROP_INFO);
		}
		return;
	}

	/* A wait has a row here only if it is a stall. */
	is_stall = threshold_reached((uint64_t)used_us, STATS_WAIT_NS / 1000, true);
	if (!has_column(csv, DROP_MISSED)) {
		/* One of 2019 does not say how many vsyncs it missed. */
		session->is_2019 = true;
	} else {
		/* Of the session, else of most frames in rows, else 1. */
		double cadence = surface->numbers.of[METRIC_CADENCE];
		unsigned int most = 1;

		for (unsigned int i = 2; i < CADENCES_MAX; i++)
			if (surface->row_cadences[i] > surface->row_cadences[most])
				most = i;
		if (!(cadence >= 1))
			cadence = most;
		if (is_stall)
			harm_us = (double)used_us;
		else if (missed > 0)
			harm_us = (double)used_us * ((double)missed + 1 - cadence) /
				  ((double)missed + 1);
		if (harm_us < 1)
			return;
		harm_add(&surface->harm, (uint64_t)end_us * 1000, (uint64_t)(harm_us * 1000));
		grade_add_lost(&surface->sums.facts, cause, (uint64_t)(harm_us * 1000), is_stall);
	}
	row = add_late(session, (struct late_row){
					.time_us = end_us,
					.harm_us = (uint64_t)harm_us,
					.interval_us = (uint64_t)used_us,
					LATE_ROW_UNKNOWN,
					.surface = number_of_surface(session, surface),
					.cause = (uint8_t)cause,
					.is_stall = is_stall,
				});
	if (!row)
		return;
	row->vsync_us = end_us;
	row->frame_number = number_in(csv, DROP_NUMBER);
	row->layer = !has_column(csv, DROP_LAYER) ? NAME_NONE : name_in(csv, DROP_LAYER);
	row->info = name_in(csv, DROP_INFO);
}

const struct kind drops_kind = { ROW_DROPS, drop_columns, read_drop, drops_of_2019 };

/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/rows_part.h"

#include <string.h>

#include "rules/base/interval.h"

/* --- dropFrames.csv --- */

enum drop_column {
	DROP_END,
	DROP_USED,
	DROP_APP,
	DROP_SURFACE,
	DROP_MISSED,
	DROP_CAUSE,
	DROP_INFO,
	DROP_LAYER,
	DROP_NUMBER,
};

static const char *const drop_columns[] = { "end VSYNC", "used time(ms)", "app",
					    "Surface",	 "missed vsyncs", "cause",
					    "info",	 "layer",	  "frame number",
					    NULL };
static const char drops_of_2019[] =
	"start VSYNC,end VSYNC,used time(ms),VSYNC type,TX,app,Surface,info";
static const char *const drop_needed[] = { "start VSYNC", "end VSYNC", "used time(ms)", "Surface",
					   NULL };

/* True: frames.csv has less frames than the rows of fps.csv, or the session. */
static bool lacks_frames(const struct session *session)
{
	double in_frames = 0, in_all = 0;

	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		const struct surface *surface = &session->surfaces[i];
		double summed = (double)surface->from_windows.frames;

		in_frames += (double)surface->from_frames.frames;
		in_all += surface->source == FROM_SUMMARY ? surface->numbers.of[METRIC_FRAMES]
							  : summed;
	}
	return session->files[ROW_FRAMES].rows == 0 || in_frames < in_all;
}

/* If frames.csv was written for a part of the session only, all harm is that of the drops. */
static void prefer_drops(struct reading *reading)
{
	struct session *session = reading->session;

	if (reading->has_chosen_harm)
		return;
	reading->has_chosen_harm = true;
	reading->harm_from_drops = lacks_frames(session);
	if (reading->harm_from_drops)
		session->n_late = 0;
	else
		order_late(reading, false);
	for (uint32_t i = 0; reading->harm_from_drops && i < session->n_surfaces; i++) {
		session->surfaces[i].harm = (struct harm){ 0 };
		session->surfaces[i].facts = (struct grade_facts){ 0 };
	}
}

/* The cadence of a Surface: of the session, else of most frames in rows, else 1. */
static double cadence_of(const struct surface *surface)
{
	unsigned int most = 1;

	if (surface->numbers.of[METRIC_CADENCE] >= 1)
		return surface->numbers.of[METRIC_CADENCE];
	for (unsigned int i = 2; i < CADENCES_MAX; i++)
		if (surface->row_cadences[i] > surface->row_cadences[most])
			most = i;
	return most;
}

/* True: an interval of whole vsyncs is a wait. */
static bool is_wait(int64_t us)
{
	return threshold_reached((uint64_t)us, STATS_WAIT_NS / 1000, true);
}

/* The info of a drop belongs to the late frame of its layer at its vsync. */
static void add_info(struct reading *reading, const struct csv_reader *csv, const int *columns,
		     int64_t end_us, uint16_t surface)
{
	struct session *session = reading->session;
	const struct keyed_list *order = &reading->late_order;

	for (uint32_t i = first_keyed(order, end_us); i < order->n && order->all[i].key == end_us;
	     i++) {
		struct late_row *late = &session->late[order->all[i].value];

		if (late->surface == surface && late->info == NAME_NONE)
			late->info = name_in(reading, csv, columns[DROP_INFO]);
	}
}

/* Adds a drop to the late frames. @harm_us: 0 if it is unknown. */
static void add_drop(struct reading *reading, const struct csv_reader *csv, const int *columns,
		     const struct surface *surface, uint64_t harm_us)
{
	struct session *session = reading->session;
	int64_t end_us = number_of(csv, columns[DROP_END], 6);
	int64_t used_us = number_of(csv, columns[DROP_USED], 3);
	struct late_row row = {
		.time_us = end_us,
		.harm_us = harm_us,
		.interval_us = (uint64_t)used_us,
		LATE_ROW_UNKNOWN,
		.surface = number_of_surface(session, surface),
		.cause = (uint8_t)cause_in(field_of(csv, columns[DROP_CAUSE])),
		.is_stall = is_wait(used_us),
	};

	if (!has_place(session, &row))
		return;
	row.vsync_us = end_us;
	row.frame_number = number_of(csv, columns[DROP_NUMBER], 0);
	row.layer =
		columns[DROP_LAYER] < 0 ? NAME_NONE : name_in(reading, csv, columns[DROP_LAYER]);
	row.info = name_in(reading, csv, columns[DROP_INFO]);
	add_late(session, row);
}

/* Without all frames, harm is that of the drops, against the cadence of the whole session. */
static void read_drop(struct reading *reading, const struct csv_reader *csv, const int *columns)
{
	struct session *session = reading->session;
	struct surface *surface = surface_of(reading, name_in(reading, csv, columns[DROP_SURFACE]),
					     name_in(reading, csv, columns[DROP_APP]));
	int64_t end_us = number_of(csv, columns[DROP_END], 6);
	int64_t used_us = number_of(csv, columns[DROP_USED], 3);
	int64_t missed = small_count(csv, columns[DROP_MISSED]);
	double cadence, harm_us;
	bool is_late;

	if (used_us < 0) {
		session->files[ROW_DROPS].malformed++;
		return;
	}
	extend(session, end_us);
	prefer_drops(reading);
	if (!surface || end_us < 0)
		return;
	if (!reading->harm_from_drops) {
		add_info(reading, csv, columns, end_us, number_of_surface(session, surface));
		return;
	}
	/* One of 2019 does not say how many vsyncs it missed. */
	if (columns[DROP_MISSED] < 0) {
		session->is_2019 = true;
		add_drop(reading, csv, columns, surface, 0);
		return;
	}
	cadence = cadence_of(surface);
	harm_us = (double)used_us;
	/* What is longer is a stall. */
	is_late = !is_wait(used_us);
	if (is_late)
		harm_us = missed > 0 ? (double)used_us * ((double)missed + 1 - cadence) /
					       ((double)missed + 1)
				     : 0;
	if (harm_us < 1)
		return;
	harm_add(&surface->harm, (uint64_t)end_us * 1000, (uint64_t)(harm_us * 1000));
	grade_add_lost(&surface->facts, cause_in(field_of(csv, columns[DROP_CAUSE])),
		       (uint64_t)(harm_us * 1000), !is_late);
	add_drop(reading, csv, columns, surface, (uint64_t)harm_us);
}

const struct kind drops_kind = { ROW_DROPS, drop_needed, read_drop, drop_columns, drops_of_2019 };

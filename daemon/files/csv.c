/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/csv.h"

/* Powers of ten of a nanosecond. */
#define SECONDS 9
#define MILLISECONDS 6

static void seconds(struct csv_file *file, int64_t ns)
{
	csv_time(file, ns, SECONDS, 6);
}

static void milliseconds(struct csv_file *file, int64_t ns)
{
	csv_time(file, ns, MILLISECONDS, 3);
}

static void empty(struct csv_file *file, unsigned int columns)
{
	for (unsigned int i = 0; i < columns; i++)
		csv_empty(file);
}

/* A value that only frames give has none where there are none. */
static int64_t if_frames(const struct frame_stats *stats, int64_t value)
{
	return stats->frames > 0 ? value : ROW_UNKNOWN;
}

static double stutter(const struct frame_stats *stats)
{
	if (stats->frames == 0 || stats->time_ns == 0)
		return -1;
	return 100.0 * (double)stats->jank_ns / (double)stats->time_ns;
}

static double in_10_minutes(const struct frame_stats *stats, uint64_t janks)
{
	if (stats->frames == 0 || stats->time_ns == 0)
		return -1;
	return (double)janks * 600e9 / (double)stats->time_ns;
}

static void refresh(struct csv_file *file, int64_t mhz)
{
	csv_number(file, mhz < 0 ? -1 : (double)mhz / 1000, 2);
}

static void buckets(struct csv_file *file, const struct frame_stats *stats)
{
	csv_count(file, stats->waits);
	csv_count(file, stats->a);
	csv_count(file, stats->b);
	csv_count(file, stats->c);
	csv_signed(file, stats->d);
}

static void fps_new_columns(struct csv_file *file, const struct fps_row *row)
{
	const struct frame_stats *stats = &row->stats;

	refresh(file, row->refresh_mhz);
	milliseconds(file, if_frames(stats, row->p50_ns));
	milliseconds(file, if_frames(stats, row->p90_ns));
	milliseconds(file, if_frames(stats, row->p99_ns));
	csv_signed(file, stats->missed);
	csv_count(file, stats->jank);
	csv_count(file, stats->big_jank);
	csv_number(file, stutter(stats), 3);
	empty(file, 2);
	csv_signed(file, stats->lost);
	empty(file, 2);
	csv_signed(file, row->cadence);
	csv_signed(file, row->off_cadence);
}

/* Columns 3 to 7 as the 2019 program printed them. */
static void fps_legacy_rates(struct csv_file *file, const struct fps_row *row)
{
	const struct frame_stats *stats = &row->stats;

	csv_short_number(file, row->fps, 1);
	csv_count(file, stats->frames);
	csv_short_number(file, (double)stats->time_ns / 1e9, 3);
	csv_short_number(file, stats->frames > 0 ? (double)stats->max_ns / 1e6 : -1, 6);
	csv_short_number(file, (double)stats->wait_ns / 1e9, 3);
}

static void fps_rates(struct csv_file *file, const struct fps_row *row)
{
	const struct frame_stats *stats = &row->stats;

	csv_number(file, stats->frames > 0 ? row->fps : -1, 2);
	csv_count(file, stats->frames);
	seconds(file, (int64_t)stats->time_ns);
	milliseconds(file, if_frames(stats, (int64_t)stats->max_ns));
	seconds(file, (int64_t)stats->wait_ns);
}

void csv_fps_row(struct csv_file *file, const struct fps_row *row)
{
	const struct frame_stats *stats = &row->stats;
	double score = stats->frames > 0 ? stats->score : -1;

	seconds(file, (int64_t)row->start_ns);
	seconds(file, (int64_t)row->end_ns);
	if (row->legacy)
		fps_legacy_rates(file, row);
	else
		fps_rates(file, row);
	buckets(file, stats);
	if (row->legacy)
		csv_short_number(file, score, 2);
	else
		csv_number(file, score, 2);
	csv_count(file, stats->tx);
	csv_text(file, row->app, CSV_TEXT_PLAIN);
	csv_text(file, row->surface, CSV_TEXT_PLAIN);
	if (row->legacy)
		empty(file, 15);
	else
		fps_new_columns(file, row);
	csv_row_end(file);
}

void csv_drop_row(struct csv_file *file, const struct drop_row *row)
{
	seconds(file, row->start_ns);
	seconds(file, row->end_ns);
	if (row->legacy)
		csv_short_number(file, (double)row->used_ns / 1e6, 6);
	else
		milliseconds(file, (int64_t)row->used_ns);
	csv_text(file, row->tick, CSV_TEXT_PLAIN);
	csv_count(file, row->tx);
	csv_text(file, row->app, CSV_TEXT_PLAIN);
	csv_text(file, row->surface, CSV_TEXT_PLAIN);
	csv_text(file, row->info, row->legacy ? CSV_TEXT_LINES : CSV_TEXT_PLAIN);
	if (row->legacy) {
		empty(file, 4);
	} else {
		csv_signed(file, row->missed);
		csv_empty(file);
		csv_text(file, row->layer, CSV_TEXT_PLAIN);
		csv_signed(file, row->frame_number);
	}
	csv_row_end(file);
}

void csv_frame_row(struct csv_file *file, const struct frame_row *row)
{
	seconds(file, (int64_t)row->present_ns);
	seconds(file, row->vsync_ns);
	csv_time(file, row->interval_ns, MILLISECONDS, 6);
	csv_signed(file, row->vsyncs);
	csv_text(file, row->app, CSV_TEXT_PLAIN);
	csv_text(file, row->surface, CSV_TEXT_PLAIN);
	csv_text(file, row->layer, CSV_TEXT_PLAIN);
	csv_signed(file, row->frame_number);
	seconds(file, row->queued_ns);
	seconds(file, row->latched_ns);
	empty(file, 2);
	csv_signed(file, row->lost);
	csv_empty(file);
	csv_row_end(file);
}

static void summary_rates(struct csv_file *file, const struct summary_row *row)
{
	const struct frame_stats *stats = &row->stats;

	csv_count(file, stats->frames);
	seconds(file, (int64_t)stats->time_ns);
	csv_number(file, stats->frames > 0 ? row->fps : -1, 2);
	milliseconds(file, if_frames(stats, row->p50_ns));
	milliseconds(file, if_frames(stats, row->p90_ns));
	milliseconds(file, if_frames(stats, row->p95_ns));
	milliseconds(file, if_frames(stats, row->p99_ns));
	milliseconds(file, if_frames(stats, row->p999_ns));
	milliseconds(file, if_frames(stats, (int64_t)stats->max_ns));
	csv_number(file, stats->frames > 0 ? row->low1_fps : -1, 2);
	csv_number(file, stats->frames > 0 ? row->low01_fps : -1, 2);
}

static void summary_janks(struct csv_file *file, const struct frame_stats *stats)
{
	csv_number(file, stats->frames > 0 ? stats->score : -1, 2);
	csv_signed(file, stats->missed);
	csv_count(file, stats->small_jank);
	csv_count(file, stats->jank);
	csv_count(file, stats->big_jank);
	csv_number(file, stutter(stats), 3);
	for (unsigned int i = 0; i < 5; i++)
		csv_signed(file, stats->matrix[i]);
	csv_signed(file, stats->slow);
	csv_signed(file, stats->frozen);
}

static void summary_new_columns(struct csv_file *file, const struct summary_row *row)
{
	const struct frame_stats *stats = &row->stats;

	empty(file, 2);
	csv_signed(file, row->cadence);
	csv_signed(file, row->off_cadence);
	csv_number(file, in_10_minutes(stats, stats->jank), 2);
	csv_number(file, in_10_minutes(stats, stats->big_jank), 2);
	empty(file, 2);
	csv_number(file, stats->frames > 0 ? row->low1_time_fps : -1, 2);
	csv_number(file, stats->frames > 0 ? row->low01_time_fps : -1, 2);
}

void csv_summary_row(struct csv_file *file, const struct summary_row *row)
{
	csv_text(file, row->app, CSV_TEXT_PLAIN);
	csv_text(file, row->surface, CSV_TEXT_PLAIN);
	seconds(file, (int64_t)row->first_ns);
	seconds(file, (int64_t)row->last_ns);
	summary_rates(file, row);
	seconds(file, (int64_t)row->stats.wait_ns);
	buckets(file, &row->stats);
	summary_janks(file, &row->stats);
	empty(file, 3);
	csv_signed(file, row->stats.lost);
	summary_new_columns(file, row);
	csv_row_end(file);
}

void csv_event_row(struct csv_file *file, int64_t time_ns, const char *wall, const char *kind,
		   const char *text)
{
	seconds(file, time_ns);
	csv_raw(file, wall);
	csv_raw(file, kind);
	csv_text(file, text, CSV_TEXT_PLAIN);
	csv_row_end(file);
}

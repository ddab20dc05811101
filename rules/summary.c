/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/summary.h"

#include <string.h>

static struct summary_surface *find(struct summary *summary, const char *name)
{
	uint64_t hash = name_hash(span_of(name));

	for (int i = 0; i < summary->n; i++)
		if (summary->hashes[i] == hash)
			return &summary->surfaces[i];
	return NULL;
}

/* An unused entry, or that of the surface that has been idle longest. */
static struct summary_surface *take_entry(struct summary *summary)
{
	struct summary_surface *entry = &summary->surfaces[0];

	if (summary->n < SURFACES_MAX)
		return &summary->surfaces[summary->n++];
	for (int i = 1; i < SURFACES_MAX; i++)
		if (summary->surfaces[i].last_ns < entry->last_ns)
			entry = &summary->surfaces[i];
	summary->evicted++;
	histogram_clear(&entry->histogram);
	return entry;
}

void summary_frame(struct summary *summary, const char *surface, const char *app,
		   uint64_t present_ns, int64_t interval_ns)
{
	struct summary_surface *entry = find(summary, surface);

	if (!entry) {
		entry = take_entry(summary);
		summary->hashes[entry - summary->surfaces] = name_hash(span_of(surface));
		entry->number = summary->numbers++;
		entry->first_ns = present_ns;
		entry->stats = entry->open = FRAME_STATS_EMPTY;
		name_copy(entry->name, sizeof(entry->name), span_of(surface));
	}
	if (strcmp(entry->app, app) != 0)
		name_copy(entry->app, sizeof(entry->app), span_of(app));
	entry->last_ns = present_ns;
	if (interval_ns >= 0 && (uint64_t)interval_ns < STATS_WAIT_NS)
		histogram_add(&entry->histogram, (uint32_t)interval_ns);
}

void summary_add_row(struct summary *summary, const struct fps_row *row, double target_fps)
{
	struct summary_surface *entry = find(summary, row->surface);

	if (!entry)
		return;
	frame_stats_merge(&entry->stats, &row->stats);
	entry->target_fps = target_fps;
}

void summary_begin_open(struct summary *summary)
{
	for (int i = 0; i < summary->n; i++)
		summary->surfaces[i].open = FRAME_STATS_EMPTY;
}

void summary_add_open(struct summary *summary, const char *surface, const struct frame_stats *stats,
		      double target_fps)
{
	struct summary_surface *entry = find(summary, surface);

	if (!entry)
		return;
	frame_stats_merge(&entry->open, stats);
	entry->target_fps = target_fps;
}

static double fps_of_mean(double mean_ns)
{
	return mean_ns > 0 ? 1e9 / mean_ns : -1;
}

static void write_one(const struct summary *summary, const struct summary_surface *entry,
		      void *context, void (*row)(void *context, const struct summary_row *row))
{
	const struct histogram *h = &entry->histogram;
	struct summary_row out = {
		.app = entry->app,
		.surface = entry->name,
		.first_ns = entry->first_ns,
		.last_ns = entry->last_ns,
		.stats = entry->stats,
		.p50_ns = histogram_percentile(h, 500),
		.p90_ns = histogram_percentile(h, 900),
		.p95_ns = histogram_percentile(h, 950),
		.p99_ns = histogram_percentile(h, 990),
		.p999_ns = histogram_percentile(h, 999),
		.low1_fps = fps_of_mean(histogram_slowest_mean(h, 10)),
		.low01_fps = fps_of_mean(histogram_slowest_mean(h, 1)),
	};

	frame_stats_merge(&out.stats, &entry->open);
	out.fps = frame_stats_fps(&out.stats);
	out.stats.score =
		frame_stats_score(&out.stats, out.fps, entry->target_fps, summary->kpi_ns);
	row(context, &out);
}

/* The entry with the lowest number from @number on, or NULL. */
static const struct summary_surface *next_entry(const struct summary *summary, uint64_t number)
{
	const struct summary_surface *next = NULL;

	for (int i = 0; i < summary->n; i++) {
		const struct summary_surface *entry = &summary->surfaces[i];

		if (entry->number >= number && (!next || entry->number < next->number))
			next = entry;
	}
	return next;
}

void summary_write(const struct summary *summary, void *context,
		   void (*row)(void *context, const struct summary_row *row))
{
	const struct summary_surface *entry = next_entry(summary, 0);

	for (; entry; entry = next_entry(summary, entry->number + 1))
		write_one(summary, entry, context, row);
}

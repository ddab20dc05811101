/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/memory.h"

int summary_init(struct summary *summary, unsigned int max, struct chunk_store *store,
		 double target_fps, uint64_t kpi_ns)
{
	*summary = (struct summary){
		.hashes = memory_new(max, sizeof(*summary->hashes)),
		.surfaces = memory_new(max, sizeof(*summary->surfaces)),
		.memory = memory_new(max, sizeof(*summary->memory)),
		.max = (int)max,
		.target_fps = target_fps,
		.kpi_ns = kpi_ns,
		.store = store,
	};
	if (!summary->hashes || !summary->surfaces || !summary->memory)
		return -ENOMEM;
	for (unsigned int i = 0; i < max; i++)
		summary->surfaces[i] = &summary->memory[i];
	return 0;
}

void summary_free(struct summary *summary)
{
	free(summary->hashes);
	free(summary->surfaces);
	free(summary->memory);
}

bool summary_is(const struct summary *summary, int place, struct name_key name)
{
	const struct summary_surface *entry = summary->surfaces[place];
	struct name_key its = { entry->name, summary->hashes[place], entry->length };

	return its.hash == name.hash && name_key_equal(&its, &name);
}

struct summary_surface *summary_find(struct summary *summary, struct name_key name, int *place)
{
	if (*place < summary->n && summary_is(summary, *place, name))
		return summary->surfaces[*place];
	for (int i = 0; i < summary->n; i++) {
		if (summary_is(summary, i, name)) {
			*place = i;
			return summary->surfaces[i];
		}
	}
	return NULL;
}

struct summary_surface *summary_add(struct summary *summary, struct name_key name,
				    uint64_t present_ns)
{
	struct summary_surface *entry = summary->surfaces[summary->n];

	*entry = (struct summary_surface){
		.first_ns = present_ns,
		.clock = summary->clocks,
		.stats = FRAME_STATS_EMPTY,
	};
	name_copy(entry->name, sizeof(entry->name), span_of(name.kept));
	entry->length = name.length;
	summary->hashes[summary->n++] = name.hash;
	return entry;
}

void summary_frame(struct summary *summary, struct summary_surface *entry, const char *app,
		   uint64_t present_ns, struct interval interval)
{
	if (strcmp(entry->app, app) != 0)
		name_copy(entry->app, sizeof(entry->app), span_of(app));
	if (entry->clock != summary->clocks)
		entry->first_ns = present_ns;
	entry->clock = summary->clocks;
	entry->last_ns = present_ns;
	entry->last_use = ++summary->uses;
	if (!interval_is_frame_time(interval))
		return;
	histogram_add(summary->store, &entry->histogram, (uint32_t)interval.ns);
	if (interval_is_whole(interval))
		histogram_add_number(summary->store, &entry->vsyncs, (uint32_t)interval.vsyncs);
}

void summary_add_row(struct summary_surface *entry, const struct fps_row *row)
{
	frame_stats_merge(&entry->stats, &row->stats);
}

static double fps_of(double ns)
{
	return ns > 0 ? 1e9 / ns : -1;
}

static double low_time_fps(const struct summary *summary, const struct summary_surface *entry,
			   unsigned int permille, uint64_t time_ns)
{
	return fps_of((double)histogram_slowest_time(summary->store, &entry->histogram, permille,
						     time_ns));
}

void summary_write(const struct summary *summary, int place, const struct frame_stats *open,
		   void *context, void (*row)(void *context, const struct summary_row *row))
{
	const struct summary_surface *entry = summary->surfaces[place];
	const struct histogram *h = &entry->histogram;
	struct summary_row out = {
		.app = entry->app,
		.surface = entry->name,
		.first_ns = entry->first_ns,
		.last_ns = entry->last_ns,
		.stats = entry->stats,
		.p50_ns = histogram_percentile(summary->store, h, 500),
		.p90_ns = histogram_percentile(summary->store, h, 900),
		.p95_ns = histogram_percentile(summary->store, h, 950),
		.p99_ns = histogram_percentile(summary->store, h, 990),
		.p999_ns = histogram_percentile(summary->store, h, 999),
		.low1_fps = fps_of(histogram_slowest_mean(summary->store, h, 10)),
		.low01_fps = fps_of(histogram_slowest_mean(summary->store, h, 1)),
	};

	frame_stats_merge(&out.stats, open);
	out.low1_time_fps = low_time_fps(summary, entry, 10, out.stats.time_ns);
	out.low01_time_fps = low_time_fps(summary, entry, 1, out.stats.time_ns);
	out.cadence =
		frame_stats_cadence(&out.stats, summary->store, &entry->vsyncs, &out.off_cadence);
	out.fps = frame_stats_fps(&out.stats);
	out.stats.score =
		frame_stats_score(&out.stats, out.fps, summary->target_fps, summary->kpi_ns);
	row(context, &out);
}

int summary_idlest(const struct summary *summary, int but)
{
	int idlest = -1;

	for (int i = 0; i < summary->n; i++)
		if (i != but && (idlest < 0 || summary->surfaces[i]->last_use <
						       summary->surfaces[idlest]->last_use))
			idlest = i;
	return idlest;
}

void summary_evict(struct summary *summary, int place, void *context,
		   void (*row)(void *context, const struct summary_row *row))
{
	struct summary_surface *entry = summary->surfaces[place];
	size_t behind = (size_t)(--summary->n - place);

	if (row)
		summary_write(summary, place, &FRAME_STATS_EMPTY, context, row);
	histogram_clear(summary->store, &entry->histogram);
	histogram_clear(summary->store, &entry->vsyncs);
	summary->evicted++;
	memmove(&summary->hashes[place], &summary->hashes[place + 1],
		behind * sizeof(summary->hashes[0]));
	memmove(&summary->surfaces[place], &summary->surfaces[place + 1],
		behind * sizeof(summary->surfaces[0]));
	summary->surfaces[summary->n] = entry;
}

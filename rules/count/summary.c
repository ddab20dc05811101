/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/summary.h"

#include <stdlib.h>
#include <string.h>

/* A frame waited for its buffer if the display gave it back at least this late. */
#define RELEASE_WAIT_NS INT64_C(1000000)

/* A Surface paces itself if at least this part of its frames does, of not too few. */
#define PACES_ITSELF_PERCENT 90
#define PACES_ITSELF_FRAMES 30

void summary_init(struct summary *summary, unsigned int max, struct memory *memory)
{
	struct summary_surface *others;

	summary->table = memory_keep(memory, calloc(max + 1, sizeof(*summary->table)));
	summary->max = (int)max;
	long_names_init(&summary->names, max + 1, memory);
	hash_index_init(&summary->index, max + SUMMARY_OTHERS_MAX, memory);
	if (memory->failed)
		return;
	others = &summary->table[max];
	others->stats = FRAME_STATS_EMPTY;
	others->clock = UINT64_MAX;
	long_names_keep(&summary->names, &others->name, others->short_name,
			SPAN_LITERAL(SUMMARY_OTHERS_NAME));
}

/* --- lookup --- */

struct summary_surface *summary_entry(struct summary *summary, const struct layer *layer,
				      uint64_t present_ns)
{
	struct summary_surface *entry, *others = &summary->table[summary->max];
	int number = hash_index_first(&summary->index, layer->surface_hash);

	for (; number != HASH_INDEX_END; number = hash_index_next(&summary->index, number)) {
		/* Names of the others are not kept: any name with that hash is one of them. */
		if (number >= summary->max)
			return others;
		entry = &summary->table[number];
		if (entry->length == layer->surface_length &&
		    strcmp(entry->name, layer->surface) == 0)
			return entry;
	}
	number = summary->n;
	summary->in_others += number >= summary->max;
	if (number == summary->max + SUMMARY_OTHERS_MAX)
		return others;
	hash_index_add(&summary->index, summary->n++, layer->surface_hash);
	if (number >= summary->max)
		return others;
	entry = &summary->table[number];
	*entry = (struct summary_surface){
		.first_ns = present_ns,
		.clock = summary->clocks,
		.stats = FRAME_STATS_EMPTY,
	};
	long_names_keep(&summary->names, &entry->name, entry->short_name, span_of(layer->surface));
	entry->length = layer->surface_length;
	return entry;
}

int summary_count(const struct summary *summary)
{
	return summary->n <= summary->max ? summary->n : summary->max + 1;
}

/* --- frames and rows --- */

void summary_frame(struct summary *summary, struct summary_surface *entry, const char *app,
		   uint64_t present_ns, struct interval interval, struct lateness late,
		   enum cause cause, const struct gpu_work *work)
{
	struct fence_stats *fences = &entry->fences;

	if (entry->clock != summary->clocks) {
		entry->first_ns = present_ns;
		entry->clock = summary->clocks;
	}
	entry->last_ns = present_ns;
	if (entry == &summary->table[summary->max])
		summary->frames_in_others++;
	else if (strcmp(entry->app, app) != 0)
		name_copy(entry->app, sizeof(entry->app), span_of(app));
	if (late.gap)
		drawing_gap(&entry->drawing);
	else
		drawing_add(&entry->drawing, (uint64_t)interval.ns);
	if (late.harm_ns > 0) {
		harm_add(&entry->harm, present_ns, late.harm_ns);
		grade_add_lost(&entry->facts, cause, late.harm_ns, interval_is_wait(interval));
	}
	histogram_add(summary->store, &entry->gpu, work->gpu_ns);
	histogram_add(summary->store, &entry->release, work->release_wait_ns);
	fences->paced += work->pacing != PACING_UNKNOWN;
	fences->paced_itself += work->pacing == PACING_ITSELF;
	if (!interval_is_frame_time(interval))
		return;
	recent_add(&entry->harm.recent, present_ns, (uint64_t)interval.ns);
	histogram_add(summary->store, &entry->histogram, interval.ns);
	if (interval_is_whole(interval))
		histogram_add_exact(summary->store, &entry->vsyncs, (uint32_t)interval.vsyncs);
	if (late.harm_ns > 0 && (work->done_ns != 0 || work->release_wait_ns != ROW_UNKNOWN)) {
		fences->bound += cause == CAUSE_GPU;
		fences->late += work->release_wait_ns != ROW_UNKNOWN;
		fences->late_released += work->release_wait_ns >= RELEASE_WAIT_NS;
	}
}

void summary_add_uncounted(struct summary *summary, struct summary_surface *entry, bool has_app,
			   uint64_t until_ns, uint64_t ns, bool may_freeze)
{
	struct summary_surface *first = summary->table;

	/* At the latest it is the entry itself. */
	while (first != entry &&
	       (strcmp(first->app, entry->app) != 0 || !strstr(first->name, first->app)))
		first++;
	grade_add_uncounted(&entry->facts,
			    uncounted_before(&entry->uncounted,
					     has_app ? &first->app_uncounted : NULL, until_ns, ns),
			    may_freeze);
}

void summary_new_clock(struct summary *summary)
{
	summary->clocks++;
	summary->now_ns = 0;
	for (int i = 0; i < summary_count(summary); i++) {
		struct summary_surface *entry = &summary->table[i];

		entry->harm.recent = (struct recent){ 0 };
		entry->uncounted = entry->app_uncounted = (struct stretches){ .n = 0 };
	}
}

static double fps_of(double ns)
{
	return ns > 0 ? 1e9 / ns : -1;
}

void summary_write(const struct summary *summary, void *context,
		   void (*row)(void *context, const struct summary_row *row))
{
	const struct chunk_store *store = summary->store;

	for (int i = 0; i < summary_count(summary); i++) {
		const struct summary_surface *entry = &summary->table[i];
		const struct histogram *h = &entry->histogram;
		const struct fence_stats *fences = &entry->fences;
		const struct drawing drawing = drawing_sum(&entry->drawing);
		struct verdict_facts verdict;
		struct summary_row one = {
			.app = entry->app,
			.surface = entry->name,
			.jank_types = "",
			.first_ns = entry->first_ns,
			.last_ns = entry->last_ns,
			.frozen_ns = entry->frozen_ns,
			.stats = entry->stats,
			.now_fps = recent_fps(&entry->harm.recent, summary->now_ns),
			.recent_frames = recent_frames(&entry->harm.recent, summary->now_ns),
			.harm = entry->harm,
			.drawing_ns = drawing.time_ns,
			.no_view_marks = entry->without_marks && !entry->with_marks,
			.p50_ns = histogram_percentile(store, h, 500),
			.p90_ns = histogram_percentile(store, h, 900),
			.p95_ns = histogram_percentile(store, h, 950),
			.p99_ns = histogram_percentile(store, h, 990),
			.p999_ns = histogram_percentile(store, h, 999),
			.low1_fps = fps_of(histogram_slowest_mean(store, h, 10)),
			.low01_fps = fps_of(histogram_slowest_mean(store, h, 1)),
			.fences = *fences,
			.gpu_p50_ns = histogram_percentile(store, &entry->gpu, 500),
			.gpu_p99_ns = histogram_percentile(store, &entry->gpu, 990),
			.gpu_bound = entry->gpu.n > 0 ? (int64_t)fences->bound : ROW_UNKNOWN,
			.release_p99_ns = histogram_percentile(store, &entry->release, 990),
			.paces_itself =
				fences->paced >= PACES_ITSELF_FRAMES &&
				fences->paced_itself * 100 >= fences->paced * PACES_ITSELF_PERCENT,
		};

		frame_stats_merge(&one.stats, &entry->open);
		one.low1_time_fps =
			fps_of((double)histogram_slowest_time(store, h, 10, one.stats.time_ns));
		one.low01_time_fps =
			fps_of((double)histogram_slowest_time(store, h, 1, one.stats.time_ns));
		one.cadence = histogram_mode(store, &entry->vsyncs, &one.off_cadence);
		one.fps = frame_stats_fps(&one.stats);
		one.stats.score =
			frame_stats_score(&one.stats, one.fps, summary->options->target_fps,
					  summary->options->kpi_ns);
		verdict = (struct verdict_facts){
			.given = summary->options->app_class,
			.surface = entry->name,
			.cadence = one.cadence,
			.off_cadence = one.off_cadence,
			.frames = one.stats.frames - one.stats.unknown,
			.drawing_frames = drawing.frames,
			.drawing_time_ns = drawing.time_ns,
		};
		if (entry != &summary->table[summary->max])
			verdict_write(one.verdict, &verdict);
		/* Times are as in the files, so that the same sentences follow from these. */
		one.facts = entry->facts;
		one.facts.frames = one.stats.frames;
		one.facts.time_ns = one.stats.time_ns / 1000 * 1000;
		one.facts.unknown = one.stats.unknown;
		one.facts.late_ns = one.facts.late_ns / 1000 * 1000;
		one.facts.freeze_ns = one.facts.freeze_ns / 1000 * 1000;
		one.facts.wait_ns = one.stats.wait_ns / 1000 * 1000;
		one.facts.span_ns = summary->span_ns;
		one.facts.missing_ns = summary->missing_ns;
		one.facts.fails_rule = strncmp(one.verdict, "fail", 4) == 0;
		one.grade = grade_of(&one.facts);
		row(context, &one);
	}
}

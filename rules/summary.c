/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/summary.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "rules/memory.h"

/* Slots begin at whole pages. There is one more than needed, as a Surface is stored before another
 * one is read back. */
#define SLOT_SIZE ((sizeof(struct summary_record) + 4095) / 4096 * 4096)
#define SLOTS (SPILL_SURFACES + 1)

/* A frame waited for its buffer if the display gave it back at least this late. */
#define RELEASE_WAIT_NS INT64_C(1000000)

/* A Surface paces itself if at least this part of its frames does, of not too few. */
#define PACES_ITSELF_PERCENT 90
#define PACES_ITSELF_FRAMES 30

int summary_init(struct summary *summary, unsigned int max, const struct spill *spill,
		 struct chunk_store *store, const struct pipeline_options *options)
{
	*summary = (struct summary){
		.table = memory_new(max, sizeof(*summary->table)),
		.record = calloc(1, sizeof(*summary->record)),
		.max = (int)max,
		.spill = spill,
		.others = { .number = SUMMARY_OTHERS, .stats = FRAME_STATS_EMPTY },
		.target_fps = options->target_fps,
		.kpi_ns = options->kpi_ns,
		.app_class = options->app_class,
		.store = store,
	};
	if (!summary->table || !summary->record)
		return -ENOMEM;
	for (unsigned int i = 0; i < max; i++)
		summary->table[i].number = SUMMARY_NONE;
	if (long_names_init(&summary->names, max + 1) < 0)
		return -ENOMEM;
	long_names_keep(&summary->names, &summary->others.name, summary->others.short_name,
			SPAN_LITERAL(SUMMARY_OTHERS_NAME));
	return surface_index_init(&summary->index, (int)max + SPILL_SURFACES, SLOTS);
}

void summary_free(struct summary *summary)
{
	free(summary->table);
	free(summary->record);
	long_names_free(&summary->names);
	surface_index_free(&summary->index);
}

/* --- spill storage --- */

static size_t record_size(uint32_t chunks)
{
	return offsetof(struct summary_record, packed.chunks) + (1 + chunks) * sizeof(struct chunk);
}

/* Writes a Surface to the spill storage. Returns its slot, or < 0. */
static int spill(struct summary *summary, const struct summary_surface *entry)
{
	struct summary_record *record = summary->record;
	int slot = summary->spill ? surface_index_alloc_slot(&summary->index) : -1;

	if (slot < 0)
		return slot;
	record->surface = *entry; /* its name is stored behind it */
	name_copy(record->name, sizeof(record->name), span_of(entry->name));
	record->packed.n = 0;
	record->surface.histogram =
		histogram_pack(summary->store, &entry->histogram, &record->packed);
	record->surface.vsyncs = histogram_pack(summary->store, &entry->vsyncs, &record->packed);
	record->surface.gpu = histogram_pack(summary->store, &entry->gpu, &record->packed);
	record->surface.release = histogram_pack(summary->store, &entry->release, &record->packed);
	if (summary->spill->write(summary->spill->context, (uint64_t)slot * SLOT_SIZE, record,
				  record_size(record->packed.n)) < 0) {
		surface_index_release_slot(&summary->index, slot);
		return -1;
	}
	return slot;
}

/* Reads the record of a spilled Surface; without @chunks only the part before them. Returns false
 * if it cannot be read or is invalid. */
static bool read_back(struct summary *summary, int number, bool chunks)
{
	uint64_t at = (uint64_t)~summary->index.entries[number].where * SLOT_SIZE;
	const struct spill *spill = summary->spill;
	struct summary_record *record = summary->record;
	size_t size = record_size(0);

	if (spill->read(spill->context, at, record, size) < 0)
		return false;
	record->name[NAME_SIZE - 1] = record->surface.app[APP_SIZE - 1] = '\0';
	record->surface.name = record->name;
	if (record->surface.number != number || record->packed.n > PACKED_CHUNKS_MAX)
		return false;
	if (!chunks)
		return true;
	if (record->packed.n > 0 && spill->read(spill->context, at + size, (char *)record + size,
						record_size(record->packed.n) - size) < 0)
		return false;
	return histogram_is_packed(&record->surface.histogram, &record->packed) &&
	       histogram_is_packed(&record->surface.vsyncs, &record->packed) &&
	       histogram_is_packed(&record->surface.gpu, &record->packed) &&
	       histogram_is_packed(&record->surface.release, &record->packed);
}

/* --- the row of the others --- */

/* A Surface without a row had frames from @first_ns to @last_ns of the clock of that number. */
static void add_to_others(struct summary *summary, uint64_t clock, uint64_t first_ns,
			  uint64_t last_ns)
{
	struct summary_surface *others = &summary->others;
	bool anew = others->last_use == 0 || clock > others->clock;

	others->last_use = ++summary->uses;
	if (!anew && clock < others->clock)
		return;
	others->clock = clock;
	if (anew || first_ns < others->first_ns)
		others->first_ns = first_ns;
	if (anew || last_ns > others->last_ns)
		others->last_ns = last_ns;
}

static void add_fence_stats(struct fence_stats *sum, const struct fence_stats *stats)
{
	sum->bound += stats->bound;
	sum->late += stats->late;
	sum->late_released += stats->late_released;
	sum->paced += stats->paced;
	sum->paced_itself += stats->paced_itself;
}

static void join_others(struct summary *summary, struct summary_surface *entry)
{
	struct summary_surface *others = &summary->others;

	add_to_others(summary, entry->clock, entry->first_ns, entry->last_ns);
	frame_stats_merge(&others->stats, &entry->stats);
	harm_merge(&others->harm, &entry->harm);
	for (unsigned int i = 0; i < CAUSES; i++)
		others->causes[i] += entry->causes[i];
	others->pauses += entry->pauses;
	others->pause_ns += entry->pause_ns;
	others->endless += entry->endless;
	others->endless_ns += entry->endless_ns;
	others->with_marks += entry->with_marks;
	others->without_marks += entry->without_marks;
	histogram_move(summary->store, &others->histogram, &entry->histogram);
	histogram_move(summary->store, &others->vsyncs, &entry->vsyncs);
	histogram_move(summary->store, &others->gpu, &entry->gpu);
	histogram_move(summary->store, &others->release, &entry->release);
	add_fence_stats(&others->fences, &entry->fences);
	summary->in_others++;
}

/* --- the table --- */

static int32_t *where_is(struct summary *summary, int number)
{
	return &summary->index.entries[number].where;
}

static struct summary_surface *idlest(struct summary *summary, int kept)
{
	struct summary_surface *idlest = NULL;

	for (int i = 0; i < summary->max; i++) {
		struct summary_surface *entry = &summary->table[i];

		if (entry->number != SUMMARY_NONE && entry->number != kept &&
		    (!idlest || entry->last_use < idlest->last_use))
			idlest = entry;
	}
	return idlest;
}

bool summary_evict(struct summary *summary, int kept)
{
	struct summary_surface *entry = idlest(summary, kept);
	int slot;

	if (!entry)
		return false;
	slot = spill(summary, entry);
	if (slot >= 0) {
		*where_is(summary, entry->number) = ~slot;
		histogram_clear(summary->store, &entry->histogram);
		histogram_clear(summary->store, &entry->vsyncs);
		histogram_clear(summary->store, &entry->gpu);
		histogram_clear(summary->store, &entry->release);
	} else {
		*where_is(summary, entry->number) = SURFACE_INDEX_OTHERS;
		join_others(summary, entry);
	}
	long_names_release(&summary->names, &entry->name, entry->short_name);
	summary->evicted++;
	entry->number = SUMMARY_NONE;
	return true;
}

/* Returns a free place. If there is none, a Surface is evicted. */
static int free_place(struct summary *summary)
{
	for (;;) {
		for (int i = 0; i < summary->max; i++)
			if (summary->table[i].number == SUMMARY_NONE)
				return i;
		summary_evict(summary, SUMMARY_NONE);
	}
}

/* A Surface cannot be read back: its data is lost, and its later frames are added to the others. */
static void give_up(struct summary *summary, int number)
{
	surface_index_release_slot(&summary->index, ~*where_is(summary, number));
	*where_is(summary, number) = SURFACE_INDEX_OTHERS;
	summary->unreadable++;
}

/* Brings a spilled Surface back into the table. Needs one free chunk more than it is stored with,
 * for its next frame. */
static void bring_back(struct summary *summary, int number)
{
	struct summary_surface *entry;
	int place;

	if (!read_back(summary, number, false)) {
		give_up(summary, number);
		return;
	}
	for (uint32_t chunks = summary->record->packed.n; summary->store->n_free <= chunks;)
		if (!summary_evict(summary, number))
			break;
	place = free_place(summary);
	if (!read_back(summary, number, true)) {
		give_up(summary, number);
		return;
	}
	entry = &summary->table[place];
	*entry = summary->record->surface;
	entry->name = NULL;
	long_names_keep(&summary->names, &entry->name, entry->short_name,
			span_of(summary->record->name));
	entry->histogram =
		histogram_unpack(summary->store, &entry->histogram, &summary->record->packed);
	entry->vsyncs = histogram_unpack(summary->store, &entry->vsyncs, &summary->record->packed);
	entry->gpu = histogram_unpack(summary->store, &entry->gpu, &summary->record->packed);
	entry->release =
		histogram_unpack(summary->store, &entry->release, &summary->record->packed);
	surface_index_release_slot(&summary->index, ~*where_is(summary, number));
	*where_is(summary, number) = place;
}

/* The entry for that number: in the table, or that of the others. */
static struct summary_surface *entry_of(struct summary *summary, int number)
{
	if (number >= 0 && *where_is(summary, number) < 0 &&
	    *where_is(summary, number) != SURFACE_INDEX_OTHERS)
		bring_back(summary, number);
	if (summary_home(summary, number) == SUMMARY_OTHERS)
		return &summary->others;
	return &summary->table[*where_is(summary, number)];
}

/* --- lookup --- */

static bool is_name_of(struct summary *summary, int number, struct name_key name)
{
	const struct summary_surface *entry = &summary->record->surface;
	int32_t where = *where_is(summary, number);

	/* Names of the others are not kept: any name with that hash is one of them. */
	if (where == SURFACE_INDEX_OTHERS)
		return true;
	if (where >= 0)
		entry = &summary->table[where];
	else if (!read_back(summary, number, false))
		return true;
	return name_key_equal(&(struct name_key){ entry->name, name.hash, entry->length }, &name);
}

static int add(struct summary *summary, struct name_key name, uint64_t present_ns)
{
	struct surface_index *index = &summary->index;
	struct summary_surface *entry;
	int place;

	if (index->n == index->max) {
		summary->in_others++;
		add_to_others(summary, summary->clocks, present_ns, present_ns);
		return SUMMARY_OTHERS;
	}
	place = free_place(summary);
	entry = &summary->table[place];
	*entry = (struct summary_surface){
		.number = surface_index_add(index, name.hash, place),
		.first_ns = present_ns,
		.clock = summary->clocks,
		.stats = FRAME_STATS_EMPTY,
	};
	long_names_keep(&summary->names, &entry->name, entry->short_name, span_of(name.kept));
	entry->length = name.length;
	return entry->number;
}

int summary_number(struct summary *summary, struct name_key name, uint64_t present_ns)
{
	int number = surface_index_first(&summary->index, name.hash);

	while (number != SURFACE_INDEX_END && !is_name_of(summary, number, name))
		number = surface_index_next(&summary->index, number);
	return number == SURFACE_INDEX_END ? add(summary, name, present_ns) : number;
}

int summary_home(const struct summary *summary, int number)
{
	if (number >= 0 && summary->index.entries[number].where == SURFACE_INDEX_OTHERS)
		return SUMMARY_OTHERS;
	return number;
}

int summary_count(const struct summary *summary)
{
	return summary->index.n;
}

/* --- frames and rows --- */

static void add_frame_time(struct summary *summary, struct summary_surface *entry, const char *app,
			   uint64_t present_ns)
{
	if (strcmp(entry->app, app) != 0)
		name_copy(entry->app, sizeof(entry->app), span_of(app));
	if (entry->clock != summary->clocks)
		entry->first_ns = present_ns;
	entry->clock = summary->clocks;
	entry->last_ns = present_ns;
	entry->last_use = ++summary->uses;
}

void summary_frame(struct summary *summary, int number, const char *app, uint64_t present_ns,
		   struct interval interval, struct lateness late, enum cause cause)
{
	struct summary_surface *entry = entry_of(summary, number);

	if (entry->clock != summary->clocks) {
		entry->recent = (struct recent){ 0 };
		harm_new_clock(&entry->harm);
	}
	if (entry == &summary->others) {
		add_to_others(summary, summary->clocks, present_ns, present_ns);
		summary->frames_in_others++;
	} else {
		add_frame_time(summary, entry, app, present_ns);
	}
	if (late.gap)
		drawing_gap(&entry->drawing);
	else
		drawing_add(&entry->drawing, (uint64_t)interval.ns);
	if (late.harm_ns > 0) {
		harm_add(&entry->harm, present_ns, late.harm_ns);
		entry->causes[cause]++;
	}
	if (!interval_is_frame_time(interval))
		return;
	recent_add(&entry->recent, present_ns, (uint64_t)interval.ns);
	histogram_add(summary->store, &entry->histogram, (uint32_t)interval.ns);
	if (interval_is_whole(interval))
		histogram_add_number(summary->store, &entry->vsyncs, (uint32_t)interval.vsyncs);
}

/* Longer times are counted in the last bin. */
static void add_time(struct summary *summary, struct histogram *h, int64_t ns)
{
	uint32_t longest_ns = HISTOGRAM_BINS * HISTOGRAM_BIN_NS - 1;

	if (ns >= 0)
		histogram_add(summary->store, h, ns < longest_ns ? (uint32_t)ns : longest_ns);
}

/* True: the frame has more vsyncs than the cadence so far. */
static bool is_late(const struct summary *summary, const struct summary_surface *entry,
		    struct interval interval)
{
	int64_t others;

	return interval.vsyncs > 1 && interval_is_frame_time(interval) &&
	       interval.vsyncs > histogram_mode(summary->store, &entry->vsyncs, &others);
}

void summary_gpu(struct summary *summary, int number, struct interval interval,
		 const struct gpu_work *work, bool bound)
{
	struct summary_surface *entry = entry_of(summary, number);

	add_time(summary, &entry->gpu, work->gpu_ns);
	add_time(summary, &entry->release, work->release_wait_ns);
	entry->fences.paced += work->pacing != PACING_UNKNOWN;
	entry->fences.paced_itself += work->pacing == PACING_ITSELF;
	if (work->done_ns == 0 && work->release_wait_ns == ROW_UNKNOWN)
		return;
	if (!is_late(summary, entry, interval))
		return;
	entry->fences.bound += bound;
	entry->fences.late += work->release_wait_ns != ROW_UNKNOWN;
	entry->fences.late_released += work->release_wait_ns >= RELEASE_WAIT_NS;
}

void summary_add_row(struct summary *summary, int number, const struct fps_row *row)
{
	struct summary_surface *entry = entry_of(summary, number);

	if (entry == &summary->others && entry->last_use == 0)
		add_to_others(summary, summary->clocks, row->start_ns, row->end_ns);
	frame_stats_merge(&entry->stats, &row->stats);
}

void summary_add_pause(struct summary *summary, int number, uint64_t pause_ns)
{
	struct summary_surface *entry = entry_of(summary, number);

	entry->pauses++;
	entry->pause_ns += pause_ns;
}

void summary_add_endless(struct summary *summary, int number, uint64_t stall_ns)
{
	struct summary_surface *entry = entry_of(summary, number);

	entry->endless++;
	entry->endless_ns += stall_ns;
}

void summary_add_marks(struct summary *summary, int number, bool has_marks)
{
	struct summary_surface *entry = entry_of(summary, number);

	entry->with_marks += has_marks;
	entry->without_marks += !has_marks;
}

void summary_set_time(struct summary *summary, uint64_t now_ns)
{
	summary->now_ns = now_ns;
}

void summary_new_clock(struct summary *summary)
{
	summary->clocks++;
	summary->now_ns = 0;
}

static double fps_of(double ns)
{
	return ns > 0 ? 1e9 / ns : -1;
}

static double low_time_fps(const struct chunk_store *store, const struct summary_surface *entry,
			   unsigned int permille, uint64_t time_ns)
{
	return fps_of((double)histogram_slowest_time(store, &entry->histogram, permille, time_ns));
}

/* Frame times on another clock are not recent. */
static void set_recent(const struct summary *summary, const struct summary_surface *entry,
		       struct summary_row *row)
{
	static const struct recent none;
	const struct recent *recent = entry->clock == summary->clocks ? &entry->recent : &none;

	row->now_fps = recent_fps(recent, summary->now_ns);
	row->recent_frames = recent_frames(recent, summary->now_ns);
}

static void judge(const struct summary *summary, const struct summary_surface *entry,
		  struct summary_row *row)
{
	struct drawing drawing = drawing_sum(&entry->drawing);
	const struct verdict_facts facts = {
		.given = summary->app_class,
		.surface = row->surface,
		.cadence = row->cadence,
		.off_cadence = row->off_cadence,
		.frames = row->stats.frames - row->stats.unknown,
		.drawing_frames = drawing.frames,
		.drawing_time_ns = drawing.time_ns,
	};

	row->drawing_ns = drawing.time_ns;
	if (entry != &summary->others)
		verdict_write(row->verdict, &facts);
}

static void set_fences(const struct summary_surface *entry, const struct chunk_store *store,
		       struct summary_row *row)
{
	const struct fence_stats *fences = &entry->fences;

	row->fences = *fences;
	row->gpu_p50_ns = histogram_percentile(store, &entry->gpu, 500);
	row->gpu_p99_ns = histogram_percentile(store, &entry->gpu, 990);
	row->gpu_bound = entry->gpu.n > 0 ? (int64_t)fences->bound : ROW_UNKNOWN;
	row->release_p99_ns = histogram_percentile(store, &entry->release, 990);
	row->paces_itself = fences->paced >= PACES_ITSELF_FRAMES &&
			    fences->paced_itself * 100 >= fences->paced * PACES_ITSELF_PERCENT;
}

static void write_row(const struct summary *summary, const struct summary_surface *entry,
		      const struct chunk_store *store, const struct frame_stats *open,
		      void *context, void (*row)(void *context, const struct summary_row *row))
{
	const struct histogram *h = &entry->histogram;
	struct summary_row out = {
		.app = entry->app,
		.surface = entry->name,
		.jank_types = "",
		.first_ns = entry->first_ns,
		.last_ns = entry->last_ns,
		.stats = entry->stats,
		.pauses = entry->pauses,
		.pause_ns = entry->pause_ns,
		.endless = entry->endless,
		.endless_ns = entry->endless_ns,
		.no_view_marks = entry->without_marks > 0 && entry->with_marks == 0,
		.p50_ns = histogram_percentile(store, h, 500),
		.p90_ns = histogram_percentile(store, h, 900),
		.p95_ns = histogram_percentile(store, h, 950),
		.p99_ns = histogram_percentile(store, h, 990),
		.p999_ns = histogram_percentile(store, h, 999),
		.low1_fps = fps_of(histogram_slowest_mean(store, h, 10)),
		.low01_fps = fps_of(histogram_slowest_mean(store, h, 1)),
	};

	frame_stats_merge(&out.stats, open);
	out.low1_time_fps = low_time_fps(store, entry, 10, out.stats.time_ns);
	out.low01_time_fps = low_time_fps(store, entry, 1, out.stats.time_ns);
	out.cadence = histogram_mode(store, &entry->vsyncs, &out.off_cadence);
	out.fps = frame_stats_fps(&out.stats);
	set_recent(summary, entry, &out);
	out.harm = entry->harm;
	memcpy(out.causes, entry->causes, sizeof(out.causes));
	judge(summary, entry, &out);
	set_fences(entry, store, &out);
	out.stats.score =
		frame_stats_score(&out.stats, out.fps, summary->target_fps, summary->kpi_ns);
	row(context, &out);
}

void summary_write(struct summary *summary, int number, const struct frame_stats *open,
		   void *context, void (*row)(void *context, const struct summary_row *row))
{
	const struct chunk_store packed = { .chunks = summary->record->packed.chunks };
	const struct summary_surface *entry = &summary->others;

	if (number >= 0) {
		int32_t where = *where_is(summary, number);

		if (where == SURFACE_INDEX_OTHERS)
			return;
		if (where < 0) {
			if (read_back(summary, number, true))
				write_row(summary, &summary->record->surface, &packed, open,
					  context, row);
			else
				give_up(summary, number);
			return;
		}
		entry = &summary->table[where];
	} else if (entry->last_use == 0) {
		return;
	}
	write_row(summary, entry, summary->store, open, context, row);
}

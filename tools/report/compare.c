/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/show/apps.h"
#include "rules/base/interval.h"

#define HOUR_US UINT32_C(3600000000)

/* Where one group never freezes, as many runs of equal groups freeze with this probability at most;
 * and in the same section with the second, for an app that freezes in that section alone. */
#define FREEZES_LEVEL 0.0075
#define SECTION_LEVEL 0.02

/* Runs that all freeze so often, or for most of their time, are no chance beside runs that never
 * freeze in that part of their time at least: of the runs of an app that freeze at all, some freeze
 * less. */
#define OFTEN_LEAST 3
#define OFTEN_TIME 0.9

/* Time lost of all drawing, and times as much: more of both is far more. */
#define FAR_LEAST 0.005
#define FAR_TIMES 2

/* Fewer runs do not say how much runs differ. */
#define RUNS_LEAST 3

/* One run is compared with another at this level; if both freeze, equal ones may differ by
 * FAR_TIMES. */
#define EVENTS_LEVEL 0.01

const char *const compared_words[] = { "UNCLEAR", "NO DIFFERENCE", "BETTER", "WORSE" };

const char *const compare_not_in[] = { [BASE] = "not in BASE", [NEW] = "not in NEW" };

const enum metric compare_metrics[] = {
	METRIC_LOST_RATE,
	METRIC_FREEZES_10MIN,
	METRIC_FPS,
	METRIC_LOW1_MEAN,
	METRIC_P90,
	METRIC_P99,
	METRIC_MISSED_1000,
	METRIC_JANK_10MIN,
	METRIC_BIG_JANK_10MIN,
	METRIC_STUTTER,
	METRICS,
};

/* What can be compared: the share of the frames that a percentile or a low is about, 0 for others;
 * the scale of the values in the unit of the metric, of a percentile in percent of the frames. */
static const struct {
	double share, scale;
	bool more_is_better;
	enum metric rate; /* which is compared instead: of groups of different length */
} compared[METRICS] = {
	[METRIC_LOST_RATE] = { 0, 1000 },
	[METRIC_FREEZES_10MIN] = { 0, 600 },
	[METRIC_FPS] = { 0, 1, true },
	[METRIC_LOW1_MEAN] = { 0.01, 1, true },
	[METRIC_LOW01_MEAN] = { 0.001, 1, true },
	[METRIC_P50] = { 0.5, 100 },
	[METRIC_P90] = { 0.1, 100 },
	[METRIC_P95] = { 0.05, 100 },
	[METRIC_P99] = { 0.01, 100 },
	[METRIC_P999] = { 0.001, 100 },
	[METRIC_MISSED_1000] = { 0, 1000 },
	[METRIC_JANK_10MIN] = { 0, 600 },
	[METRIC_BIG_JANK_10MIN] = { 0, 600 },
	[METRIC_STUTTER] = { 0, 100 },
	[METRIC_JANK] = { .rate = METRIC_JANK_10MIN },
	[METRIC_BIG_JANK] = { .rate = METRIC_BIG_JANK_10MIN },
	[METRIC_STALLS] = { .rate = METRIC_FREEZES_10MIN },
	[METRIC_FREEZES] = { .rate = METRIC_FREEZES_10MIN },
	[METRIC_MISSED] = { .rate = METRIC_MISSED_1000 },
};

/* --- runs --- */

/* array_add() and strdup(), which say in @comparison that there is no memory left. */

static void *add_to(struct comparison *comparison, void *array, uint32_t *n, size_t size)
{
	void *added = array_add(array, n, size);

	comparison->out_of_memory |= !added;
	return added;
}

static char *copy_of(struct comparison *comparison, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	comparison->out_of_memory |= text && !copy;
	return copy;
}

/* Keeps a frame of the run that was added last; @us: its length, which is cut at an hour. */
static void keep_frame(struct comparison *comparison, struct compared_surface *surface, uint64_t us,
		       struct compared_frame frame)
{
	struct compared_run *run = &surface->runs[surface->n_runs - 1];
	struct compared_frame *added;

	if (comparison->frames == COMPARE_FRAMES_MAX) {
		comparison->refused++;
		return;
	}
	added = add_to(comparison, &run->frames, &run->n_frames, sizeof(*added));
	if (!added)
		return;
	frame.interval_us = us < HOUR_US ? (uint32_t)us : HOUR_US;
	*added = frame;
	comparison->frames++;
}

static void add_window(struct comparison *comparison, struct compared_surface *surface,
		       const struct window *window)
{
	struct compared_run *run = &surface->runs[surface->n_runs - 1];
	struct window *added = add_to(comparison, &run->windows, &run->n_windows, sizeof(*added));

	if (!added)
		return;
	*added = *window;
	surface->time_s[run->group] += (double)(window->time_us + window->stall_us) / 1e6;
}

/* Freezes that no frame ended are in no row. */
static void add_endless(struct comparison *comparison, struct compared_surface *surface,
			const struct grade_facts *facts, bool has_frames)
{
	uint64_t us = facts->endless > 0 ? facts->endless_ns / facts->endless / 1000 : 0;

	/* Not by their mean, which is cut to microseconds. */
	if (has_frames)
		surface->time_s[surface->runs[surface->n_runs - 1].group] +=
			(double)facts->endless_ns / 1e9;
	for (uint64_t i = 0; i < facts->endless; i++)
		if (has_frames)
			keep_frame(comparison, surface, us,
				   (struct compared_frame){ .vsyncs = FRAME_VSYNCS_UNKNOWN,
							    .flags = FRAME_WAIT | FRAME_STALL });
		else
			add_window(comparison, surface,
				   &(struct window){ .stalls = 1, .stall_us = us });
}

/* @part: of the run; 0 without sections. The sessions, and sections, do not have the same time.
 * What has no grade has no facts: of files of 2019 it is not known what was late. */
static void add_facts(struct compared_facts *to, const struct compared_run *run, uint32_t part,
		      const struct surface *surface, const struct grade_facts *facts,
		      enum grade grade)
{
	struct grade_facts one = *facts;
	uint64_t number = ((uint64_t)run->run << 32) + part + 1;

	if (grade == GRADE_NONE)
		return;
	one.fails_rule = surface->is_judged && surface->facts.fails_rule;
	if (to->part != number)
		grade_add_after(&to->sum, &one);
	else
		grade_add(&to->sum, &one);
	to->part = number;
}

/* Adds frames, or else rows, to the run of each Surface, and what sections and, if none is
 * selected, the whole session have. @place: of the session's Surfaces among the compared ones,
 * from 1. */
static void add_session(struct comparison *comparison, enum group group,
			const struct session *session, const struct selection *selection,
			const uint32_t *place)
{
	const struct pool *frames = &session->frames, *windows = &session->windows;

	for (uint64_t i = 0; i < frames->n; i++) {
		const struct kept_frame *frame = pool_at(frames, i);
		uint64_t us = kept_interval_ns(frame) / 1000;
		struct compared_surface *to;

		if (place[frame->surface] == 0 || frame->flags & FRAME_FIRST ||
		    (frame->flags & FRAME_WAIT && !(frame->flags & FRAME_STALL)) ||
		    !select_section(selection, session, frame->section))
			continue;
		to = &comparison->surfaces[place[frame->surface] - 1];
		keep_frame(comparison, to, us,
			   (struct compared_frame){
				   .late_us = (uint32_t)(kept_late_ns(frame) / 1000),
				   .vsyncs = frame->vsyncs,
				   .flags = frame->flags,
				   .step = frame->step,
			   });
		to->time_s[group] += (double)us / 1e6;
	}
	for (uint64_t i = 0; frames->n == 0 && i < windows->n; i++) {
		const struct window *window = pool_at(windows, i);

		if (place[window->surface] > 0 &&
		    select_section(selection, session, session_section(session, window->end_us)))
			add_window(comparison, &comparison->surfaces[place[window->surface] - 1],
				   window);
	}
	for (uint32_t i = 0; i < session->n_in_sections && session->n_sections > 0; i++) {
		const struct section_numbers *in = &session->in_sections[i];
		const struct surface *from = &session->surfaces[in->surface];
		const char *name = name_of(session, session->sections[in->section].name);
		struct compared_surface *to;
		struct compared_section *section;
		struct compared_run *run;

		if (place[in->surface] == 0 || !select_section(selection, session, in->section))
			continue;
		to = &comparison->surfaces[place[in->surface] - 1];
		section = to->sections;
		while (section < to->sections + to->n_sections && strcmp(section->name, name) != 0)
			section++;
		if (section == to->sections + to->n_sections) {
			section = add_to(comparison, &to->sections, &to->n_sections,
					 sizeof(*section));
			if (!section)
				return;
			*section = (struct compared_section){ .name = copy_of(comparison, name) };
		}
		run = &to->runs[to->n_runs - 1];
		add_facts(&section->facts[group], run, in->section, from, &in->facts, in->grade);
		if (in->facts.freezes > 0 && section->last_frozen[group] != run->run + 1) {
			section->last_frozen[group] = run->run + 1;
			section->frozen[group]++;
		}
		if (selection->section) {
			add_facts(&run->facts, run, in->section, from, &in->facts, in->grade);
			add_endless(comparison, to, &in->facts, frames->n > 0);
		}
	}
	for (uint32_t i = 0; i < session->n_surfaces && !selection->section; i++) {
		const struct surface *from = &session->surfaces[i];
		struct compared_surface *to;
		struct compared_run *run;

		if (place[i] == 0)
			continue;
		to = &comparison->surfaces[place[i] - 1];
		run = &to->runs[to->n_runs - 1];
		add_facts(&run->facts, run, 0, from, &from->facts, from->grade);
		add_endless(comparison, to, &from->facts, frames->n > 0);
	}
}

struct grade_facts compare_facts(const struct compared_surface *surface, enum group group)
{
	struct grade_facts sum = { 0 };

	for (uint32_t i = 0; i < surface->n_runs; i++)
		if (surface->runs[i].group == group)
			grade_add_after(&sum, &surface->runs[i].facts.sum);
	return sum;
}

void compare_add(struct comparison *comparison, enum group group, const struct session *session,
		 const struct selection *selection)
{
	uint32_t *place = calloc(session->n_surfaces + 1, sizeof(*place));

	if (!place) {
		comparison->out_of_memory = true;
		return;
	}
	if (comparison->runs[group] == 0)
		comparison->groups[group] = (struct compared_group){
			.folder = copy_of(comparison, session->folder),
			.model = copy_of(comparison, session_json_text(session, "device", "model")),
			.build = copy_of(comparison, session_json_text(session, "device", "build")),
		};
	/* The Surfaces that are compared: those of apps, which are compared as one, or those that
	 * the selection names. Each has a run for the session. */
	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		const char *surface_name = name_of(session, session->surfaces[i].name);
		const char *app = name_of(session, session->surfaces[i].app);
		const char *name = selection->surface ? surface_name : app;
		bool is_part = session->surfaces[i].has_package && !app_is_system(app) &&
			       app_has_activity(app, surface_name);
		struct compared_surface *surface = NULL;
		struct compared_run *run;

		if (!select_surface(selection, surface_name, app) ||
		    !(selection->surface || is_part))
			continue;
		for (uint32_t j = 0; j < comparison->n_surfaces && !surface; j++)
			if (strcmp(comparison->surfaces[j].name, name) == 0)
				surface = &comparison->surfaces[j];
		if (!surface) {
			surface = add_to(comparison, &comparison->surfaces, &comparison->n_surfaces,
					 sizeof(*surface));
			if (!surface)
				continue;
			*surface = (struct compared_surface){
				.app = copy_of(comparison, app),
				.name = copy_of(comparison, name),
			};
		}
		run = surface->n_runs > 0 ? &surface->runs[surface->n_runs - 1] : NULL;
		if (!run || run->group != group || run->run != comparison->runs[group]) {
			run = add_to(comparison, &surface->runs, &surface->n_runs, sizeof(*run));
			if (!run)
				continue;
			*run = (struct compared_run){
				.group = group,
				.run = comparison->runs[group],
				.folder = copy_of(comparison, session->folder),
			};
		}
		run->without_janks |= session->surfaces[i].sums.without_janks;
		place[i] = (uint32_t)(surface - comparison->surfaces) + 1;
	}
	if (!comparison->out_of_memory)
		add_session(comparison, group, session, selection, place);
	/* Runs often lack the same, also those of both groups. */
	for (uint32_t i = 0; i < session->n_notices && !comparison->out_of_memory; i++) {
		struct compared_notice *notice = comparison->notices;
		struct compared_notice *end = notice + comparison->n_notices;

		while (notice < end && strcmp(notice->text, session->notices[i]) != 0)
			notice++;
		if (notice == comparison->notices + COMPARE_NOTICES_MAX) {
			comparison->notices_refused++;
			continue;
		}
		if (notice == end) {
			notice->text = copy_of(comparison, session->notices[i]);
			notice->folder = copy_of(comparison, session->folder);
			comparison->n_notices++;
		}
		notice->runs++;
	}
	comparison->runs[group]++;
	free(place);
}

void compare_free(struct comparison *comparison)
{
	for (uint32_t i = 0; i < comparison->n_surfaces; i++) {
		struct compared_surface *surface = &comparison->surfaces[i];

		for (uint32_t j = 0; j < surface->n_runs; j++) {
			free(surface->runs[j].frames);
			free(surface->runs[j].windows);
			free(surface->runs[j].folder);
		}
		for (uint32_t j = 0; j < surface->n_sections; j++)
			free(surface->sections[j].name);
		free(surface->sections);
		free(surface->runs);
		free(surface->app);
		free(surface->name);
	}
	for (unsigned int i = BASE; i <= NEW; i++) {
		free(comparison->groups[i].folder);
		free(comparison->groups[i].model);
		free(comparison->groups[i].build);
		free(comparison->groups[i].name);
	}
	for (uint32_t i = 0; i < comparison->n_notices; i++) {
		free(comparison->notices[i].text);
		free(comparison->notices[i].folder);
	}
	free(comparison->verdicts);
	free(comparison->surfaces);
	*comparison = (struct comparison){ 0 };
}

static int by_time(const void *a, const void *b)
{
	const struct compared_surface *one = a, *other = b;
	double first = one->time_s[BASE] + one->time_s[NEW];
	double second = other->time_s[BASE] + other->time_s[NEW];

	if (first != second)
		return first > second ? -1 : 1;
	if (strcmp(one->name, other->name) != 0)
		return strcmp(one->name, other->name);
	return strcmp(one->app, other->app);
}

/* --- distributions --- */

static bool is_frame_time(const struct compared_frame *frame)
{
	return !(frame->flags & FRAME_WAIT);
}

static int by_length(const void *a, const void *b)
{
	const uint32_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

/* All frame times of a group, and with @freezes those, sorted; *n: their number. NULL: none, or out
 * of memory. */
static uint32_t *sorted_times(const struct compared_surface *surface, enum group group,
			      bool freezes, size_t *n)
{
	uint32_t *times;
	size_t max = 1;

	*n = 0;
	for (uint32_t i = 0; i < surface->n_runs; i++)
		if (surface->runs[i].group == group)
			max += surface->runs[i].n_frames;
	times = malloc(max * sizeof(*times));
	for (uint32_t i = 0; times && i < surface->n_runs; i++) {
		const struct compared_run *run = &surface->runs[i];

		for (uint64_t j = 0; run->group == group && j < run->n_frames; j++)
			if (freezes || is_frame_time(&run->frames[j]))
				times[(*n)++] = run->frames[j].interval_us;
	}
	if (*n == 0) {
		free(times);
		return NULL;
	}
	qsort(times, *n, sizeof(*times), by_length);
	return times;
}

/* How many of the sorted @times are below @value. */
static size_t count_below(const uint32_t *times, size_t n, double value)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (times[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The digits of a learnt period differ from run to run, and so do the lengths of equal numbers of
 * vsyncs: by less than this part. The next number differs by more, up to 100 vsyncs. */
#define SAME_LENGTH 0.005

double compare_effect(const struct compared_surface *surface)
{
	size_t n[2];
	uint32_t *base = sorted_times(surface, BASE, false, &n[BASE]);
	uint32_t *new = sorted_times(surface, NEW, false, &n[NEW]);
	double sum = 0;

	for (size_t i = 0; base && new &&i < n[NEW]; i++) {
		double shorter = (double)count_below(base, n[BASE], new[i] * (1 - SAME_LENGTH));
		double longer =
			(double)(n[BASE] - count_below(base, n[BASE], new[i] * (1 + SAME_LENGTH)));

		sum += (shorter - longer) / (double)n[BASE];
	}
	sum = base && new ? sum / (double)n[NEW] : NAN;
	free(base);
	free(new);
	return sum;
}

const char *const compare_bins[COMPARE_BINS] = { "1", "2", "3", "4-6", "7-12", ">12" };

bool compare_distribution(const struct compared_surface *surface, double shares[2][COMPARE_BINS])
{
	static const unsigned int most[COMPARE_BINS] = { 1, 2, 3, 6, 12, UINT16_MAX };
	double all[2] = { 0, 0 };

	memset(shares, 0, 2 * sizeof(*shares));
	for (uint32_t i = 0; i < surface->n_runs; i++) {
		const struct compared_run *run = &surface->runs[i];

		for (uint64_t j = 0; j < run->n_frames; j++) {
			const struct compared_frame *frame = &run->frames[j];
			unsigned int bin = 0;

			if (!is_frame_time(frame) || frame->vsyncs == FRAME_VSYNCS_UNKNOWN)
				continue;
			while (frame->vsyncs > most[bin])
				bin++;
			shares[run->group][bin]++;
			all[run->group]++;
		}
	}
	for (unsigned int i = 0; i < COMPARE_BINS; i++) {
		shares[BASE][i] /= all[BASE];
		shares[NEW][i] /= all[NEW];
	}
	return all[BASE] > 0 && all[NEW] > 0;
}

bool compare_curve(const struct compared_surface *surface, enum group group,
		   double shares[COMPARE_SHARES], double ms[COMPARE_SHARES])
{
	size_t n;
	uint32_t *times = sorted_times(surface, group, true, &n);
	double all_us = 0, us = 0;

	if (!times)
		return false;
	for (size_t i = 0; i < n; i++)
		all_us += times[i];
	for (unsigned int i = COMPARE_SHARES; i > 0; i--) {
		shares[i - 1] = pow(10, -(i - 1.0) / 10);
		/* One at least, also of a damaged file in which all have no length. */
		while (n > 0 && (us == 0 || us < shares[i - 1] * all_us * (1 - 1e-9)))
			us += times[--n];
		ms[i - 1] = times[n] / 1e3;
	}
	free(times);
	return true;
}

/* --- blocks --- */

/* What a metric is a ratio of. */
struct ratio {
	enum metric metric;
	double threshold_us;   /* of a percentile: longer frames are beyond it */
	double quantile_us[2]; /* of a low: that of the group */
	bool with_freezes;     /* of FPS: frames in all drawing */
};

/* Adds a row to its block; nothing if the number is unknown there. Lows and percentiles are of
 * single frames. */
static void add_to_block(const struct ratio *ratio, enum group group, const struct window *row,
			 struct block *block)
{
	double time_s = (double)row->time_us / 1e6, stall_s = (double)row->stall_us / 1e6;
	double quantile_s = ratio->quantile_us[group] / 1e6;
	double share = compared[ratio->metric].share;
	double above, below = time_s + stall_s;

	switch (ratio->metric) {
	case METRIC_LOST_RATE:
		if (row->late == WINDOW_UNKNOWN || row->stalls == WINDOW_UNKNOWN)
			return;
		above = (double)row->late_us / 1e6 + stall_s;
		break;
	case METRIC_FPS:
		above = row->frames;
		below = time_s + (ratio->with_freezes ? stall_s : 0);
		break;
	case METRIC_LOW1_MEAN:
	case METRIC_LOW01_MEAN:
		if (row->frames == 0)
			return;
		above = share;
		below = share * quantile_s + fmax(0, time_s - quantile_s);
		break;
	case METRIC_MISSED_1000:
		if (row->missed == WINDOW_UNKNOWN)
			return;
		above = row->missed;
		below = row->frames - row->unknown;
		break;
	case METRIC_JANK_10MIN:
		above = row->jank;
		break;
	case METRIC_BIG_JANK_10MIN:
		above = row->big_jank;
		break;
	case METRIC_FREEZES_10MIN:
		if (row->stalls == WINDOW_UNKNOWN)
			return;
		above = row->stalls;
		break;
	case METRIC_STUTTER:
		above = row->jank_us / 1e6;
		break;
	default:
		above = row->frames > 0 && (double)row->time_us > ratio->threshold_us;
		below = row->frames;
		break;
	}
	block->above += above;
	block->below += below;
}

/* Cuts a run into blocks and adds them to the *@n. Returns 0 or -ENOMEM. */
static int cut(const struct ratio *ratio, const struct compared_run *run, struct block **blocks,
	       uint32_t *n)
{
	uint64_t n_rows = (uint64_t)run->n_frames + run->n_windows;
	double run_us = 0, length_s, filled_s = 0;

	for (uint64_t i = 0; i < run->n_frames; i++)
		run_us += run->frames[i].interval_us;
	for (uint64_t i = 0; i < run->n_windows; i++)
		run_us += (double)(run->windows[i].time_us + run->windows[i].stall_us);
	/* Seconds of drawing in a block: 5, as bursts of late frames are shorter; less in a short
	 * run, which else had too few of them. */
	length_s = fmin(5, fmax(1, run_us / 1e6 / 30));

	for (uint64_t i = 0; i < n_rows; i++) {
		struct window row = { .missed = WINDOW_UNKNOWN };

		if (i < run->n_frames) {
			/* As a row with one frame or freeze alone. */
			const struct compared_frame *frame = &run->frames[i];
			bool is_known = frame->vsyncs != FRAME_VSYNCS_UNKNOWN;

			if (is_frame_time(frame)) {
				row.frames = 1;
				row.time_us = frame->interval_us;
				row.late_us = frame->late_us;
			} else {
				row.stalls = 1;
				row.stall_us = frame->interval_us;
			}
			if (is_frame_time(frame) && is_known)
				row.missed = frame->vsyncs > frame->step
						     ? frame->vsyncs - frame->step
						     : 0;
			row.jank = (frame->flags & FRAME_JANK) != 0;
			row.big_jank = (frame->flags & FRAME_BIG_JANK) != 0;
			row.jank_us = row.jank ? frame->interval_us : 0;
		} else {
			row = run->windows[i - run->n_frames];
		}
		if (i == 0 || filled_s >= length_s) {
			struct block *added = array_add(blocks, n, sizeof(*added));

			if (!added)
				return -ENOMEM;
			*added = (struct block){ .run = run->run };
			filled_s = 0;
		}
		filled_s += (double)(row.time_us + row.stall_us) / 1e6;
		add_to_block(ratio, run->group, &row, &(*blocks)[*n - 1]);
	}
	return 0;
}

/* --- changes --- */

static const char missing[] = "not captured: needs frames.csv of all runs";

bool compare_can(enum metric metric)
{
	return compared[metric].scale > 0 || compared[metric].rate;
}

/* Events are few: janks, stalls, frames beyond a percentile. */
static bool is_rare(const struct change *change)
{
	return !compared[change->metric].more_is_better && change->metric != METRIC_LOST_RATE &&
	       change->metric != METRIC_STUTTER &&
	       change->of[BASE].above + change->of[NEW].above < COMPARE_EVENTS_LEAST;
}

static int compare_ratio(const struct compared_surface *surface, struct ratio ratio,
			 struct change *change)
{
	double of_frames = compared[ratio.metric].share, base;
	bool is_low = compared[ratio.metric].more_is_better;
	bool is_of_janks = ratio.metric == METRIC_JANK_10MIN ||
			   ratio.metric == METRIC_BIG_JANK_10MIN || ratio.metric == METRIC_STUTTER;

	*change = (struct change){ .metric = ratio.metric, .scale = compared[ratio.metric].scale };
	if (surface->time_s[BASE] <= 0 || surface->time_s[NEW] <= 0)
		change->why = compare_not_in[surface->time_s[BASE] <= 0 ? BASE : NEW];
	for (uint32_t i = 0; i < surface->n_runs && !change->why; i++)
		if (surface->runs[i].n_windows > 0 &&
		    (of_frames > 0 || (is_of_janks && surface->runs[i].without_janks)))
			change->why = missing;
	/* Of a low the quantile of each group; of a percentile the threshold: just above or just
	 * below it, see compare.h. */
	for (unsigned int group = BASE;
	     of_frames > 0 && group <= (is_low ? NEW : BASE) && !change->why; group++) {
		size_t n;
		uint32_t *times = sorted_times(surface, (enum group)group, false, &n);
		double rank, length_us, beyond, reached, share = of_frames * (double)n;

		if (!times) {
			change->why = missing;
			break;
		}
		if (is_low) {
			ratio.quantile_us[group] = times[n - (size_t)ceil(share)];
			free(times);
			continue;
		}
		rank = ceil((1 - of_frames) * (double)n - 1e-9);
		length_us = times[rank < 1 ? 0 : (size_t)rank - 1];
		beyond = (double)(n - count_below(times, n, length_us * (1 + SAME_LENGTH)));
		reached = (double)(n - count_below(times, n, length_us * (1 - SAME_LENGTH)));
		free(times);
		change->threshold_us = length_us;
		/* If all frames are at least as long, that share says nothing. */
		change->or_equal = beyond * reached < share * share && reached < (double)n;
		ratio.threshold_us =
			length_us * (1 + (change->or_equal ? -SAME_LENGTH : SAME_LENGTH));
	}

	for (unsigned int group = BASE; group <= NEW && !change->why; group++) {
		struct block *blocks = NULL;
		uint32_t n = 0;
		int error = 0;

		for (uint32_t i = 0; i < surface->n_runs && error == 0; i++)
			if (surface->runs[i].group == group)
				error = cut(&ratio, &surface->runs[i], &blocks, &n);
		if (error == 0)
			noise_estimate(blocks, n, &change->of[group]);
		free(blocks);
		if (error < 0)
			return error;
	}
	if (change->why)
		return 0;
	base = change->of[BASE].value;
	if (fmin(surface->time_s[BASE], surface->time_s[NEW]) < COMPARE_SECONDS_LEAST)
		change->why = "not enough data: needs 20 s of drawing in each group";
	else if (change->of[BASE].blocks < COMPARE_BLOCKS_LEAST ||
		 change->of[NEW].blocks < COMPARE_BLOCKS_LEAST)
		change->why = "not enough data: a group has too few rows to measure its noise";
	else if (isnan(base) || isnan(change->of[NEW].value))
		change->why = "not captured, or unknown in all rows of a group";
	if (change->why)
		return 0;
	change->is_known = true;
	change->excess = noise_excess(&change->of[BASE], &change->of[NEW], 1, 0);
	/* Frame rates may differ only in the digits of a learnt period: even runs have no noise
	 * that would be larger. */
	if (is_rare(change) || (compared[change->metric].more_is_better &&
				fabs(change->of[NEW].value - base) < SAME_LENGTH * base))
		change->excess = 0;
	noise_interval(&change->of[BASE], &change->of[NEW], &change->low, &change->high);
	return 0;
}

int compare_metric(const struct compared_surface *surface, enum metric metric,
		   struct change *change)
{
	struct ratio ratio = { .metric = compared[metric].rate };

	if (!ratio.metric)
		ratio.metric = metric;
	return compare_ratio(surface, ratio, change);
}

/* A freeze is a jank, too: janks, of which one group has none, are no fewer than freezes. */
static bool counts_freezes(const struct change *change)
{
	bool has_none = fmin(change->of[BASE].value, change->of[NEW].value) == 0;

	return change->metric == METRIC_LOST_RATE || change->metric == METRIC_FREEZES_10MIN ||
	       (has_none &&
		(change->metric == METRIC_JANK_10MIN || change->metric == METRIC_BIG_JANK_10MIN ||
		 change->metric == METRIC_STUTTER));
}

/* True: the noise alone does not allow that there is no change. */
static bool is_beyond(const struct change *change)
{
	bool is_one_of_several = change->metric == METRIC_LOST_RATE ||
				 change->metric == METRIC_FREEZES_10MIN ||
				 change->metric == METRIC_FPS;

	return fabs(change->excess) > (is_one_of_several ? COMPARE_BEYOND : 1);
}

/* Freezes are few, and more of them can be beyond chance where the noise of their rate is not
 * known. */
static bool differ_freezes(const struct change *change, const struct compared_verdict *verdict)
{
	double base = change->of[BASE].value, new = change->of[NEW].value;

	return counts_freezes(change) && !is_beyond(change) &&
	       ((verdict->freezes_more && new > base) || (verdict->freezes_less && new < base));
}

const char *compare_words(const struct change *change, const struct compared_verdict *verdict)
{
	bool is_less = change->of[NEW].value < change->of[BASE].value;

	if (!is_beyond(change) && !differ_freezes(change, verdict))
		return counts_freezes(change) && (verdict->doubt == DOUBT_FREEZES ||
						  verdict->doubt == DOUBT_RUNS)
			       ? "too few to rule out chance"
			       : "no difference beyond the noise";
	if (counts_freezes(change) && verdict->doubt == DOUBT_MORE)
		return "there may be more freezes";
	return is_less != compared[change->metric].more_is_better ? "better" : "worse";
}

bool compare_by_freezes(const struct change *change, const struct compared_verdict *verdict)
{
	return differ_freezes(change, verdict) && verdict->doubt != DOUBT_MORE;
}

void compare_range(char text[COMPARE_RANGE_SIZE], const struct change *change)
{
	double low = 100 * change->low, high = 100 * change->high;

	if (isfinite(high))
		snprintf(text, COMPARE_RANGE_SIZE, "%+.1f %% to %+.1f %%", low, high);
	else if (low > -100)
		snprintf(text, COMPARE_RANGE_SIZE, "at least %+.1f %%", low);
	else
		strcpy(text, "any change");
}

/* --- the verdict --- */

/* The probability of @least or more of @n, if each has the probability @p. */
static double binomial_tail(uint64_t n, uint64_t least, double p)
{
	double mean = (double)n * p, deviation = sqrt(mean * (1 - p)), sum = 0;
	uint64_t from = least;

	/* Of the counts of a damaged file the sum would take minutes. So many are distributed
	 * normally. */
	if (!(deviation <= 1000))
		return erfc(((double)least - 0.5 - mean) / deviation / sqrt(2)) / 2;
	/* Numbers that are farther from the mean have no part that could be seen. */
	if ((double)from < mean - 40 * deviation)
		from = (uint64_t)(mean - 40 * deviation);
	for (uint64_t i = from; i <= n; i++) {
		double part = exp(lgamma((double)n + 1) - lgamma((double)i + 1) -
				  lgamma((double)(n - i) + 1) + (double)i * log(p) +
				  (double)(n - i) * log1p(-p));

		sum += part;
		if ((double)i > mean && part <= sum * 1e-20)
			break;
	}
	return sum;
}

/* Freezes that there may be beside those that are counted: that no frame ended, or in waits. */
static uint64_t more_freezes(const struct grade_facts *facts)
{
	return facts->more_freezes ? 1 + facts->uncounted_ns / STATS_WAIT_NS : 0;
}

/* Student's t of the runs' freezes, as the variance of runs with a freeze more or less. */
static bool runs_agree(const struct compared_surface *surface,
		       const struct compared_verdict *verdict, enum group more)
{
	double rate[2], squares[2] = { 0, 0 }, variance = 0;

	for (unsigned int group = BASE; group <= NEW; group++)
		rate[group] = (double)verdict->freezes[group] / verdict->drawing_s[group];
	for (uint32_t i = 0; i < surface->n_runs; i++) {
		const struct compared_run *run = &surface->runs[i];
		double s = (double)grade_drawing_ns(&run->facts.sum) / 1e9;

		squares[run->group] +=
			pow((double)run->facts.sum.freezes - rate[run->group] * s, 2);
	}
	for (unsigned int group = BASE; group <= NEW; group++)
		variance += squares[group] / pow(verdict->drawing_s[group], 2) *
			    verdict->runs[group] / (verdict->runs[group] - 1);
	return rate[more] - rate[compare_other(more)] >
	       sqrt(variance) *
		       noise_quantile(NOISE_LEVEL, verdict->runs[BASE] + verdict->runs[NEW] - 2);
}

/* True: @frozen of @runs are more than by chance, beside runs without a freeze, of which as many as
 * @most have that @share of the time of these. The chance is that of an app which is the same in
 * both groups and freezes as often as makes it most likely, however its freezes are spread. */
static bool are_many(uint32_t runs, uint32_t frozen, double most, double share, double level)
{
	double chance = 0;

	for (double p = 0.005; p < 1; p += 0.005)
		chance = fmax(chance, pow(1 - p, fmin(most, share * runs)) *
					      binomial_tail(runs, frozen, p));
	return frozen > 0 && chance < level;
}

/* True: group @more freezes more than by chance. */
static bool freezes_more(const struct compared_surface *surface,
			 const struct compared_verdict *verdict, enum group more)
{
	enum group less = compare_other(more);
	const uint64_t *freezes = verdict->freezes;
	const uint32_t *runs = verdict->runs;
	const double *s = verdict->between_s, *drawing_s = verdict->drawing_s;
	uint64_t least = freezes[less] + verdict->more[less], fewest = UINT64_MAX, most = 0;
	double run_s[2], often_s;
	bool are_often;

	if (freezes[more] == 0 || !(drawing_s[less] > 0))
		return false;

	/* Every run of @more freezes more than by chance, beside that of @less which does most. So
	 * runs that are added never hide what a single one shows. */
	for (unsigned int i = BASE; i <= NEW; i++)
		run_s[i] = s[i] / runs[i];
	are_often = runs[BASE] > 1 && runs[NEW] > 1 && run_s[less] > OFTEN_TIME * run_s[more];
	for (uint32_t i = 0; i < surface->n_runs; i++) {
		const struct grade_facts *facts = &surface->runs[i].facts.sum;
		uint64_t all = facts->freezes + more_freezes(facts);

		if (surface->runs[i].group == less) {
			most = all > most ? all : most;
			continue;
		}
		fewest = facts->freezes < fewest ? facts->freezes : fewest;
		are_often &= facts->freezes >= OFTEN_LEAST ||
			     facts->freeze_ns > FAR_TIMES * facts->time_ns;
	}
	if (are_often && most == 0)
		return true;
	/* Freezes of equal runs are in one of them with its share of the time in which one may
	 * begin. */
	often_s = run_s[more] * (most > 0 ? FAR_TIMES : 1);
	if (fewest >= OFTEN_LEAST &&
	    binomial_tail(fewest + most, fewest, often_s / (often_s + run_s[less])) < EVENTS_LEVEL)
		return true;

	if (runs[BASE] < RUNS_LEAST || runs[NEW] < RUNS_LEAST)
		return false;
	if (binomial_tail(freezes[more] + least, freezes[more], s[more] / (s[more] + s[less])) <
		    NOISE_LEVEL &&
	    runs_agree(surface, verdict, more))
		return true;

	/* The other group never freezes: more runs do than by chance, or in one section. A run that
	 * is recorded for a time may freeze at any of it. */
	if (least > 0)
		return false;
	if (are_many(runs[more], verdict->frozen[more], runs[less],
		     drawing_s[less] / drawing_s[more], FREEZES_LEVEL))
		return true;
	for (uint32_t i = 0; i < surface->n_sections; i++) {
		const struct compared_section *in = &surface->sections[i];
		double in_s[2] = { grade_drawing_ns(&in->facts[BASE].sum) / 1e9,
				   grade_drawing_ns(&in->facts[NEW].sum) / 1e9 };

		if (in_s[more] < drawing_s[more] / 2 &&
		    are_many(runs[more], in->frozen[more], runs[less], in_s[less] / in_s[more],
			     SECTION_LEVEL))
			return true;
	}
	return false;
}

/* Time that a section lost more than BASE would have in the same time of drawing. */
static double lost_more(const struct compared_section *section)
{
	const struct grade_facts *base = &section->facts[BASE].sum, *new = &section->facts[NEW].sum;

	if (grade_drawing_ns(base) == 0)
		return 0;
	return (grade_lost_rate(new) - grade_lost_rate(base)) * (double)grade_drawing_ns(new);
}

/* True: @part_s, in which the app may hang, is more than 5 % of @all_s of group @more, as in its
 * grade, and far more than in the other one. */
static bool may_hang_more(const double part_s[2], const double all_s[2], enum group more)
{
	enum group less = compare_other(more);

	return part_s[more] > 0.05 * all_s[more] &&
	       part_s[more] * all_s[less] > FAR_TIMES * part_s[less] * all_s[more];
}

/* Sets the doubt about group @group, which may be the worse one. @is_better: it is better in what
 * is beyond the noise, so that it does not lose more. */
static bool has_doubt(struct compared_verdict *verdict, enum group group, bool is_better)
{
	enum group other = compare_other(group);
	double drawn_s[2], lost[2];

	for (unsigned int i = BASE; i <= NEW; i++) {
		drawn_s[i] = verdict->gap_s[i] + verdict->drawing_s[i];
		lost[i] = verdict->lost_s[i] / verdict->drawing_s[i];
	}
	verdict->doubtful = group;
	if (verdict->freezes[group] > 0 && verdict->freezes[other] == 0)
		verdict->doubt = DOUBT_FREEZES;
	else if (may_hang_more(verdict->gap_s, drawn_s, group))
		verdict->doubt = DOUBT_GAPS;
	else if (may_hang_more(verdict->missing_s, verdict->span_s, group))
		verdict->doubt = DOUBT_MISSING;
	else if (verdict->more[group] > 0 &&
		 (is_better || verdict->fps.excess > COMPARE_BEYOND ||
		  verdict->more[group] > FAR_TIMES * verdict->more[other]))
		verdict->doubt = DOUBT_MORE;
	/* Each of its runs loses more than all of the other group, and by far, but is not beyond
	 * the noise of so few runs. That is no equality. */
	else if (!is_better && verdict->lost.is_known &&
		 verdict->runs[BASE] + verdict->runs[NEW] > 2 &&
		 verdict->runs_above[group] == verdict->runs[group] &&
		 lost[group] - lost[other] > FAR_LEAST && lost[group] > FAR_TIMES * lost[other])
		verdict->doubt = DOUBT_RUNS;
	return verdict->doubt != DOUBT_NONE;
}

static int set_verdict(const struct compared_surface *surface, struct compared_verdict *verdict)
{
	const double *s = verdict->drawing_s;
	double most[2] = { 0, 0 }, lost_s[2], base_s;
	struct change drawn = { 0 };
	bool is_better, is_known, is_worse, may_be_worse;
	int error;

	*verdict = (struct compared_verdict){ .word = COMPARED_UNCLEAR };
	for (uint32_t i = 0; i < surface->n_runs; i++) {
		const struct grade_facts *facts = &surface->runs[i].facts.sum;
		enum group group = surface->runs[i].group;
		double longest_s = (double)facts->longest_freeze_ns / 1e9;

		verdict->drawing_s[group] += (double)grade_drawing_ns(facts) / 1e9;
		verdict->lost_s[group] += (double)grade_lost_ns(facts) / 1e9;
		verdict->between_s[group] += (double)facts->time_ns / 1e9;
		verdict->late_s[group] += (double)facts->late_ns / 1e9;
		verdict->gap_s[group] += (double)facts->gap_ns / 1e9;
		verdict->span_s[group] += (double)facts->span_ns / 1e9;
		verdict->missing_s[group] += (double)grade_missing_ns(facts) / 1e9;
		verdict->freezes[group] += facts->freezes;
		verdict->more[group] += more_freezes(facts);
		if (facts->more_freezes)
			verdict->more_s[group] += (double)facts->uncounted_ns / 1e9;
		verdict->frozen[group] += facts->freezes > 0;
		verdict->runs[group]++;
		verdict->longest_freeze_s[group] =
			fmax(verdict->longest_freeze_s[group], longest_s);
		most[group] = fmax(most[group], grade_lost_rate(facts));
	}
	for (uint32_t i = 0; i < surface->n_runs; i++) {
		enum group group = surface->runs[i].group;

		verdict->runs_above[group] +=
			grade_lost_rate(&surface->runs[i].facts.sum) > most[compare_other(group)];
	}
	verdict->freezes_more = freezes_more(surface, verdict, NEW);
	verdict->freezes_less = freezes_more(surface, verdict, BASE);
	error = compare_metric(surface, METRIC_LOST_RATE, &verdict->lost);
	if (error == 0)
		error = compare_metric(surface, METRIC_FPS, &verdict->fps);
	is_better = verdict->lost.excess < -COMPARE_BEYOND || verdict->freezes_less;
	is_known = verdict->lost.is_known || verdict->fps.is_known || is_better;
	/* A freeze that became a frame just below one makes FPS lower, but not the frames drawn. */
	if (error == 0 && is_better && verdict->fps.excess < -COMPARE_BEYOND)
		error = compare_ratio(surface, (struct ratio){ METRIC_FPS, .with_freezes = true },
				      &drawn);
	if (error < 0)
		return error;
	for (uint32_t i = 0; i < surface->n_sections; i++)
		if (lost_more(&surface->sections[i]) >
		    (verdict->worst ? lost_more(verdict->worst) : 0))
			verdict->worst = &surface->sections[i];
	/* It loses more, even if all waits of BASE that may be freezes are. */
	base_s = s[BASE] + verdict->more_s[BASE];
	is_worse = verdict->lost.excess > COMPARE_BEYOND &&
		   verdict->lost_s[NEW] * base_s >
			   (verdict->lost_s[BASE] + verdict->more_s[BASE]) * s[NEW];
	/* NEW freezes more often or loses more, be it within the noise: it is not better, whatever
	 * else is beyond the noise. Fewer freezes are better beside some more late frames, but not
	 * beside longer freezes. */
	for (unsigned int i = BASE; i <= NEW; i++)
		lost_s[i] = verdict->lost_s[i] - (verdict->freezes_less ? verdict->late_s[i] : 0);
	may_be_worse =
		(double)verdict->freezes[NEW] * s[BASE] > (double)verdict->freezes[BASE] * s[NEW] ||
		lost_s[NEW] * s[BASE] > lost_s[BASE] * s[NEW];
	if (verdict->freezes_more || is_worse ||
	    (is_better ? drawn : verdict->fps).excess < -COMPARE_BEYOND) {
		verdict->word = COMPARED_WORSE;
	} else if (verdict->lost.excess > COMPARE_BEYOND) {
		verdict->doubtful = BASE;
		verdict->doubt = DOUBT_MORE;
	} else if (has_doubt(verdict, NEW, is_better) || !is_known) {
		verdict->word = COMPARED_UNCLEAR;
	} else if (is_better || verdict->fps.excess > COMPARE_BEYOND) {
		verdict->word = may_be_worse ? COMPARED_UNCLEAR : COMPARED_BETTER;
	} else {
		verdict->word = has_doubt(verdict, BASE, false) ? COMPARED_UNCLEAR : COMPARED_SAME;
	}
	/* Where there is not enough data, only a freeze is told before that. */
	if (!is_known && !(verdict->doubt == DOUBT_FREEZES && s[BASE] > 0))
		verdict->doubt = DOUBT_NONE;
	return 0;
}

int compare_end(struct comparison *comparison)
{
	uint32_t n = comparison->n_surfaces;
	int error = 0;

	if (n > 0)
		qsort(comparison->surfaces, n, sizeof(*comparison->surfaces), by_time);
	comparison->verdicts = calloc(n + 1, sizeof(*comparison->verdicts));
	if (!comparison->verdicts)
		return -ENOMEM;
	for (uint32_t i = 0; i < n && error == 0; i++)
		error = set_verdict(&comparison->surfaces[i], &comparison->verdicts[i]);
	return error;
}

double compare_excess(const struct condition *condition, const struct change *change)
{
	bool is_less = condition->relation == LESS || condition->relation == LESS_OR_EQUAL;
	double factor = condition->is_relative ? 1 + condition->limit
			: condition->is_change ? 1
					       : 0;
	double add = condition->is_relative ? 0 : condition->limit / change->scale;
	double excess = noise_excess(&change->of[BASE], &change->of[NEW], factor, add);

	return is_less ? -excess : excess;
}

enum outcome compare_judge(const struct condition *condition, const struct change *change)
{
	if (!change->is_known)
		return OUTCOME_UNKNOWN;
	/* What happened is more than nothing, whatever the noise. */
	if (!condition->is_change && condition->relation == MORE && condition->limit == 0 &&
	    change->of[NEW].value > 0)
		return OUTCOME_HOLDS;
	if (is_rare(change))
		return !condition->is_change && compare_excess(condition, change) > 0
			       ? OUTCOME_UNKNOWN
			       : OUTCOME_HOLDS_NOT;
	return compare_excess(condition, change) > 1 ? OUTCOME_HOLDS : OUTCOME_HOLDS_NOT;
}

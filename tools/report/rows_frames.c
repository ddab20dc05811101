/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/rows.h"

#include <math.h>

#include "rules/base/interval.h"

/* --- frames.csv --- */

#define FRAME_COLUMNS(X)                                                                           \
	X(FRAME_PRESENT, "present(s)", 6, true)                                                    \
	X(FRAME_INTERVAL, "interval(ms)", 6, true)                                                 \
	X(FRAME_VSYNCS, "vsyncs", 0, true)                                                         \
	X(FRAME_SURFACE, "Surface", 0, true)                                                       \
	X(FRAME_LAYER, "layer", 0, true)                                                           \
	X(FRAME_APP, "app", 0, false)                                                              \
	X(FRAME_CAUSE, "cause", 0, false)                                                          \
	X(FRAME_LOST, "lost events", 0, false)                                                     \
	X(FRAME_VSYNC, "vsync(s)", 6, false)                                                       \
	X(FRAME_NUMBER, "frame number", 0, false)                                                  \
	X(FRAME_QUEUED, "queued(s)", 6, false)                                                     \
	X(FRAME_LATCHED, "latched(s)", 6, false)                                                   \
	X(FRAME_GPU_DONE, "gpu done(s)", 6, false)                                                 \
	X(FRAME_VSYNC_ID, "vsync id", 0, false)

enum frame_column { FRAME_COLUMNS(COLUMN_NUMBER) };
static const struct column frame_columns[COLUMNS_MAX] = { FRAME_COLUMNS(COLUMN_INFO) };

enum cause cause_in(struct span text)
{
	for (unsigned int i = CAUSE_NONE + 1; i < CAUSES; i++)
		if (span_equal(text, span_of(cause_names[i])))
			return (enum cause)i;
	return CAUSE_NONE;
}

/* The frames of a layer so far. Beyond LAYERS_MAX two layers may share a place, and then begin
 * anew. */
static struct layer_frames *layer_of(struct reading *reading, uint32_t name)
{
	uint64_t owner = reading->session->names.hashes[name] | 1;
	uint16_t *place = &reading->place_of_layer[name];
	struct layer_frames *layer;

	if (*place == 0 && reading->n_layers < LAYERS_MAX)
		*place = (uint16_t)++reading->n_layers;
	layer = &reading->layers[*place > 0 ? *place - 1u : owner % LAYERS_MAX];
	if (layer->owner != owner)
		*layer = (struct layer_frames){ .owner = owner, .present_us = INT64_MAX };
	return layer;
}

/* Adds the rest of the frame and keeps it, if it has a place. Those of --from and --to have places
 * of their own. */
static void keep_frame(struct reading *reading, struct kept_frame frame,
		       const struct frame_stats *stats, struct interval interval)
{
	const struct selection *selection = reading->selection;
	struct pool *frames = &reading->session->frames;
	bool is_unknown = interval.vsyncs < 0 || interval.vsyncs >= FRAME_VSYNCS_UNKNOWN;
	struct kept_frame *kept;

	if (frames->n >= FRAMES_MAX &&
	    !(selection->has_range && selection->from_us <= frame.present_us &&
	      frame.present_us < selection->to_us)) {
		frames->refused++;
		return;
	}
	kept = pool_add(frames);
	if (!kept)
		return;
	frame.packed_ns = (interval.ns < 0 ? 0 : (uint64_t)interval.ns) | stats->late_ns << 32;
	frame.vsyncs = is_unknown ? FRAME_VSYNCS_UNKNOWN : (uint16_t)interval.vsyncs;
	frame.step = interval.step < FRAME_STEP_MAX ? interval.step : FRAME_STEP_MAX;
	frame.flags =
		(uint8_t)((stats->small_jank ? FRAME_SMALL_JANK : 0) |
			  (stats->jank ? FRAME_JANK : 0) | (stats->big_jank ? FRAME_BIG_JANK : 0) |
			  (stats->stalls > 0 ? FRAME_STALL : 0) | (stats->waits ? FRAME_WAIT : 0) |
			  (stats->stalls < 0 ? FRAME_UNKNOWN : 0) | (stats->late ? FRAME_LATE : 0) |
			  (interval.ns < 0 ? FRAME_FIRST : 0));
	*kept = frame;
}

/* What the frame's interval is, if it is a wait. */
static enum wait_kind wait_in(const struct csv_row *csv, const struct surface *surface,
			      struct interval interval)
{
	const struct reading *reading = csv->reading;
	/* summary.csv counts the stalls so far, so no wait of them may be another one. */
	bool knows_stalls =
		!isnan(surface->numbers.of[METRIC_STALLS]) &&
		(double)surface->sums.frames.frames <= surface->numbers.of[METRIC_FRAMES];

	if (interval.ns < 0 || !interval_is_wait(interval))
		return WAIT_IDLE;
	if (is_stall(reading, number_in(csv, FRAME_PRESENT),
		     name_of(reading->session, surface->name)))
		return WAIT_STALL;
	return has_column(csv, FRAME_LOST) && number_in(csv, FRAME_LOST) != 0 && !knows_stalls
		       ? WAIT_UNKNOWN
		       : WAIT_IDLE;
}

/* A frame: what the interval before it was, how late it is, which time no number has; then it is
 * added to the sums of its Surface. Columns in s are read as us, those in ms as ns. */
static void read_frame(const struct csv_row *csv)
{
	struct reading *reading = csv->reading;
	struct session *session = reading->session;
	int64_t present_us = number_in(csv, FRAME_PRESENT);
	struct interval interval = { number_in(csv, FRAME_INTERVAL), count_in(csv, FRAME_VSYNCS),
				     0 };
	enum cause cause = cause_in(text_in(csv, FRAME_CAUSE));
	uint32_t layer_name = name_in(csv, FRAME_LAYER);
	struct surface *surface = surface_in_row(csv, FRAME_SURFACE, FRAME_APP);
	struct frame_stats stats = FRAME_STATS_EMPTY;
	struct uncounted uncounted = { 0 };
	struct layer_frames *layer;
	struct lateness late;
	struct sums *sums[2];
	enum wait_kind wait;
	uint32_t section, n_sums;
	uint8_t before;

	if (present_us < 0) {
		session->files[ROW_FRAMES].malformed++;
		return;
	}
	if (!surface)
		return;
	/* As jankd has it: if the render period changed in the interval, the longer one counts. */
	interval.step = step_at(reading, present_us);
	before = interval.ns > 0 ? step_at(reading, present_us - interval.ns / 1000) : 0;
	interval.step = before > interval.step ? before : interval.step;
	wait = wait_in(csv, surface, interval);

	layer = layer_of(reading, layer_name);
	if (interval.ns >= 0)
		frame_stats_add(&stats, &layer->janks, interval, 0, wait);
	/* The time went back: this frame and later ones are on another clock. */
	if (present_us < surface->last_us) {
		surface->harm.recent = (struct recent){ 0 };
		forget_uncounted(reading, surface);
	}

	late = late_follow(&layer->late, name_of(session, surface->name), 0, interval, wait);
	if (late.gap)
		drawing_gap(&surface->drawing);
	else
		drawing_add(&surface->drawing, (uint64_t)interval.ns);
	if (late.harm_ns > 0) {
		struct late_row *row =
			add_late(session, (struct late_row){
						  .time_us = present_us,
						  .harm_us = late.harm_ns / 1000,
						  .interval_us = (uint64_t)interval.ns / 1000,
						  LATE_ROW_UNKNOWN,
						  .surface = number_of_surface(session, surface),
						  .cause = (uint8_t)cause,
						  .is_stall = wait == WAIT_STALL,
					  });

		if (row) {
			row->vsync_us = number_in(csv, FRAME_VSYNC);
			row->queued_us = number_in(csv, FRAME_QUEUED);
			row->latched_us = number_in(csv, FRAME_LATCHED);
			row->gpu_done_us = number_in(csv, FRAME_GPU_DONE);
			row->frame_number = number_in(csv, FRAME_NUMBER);
			row->vsync_id = number_in(csv, FRAME_VSYNC_ID);
			row->layer = layer_name;
		}
		harm_add(&surface->harm, (uint64_t)present_us * 1000, late.harm_ns);
		if (!interval_is_wait(interval))
			frame_stats_add_late(&stats, late.harm_ns);
	}

	section = session_section(session, present_us);
	/* Time before a frame without an interval counts, but not before a layer's first one. */
	if (interval.ns < 0 && present_us > layer->present_us) {
		uint64_t before_ns = (uint64_t)layer->present_us * 1000;
		uint64_t present_ns = (uint64_t)present_us * 1000;

		uncounted = uncounted_of(reading, surface, present_us,
					 uncounted_between(before_ns, present_ns));
		surface->between_frames_ns += present_ns - before_ns;
	} else if (wait == WAIT_UNKNOWN) {
		uncounted = uncounted_of(reading, surface, present_us, (uint64_t)interval.ns);
	}
	layer->present_us = present_us;
	n_sums = sums_of(sums, reading, surface, section);
	for (uint32_t i = 0; i < n_sums; i++) {
		struct grade_facts *facts = &sums[i]->facts;

		if (late.harm_ns > 0)
			grade_add_lost(facts, cause, late.harm_ns, interval_is_wait(interval));
		grade_add_uncounted(facts, uncounted, wait == WAIT_UNKNOWN);
		frame_stats_merge(&sums[i]->frames, &stats);
		if (interval_is_frame_time(interval) && interval.vsyncs >= 0)
			sums[i]->cadences[interval.vsyncs < CADENCES_MAX ? interval.vsyncs
									 : CADENCES_MAX - 1]++;
	}
	surface->frame_rows++;
	extend(session, present_us);
	surface->first_us = surface->first_us < 0 ? present_us : surface->first_us;
	surface->last_us = present_us;
	keep_frame(reading,
		   (struct kept_frame){
			   .present_us = present_us,
			   .surface = number_of_surface(session, surface),
			   .section = (uint16_t)section,
			   .cause = cause,
		   },
		   &stats, interval);
}

const struct kind frames_kind = { ROW_FRAMES, frame_columns, read_frame, NULL };

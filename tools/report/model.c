/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/show/apps.h"
#include "tools/report/rows.h"

/* --- percentiles of frames.csv --- */

static int by_section(const void *a, const void *b)
{
	const struct section_numbers *one = a, *other = b;

	if (one->section != other->section)
		return one->section < other->section ? -1 : 1;
	return (one->surface > other->surface) - (one->surface < other->surface);
}

/* Sets the percentiles of the Surfaces in the whole session, or in its sections: of those of which
 * frames.csv has all frame times. Returns 0 or -ENOMEM. */
static int set_times(struct session *session, bool in_sections)
{
	const struct pool *frames = &session->frames;
	int64_t *keys = malloc((frames->n + 1) * sizeof(*keys));
	uint32_t *times_ns = malloc((frames->n + 1) * sizeof(*times_ns));
	size_t n = 0;

	if (!keys || !times_ns) {
		free(keys);
		free(times_ns);
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < frames->n; i++) {
		const struct kept_frame *frame = pool_at(frames, i);

		if (!(frame->flags & (FRAME_WAIT | FRAME_FIRST)))
			/* With where it belongs, so that sorting brings those of a place together.
			 */
			keys[n++] = (in_sections ? (int64_t)frame->section << 48 : 0) |
				    (int64_t)frame->surface << 32 |
				    (int64_t)kept_interval_ns(frame);
	}
	qsort(keys, n, sizeof(*keys), by_key);
	for (size_t from = 0, to; from < n; from = to) {
		int64_t place = keys[from] >> 32;
		uint64_t time_ns = 0;
		struct section_numbers key = { .section = (uint16_t)(place >> 16),
					       .surface = (uint16_t)place };
		struct surface *surface = &session->surfaces[key.surface];
		enum numbers_source source = surface->source;
		struct numbers *numbers = &surface->numbers;

		for (to = from; to < n && keys[to] >> 32 == place; to++) {
			times_ns[to] = (uint32_t)keys[to];
			time_ns += times_ns[to];
		}
		if (in_sections) {
			struct section_numbers *in =
				bsearch(&key, session->in_sections, session->n_in_sections,
					sizeof(key), by_section);

			source = in ? in->source : FROM_NOTHING;
			numbers = in ? &in->numbers : NULL;
		}
		if (source == FROM_FRAMES && (double)(to - from) == numbers->of[METRIC_FRAMES])
			numbers_set_times(numbers, times_ns + from, to - from, time_ns);
	}
	free(keys);
	free(times_ns);
	return 0;
}

/* What sums of frames.csv have, or of fps.csv. */
static void set_numbers(struct numbers *numbers, const struct sums *sums, bool from_frames)
{
	double *of = numbers->of;
	unsigned int most = 0;
	uint64_t all = 0;

	numbers_set_stats(numbers, from_frames ? &sums->frames : &sums->windows);
	/* The most frequent number of vsyncs, the smallest of several. */
	for (unsigned int i = 0; from_frames && i < CADENCES_MAX; i++) {
		all += sums->cadences[i];
		if (sums->cadences[i] > sums->cadences[most])
			most = i;
	}
	if (all > 0) {
		of[METRIC_CADENCE] = most;
		of[METRIC_OFF_CADENCE] = (double)(all - sums->cadences[most]);
	}
	if (from_frames)
		return;
	/* What rows of fps.csv do not have. */
	of[METRIC_SMALL_JANK] = NAN;
	if (!(of[METRIC_STALLS] == 0))
		of[METRIC_LONGEST] = NAN;
	if (sums->without_late)
		of[METRIC_LATE] = of[METRIC_LATE_TIME] = of[METRIC_LOST_RATE] = NAN;
	if (sums->without_janks) {
		of[METRIC_JANK] = of[METRIC_BIG_JANK] = of[METRIC_STUTTER] = NAN;
		of[METRIC_JANK_10MIN] = of[METRIC_BIG_JANK_10MIN] = NAN;
	}
}

/* --- the whole session --- */

/* True: frames.csv has all frames that are counted. */
static bool has_all_frames(const struct surface *surface)
{
	return surface->frame_rows > 0 &&
	       (double)surface->sums.frames.frames >= surface->numbers.of[METRIC_FRAMES];
}

static enum app_class given_class(const struct session *session)
{
	const char *name = session_json_text(session, "options", "class");
	unsigned int i = 0;

	while (name && ++i < APP_CLASSES)
		if (strcmp(name, app_class_names[i]) == 0)
			return (enum app_class)i;
	return APP_CLASS_UNKNOWN;
}

/* The numbers and, without summary.csv, the verdict. */
static void set_whole(const struct session *session, struct surface *surface)
{
	const struct frame_stats *frames = &surface->sums.frames, *rows = &surface->sums.windows;
	double *of = surface->numbers.of;
	bool from_rows, knows_harm, has_all;

	if (surface->source != FROM_SUMMARY) {
		if (surface->frame_rows > 0 && frames->frames >= rows->frames)
			surface->source = FROM_FRAMES;
		else if (rows->frames + rows->waits > 0)
			surface->source = FROM_WINDOWS;
		if (surface->source != FROM_NOTHING)
			set_numbers(&surface->numbers, &surface->sums,
				    surface->source == FROM_FRAMES);
	}
	from_rows = surface->source == FROM_WINDOWS;
	if (from_rows && rows->lost >= 0)
		of[METRIC_LOST] = (double)rows->lost;
	/* Without events.csv its waits may be stalls: rows of fps.csv count them. */
	if (surface->source == FROM_FRAMES && session->files[ROW_EVENTS].rows == 0) {
		bool is_known = rows->frames + rows->waits > 0 && rows->stalls >= 0;

		of[METRIC_STALLS] = is_known ? (double)rows->stalls : NAN;
		of[METRIC_STALL_TIME] = is_known ? (double)(rows->stall_ns / 1000) / 1e6 : NAN;
		if (!(of[METRIC_STALLS] == 0))
			of[METRIC_LONGEST] = of[METRIC_LOST_RATE] = NAN;
	}

	/* Rows of fps.csv are enough for a class that was given, but not to learn it; and not to
	 * say that it never drew continuously for so long, as a row with one long frame or of two
	 * bursts is none of those that do. */
	if (surface->source == FROM_FRAMES || (from_rows && given_class(session))) {
		struct drawing drawing =
			drawing_sum(from_rows ? &surface->rows_drawing : &surface->drawing);
		struct verdict_facts facts = {
			.given = given_class(session),
			.surface = name_of(session, surface->name),
			.cadence = isnan(of[METRIC_CADENCE]) ? ROW_UNKNOWN
							     : (int64_t)of[METRIC_CADENCE],
			.off_cadence = isnan(of[METRIC_OFF_CADENCE])
					       ? ROW_UNKNOWN
					       : (int64_t)of[METRIC_OFF_CADENCE],
			.frames = frames->frames - frames->unknown,
			.drawing_frames = drawing.frames,
			.drawing_time_ns = drawing.time_ns,
		};

		for (unsigned int i = 0; from_rows && i < CADENCES_MAX; i++)
			if (surface->row_cadences[i] > 0)
				facts.cadence = 1;
		verdict_write(surface->verdict, &facts);
	}
	if (from_rows && strncmp(surface->verdict, "n/a", 3) == 0)
		surface->verdict[0] = '\0';

	/* Without its frames, no harm is not known to be none. */
	knows_harm = session->harm_source == FROM_WINDOWS ||
		     (session->harm_source == FROM_FRAMES && surface->frame_rows > 0);
	has_all = has_all_frames(surface);
	surface->has_all_harm = knows_harm && (session->harm_source == FROM_WINDOWS || has_all);
	/* Files of before these columns. */
	if (knows_harm && isnan(of[METRIC_LATE])) {
		int64_t longest_ns = frame_stats_longest(frames);

		of[METRIC_LATE] = (double)surface->sums.facts.late;
		of[METRIC_LATE_TIME] = (double)(surface->sums.facts.late_ns / 1000) / 1e6;
		if (has_all)
			of[METRIC_UNKNOWN] = (double)frames->unknown;
		if (has_all && longest_ns >= 0)
			of[METRIC_LONGEST] = (double)(longest_ns / 1000) / 1e3;
	}
	numbers_derive(&surface->numbers);
}

/* --- grades --- */

static uint64_t ns_of(double seconds)
{
	return isnan(seconds) ? 0 : (uint64_t)(seconds * 1e9 + 0.5);
}

static uint64_t count_of(double value)
{
	return isnan(value) ? 0 : (uint64_t)value;
}

/* Adds the numbers to what late frames, stalls and gaps say. Where late frames are not known, as
 * in files of 2019, there is no grade. */
static enum grade complete_facts(struct grade_facts *facts, const struct numbers *numbers,
				 const char *verdict, const struct sums *sums)
{
	const struct ended_stalls *in_rows = &sums->in_rows, *in_events = &sums->in_events;
	const double *of = numbers->of;
	uint64_t longest_ns = later(in_rows->longest_ns, in_events->longest_ns);

	facts->frames = count_of(of[METRIC_FRAMES]);
	facts->time_ns = ns_of(of[METRIC_TIME]);
	facts->wait_ns = ns_of(of[METRIC_WAITING]);
	facts->unknown = count_of(of[METRIC_UNKNOWN]);
	facts->fails_rule = strncmp(verdict, "fail", 4) == 0;
	if (!isnan(of[METRIC_LATE])) {
		facts->late = count_of(of[METRIC_LATE]);
		facts->late_ns = ns_of(of[METRIC_LATE_TIME]);
	}
	if (!isnan(of[METRIC_STALLS])) {
		facts->freezes = count_of(of[METRIC_STALLS]) + facts->endless;
		facts->freeze_ns = ns_of(of[METRIC_STALL_TIME]) + facts->endless_ns;
		if (of[METRIC_STALLS] > 0)
			longest_ns = later(longest_ns, ns_of(of[METRIC_LONGEST] / 1e3));
	} else {
		/* The columns do not say how many waits are stalls, as lost events may have shown
		 * one: those that are known count, of the file that has most of them. */
		const struct ended_stalls *in = in_events->n > in_rows->n ? in_events : in_rows;
		uint64_t unclear_ns = since(since(in_rows->ns, in->ns), in_rows->unclear_ns);

		if (in->n > facts->freezes - facts->endless) {
			facts->freezes = in->n + facts->endless;
			facts->freeze_ns = in->ns + facts->endless_ns;
		}
		/* frames.csv says which waits these are. */
		if (!facts->more_freezes)
			grade_add_uncounted(facts, (struct uncounted){ unclear_ns, 0 }, true);
	}
	if (facts->freezes > facts->endless)
		facts->longest_freeze_ns = later(facts->longest_freeze_ns, longest_ns);
	if (isnan(of[METRIC_LATE]) && facts->unknown < facts->frames)
		return GRADE_NONE;
	return grade_of(facts);
}

/* Time that is missing in a section. */
static uint64_t missing_in(const struct session *session, const struct section *section)
{
	uint64_t sum_us = 0;

	for (uint64_t i = 0; i < session->missing.n; i++) {
		const struct missing *missing = pool_at(&session->missing, i);
		int64_t from_us = missing->from_us, to_us = missing->to_us;

		from_us = from_us < section->from_us ? section->from_us : from_us;
		to_us = to_us > section->to_us ? section->to_us : to_us;
		sum_us += to_us > from_us ? (uint64_t)(to_us - from_us) : 0;
	}
	return sum_us * 1000;
}

/* A time of events.csv at which events were lost, and the frames around it, but for those that may
 * have been presented a little later than their events. */
struct loss_time {
	int64_t at_us, before_us, after_us;
	int64_t hole_us;	/* that ended then, as the event says; 0: it does not say it */
	bool is_said;		/* no frame is in that hole; else the hole is a guess */
	int64_t from_us, to_us; /* the hole */
};

#define LOSSES_MAX 100
#define PRESENTED_LATER_US 100000

/* There is a frame at both times, and nothing was drawn for @quiet_us between them. */
static void draw_around(struct loss_time *losses, uint32_t n, int64_t from_us, int64_t to_us,
			int64_t quiet_us)
{
	for (uint32_t i = 0; i < n; i++) {
		int64_t at_us = losses[i].at_us, before_us = to_us, after_us = from_us;

		if (to_us >= at_us - PRESENTED_LATER_US)
			before_us = at_us - quiet_us;
		if (from_us <= at_us + PRESENTED_LATER_US)
			after_us = at_us + quiet_us;
		if (from_us < at_us - PRESENTED_LATER_US && before_us > losses[i].before_us)
			losses[i].before_us = before_us;
		if (to_us > at_us + PRESENTED_LATER_US && after_us < losses[i].after_us)
			losses[i].after_us = after_us;
	}
}

static bool is_loss(const struct session *session, const struct event *event)
{
	return strcmp(name_of(session, event->kind), "lost") == 0 &&
	       strstr(name_of(session, event->text), "events lost");
}

/* Finds the holes at the losses of events.csv: where no frame is. Returns their number; 0: the
 * files do not show them, and what events.csv says of them stays. */
static uint32_t find_holes(struct session *session, struct loss_time losses[LOSSES_MAX])
{
	const struct pool *frames = &session->frames, *windows = &session->windows;
	uint32_t n = 0;

	for (uint64_t i = 0; i < session->events.n && n < LOSSES_MAX; i++) {
		const struct event *event = pool_at(&session->events, i);

		if (is_loss(session, event) && event->time_us >= 0 &&
		    (n == 0 || event->time_us != losses[n - 1].at_us))
			losses[n++] = (struct loss_time){ .at_us = event->time_us,
							  .before_us = session->first_us,
							  .after_us = session->last_us };
	}
	if (frames->refused > 0 || frames->n + windows->n == 0 || n == LOSSES_MAX)
		return 0;
	for (uint64_t i = 0; i < session->missing.n; i++) {
		const struct missing *missing = pool_at(&session->missing, i);

		for (uint32_t j = 0; j < n; j++)
			if (losses[j].at_us == missing->to_us)
				losses[j].hole_us = missing->to_us - missing->from_us;
	}
	session->missing.n = 0;
	for (uint64_t i = 0; i < frames->n; i++) {
		const struct kept_frame *frame = pool_at(frames, i);

		draw_around(losses, n, frame->present_us, frame->present_us, 0);
	}
	for (uint64_t i = 0; frames->n == 0 && i < windows->n; i++) {
		const struct window *row = pool_at(windows, i);
		int64_t quiet_us = row->end_us - row->start_us - (int64_t)row->time_us;

		draw_around(losses, n, row->start_us, row->end_us, quiet_us > 0 ? quiet_us : 0);
	}

	/* Of a trace as text the losses are known where the hole begins, and its length with the
	 * next loss, or at the end. Then the hole is before or behind the loss: where no frame is.
	 */
	for (uint32_t i = 0; i < n; i++) {
		struct loss_time *loss = &losses[i];
		int64_t before_us = loss->at_us - loss->before_us;
		int64_t behind_us = loss->after_us - loss->at_us;
		bool is_before = before_us > behind_us;

		/* A short one fits into each time between frames. */
		loss->is_said = loss->hole_us > 0 &&
				(behind_us < 2 * PRESENTED_LATER_US ||
				 (loss->hole_us > 2 * PRESENTED_LATER_US &&
				  before_us >= loss->hole_us - 2 * PRESENTED_LATER_US));
		loss->from_us = loss->is_said ? loss->at_us - loss->hole_us
				: is_before   ? loss->before_us
					      : loss->at_us;
		loss->to_us = loss->is_said || is_before ? loss->at_us : loss->after_us;
		/* A text may begin with a loss, which has no time. */
		if (loss->from_us < session->first_us)
			loss->from_us = session->first_us;
	}
	return n;
}

/* What the capture counted, or what events.csv says. */
static void set_missing(struct session *session)
{
	const struct section all = { .from_us = INT64_MIN, .to_us = INT64_MAX };
	struct loss_time losses[LOSSES_MAX];
	uint32_t n = find_holes(session, losses), guesses = 0;
	int64_t ms = session_missing_ms(session), said_us = 0, guess_us = 0;
	int64_t left_us[2]; /* for guesses, for what is said */
	bool with_guesses = true;
	uint64_t found_ns;

	/* Several CPUs lose the events of one hole: of each is left what others do not have, which
	 * are said, or come before it. */
	for (uint32_t i = 0; i < 2 * n; i++) {
		struct loss_time *loss = &losses[i % n];

		if (loss->is_said != (i < n))
			continue;
		for (uint32_t j = 0; j < n; j++) {
			const struct loss_time *other = &losses[j];
			bool is_better = other->is_said && !loss->is_said;

			if ((!is_better && (j >= i % n || other->is_said != loss->is_said)) ||
			    other->to_us == other->from_us || other->to_us <= loss->from_us ||
			    other->from_us >= loss->to_us)
				continue;
			if (is_better && other->from_us > loss->from_us)
				loss->to_us = other->from_us;
			else
				loss->from_us = other->to_us;
		}
		if (loss->to_us - loss->from_us < (loss->is_said ? 1 : 2 * PRESENTED_LATER_US))
			loss->from_us = loss->to_us;
		guesses += !loss->is_said && loss->to_us > loss->from_us;
		*(loss->is_said ? &said_us : &guess_us) += loss->to_us - loss->from_us;
	}

	/* Without a number of the capture a guess may be idle time: where jankd graded an app GOOD,
	 * not much is missing. */
	left_us[1] = ms >= 0 ? ms * 1000 : INT64_MAX;
	left_us[0] = left_us[1] - said_us;
	for (uint32_t i = 0; ms < 0 && i < session->n_surfaces; i++)
		with_guesses &= session->surfaces[i].said != GRADE_GOOD;
	/* Some of them are idle time, and nothing says which. */
	if (guesses > 1 && guess_us - left_us[0] > 2 * PRESENTED_LATER_US * (int64_t)guesses)
		with_guesses = false;
	for (uint32_t i = 0; i < n; i++) {
		struct loss_time *loss = &losses[i];
		int64_t most = left_us[loss->is_said];
		struct missing *missing;

		if (loss->to_us <= loss->from_us || most <= 0 || !(loss->is_said || with_guesses))
			continue;
		if (loss->to_us - loss->from_us > most && loss->to_us == loss->at_us)
			loss->from_us = loss->to_us - most;
		else if (loss->to_us - loss->from_us > most)
			loss->to_us = loss->from_us + most;
		left_us[loss->is_said] -= loss->to_us - loss->from_us;
		missing = pool_add(&session->missing);
		if (missing)
			*missing = (struct missing){ loss->from_us, loss->to_us };
	}

	found_ns = missing_in(session, &all);
	session->missing_ns = ms >= 0 ? (uint64_t)ms * 1000000 : found_ns;
	session->unplaced_ns = since(found_ns, session->missing_ns);
	for (uint64_t i = 0; session->n_sections > 0 && i < session->events.n; i++) {
		const struct event *event = pool_at(&session->events, i);

		if (is_loss(session, event))
			session->sections[session_section(session, event->time_us)].has_loss = true;
	}
}

/* Rows that are left have their events; summary.csv counts those that --keep removed, too. */
static bool lacks_events(const struct session *session, const struct surface *surface)
{
	return session->files[ROW_EVENTS].rows == 0 ||
	       (session->lacks_events && surface->source == FROM_SUMMARY);
}

/* What was lost without a cause in the files has an unknown one. */
static void add_uncaused(struct grade_facts *facts)
{
	uint64_t n = facts->late + facts->freezes, ns = grade_lost_ns(facts);

	for (unsigned int i = CAUSE_NONE + 1; i < CAUSES; i++) {
		n = since(facts->causes[i], n);
		ns = since(facts->cause_ns[i], ns);
	}
	if (n == 0)
		return;
	facts->causes[CAUSE_UNKNOWN] += n;
	facts->cause_ns[CAUSE_UNKNOWN] += ns;
}

static void set_grade(const struct session *session, struct surface *surface)
{
	surface->facts = surface->sums.facts;
	surface->facts.missing_ns = session->missing_ns;
	surface->facts.span_ns = session_span_ns(session);
	if (surface->frame_rows == 0)
		surface->facts.uncounted_ns += surface->sums.in_rows.between_ns;
	surface->grade = surface->source == FROM_NOTHING
				 ? GRADE_NONE
				 : complete_facts(&surface->facts, &surface->numbers,
						  surface->verdict, &surface->sums);
	/* Only these files say how long the holes are: all Surfaces have the same ones. */
	if (!session->json && session->files[ROW_EVENTS].rows == 0)
		surface->facts.missing_ns =
			later(surface->facts.missing_ns, later(surface->sums.in_rows.uncounted_ns,
							       surface->between_frames_ns));
	if (surface->grade != GRADE_NONE)
		surface->grade = grade_of(&surface->facts);
	/* Only events.csv has freezes that no frame ended, and gaps. What was GOOD had none. */
	if (lacks_events(session, surface) && surface->said != GRADE_GOOD)
		surface->facts.more_freezes = true;
	if (surface->grade != GRADE_NONE &&
	    (lacks_events(session, surface) || surface->said == GRADE_INCOMPLETE ||
	     (surface->said && surface->facts.more_freezes))) {
		struct grade_facts facts = surface->facts;

		/* Without events.csv, freezes that no frame ended and unexplained gaps are not
		 * known. The grade in summary.csv is of all; without it a wait may be a gap, or
		 * idle. */
		facts.gap_ns = grade_idle_ns(&facts);
		surface->facts.at_most = surface->said			     ? surface->said
					 : grade_of(&facts) == GRADE_UNCLEAR ? GRADE_UNCLEAR
									     : GRADE_NONE;
		/* What the files show is graded by them. */
		if (surface->facts.at_most >= surface->grade)
			surface->facts.at_most = GRADE_NONE;
		surface->grade = grade_of(&surface->facts);
	}
	if (session->harm_source != FROM_NOTHING)
		add_uncaused(&surface->facts);
	numbers_set_grade(&surface->numbers, &surface->facts, surface->grade);
	surface->has_package =
		app_has_surface(name_of(session, surface->app), name_of(session, surface->name));
}

/* --- apps --- */

/* In the order of the apps; in each the judged one first, then by time lost, then by drawing. */
static int by_app(const void *a, const void *b)
{
	const struct surface *first = a, *second = b;
	uint64_t lost = grade_lost_ns(&first->facts), other_lost = grade_lost_ns(&second->facts);
	uint64_t drew = grade_drawing_ns(&first->facts),
		 other_drew = grade_drawing_ns(&second->facts);

	if (first->app_number != second->app_number)
		return first->app_number < second->app_number ? -1 : 1;
	if (first->is_judged != second->is_judged)
		return first->is_judged ? -1 : 1;
	if (lost != other_lost)
		return lost > other_lost ? -1 : 1;
	if (drew != other_drew)
		return drew > other_drew ? -1 : 1;
	return first->order < second->order ? -1 : 1;
}

static int by_harm(const void *a, const void *b)
{
	const struct late_row *one = a, *other = b;

	if (one->harm_us != other->harm_us)
		return one->harm_us > other->harm_us ? -1 : 1;
	if (one->harm_us == 0 && one->interval_us != other->interval_us)
		return one->interval_us > other->interval_us ? -1 : 1;
	if (one->time_us != other->time_us)
		return one->time_us < other->time_us ? -1 : 1;
	return (one->surface > other->surface) - (one->surface < other->surface);
}

/* Adds a Surface to its app in @apps, of which there are *@n. The one that draws longest comes
 * first. */
static void add_to_app(const struct reading *reading, struct graded_app *apps, uint32_t *n,
		       uint16_t section, uint16_t number, const struct grade_facts *facts)
{
	const struct session *session = reading->session;
	const struct surface *surface = &session->surfaces[number];
	struct graded_app *app = apps;
	struct graded_app one;
	struct grade_facts part = *facts;

	while (app < apps + *n && app->app != surface->app)
		app++;
	if (app == apps + *n) {
		(*n)++;
		*app = (struct graded_app){ .app = surface->app,
					    .name = reading->selection->surface ? surface->name
										: surface->app,
					    .section = section,
					    .surface = number };
	} else {
		app->name = surface->app;
	}
	/* What jankd said of a Surface and the files at hand do not show: of its app, too, if that
	 * is the judged one. Of another one only that it froze, or how much is unknown. */
	if (!surface->is_judged && part.at_most >= GRADE_BAD && part.at_most <= GRADE_FAIR)
		part.at_most = GRADE_FAIR;
	else if (!surface->is_judged && part.at_most != GRADE_INCOMPLETE &&
		 !(part.at_most == GRADE_UNCLEAR && lacks_events(session, surface)))
		part.at_most = GRADE_NONE;
	grade_add(&app->facts, &part);
	app->has_activity |=
		app_has_activity(name_of(session, surface->app), name_of(session, surface->name));
	if (surface->is_judged)
		app->surface = number;
	app->facts.fails_rule = session->surfaces[app->surface].facts.fails_rule;
	app->grade = grade_of(&app->facts);
	one = *app;
	for (; app > apps && app_comes_before(session_app_place(session, &one),
					      session_app_place(session, app - 1));
	     app--)
		*app = app[-1];
	*app = one;
}

/* The apps, and the Surfaces in their order. */
static int set_apps(const struct reading *reading)
{
	struct session *session = reading->session;
	struct surface *all = session->surfaces;
	uint32_t n = session->n_surfaces;
	uint16_t now[SURFACES_MAX];
	/* By the name of an app, from 1: the Surface that is judged, and the app's number. */
	uint32_t *judged = calloc(session->names.n, sizeof(*judged));
	uint32_t *numbers = calloc(session->names.n, sizeof(*numbers));

	session->apps = calloc(n + 1, sizeof(*session->apps));
	if (!judged || !numbers || !session->apps) {
		free(judged);
		free(numbers);
		return -ENOMEM;
	}
	/* The one that draws longest is judged: its app has its frame rate. */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *of_app = &judged[all[i].app];
		const struct surface *one = &all[i], *so_far = &all[*of_app > 0 ? *of_app - 1 : i];
		bool is_longer = grade_drawing_ns(&one->facts) > grade_drawing_ns(&so_far->facts);

		if (one->is_shown != so_far->is_shown)
			is_longer = one->is_shown;
		else if (one->has_package != so_far->has_package)
			is_longer = one->has_package;
		if (*of_app == 0 || is_longer)
			*of_app = i + 1;
	}
	for (uint32_t i = 0; i < n; i++)
		all[i].is_judged = judged[all[i].app] == i + 1;
	for (uint32_t i = 0; i < n; i++)
		if (all[i].has_package && all[i].is_shown && all[i].grade != GRADE_NONE)
			add_to_app(reading, session->apps, &session->n_apps, 0, (uint16_t)i,
				   &all[i].facts);
	for (uint32_t i = 0; i < session->n_apps; i++)
		numbers[session->apps[i].app] = i + 1;
	for (uint32_t i = 0; i < n; i++)
		all[i].app_number = (all[i].has_package ? numbers[all[i].app] : 0) - 1;
	free(judged);
	free(numbers);

	if (n > 0)
		qsort(all, n, sizeof(*all), by_app);
	for (uint32_t i = 0; i < n; i++)
		now[all[i].order - 1] = (uint16_t)i;
	for (uint64_t i = 0; i < session->windows.n; i++) {
		struct window *window = pool_at(&session->windows, i);

		window->surface = now[window->surface];
	}
	for (uint64_t i = 0; i < session->frames.n; i++) {
		struct kept_frame *frame = pool_at(&session->frames, i);

		frame->surface = now[frame->surface];
	}
	for (uint32_t i = 0; i < session->n_late; i++)
		session->late[i].surface = now[session->late[i].surface];
	qsort(session->late, session->n_late, sizeof(*session->late), by_harm);
	for (uint32_t i = 0; i < session->n_apps; i++)
		session->apps[i].surface = now[session->apps[i].surface];
	for (uint32_t i = 0; i < reading->n_sums; i++)
		reading->sums[i].surface = now[reading->sums[i].surface];
	/* Of many sessions, each has the memory of those that it has. */
	all = realloc(all, (n + 1) * sizeof(*all));
	if (all)
		session->surfaces = all;
	return 0;
}

/* What late frames and freezes say of apps, if no file says how long they drew. */
static int set_ungraded(const struct reading *reading)
{
	struct session *session = reading->session;
	const struct selection *selection = reading->selection;
	uint32_t n = 0;

	session->ungraded = calloc(session->n_surfaces + 1, sizeof(*session->ungraded));
	if (!session->ungraded)
		return -ENOMEM;
	for (uint32_t i = 0; session->n_apps == 0 && i < session->n_surfaces; i++) {
		struct graded_app app = { .app = session->surfaces[i].app };
		const char *name = name_of(session, app.app);

		if (!session->surfaces[i].is_judged) /* one of each app is */
			continue;
		for (uint32_t j = 0; j < session->n_surfaces; j++) {
			const struct surface *surface = &session->surfaces[j];

			if (surface->app != app.app || !surface->has_package ||
			    surface->source != FROM_NOTHING ||
			    !select_surface(selection, name_of(session, surface->name), name))
				continue;
			grade_add(&app.facts, &surface->facts);
			app.has_activity |= app_has_activity(name, name_of(session, surface->name));
		}
		if (grade_lost_ns(&app.facts) == 0 ||
		    !(selection->app || app_is_used(session_app_place(session, &app))))
			continue;
		session->ungraded[n] = app;
		if (grade_lost_ns(&app.facts) > grade_lost_ns(&session->ungraded[0].facts)) {
			session->ungraded[n] = session->ungraded[0];
			session->ungraded[0] = app;
		}
		n++;
	}
	session->n_ungraded = n;
	return 0;
}

/* --- sections --- */

static int by_surface(const void *a, const void *b)
{
	const struct section_sum *one = a, *other = b;

	if (one->surface != other->surface)
		return one->surface < other->surface ? -1 : 1;
	return (one->section > other->section) - (one->section < other->section);
}

/* The numbers of each Surface in each section, and the apps there. */
static int set_sections(const struct reading *reading)
{
	struct session *session = reading->session;
	struct section_sum *sums = reading->sums;
	struct graded_app *in_section;
	uint32_t n_sums = reading->n_sums, n_apps = 0;

	session->in_sections = calloc(n_sums + 1, sizeof(*session->in_sections));
	session->in_section_apps = calloc(n_sums + 1, sizeof(*session->in_section_apps));
	if (!session->in_sections || !session->in_section_apps)
		return -ENOMEM;
	if (n_sums > 0)
		qsort(sums, n_sums, sizeof(*sums), by_surface);
	for (uint32_t i = 0, n; i < n_sums; i += n) {
		const struct surface *surface = &session->surfaces[sums[i].surface];
		uint64_t in_frames = 0, in_windows = 0;
		bool from_frames;

		/* Sections of a Surface are joined by rows that cross marks: a row may cross one
		 * that soon follows another. */
		for (n = 1; i + n < n_sums && sums[i + n - 1].is_crossed &&
			    sums[i + n].surface == sums[i].surface;)
			n++;
		for (uint32_t j = i; j < i + n; j++) {
			const struct sums *in = &sums[j].sums;

			in_frames += in->frames.frames + in->frames.waits;
			in_windows += in->windows.frames + in->windows.waits;
		}
		/* frames.csv may have been written for a part of them. */
		from_frames = in_frames >= in_windows ||
			      (has_all_frames(surface) &&
			       surface->sums.frames.frames >= surface->sums.windows.frames);
		for (uint32_t j = i; j < i + n; j++) {
			struct section_numbers *in = &session->in_sections[j];
			const struct section *section = &session->sections[sums[j].section];
			bool is_last = sums[j].section + 1u == session->n_sections;
			int64_t from_us =
				sums[j].section > 0 ? section->from_us : session->first_us;
			int64_t to_us = is_last ? session->last_us : section->to_us;

			*in = (struct section_numbers){
				.section = sums[j].section,
				.surface = sums[j].surface,
				.source = from_frames ? FROM_FRAMES : FROM_WINDOWS,
				.facts = sums[j].sums.facts,
			};
			numbers_clear(&in->numbers);
			set_numbers(&in->numbers, &sums[j].sums, from_frames);
			numbers_derive(&in->numbers);
			in->facts.missing_ns = missing_in(session, section);
			if (section->has_loss)
				in->facts.missing_ns += session->unplaced_ns;
			in->facts.span_ns =
				to_us > from_us ? (uint64_t)(to_us - from_us) * 1000 : 0;
			if (!from_frames)
				in->facts.uncounted_ns += sums[j].sums.in_rows.between_ns;
			/* The rate that its class needs is judged in the whole session: a section
			 * has that answer, as its app has. */
			in->grade = complete_facts(&in->facts, &in->numbers, surface->verdict,
						   &sums[j].sums);
			if (from_frames)
				add_uncaused(&in->facts);
			numbers_set_grade(&in->numbers, &in->facts, in->grade);
		}
	}
	session->n_in_sections = n_sums;
	qsort(session->in_sections, n_sums, sizeof(*session->in_sections), by_section);

	in_section = session->in_section_apps;
	for (uint32_t i = 0; i < n_sums; i++) {
		const struct section_numbers *in = &session->in_sections[i];
		const struct surface *surface = &session->surfaces[in->surface];

		if (i > 0 && in->section != session->in_sections[i - 1].section) {
			in_section += n_apps;
			n_apps = 0;
		}
		if (surface->has_package && surface->is_shown && in->grade != GRADE_NONE)
			add_to_app(reading, in_section, &n_apps, in->section, in->surface,
				   &in->facts);
	}
	session->n_in_section_apps = (uint32_t)(in_section - session->in_section_apps) + n_apps;
	return set_times(session, true);
}

/* --- what is missing --- */

static uint64_t rows_of(const struct session *session, enum csv_file_kind file)
{
	return session->files[file].rows;
}

static const char *why_no_rows(const struct session *session, enum csv_file_kind file)
{
	return session->files[file].segments > 0 ? "has no rows" : "is missing";
}

static void report_missing(struct session *session)
{
	int64_t type = session_json_number(session, "options", "type");

	if (session->is_2019) {
		session_notice(session, "files of the 2019 program, or of --rules gfx2019: no "
					"percentiles, no jank, no grade; capture with jankd and "
					"without --rules to get them");
		return;
	}
	if (session->has_clocks)
		session_notice(session,
			       "the trace's clock stepped back: its times, and those of charts, do "
			       "not show what was earlier");
	if (!session->json && session->files[CSV_SESSION].left_out == 0)
		session_notice(
			session,
			"session.json is missing: device, options and lost events are unknown");
	if (rows_of(session, CSV_SUMMARY) == 0)
		session_notice(session, "summary.csv %s%s", why_no_rows(session, CSV_SUMMARY),
			       rows_of(session, ROW_FRAMES) > 0
				       ? ": the numbers of the whole session are computed from "
					 "frames.csv, or from fps.csv where that has more frames"
			       : rows_of(session, ROW_FPS) == 0 ? ""
			       : given_class(session)
				       ? ": the numbers of the whole session are computed from "
					 "fps.csv, so there are no percentiles"
				       : ": the numbers of the whole session are computed from "
					 "fps.csv, so there are no percentiles and no 55 fps rule");
	if (rows_of(session, ROW_FPS) == 0)
		session_notice(session, "fps.csv %s%s", why_no_rows(session, ROW_FPS),
			       type >= 3 ? ": -T 3 and 4 do not write it" : "");
	if (rows_of(session, ROW_FRAMES) == 0)
		session_notice(
			session, "frames.csv %s: %s%s", why_no_rows(session, ROW_FRAMES),
			session->harm_source == FROM_WINDOWS
				? "causes and moments come from dropFrames.csv, sections are "
				  "sums of whole rows of fps.csv without percentiles"
				: "causes and moments are unknown, sections are sums of whole rows "
				  "of fps.csv without percentiles",
			session->files[ROW_FRAMES].segments > 0 ? ""
								: "; capture with --frames-log");
	if (session->harm_source == FROM_WINDOWS && type != 2 && type != 4)
		session_notice(session,
			       "dropFrames.csv has only intervals of 42 ms or more: "
			       "shorter ones have no cause and no moment; capture with -T 2");
	if (rows_of(session, ROW_EVENTS) == 0)
		session_notice(session,
			       "events.csv %s: marks, %sfreezes that no frame ended and "
			       "unexplained gaps are unknown",
			       why_no_rows(session, ROW_EVENTS),
			       session->harm_source == FROM_FRAMES ? "causes of freezes, " : "");
	else if (session->lacks_events && session->start_us < 0)
		session_notice(session,
			       "events.csv lacks its first segments: not pulled, or removed by "
			       "--keep or --min-free; their marks, freezes that no frame ended and "
			       "unexplained gaps are unknown");
}

/* Frames that are not in the files, what has no space, and what becomes of it. */
static void report_limits(const struct reading *reading)
{
	struct session *session = reading->session;
	const struct {
		uint64_t n;
		int kept;
		const char *of, *rest;
	} limits[] = {
		{ session->windows.refused, WINDOWS_MAX, "rows of fps.csv", "left out" },
		{ session->frames.refused, FRAMES_MAX, "rows of frames.csv",
		  "sections with these rows have no percentiles" },
		{ session->events.refused, EVENTS_MAX, "rows of events.csv", "left out" },
		{ session->surfaces_refused, SURFACES_MAX, "rows of Surfaces", "left out" },
		{ reading->sums_refused, SECTION_SUMS_MAX, "rows of Surfaces in sections",
		  "left out of the sections" },
		{ session->captured_refused, CAPTURED_MAX, "rows of threads in sections",
		  "left out of 'what else was captured'" },
	};

	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		const struct surface *surface = &session->surfaces[i];

		if (rows_of(session, ROW_FRAMES) == 0 || has_all_frames(surface) ||
		    !(surface->numbers.of[METRIC_FRAMES] > 0))
			continue;
		session_notice(session,
			       "frames.csv has %llu of the %.0f frame times of %.200s: %s; "
			       "sections that lack frames are sums of whole rows of fps.csv",
			       (unsigned long long)surface->sums.frames.frames,
			       surface->numbers.of[METRIC_FRAMES], name_of(session, surface->name),
			       session->harm_source == FROM_FRAMES
				       ? "its causes and moments come from these"
				       : "causes and moments come from dropFrames.csv");
		break;
	}
	for (unsigned int i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (limits[i].n > 0)
			session_notice(session, "%llu %s beyond the limit of %d: %s",
				       (unsigned long long)limits[i].n, limits[i].of,
				       limits[i].kept, limits[i].rest);
	if (session->names.refused > 0)
		session_notice(session,
			       "%llu names do not fit into memory and are shown as (others)",
			       (unsigned long long)session->names.refused);
	if (session->n_sections == SECTIONS_MAX)
		session_notice(
			session,
			"more than %d marks: the last section covers everything after its mark",
			SECTIONS_MAX - 1);
}

/* --- the model --- */

int model_read(struct session *session, const struct folder_files *files, uint32_t number,
	       const struct selection *selection)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	int error = session_init(session);

	session->number = number;
	session->of = files->sessions;
	session->folder = strdup(files->path);
	session->surfaces = calloc(SURFACES_MAX, sizeof(*session->surfaces));
	session->sections = calloc(SECTIONS_MAX, sizeof(*session->sections));
	session->late = calloc(LATE_MAX, sizeof(*session->late));
	if (error < 0 || !reading || !session->folder || !session->surfaces || !session->sections ||
	    !session->late) {
		free(reading);
		return -ENOMEM;
	}
	reading->session = session;
	reading->files = files;
	reading->selection = selection;
	error = rows_read(reading);

	if (session->last_us >= 0 && session->stop_us > session->last_us)
		session->last_us = session->stop_us;
	if (reading->harm_from_drops)
		session->harm_source = session->is_2019 ? FROM_NOTHING : FROM_WINDOWS;
	else if (rows_of(session, ROW_FRAMES) > 0)
		session->harm_source = FROM_FRAMES;
	set_missing(session);
	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		struct surface *surface = &session->surfaces[i];

		set_whole(session, surface);
		set_grade(session, surface);
		surface->is_shown =
			surface->source != FROM_NOTHING &&
			select_surface(reading->selection, name_of(session, surface->name),
				       name_of(session, surface->app));
	}
	if (error == 0 && rows_of(session, CSV_SUMMARY) == 0 && rows_of(session, ROW_FRAMES) > 0)
		error = set_times(session, false);
	if (error == 0)
		error = set_apps(reading);
	if (error == 0)
		error = set_sections(reading);
	if (error == 0)
		error = set_ungraded(reading);
	if (session->n_sections > 0 && session->last_us >= 0) {
		session->sections[0].from_us = session->first_us;
		session->sections[session->n_sections - 1].to_us = session->last_us + 1;
	}
	if (session->json && !session_json_text(session, NULL, "ended") &&
	    session_json_text(session, NULL, "began"))
		session_notice(session, "session.json has no end: the capture was still running, "
					"or was killed; its last rows may be missing");
	/* Of nothing nothing is computed. */
	if (session->n_surfaces > 0 || session->events.n > 0)
		report_missing(session);
	report_limits(reading);

	free(reading->sums);
	free(reading->late_order.all);
	free(reading->stalls.all);
	free(reading->losses.all);
	free(reading->steps.all);
	free(reading);
	if (error == 0 && session->n_surfaces == 0 && session->events.n == 0)
		return MODEL_NOTHING;
	return error;
}

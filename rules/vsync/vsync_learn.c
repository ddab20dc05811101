/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/vsync/vsync.h"

#include <string.h>

#include "rules/language/surface.h"

#define LOCK_WINDOW_NS (4000 * MS) /* ticks of this time are used to lock the lattice */
#define LOCK_ANYWAY_NS                                                                             \
	(1500 * MS)	      /* after this time the best fit is used, even if it is not certain */
#define OTHER_NS (2000 * MS)  /* between two tries with another display's period */
#define USED_MAX_NS (50 * MS) /* no film shows a frame for longer */
#define TICKS_ENOUGH 10	      /* with fewer ticks no other period is searched for */
#define SLOW_TICKS 16	      /* of all counters together */
#define SURPLUS 4	      /* compositions that a period does not allow */
#define PRESENTS_TURNED 8     /* as many in a row are on another display */
#define PRESENTS_ALONE 60     /* as many show that no other display is on */
#define TURN_NS (100 * MS)    /* presents on the display before end in this time */

/* How many times @shorter_ns, exact to @error_ns, is in @longer_ns; 0: not a whole number of times,
 * or it is 0. */
static unsigned int parts_of(uint64_t longer_ns, uint64_t shorter_ns, uint64_t error_ns)
{
	uint64_t k = shorter_ns ? (longer_ns + shorter_ns / 2) / shorter_ns : 0;
	uint64_t off_ns = vsync_distance(longer_ns, k * shorter_ns);

	return off_ns <= longer_ns / 1000 + k * error_ns ? (unsigned int)k : 0;
}

/* --- which of two hypotheses explains the events --- */

enum answer {
	ANSWER_NO,
	ANSWER_OPEN, /* late events may look like that, or it is not precise enough yet */
	ANSWER_YES,
};

/* SurfaceFlinger composes for each @step-th vsync of that period, or for fewer. */
struct hypothesis {
	uint64_t period_ns, error_ns;
	uint64_t step;
};

/* How many distances between ticks, and between presents, only one of two hypotheses explains. */
struct trial {
	unsigned int n;
	unsigned int only[2], neither;
	unsigned int used[2]; /* they are as short as the step allows */
};

static enum answer explains_distance(const struct hypothesis *h, uint64_t distance_ns,
				     uint64_t *vsyncs)
{
	uint64_t k = (distance_ns + h->period_ns / 2) / h->period_ns;
	uint64_t off_ns = vsync_distance(distance_ns, k * h->period_ns), error_ns = k * h->error_ns;

	*vsyncs = k;
	if (k < h->step || off_ns * 10 >= 3 * h->period_ns + 10 * error_ns)
		return ANSWER_NO;
	return (off_ns + error_ns) * 8 <= h->period_ns ? ANSWER_YES : ANSWER_OPEN;
}

static struct trial try_both(const struct vsync_lattice *v, const struct vsync_window *window,
			     const struct hypothesis *both)
{
	const unsigned int kinds[] = { lattice_main_source(v), VSYNC_PRESENTS };
	struct trial trial = { 0 };

	for (unsigned int at = 0; at < 2; at++) {
		const int64_t *at_ns = window->at_ns[kinds[at]];

		for (unsigned int i = 1; i < window->n[kinds[at]]; i++) {
			uint64_t distance_ns = (uint64_t)(at_ns[i] - at_ns[i - 1]), k[2];
			enum answer answers[2];

			for (unsigned int j = 0; j < 2; j++) {
				answers[j] = explains_distance(&both[j], distance_ns, &k[j]);
				trial.used[j] += answers[j] == ANSWER_YES && k[j] == both[j].step;
			}
			trial.n++;
			for (unsigned int j = 0; j < 2; j++)
				trial.only[j] +=
					answers[j] == ANSWER_YES && answers[1 - j] == ANSWER_NO;
			trial.neither += answers[0] == ANSWER_NO && answers[1] == ANSWER_NO;
		}
	}
	return trial;
}

/* True: enough distances are as short as the hypothesis allows. */
static bool is_used(const struct trial *trial, unsigned int which)
{
	return trial->used[which] >= 3 && trial->used[which] * 10 >= trial->n;
}

/* --- reported periods --- */

/* Is the period that ticks show equal to the reported one, or a multiple of it? */
static enum answer is_of(uint64_t period_ns, uint64_t error_ns,
			 const struct reported_period *reported)
{
	uint64_t k = (period_ns + reported->period_ns / 2) / reported->period_ns;
	uint64_t reported_ns = k * reported->error_ns;
	/* A nominal period does not become more precise. */
	bool is_open = (error_ns + (reported->is_measured ? reported_ns : 0)) * 400 > period_ns;

	error_ns += reported_ns;
	if (vsync_distance(period_ns, k * reported->period_ns) > error_ns + period_ns / 1000)
		return ANSWER_NO;
	return is_open ? ANSWER_OPEN : ANSWER_YES;
}

/* True: there are compositions that the period does not allow. A display that is twice as fast has
 * two in a period; wakeups that are half a period late look like it, but have one. */
static bool has_surplus(const struct vsync_fit *fit)
{
	return fit->ticks.collisions + fit->presents.collisions >= SURPLUS;
}

/* The same for a fit, in which some ticks may be late. */
static enum answer is_fit_of(const struct vsync_window *window, const struct vsync_fit *fit,
			     const struct reported_period *reported)
{
	struct vsync_fit own = vsync_fit_of(window, reported->period_ns);

	/* None was found, or it is not certain. */
	if (fit->ticks.n < 12 || !vsync_fit_is_clear(fit) || !vsync_fit_holds(fit))
		return ANSWER_YES;
	if (parts_of(reported->period_ns, fit->period_ns, fit->error_ns) > 1 && !has_surplus(&own))
		return ANSWER_YES;
	return is_of(fit->period_ns, fit->error_ns, reported);
}

/* It is stated in whole Hz, or by the mode: another value is no other rate. */
static bool is_nominal(uint64_t period_ns, uint64_t error_ns)
{
	return error_ns * 200 >= period_ns;
}

/* True: the last presents are on @display. Both ids are long enough, and one of them may be cut. */
static bool is_presented(const struct vsync_lattice *v, const struct vsync_display *display)
{
	size_t n = strlen(display->id);

	return v->n_presented >= PRESENTS_TURNED && n >= VSYNC_DISPLAY_ID_CUT &&
	       memcmp(display->id, v->presented, n) == 0;
}

/* True: frames are presented on another display. But the mode of the one that is on from now on is
 * stated before its first present, and no present of the other one follows but those under way. */
static bool is_hidden(const struct vsync_lattice *v, const struct vsync_display *display)
{
	size_t n = strlen(display->id);

	/* VSP-period has the first digits of an id only. An id of one or two digits may count
	 * displays. */
	return v->n_presented >= PRESENTS_ALONE && n >= VSYNC_DISPLAY_ID_CUT &&
	       strlen(v->presented) >= n && memcmp(display->id, v->presented, n) != 0 &&
	       !(display->stated &&
		 is_nominal(display->reported.period_ns, display->reported.error_ns) &&
		 v->presented_last_ns < display->reported.at_ns + TURN_NS);
}

/* Finds the display that the ticks belong to: the slowest one that explains them. *@sure: the ticks
 * confirm the last digits of its period. */
static struct vsync_display *pick_display(struct vsync_lattice *v,
					  const struct vsync_window *window, bool skip_foreign,
					  bool *sure)
{
	struct vsync_display *kept = v->followed && v->followed->own ? v->followed : NULL;
	struct vsync_display *best = NULL;
	uint64_t best_ns = 0;

	*sure = false;
	for (unsigned int i = 0; i < VSYNC_DISPLAYS; i++) {
		struct vsync_display *display = &v->reported.displays[i];
		struct reported_period reported = reported_period_of(display);
		enum answer answer;
		struct vsync_fit fit;
		uint64_t period_ns, error_ns;

		if (!reported.period_ns || (skip_foreign && display->foreign) ||
		    is_hidden(v, display))
			continue;
		period_ns = vsync_refine(window, reported.period_ns, &error_ns);
		answer = is_of(period_ns, error_ns, &reported);
		if (answer != ANSWER_YES)
			period_ns = reported.period_ns;
		fit = vsync_fit_of(window, period_ns);
		if (!vsync_fit_holds(&fit))
			continue;
		/* If two displays explain the ticks, the one that was followed before is kept. */
		if (!best || (best != kept && (display == kept || period_ns > best_ns))) {
			best = display;
			best_ns = period_ns;
			*sure = answer == ANSWER_YES;
		}
	}
	return best;
}

/* The ticks belong to @display, or to none. @own: they confirm the last digits of its period. */
static void follow_display(struct vsync_lattice *v, struct vsync_display *display, bool own)
{
	for (unsigned int i = 0; i < VSYNC_DISPLAYS; i++)
		if (&v->reported.displays[i] != display)
			v->reported.displays[i].own = false;
	if (v->followed != display)
		v->other.display = NULL;
	if (v->followed && v->followed != display && !lattice_is_new(v))
		v->followed->was_on = true;
	v->followed = display;
	if (display)
		display->own = own;
}

/* The ticks do not belong to @display. */
static void leave_display(struct vsync_lattice *v, struct vsync_display *display)
{
	display->foreign = true;
	display->own = false;
	if (v->followed != display)
		return;
	v->followed = NULL;
	if (v->authority == VSYNC_REPORTED)
		v->authority = VSYNC_FIT;
}

/* Ticks and presents from now on may show that @display has that period. */
static void await(struct vsync_lattice *v, struct vsync_display *display, enum vsync_pending_as as,
		  uint64_t period_ns, uint64_t now_ns)
{
	v->pending = (struct vsync_pending){ display, as, period_ns, now_ns, now_ns };
	v->next_check_ns = 0;
}

/* True: the lattice has a guess, and @display a period that the ticks allow as well. */
static bool replaces_guess(struct vsync_lattice *v, struct vsync_display *display)
{
	struct reported_period reported = reported_period_of(display);
	uint64_t ticks_ns = vsync_period_ns(v) * v->guess_parts;
	unsigned int parts = parts_of(ticks_ns, reported.period_ns, reported.error_ns);

	if (!v->guessed || !parts)
		return false;
	v->guessed = false;
	follow_display(v, display, !reported_periods_several(&v->reported));
	lattice_lock(v, ticks_ns / parts, v->error_ns, VSYNC_REPORTED);
	return true;
}

/* From @from_ns on it is not known which of two displays with other periods is on; or it is again.
 * Another period ends that, too. */
static void set_unknown(struct vsync_lattice *v, bool unknown, uint64_t from_ns)
{
	v->unknown = unknown;
	lattice_set_period(v, vsync_period_ns(v), v->error_ns, from_ns);
}

static void apply_report(struct vsync_lattice *v, struct vsync_display *display, uint64_t now_ns)
{
	struct reported_period reported = reported_period_of(display);
	uint64_t period_ns = vsync_period_ns(v);
	enum answer answer;

	if (vsync_is_near(period_ns, reported.period_ns, 15)) {
		answer = is_of(period_ns, v->error_ns, &reported);
		if (answer == ANSWER_NO) {
			leave_display(v, display);
			return;
		}
		follow_display(v, display, display->own || answer == ANSWER_YES);
		v->authority = VSYNC_REPORTED;
		v->guessed = v->segments[v->n_segments - 1].guessed = false;
		v->pending.display = NULL;
		if (v->unknown)
			set_unknown(v, false, now_ns);
		if (reported.error_ns * 4 < v->error_ns * 3)
			lattice_refine(v, reported.period_ns, reported.error_ns);
		return;
	}
	if (v->pending.display == display && v->pending.as == PENDING_STATED &&
	    vsync_is_near(v->pending.period_ns, reported.period_ns, 15)) {
		v->pending.period_ns = reported.period_ns;
		return;
	}
	await(v, display, PENDING_STATED, reported.period_ns, now_ns);
	/* Hardware vsyncs show the period since the start of their run, before @now_ns. */
	v->pending.from_ns = later(reported.at_ns, back_from(now_ns, 150 * MS));
}

/* True: the hardware vsyncs of no other display are written, as those of the one that is followed
 * were before, and presents do not name the one that is on. Up to Android 13 SurfaceFlinger asks
 * for those of that one only. */
static bool is_awake(const struct vsync_lattice *v, const struct vsync_display *display,
		     uint64_t now_ns)
{
	for (unsigned int i = 0; i < VSYNC_DISPLAYS; i++)
		if (reported_period_is_open(&v->reported.displays[i], now_ns) !=
		    (&v->reported.displays[i] == display))
			return false;
	return !v->presented[0] && v->followed && v->followed->run_begin_ns > 0;
}

/* The ticks up to now do not belong to @display. It may be the one of a foldable that is on from
 * now on: only then SurfaceFlinger states its mode, in whole Hz, or its hardware vsyncs. */
static void watch_other(struct vsync_lattice *v, struct vsync_display *display, uint64_t error_ns,
			uint64_t now_ns)
{
	uint64_t period_ns = reported_period_of(display).period_ns;
	bool awake = is_awake(v, display, now_ns);

	if (!lattice_is_locked(v) || (lattice_is_new(v) && !lattice_has_many_events(v)) ||
	    v->pending.display ||
	    (!awake && (!display->stated || !is_nominal(period_ns, error_ns))) ||
	    (v->other.display == display && vsync_is_near(v->other.period_ns, period_ns, 15) &&
	     now_ns < v->other.at_ns + OTHER_NS))
		return;
	await(v, display, PENDING_OTHER, period_ns, now_ns);
	if (awake)
		v->pending.from_ns = display->run_begin_ns;
	v->other = v->pending;
}

/* True: events half a period after the edge are late wakeups: some are followed half a period later
 * by one in time. A display that is twice as fast has as many that follow one at the edge so, which
 * are collisions. */
static bool has_late_wakeups(const struct vsync_window *window, const struct vsync_fit *fit)
{
	struct vsync_fit half;
	unsigned int in_time;

	if (!fit->presents.odd || has_surplus(fit))
		return false;
	half = vsync_fit_of(window, fit->period_ns / 2);
	in_time = half.ticks.adjacent + half.presents.adjacent;
	return in_time >= SURPLUS &&
	       in_time > 4 * (fit->ticks.collisions + fit->presents.collisions);
}

/* How a period that is stated explains all events. */
static struct vsync_fit fit_of_stated(const struct vsync_window *window, uint64_t period_ns)
{
	struct vsync_fit fit = vsync_fit_of(window, period_ns);

	if (has_late_wakeups(window, &fit)) {
		fit.presents.near += fit.presents.odd;
		fit.presents.odd = 0;
	}
	return fit;
}

/* True: neither that period nor one within its error explains presents and ticks. If only every
 * fifth vsync is used, only the length of five shows the error. */
static bool is_refuted(const struct vsync_window *window, uint64_t period_ns, uint64_t error_ns)
{
	struct vsync_fit fit = fit_of_stated(window, period_ns);

	for (uint64_t k = 1; vsync_fit_is_refuted(&fit); k++) {
		uint64_t better_error_ns, better_ns;

		if (k * period_ns > USED_MAX_NS)
			return true;
		better_ns = vsync_refine(window, k * period_ns, &better_error_ns) / k;
		if (vsync_distance(better_ns, period_ns) <= error_ns + period_ns / 200)
			fit = fit_of_stated(window, better_ns);
	}
	return false;
}

/* True: compositions for @display would be as far apart as those for the one that is followed,
 * which has another period. */
static bool is_alike(const struct vsync_lattice *v, const struct vsync_display *display,
		     uint64_t period_ns, uint64_t now_ns)
{
	struct reported_period reported = reported_period_of(display);
	uint64_t drawn_ns =
		vsync_period_ns(v) * lattice_step(v, v->followed, vsync_period_ns(v), now_ns);
	uint64_t other_ns = period_ns * lattice_step(v, display, period_ns, now_ns);

	if (vsync_is_near(vsync_period_ns(v), period_ns, 15) ||
	    !vsync_is_near(drawn_ns, other_ns, 15))
		return false;
	return is_of(drawn_ns * period_ns / other_ns, v->error_ns, &reported) != ANSWER_NO;
}

/* Marks the displays that the ticks do not belong to. Returns the slowest of the others. */
static struct vsync_display *mark_foreign(struct vsync_lattice *v,
					  const struct vsync_window *window,
					  const struct vsync_fit *fit)
{
	struct vsync_display *slowest = NULL;
	uint64_t slowest_ns = 0;

	for (unsigned int i = 0; i < VSYNC_DISPLAYS; i++) {
		struct vsync_display *display = &v->reported.displays[i];
		struct reported_period reported = reported_period_of(display);

		if (!reported.period_ns)
			continue;
		display->foreign = is_fit_of(window, fit, &reported) == ANSWER_NO ||
				   is_refuted(window, reported.period_ns, reported.error_ns) ||
				   is_hidden(v, display);
		if (display->foreign || reported.period_ns <= slowest_ns)
			continue;
		slowest_ns = reported.period_ns;
		slowest = display;
	}
	return slowest;
}

/* The ticks show @ticks_ns, which has to be divided: into parts of a period that is known from
 * elsewhere, that of dumpsys, else one that the display was asked for. */
static void outweigh_guess(struct vsync_lattice *v, uint64_t ticks_ns)
{
	unsigned int parts = parts_of(ticks_ns, v->dumpsys_ns, v->dumpsys_ns / 100);

	if (parts)
		v->guessed = false;
	for (unsigned int i = 0; i < VSYNC_DISPLAYS && !parts; i++) {
		uint64_t asked_ns = v->reported.displays[i].asked_ns;

		parts = parts_of(ticks_ns, asked_ns, asked_ns / 100);
	}
	if (parts)
		v->guess_parts = parts;
}

void vsync_set_dumpsys_period(struct vsync_lattice *v, uint64_t period_ns)
{
	uint64_t ticks_ns = vsync_period_ns(v) * v->guess_parts;

	if (v->dumpsys_ns || period_ns < VSYNC_PERIOD_MIN_NS || period_ns > VSYNC_PERIOD_MAX_NS)
		return;
	v->dumpsys_ns = period_ns;
	if (!lattice_is_locked(v))
		lattice_lock(v, period_ns, period_ns / 500, VSYNC_DUMPSYS);
	/* It is better than a guess, which only a locked lattice has. */
	if (!v->guessed)
		return;
	outweigh_guess(v, ticks_ns);
	if (!v->guessed)
		lattice_lock(v, ticks_ns / v->guess_parts, v->error_ns, v->authority);
}

void vsync_learn_decide(struct vsync_lattice *v, uint64_t now_ns)
{
	bool anyway = v->n_ticks > 0 && now_ns > v->first_tick_ns + LOCK_ANYWAY_NS;
	struct vsync_display *display;
	struct vsync_window window;
	struct vsync_fit fit = { 0 };
	bool sure;

	vsync_window_fill(&window, &v->log, back_from(now_ns, LOCK_WINDOW_NS), now_ns);
	if (v->n_ticks >= LOCK_TICKS)
		fit = vsync_fit_find(&window, anyway);
	display = mark_foreign(v, &window, &fit);
	v->option_refuted = v->option_ns && is_refuted(&window, v->option_ns, v->option_ns / 500);
	v->followed = pick_display(v, &window, true, &sure);
	if (v->followed)
		display = v->followed;
	v->undecided = display && !sure &&
		       (v->n_ticks < UNDECIDED_TICKS || reported_periods_several(&v->reported));
	if (display) {
		struct reported_period reported = reported_period_of(display);

		follow_display(v, display, sure);
		v->guessed = false;
		lattice_lock(v, reported.period_ns, reported.error_ns, VSYNC_REPORTED);
	} else if (v->option_ns && !v->option_refuted) {
		v->guessed = false;
		lattice_lock(v, v->option_ns, v->option_ns / 500, VSYNC_OPTION);
	} else if (fit.period_ns) {
		/* The longest part of it that is usual as the period of a display. */
		v->guess_parts = (unsigned int)((fit.period_ns + VSYNC_PERIOD_USUAL_MAX_NS - 1) /
						VSYNC_PERIOD_USUAL_MAX_NS);
		v->guessed = v->guess_parts > 1;
		if (v->guessed)
			outweigh_guess(v, fit.period_ns);
		lattice_lock(v, fit.period_ns / v->guess_parts, fit.error_ns, VSYNC_FIT);
	} else {
		/* The period was refuted, and there is no other one yet. */
		if (lattice_is_locked(v) && (v->authority == VSYNC_REPORTED || v->option_refuted))
			lattice_unlock(v);
		if (!lattice_is_locked(v) && v->dumpsys_ns &&
		    !is_refuted(&window, v->dumpsys_ns, v->dumpsys_ns / 500))
			lattice_lock(v, v->dumpsys_ns, v->dumpsys_ns / 500, VSYNC_DUMPSYS);
	}
}

/* True: @display is certainly not the one that is followed. Only one of their ids may be cut. */
static bool is_another(const struct vsync_lattice *v, const struct vsync_display *display)
{
	size_t n = strlen(display->id), followed_n = strlen(v->followed->id);

	return strncmp(display->id, v->followed->id, n < followed_n ? n : followed_n) != 0 ||
	       !vsync_is_near(vsync_period_ns(v), reported_period_of(display).period_ns, 15);
}

/* A period of @display was reported, exact to @error_ns. */
static void learn_report(struct vsync_lattice *v, struct vsync_display *display, uint64_t error_ns,
			 uint64_t now_ns)
{
	struct reported_period reported = reported_period_of(display);
	struct vsync_window window;
	struct vsync_fit fit;
	enum answer answer;

	/* Another display's, or the same one's by another name. */
	if (v->followed && v->followed != display &&
	    (v->followed->own || (lattice_has_many_events(v) && is_another(v, display)))) {
		watch_other(v, display, error_ns, now_ns);
		return;
	}
	if (is_hidden(v, display))
		display->foreign = true;
	else if (display->foreign && vsync_is_near(vsync_period_ns(v), reported.period_ns, 15) &&
		 is_of(vsync_period_ns(v), v->error_ns, &reported) == ANSWER_YES)
		display->foreign = false;
	if (display->foreign) {
		watch_other(v, display, error_ns, now_ns);
		return;
	}
	if (!lattice_is_locked(v) || (lattice_is_new(v) && !lattice_has_many_events(v))) {
		if (v->authority != VSYNC_REPORTED || v->followed != display ||
		    !vsync_is_near(vsync_period_ns(v), reported.period_ns, 15))
			vsync_learn_decide(v, now_ns);
		return;
	}
	if (replaces_guess(v, display))
		return;
	if (!v->followed && v->n_ticks >= 16) {
		vsync_window_fill(&window, &v->log, back_from(now_ns, SEARCH_BACK_NS), now_ns);
		fit = vsync_fit_find(&window, false);
		answer = is_fit_of(&window, &fit, &reported);
		if (v->authority == VSYNC_FIT && reported.period_ns < 2 * vsync_period_ns(v) &&
		    is_of(vsync_period_ns(v), v->error_ns, &reported) == ANSWER_NO)
			answer = ANSWER_NO;
		if (answer == ANSWER_OPEN && reported_period_is_open(display, now_ns))
			return;
		/* The display may switch to a slower rate soon. */
		display->foreign =
			answer == ANSWER_NO && reported.period_ns < 5 * vsync_period_ns(v) / 4;
		if (display->foreign)
			return;
	}
	apply_report(v, display, now_ns);
}

/* Presents are on another display than before. If its period is known, and it is not the one that
 * is followed, ticks and presents since then show it. */
static void follow_presented(struct vsync_lattice *v, uint64_t now_ns)
{
	struct vsync_display *found = NULL;

	for (unsigned int i = 0; i < VSYNC_DISPLAYS; i++) {
		struct vsync_display *display = &v->reported.displays[i];

		if (!is_presented(v, display) || !reported_period_of(display).period_ns)
			continue;
		if (found)
			return;
		found = display;
	}
	if (!found || !v->followed || v->pending.display || !lattice_is_locked(v) ||
	    lattice_is_new(v))
		return;
	if (found == v->followed) {
		if (v->unknown)
			set_unknown(v, false, v->presented_ns);
		return;
	}
	await(v, found, PENDING_OTHER, reported_period_of(found).period_ns, now_ns);
	v->pending.from_ns = v->presented_ns;
	v->other = v->pending;
}

void vsync_present_on(struct vsync_lattice *v, struct span slice, uint64_t time_ns)
{
	struct span id;

	if (slice.len == 0 || slice.ptr[--slice.len] != ')')
		return;
	id = vsync_display_in(slice);
	if (id.len == 0 || id.len >= VSYNC_DISPLAY_ID)
		return;
	v->presented_last_ns = time_ns;
	if (name_is(v->presented, sizeof(v->presented), id)) {
		v->n_presented += v->n_presented < PRESENTS_ALONE;
		if (v->n_presented == PRESENTS_TURNED)
			follow_presented(v, time_ns);
		return;
	}
	/* Two displays that are on are presented in turns, and so are those of a foldable while it
	 * is opened. */
	v->n_presented = v->presented[0] ? 0 : PRESENTS_ALONE;
	v->presented_ns = time_ns;
	name_copy(v->presented, sizeof(v->presented), id);
}

void vsync_hardware(struct vsync_lattice *v, struct span display, uint64_t time_ns)
{
	struct vsync_display *d = reported_periods_hardware(&v->reported, display, time_ns);

	if (d)
		learn_report(v, d, d->measured.error_ns, time_ns);
}

void vsync_report_period(struct vsync_lattice *v, struct span display, uint64_t period_ns,
			 uint64_t error_ns, uint64_t now_ns)
{
	struct vsync_display *d;

	/* Names without an id are of the display that SurfaceFlinger ticks for. */
	if (display.len == 0 && v->followed)
		display = span_of(v->followed->id);
	d = reported_periods_report(&v->reported, display, period_ns, error_ns, now_ns);
	if (d)
		learn_report(v, d, error_ns, now_ns);
}

void vsync_ask_period(struct vsync_lattice *v, struct span display, uint64_t period_ns,
		      uint64_t now_ns)
{
	struct vsync_display *d = reported_periods_ask(&v->reported, display, period_ns);

	if (!d || !lattice_is_locked(v) || lattice_is_new(v) || (v->followed && v->followed != d) ||
	    is_hidden(v, d))
		return;
	if (v->pending.display && v->pending.as == PENDING_STATED)
		return;
	v->pending.display = NULL;
	if (!vsync_is_near(vsync_period_ns(v), period_ns, 15))
		await(v, d, PENDING_ASKED, period_ns, now_ns);
}

/* True: ticks or presents show that the display has the pending period. */
static bool shows_pending(const struct vsync_lattice *v, const struct vsync_window *window,
			  bool *too_many)
{
	struct vsync_fit fit = vsync_fit_of(window, v->pending.period_ns);
	struct vsync_fit old = vsync_fit_of(window, vsync_period_ns(v));

	*too_many = !vsync_fit_has_few_collisions(&fit);
	if (v->pending.period_ns < vsync_period_ns(v) &&
	    parts_of(vsync_period_ns(v), v->pending.period_ns, v->pending.period_ns / 100))
		return old.ticks.collisions >= 2 || old.presents.collisions >= 2;
	/* A period and its half explain each other's ticks; other pairs nearly, for some time. */
	if (vsync_fit_holds(&old) &&
	    (v->pending.period_ns < vsync_period_ns(v) ||
	     !parts_of(v->pending.period_ns, vsync_period_ns(v), vsync_period_ns(v) / 100)))
		return false;
	return fit.ticks.n + fit.presents.n >= 8 && vsync_fit_holds(&fit);
}

/* Ticks that the pending period explains may be those of the period before, of which an app uses
 * each second one. False: if that is so, it is not the display's. */
static bool is_followed(const struct vsync_lattice *v)
{
	uint64_t period_ns = vsync_period_ns(v);
	struct vsync_window window;
	struct vsync_fit old;

	if (v->pending.as == PENDING_STATED || v->pending.period_ns < period_ns ||
	    !parts_of(v->pending.period_ns, period_ns, period_ns / 100))
		return true;
	/* Where the trace states which rate is active, it will state this one, too. */
	if (v->pending.display->stated)
		return false;
	/* Shortly before, ticks or presents needed the period before. */
	vsync_window_fill(&window, &v->log, back_from(v->pending.at_ns, PENDING_NS),
			  v->pending.at_ns);
	old = vsync_fit_of(&window, period_ns);
	return vsync_fit_is_used(&old);
}

/* True: ticks, or presents if there are none, no longer have the phase that they had before
 * @from_ns. Two displays of one rate have that in common only by chance. */
static bool has_another_phase(const struct vsync_lattice *v, uint64_t from_ns, uint64_t now_ns)
{
	unsigned int kind = lattice_main_source(v);
	uint64_t period_ns = vsync_period_ns(v), off_ns;
	struct vsync_score before, after;
	struct vsync_window window;

	vsync_window_fill(&window, &v->log, back_from(from_ns, PENDING_NS), from_ns);
	if (window.n[kind] < LOCK_TICKS)
		kind = VSYNC_PRESENTS;
	before = vsync_score_kind(&window, kind, period_ns);
	off_ns = window.from_ns + (uint64_t)before.edge_ns;
	vsync_window_fill(&window, &v->log, from_ns, now_ns);
	after = vsync_score_kind(&window, kind, period_ns);
	off_ns = vsync_distance(off_ns, window.from_ns + (uint64_t)after.edge_ns) % period_ns;
	return before.n >= LOCK_TICKS && after.n >= LOCK_TICKS && off_ns * 10 > period_ns &&
	       off_ns * 10 < 9 * period_ns;
}

/* Which period ticks and presents since @from_ns show: that of the lattice, or the pending one. An
 * app that draws in every second vsync looks like a display that is half as fast, but not if just
 * before, it drew in each one. */
static enum answer is_pending_shown(const struct vsync_lattice *v, uint64_t now_ns)
{
	const struct render_period *render =
		reported_render_at(&v->reported, v->pending.display, now_ns);
	/* Before its render rate was stated, compositions were still those of the one before. */
	uint64_t from_ns = later(v->pending.from_ns, render ? render->from_ns : 0);
	uint64_t error_ns = v->pending.as == PENDING_ASKED
				    ? v->pending.period_ns / 100
				    : reported_period_of(v->pending.display).error_ns;
	uint64_t period_ns = vsync_period_ns(v);
	struct vsync_window window;
	struct trial before, after;
	struct hypothesis both[2];

	both[0] = (struct hypothesis){ period_ns, v->error_ns,
				       lattice_step(v, v->followed, period_ns,
						    back_from(v->pending.at_ns, TOGETHER_NS)) };
	both[1] = (struct hypothesis){ v->pending.period_ns, error_ns,
				       lattice_step(v, v->pending.display, v->pending.period_ns,
						    now_ns) };
	vsync_window_fill(&window, &v->log, back_from(from_ns, PENDING_NS), from_ns);
	before = try_both(v, &window, both);
	/* Nothing was drawn then: what was drawn before that counts. */
	if (before.n < LOCK_TICKS) {
		vsync_window_fill(&window, &v->log, back_from(from_ns, OTHER_NS), from_ns);
		before = try_both(v, &window, both);
	}
	vsync_window_fill(&window, &v->log, from_ns, now_ns);
	both[1].period_ns = vsync_refine(&window, v->pending.period_ns, &both[1].error_ns);
	if (vsync_distance(both[1].period_ns, v->pending.period_ns) >
	    error_ns + v->pending.period_ns / 1000)
		both[1] = (struct hypothesis){ v->pending.period_ns, error_ns, both[1].step };
	after = try_both(v, &window, both);
	if (after.only[1] >= 3 && after.only[1] > 4 * after.only[0] &&
	    after.neither <= after.only[1])
		return ANSWER_YES;
	if (after.only[0] >= 3 && after.only[0] > 4 * after.only[1])
		return ANSWER_NO;
	if (after.n >= 8 && (v->pending.as == PENDING_STATED || is_used(&before, 0)) &&
	    is_used(&after, 1) && after.only[0] * 8 <= after.n && after.neither * 8 <= after.n &&
	    (!is_used(&after, 0) ||
	     (now_ns >= v->pending.at_ns + PENDING_LATE_NS &&
	      (after.only[1] > after.only[0] + after.neither ||
	       (after.only[1] >= after.only[0] && has_another_phase(v, from_ns, now_ns))))))
		return ANSWER_YES;
	return after.only[0] >= 2 && after.only[1] == 0 &&
			       now_ns >= v->pending.at_ns + PENDING_LATE_NS
		       ? ANSWER_NO
		       : ANSWER_OPEN;
}

/* True: the pending period is a part of the one before, and explains only what late wakeups do. */
static bool is_half_late(const struct vsync_lattice *v, const struct vsync_window *window)
{
	struct vsync_fit old = vsync_fit_of(window, vsync_period_ns(v));

	return parts_of(vsync_period_ns(v), v->pending.period_ns, v->pending.period_ns / 100) > 1 &&
	       !has_surplus(&old);
}

void vsync_learn_follow_pending(struct vsync_lattice *v, uint64_t now_ns)
{
	struct vsync_display *display = v->pending.display;
	bool other = v->pending.as == PENDING_OTHER, shown, too_many = false;
	bool by_run = other && v->pending.from_ns < v->pending.at_ns; /* not stated then */
	enum answer answer = ANSWER_OPEN;
	struct vsync_window window;
	uint64_t error_ns, stated_ns = 0;

	if (now_ns < v->next_check_ns)
		return;
	v->next_check_ns = now_ns + CHECK_EVERY_NS;
	vsync_window_fill(&window, &v->log, v->pending.from_ns, now_ns);
	shown = !other && shows_pending(v, &window, &too_many) && is_followed(v);
	if (other || (!shown && now_ns >= v->pending.at_ns + PENDING_NS))
		answer = is_pending_shown(v, now_ns);
	if (answer == ANSWER_YES && by_run && is_half_late(v, &window))
		answer = ANSWER_OPEN;
	shown |= answer == ANSWER_YES && v->pending.as != PENDING_STATED;
	/* Waits longer while the old period still ticks, as the report may have come early. */
	if (!shown &&
	    now_ns < v->pending.at_ns + (too_many || other ? PENDING_LATE_NS : PENDING_NS)) {
		if (too_many && now_ns > v->pending.from_ns + 3 * v->pending.period_ns)
			v->pending.from_ns += CHECK_EVERY_NS;
		return;
	}
	v->pending.display = NULL;
	/* Nothing shows which of the two displays is on. */
	if (!shown && other && answer == ANSWER_OPEN &&
	    (by_run || is_presented(v, display) ||
	     is_alike(v, display, v->pending.period_ns, now_ns)))
		set_unknown(v, true, v->pending.from_ns);
	/* Both have that period now. */
	if (v->unknown && vsync_is_near(vsync_period_ns(v), v->pending.period_ns, 15))
		set_unknown(v, false, v->pending.at_ns);
	if (!shown && v->pending.as != PENDING_STATED)
		return;
	display->foreign = !shown && answer == ANSWER_NO;
	if (!shown && (too_many || display->foreign))
		return;
	if (v->pending.as == PENDING_ASKED)
		reported_period_follow(display, now_ns);
	error_ns = reported_period_of(display).error_ns;
	/* A mode is stated as it begins. Vsyncs show a period some time later. */
	if (v->pending.as != PENDING_ASKED && !by_run && display->stated &&
	    is_nominal(display->reported.period_ns, display->reported.error_ns) &&
	    vsync_is_near(display->reported.period_ns, v->pending.period_ns, 15))
		stated_ns = v->pending.at_ns;
	else if (other && v->pending.from_ns == v->presented_ns && is_presented(v, display))
		stated_ns = v->presented_ns;
	v->guessed = false;
	follow_display(v, display, true);
	if (vsync_is_near(vsync_period_ns(v), v->pending.period_ns, 15)) {
		lattice_set_period(v, vsync_period_ns(v), v->error_ns, v->pending.from_ns);
	} else if (shown) {
		lattice_switch_to(v, VSYNC_REPORTED, v->pending.period_ns, error_ns, stated_ns,
				  v->pending.from_ns, now_ns);
	} else {
		lattice_set_period(v, v->pending.period_ns, error_ns, v->pending.at_ns);
		v->authority = VSYNC_REPORTED;
		lattice_find_edges(v, &window);
	}
}

/* --- what ticks and presents show --- */

/* True: a display's reported period explains the ticks, so no other one is searched for. */
static bool follow_reported(struct vsync_lattice *v, const struct vsync_window *window,
			    uint64_t from_ns, uint64_t now_ns)
{
	bool sure;
	struct vsync_display *display = pick_display(v, window, false, &sure);
	struct reported_period reported;
	struct vsync_fit fit;

	if (!display)
		return false;
	reported = reported_period_of(display);
	if (vsync_is_near(reported.period_ns, vsync_period_ns(v), 15))
		return false;
	/* A small number of events fits nearly any display's period, and those at one render rate
	 * tell nothing. */
	fit = vsync_fit_of(window, reported.period_ns);
	if (display != v->followed && (fit.ticks.n < UNDECIDED_TICKS || !vsync_fit_is_used(&fit) ||
				       is_alike(v, display, reported.period_ns, now_ns)))
		return true;
	display->foreign = false;
	follow_display(v, display, display->own || sure);
	lattice_switch_to(v, VSYNC_REPORTED, reported.period_ns, reported.error_ns, 0, from_ns,
			  now_ns);
	return true;
}

/* True: the display is faster, by an eighth of its ticks. Late ones alone make some collisions. */
static bool is_too_long(const struct vsync_fit *fit, unsigned int collisions)
{
	return collisions >= 4 && collisions * 8 >= fit->ticks.n;
}

void vsync_learn_find_other(struct vsync_lattice *v, uint64_t from_ns, uint64_t now_ns)
{
	struct vsync_window window;
	struct vsync_fit fit, old, twice;
	uint64_t period_ns = vsync_period_ns(v), parts;

	from_ns = later(from_ns, lattice_last(v)->from_ns);
	vsync_window_fill(&window, &v->log, from_ns, now_ns);
	if (vsync_window_ticks(&window) < TICKS_ENOUGH)
		return;
	old = vsync_fit_of(&window, period_ns);
	if (old.presents.n >= 6 ? vsync_fit_holds(&old) : vsync_fit_is_clear(&old))
		return;
	if (follow_reported(v, &window, from_ns, now_ns))
		return;
	if (v->authority == VSYNC_OPTION && !vsync_fit_is_refuted(&old))
		return;
	fit = vsync_fit_find(&window, false);
	if (!fit.period_ns || vsync_is_near(fit.period_ns, period_ns, 15) ||
	    fit.period_ns > VSYNC_PERIOD_USUAL_MAX_NS)
		return;
	if (fit.period_ns < period_ns && fit.error_ns * 40 > fit.period_ns)
		return;
	/* Rates of a display differ by more, but late ticks may look like a rate nearby. */
	if (vsync_is_near(fit.period_ns, period_ns, 120) &&
	    (fit.ticks.n < UNDECIDED_TICKS || !vsync_fit_is_clear(&fit)))
		return;
	/* Late ticks of a display with twice the period may look the same. */
	twice = vsync_fit_of(&window, 2 * fit.period_ns);
	if (!is_too_long(&twice, twice.ticks.collisions + 2 * twice.presents.collisions) &&
	    !vsync_fit_has_odd_presents(&twice))
		return;
	if (fit.period_ns < period_ns && parts_of(period_ns, fit.period_ns, fit.error_ns) &&
	    !is_too_long(&old, old.ticks.collisions + old.presents.collisions) &&
	    ((v->authority == VSYNC_REPORTED && has_late_wakeups(&window, &old)) ||
	     !(vsync_fit_has_odd_presents(&old) && old.presents.odd >= 6)))
		return;
	/* A multiple of the old period is checked in a longer window: see
	 * vsync_learn_find_slower(). Few ticks, most of them late, show it less exactly: then a
	 * stated period is right. */
	parts = (fit.period_ns + period_ns / 2) / period_ns;
	if (parts > 1 && vsync_is_near(fit.period_ns, parts * period_ns,
				       v->authority == VSYNC_REPORTED ? 30 : 15))
		return;
	if (v->authority == VSYNC_REPORTED && (fit.ticks.n < 24 || !vsync_fit_is_clear(&fit)))
		return;
	if (v->authority == VSYNC_REPORTED && v->followed) {
		v->followed->foreign = true;
		v->followed = NULL;
	}
	lattice_switch_to(v, VSYNC_FIT, fit.period_ns, fit.error_ns, 0, from_ns, now_ns);
}

/* The events of the last @back_ns, but not those before the period began. */
static void fill_with_period(const struct vsync_lattice *v, struct vsync_window *window,
			     uint64_t back_ns, uint64_t now_ns)
{
	uint64_t from_ns = later(back_from(now_ns, back_ns), lattice_last(v)->from_ns);

	vsync_window_fill(window, &v->log, from_ns, now_ns);
}

void vsync_learn_better(struct vsync_lattice *v, uint64_t period_ns, uint64_t error_ns,
			uint64_t now_ns)
{
	struct vsync_window window;
	struct vsync_fit fit, old;

	fill_with_period(v, &window, LOCK_WINDOW_NS, now_ns);
	fit = vsync_fit_of(&window, period_ns);
	old = vsync_fit_of(&window, vsync_period_ns(v));
	if (v->pending.display || fit.presents.near <= old.presents.near ||
	    fit.ticks.near < old.ticks.near)
		return;
	lattice_refine(v, period_ns, error_ns);
	lattice_find_edges(v, &window);
}

void vsync_learn_doubt(struct vsync_lattice *v, uint64_t now_ns)
{
	uint64_t period_ns = vsync_period_ns(v);
	struct vsync_window window;

	/* That is decided first. */
	if (v->pending.display)
		return;
	fill_with_period(v, &window, SEARCH_BACK_NS, now_ns);
	/* Where there are ticks, they show if the display switched. */
	if (v->authority != VSYNC_OPTION && vsync_window_ticks(&window) >= TICKS_ENOUGH)
		return;
	if (!is_refuted(&window, period_ns, v->error_ns))
		return;
	vsync_learn_find_other(v, window.from_ns, now_ns);
	if (!vsync_is_near(period_ns, vsync_period_ns(v), 15))
		return;
	v->option_refuted = v->authority == VSYNC_OPTION;
	if (v->followed)
		v->followed->foreign = true;
	follow_display(v, NULL, false);
	lattice_unlock(v);
	vsync_learn_decide(v, now_ns);
}

void vsync_learn_verify(struct vsync_lattice *v, uint64_t now_ns)
{
	uint64_t period_ns = vsync_period_ns(v), better_ns, error_ns;
	struct vsync_window window;
	struct vsync_fit fit;

	fill_with_period(v, &window, SEARCH_BACK_NS, now_ns);
	better_ns = vsync_refine(&window, period_ns, &error_ns);
	if (error_ns * 500 > better_ns || !vsync_is_near(period_ns, better_ns, 15) ||
	    vsync_distance(period_ns, better_ns) < error_ns + v->error_ns + period_ns / 1000)
		return;
	fit = vsync_fit_of(&window, better_ns);
	if (fit.ticks.n < UNDECIDED_TICKS || !vsync_fit_is_clear(&fit))
		return;
	lattice_refine(v, better_ns, error_ns);
	lattice_find_edges(v, &window);
}

bool vsync_learn_may_be_turned(const struct vsync_lattice *v)
{
	for (unsigned int i = 0; i < VSYNC_DISPLAYS; i++) {
		const struct vsync_display *display = &v->reported.displays[i];
		struct reported_period reported = reported_period_of(display);

		if (display != v->followed && display->was_on && !is_hidden(v, display) &&
		    parts_of(reported.period_ns, vsync_period_ns(v), vsync_period_ns(v) / 100) > 1)
			return v->followed != NULL;
	}
	return false;
}

void vsync_learn_is_on(struct vsync_lattice *v, uint64_t now_ns)
{
	if (v->unknown)
		set_unknown(v, false, now_ns);
}

/* If the display slowed down to a multiple of its period, all ticks and presents still fit, but
 * none of them needs the shorter one. If another one may be on, it is unknown which one is. */
void vsync_learn_find_slower(struct vsync_lattice *v, uint64_t from_ns, uint64_t now_ns)
{
	uint64_t period_ns = vsync_period_ns(v);
	struct vsync_window window;
	struct vsync_fit fit;

	/* The stated period says when it began. */
	if (v->pending.display && v->pending.as == PENDING_STATED)
		return;
	vsync_window_fill(&window, &v->log, from_ns, now_ns);
	fit = vsync_fit_find(&window, false);
	if (fit.period_ns > VSYNC_PERIOD_USUAL_MAX_NS || fit.ticks.n < SLOW_TICKS ||
	    parts_of(fit.period_ns, period_ns, period_ns / 66) <= 1)
		return;
	if (v->authority <= VSYNC_FIT || !vsync_learn_may_be_turned(v))
		lattice_switch_to(v, VSYNC_FIT, fit.period_ns, fit.error_ns, 0, from_ns, now_ns);
	else if (!v->unknown)
		set_unknown(v, true, v->slow_ns);
}

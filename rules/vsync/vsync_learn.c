/* SPDX-License-Identifier: Apache-2.0 */
/* Which period the display has.
 *
 * Candidates are the periods that displays state, are asked for or have had, and those that fit the
 * events. One test, is_shown(), compares the one of the lattice with a candidate in a window of
 * events: what each of them does not explain has a cost, and a difference of more than a margin
 * decides. A period and its part or multiple explain each other's events, so there only surplus
 * compositions count, presents half a period late, or that none needs the shorter one any more.
 *
 * A statement waits for events that show it. One of the display that is followed is believed if
 * they do not contradict it; one of another display is not, but if both would look the same, it is
 * unknown which one is on. Presents that name a display show it, whatever the ticks are.
 */
#include "rules/vsync/vsync.h"

#include <string.h>

#include "rules/language/surface.h"

#define LOCK_WINDOW_NS (4000 * MS) /* ticks of this time are used to lock the lattice */
#define LOCK_ANYWAY_NS                                                                             \
	(1500 * MS)	      /* after this time the best fit is used, even if it is not certain */
#define AGAIN_NS (2000 * MS)  /* between two tries with another display's period */
#define USED_MAX_NS (50 * MS) /* no film shows a frame for longer */
#define EVENTS_LEAST 8	      /* with fewer events nothing is decided */
#define SURE_TICKS 12	      /* with fewer ticks a fit refutes no display */
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
	ANSWER_OPEN,
	ANSWER_YES,
};

/* SurfaceFlinger composes for each @step-th vsync of that period, or for fewer. */
struct hypothesis {
	uint64_t period_ns, step;
};

static unsigned int count_of(const struct vsync_fit *fit)
{
	return fit->ticks.n + fit->presents.n;
}

static unsigned int collisions_of(const struct vsync_fit *fit)
{
	return fit->ticks.collisions + fit->presents.collisions;
}

/* How badly a period explains the events. A tick can be late; a present hardly ever is. A second
 * composition for one vsync is impossible, but the edge of the slots may be a little wrong. */
static unsigned int cost_of(const struct vsync_fit *fit)
{
	return 4 * collisions_of(fit) + 2 * (fit->presents.n - fit->presents.near) +
	       (fit->ticks.n - fit->ticks.near);
}

/* As vsync_fit_of(); events that are less than @step vsyncs apart collide. */
static struct vsync_fit fit_of(const struct vsync_lattice *v, const struct vsync_window *window,
			       const struct hypothesis *h)
{
	const unsigned int kinds[] = { lattice_main_source(v), VSYNC_PRESENTS };
	struct vsync_fit fit = vsync_fit_of(window, h->period_ns);

	if (h->step <= 1)
		return fit;
	fit.ticks.adjacent = fit.presents.adjacent = 0;
	for (unsigned int at = 0; at < 2; at++) {
		const int64_t *at_ns = window->at_ns[kinds[at]];
		struct vsync_score *score = at ? &fit.presents : &fit.ticks;

		for (unsigned int i = 1; i < window->n[kinds[at]]; i++) {
			uint64_t k = ((uint64_t)(at_ns[i] - at_ns[i - 1]) + h->period_ns / 2) /
				     h->period_ns;

			score->collisions += k > 0 && k < h->step;
			score->adjacent += k == h->step;
		}
	}
	return fit;
}

/* Does the window show @new rather than @old? The one test that decides on a period. @stated: the
 * trace states the new one, so less has to show it. */
static enum answer is_shown(const struct vsync_lattice *v, const struct vsync_window *window,
			    const struct hypothesis *old, const struct hypothesis *new, bool stated)
{
	struct vsync_fit a = fit_of(v, window, old), b = fit_of(v, window, new);
	unsigned int cost_a = cost_of(&a), cost_b = cost_of(&b), n = count_of(&a);
	unsigned int margin = stated ? 4 + n / 8 : 8 + n / 6;
	bool is_part = parts_of(old->period_ns, new->period_ns, new->period_ns / 100) > 1;
	bool is_multiple = parts_of(new->period_ns, old->period_ns, old->period_ns / 100) > 1;

	if (n < EVENTS_LEAST)
		return ANSWER_OPEN;
	/* A part of a period explains all that it does, and late wakeups, too: only what the longer
	 * one does not allow is evidence. */
	if (is_part || is_multiple) {
		cost_a = 4 * collisions_of(&a);
		cost_b = 4 * collisions_of(&b);
		margin = stated ? margin : 16 + n / 4;
	}
	if (is_part)
		cost_a += 2 * (a.presents.odd < a.presents.near ? a.presents.odd : a.presents.near);
	else if (is_multiple && b.presents.near < a.presents.near)
		cost_b += 2 * (a.presents.near - b.presents.near);
	if (cost_a > cost_b + margin)
		return ANSWER_YES;
	return cost_b > cost_a + margin ? ANSWER_NO : ANSWER_OPEN;
}

/* The period, exact to @error_ns, as the window shows it more precisely. */
static uint64_t refined(const struct vsync_window *window, uint64_t period_ns, uint64_t error_ns)
{
	uint64_t better_error_ns, better_ns = vsync_refine(window, period_ns, &better_error_ns);

	return vsync_distance(better_ns, period_ns) <= error_ns + period_ns / 1000 ? better_ns
										   : period_ns;
}

/* Is the period that ticks show equal to the reported one, or a multiple of it? */
static enum answer is_of(uint64_t period_ns, uint64_t error_ns,
			 const struct reported_period *reported)
{
	uint64_t k = (period_ns + reported->period_ns / 2) / reported->period_ns;
	uint64_t reported_ns = k * reported->error_ns;
	/* A nominal period does not become more precise. */
	bool is_open = (error_ns + (reported->is_measured ? reported_ns : 0)) * 400 > period_ns;

	if (vsync_distance(period_ns, k * reported->period_ns) >
	    error_ns + reported_ns + period_ns / 1000)
		return ANSWER_NO;
	return is_open ? ANSWER_OPEN : ANSWER_YES;
}

/* True: neither that period nor one within its error explains presents and ticks. If only every
 * fifth vsync is used, only the length of five shows the error. */
static bool is_refuted(const struct vsync_window *window, uint64_t period_ns, uint64_t error_ns)
{
	struct vsync_fit fit = vsync_fit_of(window, period_ns);

	for (uint64_t k = 1; vsync_fit_is_refuted(&fit); k++) {
		uint64_t better_error_ns, better_ns;

		if (k * period_ns > USED_MAX_NS)
			return true;
		better_ns = vsync_refine(window, k * period_ns, &better_error_ns) / k;
		if (vsync_distance(better_ns, period_ns) <= error_ns + period_ns / 200)
			fit = vsync_fit_of(window, better_ns);
	}
	return false;
}

/* --- displays --- */

/* True: the last presents are on @display. Both ids are long enough, and one of them may be cut. */
static bool is_presented(const struct vsync_lattice *v, const struct vsync_display *display)
{
	size_t n = strlen(display->id);

	return v->n_presented >= PRESENTS_TURNED && n >= VSYNC_DISPLAY_ID_CUT &&
	       memcmp(display->id, v->presented, n) == 0;
}

/* True: SurfaceFlinger states that mode of it, in whole Hz: another value is no other rate. */
static bool is_mode(const struct vsync_display *display, uint64_t period_ns)
{
	return display->stated && display->reported.error_ns * 200 >= period_ns &&
	       vsync_is_near(display->reported.period_ns, period_ns, 15);
}

/* True: frames are presented on another display. */
static bool is_hidden(const struct vsync_lattice *v, const struct vsync_display *display)
{
	size_t n = strlen(display->id);

	/* VSP-period has the first digits of an id only. An id of one or two digits may count
	 * displays. */
	return v->n_presented >= PRESENTS_ALONE && n >= VSYNC_DISPLAY_ID_CUT &&
	       strlen(v->presented) >= n && memcmp(display->id, v->presented, n) != 0;
}

/* The ticks belong to @display from now on. */
static void follow_display(struct vsync_lattice *v, struct vsync_display *display)
{
	if (v->followed && v->followed != display)
		v->followed->was_on = true;
	v->followed = display;
	v->unsure_ns = 0;
	display->foreign = false;
}

/* From @from_ns on it is not known which of two displays with other periods is on; or it is again.
 * Another period ends that, too. */
static void set_unknown(struct vsync_lattice *v, bool unknown, uint64_t from_ns)
{
	v->unknown = unknown;
	lattice_set_period(v, vsync_period_ns(v), v->error_ns, from_ns);
}

/* Ticks and presents from @from_ns on may show that @display has that period. */
static void await(struct vsync_lattice *v, struct vsync_display *display, enum vsync_pending_as as,
		  uint64_t period_ns, uint64_t from_ns, uint64_t now_ns)
{
	v->pending = (struct vsync_pending){ display, as, period_ns, now_ns, from_ns };
	v->next_check_ns = 0;
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
	bool is_sure = false; /* ticks confirm the last digits of the display's period */
	struct reported_period followed = { 0 };
	struct vsync_window window;
	struct vsync_fit fit = { 0 };
	unsigned int n = 0;

	vsync_window_fill(&window, &v->log, back_from(now_ns, LOCK_WINDOW_NS), now_ns);
	if (v->n_ticks >= LOCK_TICKS)
		fit = vsync_fit_find(&window, anyway);

	/* The slowest of the displays that the ticks may belong to. */
	v->followed = NULL;
	for (unsigned int i = 0; i < VSYNC_DISPLAYS; i++) {
		struct vsync_display *display = &v->reported.displays[i];
		struct reported_period reported = reported_period_of(display);
		struct vsync_fit own;
		enum answer answer;

		if (!reported.period_ns)
			continue;
		n++;
		own = vsync_fit_of(&window, reported.period_ns);
		answer = is_of(fit.period_ns, fit.error_ns, &reported);
		/* Late wakeups look like a part of its period. */
		display->foreign =
			is_hidden(v, display) ||
			is_refuted(&window, reported.period_ns, reported.error_ns) ||
			(fit.ticks.n >= SURE_TICKS && vsync_fit_is_clear(&fit) &&
			 answer == ANSWER_NO &&
			 (parts_of(reported.period_ns, fit.period_ns, fit.error_ns) <= 1 ||
			  collisions_of(&own) >= SURPLUS));
		if (display->foreign || reported.period_ns <= followed.period_ns)
			continue;
		v->followed = display;
		followed = reported;
		is_sure = fit.ticks.n >= SURE_TICKS && answer == ANSWER_YES;
	}

	v->option_refuted = v->option_ns && is_refuted(&window, v->option_ns, v->option_ns / 500);
	v->undecided = v->followed && !is_sure && (v->n_ticks < UNDECIDED_TICKS || n > 1);
	if (v->followed) {
		v->guessed = false;
		lattice_lock(v, followed.period_ns, followed.error_ns, VSYNC_REPORTED);
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

/* True: no display is followed, and the ticks show other last digits than those of that one. */
static bool is_of_another(const struct vsync_lattice *v, const struct reported_period *reported)
{
	uint64_t period_ns = vsync_period_ns(v), error_ns = v->error_ns;

	lattice_sharpen(v, &period_ns, &error_ns);
	return !v->followed && reported->period_ns * 4 < period_ns * 5 &&
	       is_of(period_ns, error_ns, reported) == ANSWER_NO;
}

/* A period of @display was reported, which it has had since @from_ns. */
static void learn_report(struct vsync_lattice *v, struct vsync_display *display, uint64_t from_ns,
			 uint64_t now_ns)
{
	struct reported_period reported = reported_period_of(display);
	bool is_near = vsync_is_near(vsync_period_ns(v), reported.period_ns, 15);
	bool other = (v->followed && v->followed != display) || is_hidden(v, display);
	uint64_t ticks_ns = vsync_period_ns(v) * v->guess_parts;
	unsigned int parts;

	if (!other)
		v->stated_ns = now_ns;
	/* Ticks, or presents where there are none, are too few to show which display is on. */
	if (!lattice_is_locked(v) ||
	    (lattice_is_new(v) && v->n_ticks < UNDECIDED_TICKS && !lattice_has_presents_only(v))) {
		if (v->authority != VSYNC_REPORTED || v->followed != display || !is_near)
			vsync_learn_decide(v, now_ns);
		return;
	}
	if (!other && is_near) {
		/* Its last digits may show that it is another one. */
		if (is_of(vsync_period_ns(v), v->error_ns, &reported) == ANSWER_NO) {
			if (v->followed && v->authority == VSYNC_REPORTED)
				v->authority = VSYNC_FIT;
			v->followed = NULL;
			return;
		}
		follow_display(v, display);
		v->authority = VSYNC_REPORTED;
		v->guessed = v->segments[v->n_segments - 1].guessed = false;
		v->pending.display = NULL;
		if (v->unknown)
			set_unknown(v, false, now_ns);
		if (reported.error_ns * 4 < v->error_ns * 3)
			lattice_refine(v, reported.period_ns, reported.error_ns);
		return;
	}
	if (v->pending.display == display && v->pending.as != PENDING_ASKED &&
	    vsync_is_near(v->pending.period_ns, reported.period_ns, 15)) {
		v->pending.period_ns = reported.period_ns;
		return;
	}
	/* A period that the ticks allow as well is better than a guess. */
	parts = v->guessed ? parts_of(ticks_ns, reported.period_ns, reported.error_ns) : 0;
	if (parts) {
		v->guessed = false;
		follow_display(v, display);
		lattice_lock(v, ticks_ns / parts, v->error_ns, VSYNC_REPORTED);
		return;
	}
	if (!other && !display->foreign) {
		await(v, display, PENDING_STATED, reported.period_ns, from_ns, now_ns);
		return;
	}
	/* The ticks up to now do not belong to the display. It may be the one of a foldable that is
	 * on from now on: only then SurfaceFlinger states its mode, in whole Hz, or its hardware
	 * vsyncs. */
	if (v->pending.display ||
	    (!is_awake(v, display, now_ns) && !is_mode(display, reported.period_ns)) ||
	    (v->other.display == display && now_ns < v->other.at_ns + AGAIN_NS &&
	     vsync_is_near(v->other.period_ns, reported.period_ns, 15)))
		return;
	await(v, display, PENDING_OTHER, reported.period_ns, from_ns, now_ns);
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
	if (!name_is(v->presented, sizeof(v->presented), id)) {
		/* Two displays that are on are presented in turns, and so are those of a foldable
		 * while it is opened. */
		v->n_presented = v->presented[0] ? 0 : PRESENTS_ALONE;
		v->presented_ns = time_ns;
		name_copy(v->presented, sizeof(v->presented), id);
		return;
	}
	v->n_presented += v->n_presented < PRESENTS_ALONE;
	if (v->n_presented != PRESENTS_TURNED || !v->followed || !lattice_is_locked(v) ||
	    lattice_is_new(v))
		return;
	/* Presents are on another display than before. If its period is known, and it is not the
	 * one that is followed, it is the one that is on. */
	for (unsigned int i = 0; i < VSYNC_DISPLAYS && !v->pending.display; i++) {
		struct vsync_display *display = &v->reported.displays[i];
		uint64_t period_ns = reported_period_of(display).period_ns;

		if (!is_presented(v, display) || !period_ns)
			continue;
		if (display == v->followed && v->unknown)
			set_unknown(v, false, v->presented_ns);
		if (display != v->followed)
			await(v, display, PENDING_OTHER, period_ns, v->presented_ns, time_ns);
	}
}

void vsync_hardware(struct vsync_lattice *v, struct span display, uint64_t time_ns)
{
	struct vsync_display *d = reported_periods_hardware(&v->reported, display, time_ns);

	if (d)
		learn_report(v, d, d->run_begin_ns, time_ns);
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
		learn_report(v, d, now_ns, now_ns);
}

void vsync_ask_period(struct vsync_lattice *v, struct span display, uint64_t period_ns,
		      uint64_t now_ns)
{
	struct vsync_display *d;

	if (display.len == 0 && v->followed)
		display = span_of(v->followed->id);
	d = reported_periods_ask(&v->reported, display, period_ns);
	if (!d || !lattice_is_locked(v) || lattice_is_new(v) || (v->followed && v->followed != d) ||
	    is_hidden(v, d))
		return;
	if (v->pending.display && v->pending.as == PENDING_STATED)
		return;
	v->pending.display = NULL;
	if (!vsync_is_near(vsync_period_ns(v), period_ns, 15))
		await(v, d, PENDING_ASKED, period_ns, now_ns, now_ns);
}

/* True: compositions for both are as far apart. */
static bool is_alike(const struct hypothesis *a, const struct hypothesis *b)
{
	return vsync_is_near(a->period_ns * a->step, b->period_ns * b->step, 15);
}

/* True: compositions are as far apart as @new has them, and no longer as @old had them. Those of
 * an app that draws less often look like it, unless @new is stated, or each vsync of @old was used
 * just before. */
static bool takes_over(const struct vsync_lattice *v, const struct hypothesis *old,
		       const struct hypothesis *new, uint64_t now_ns)
{
	const struct vsync_pending *pending = &v->pending;
	struct vsync_window past, window;
	struct vsync_fit fit, now, before;

	vsync_window_fill(&window, &v->log, pending->from_ns, now_ns);
	if (is_alike(old, new)) {
		/* Ticks, or presents if there are none, no longer have the phase that they had
		 * before. Two displays of one rate have that in common only by chance. */
		unsigned int kind = lattice_main_source(v);
		struct vsync_score earlier, current;
		uint64_t off_ns;

		if (pending->as != PENDING_OTHER || now_ns < pending->at_ns + PENDING_LATE_NS)
			return false;
		vsync_window_fill(&past, &v->log, back_from(pending->from_ns, PENDING_NS),
				  pending->from_ns);
		if (past.n[kind] < LOCK_TICKS)
			kind = VSYNC_PRESENTS;
		earlier = vsync_score_kind(&past, kind, old->period_ns);
		current = vsync_score_kind(&window, kind, old->period_ns);
		off_ns = vsync_distance(past.from_ns + (uint64_t)earlier.edge_ns,
					window.from_ns + (uint64_t)current.edge_ns) %
			 old->period_ns;
		return earlier.n >= LOCK_TICKS && current.n >= LOCK_TICKS &&
		       off_ns * 10 > old->period_ns && off_ns * 10 < 9 * old->period_ns;
	}
	fit = fit_of(v, &window, new);
	if (new->period_ns *new->step < old->period_ns * old->step ||
	    count_of(&fit) < EVENTS_LEAST || !vsync_fit_holds(&fit))
		return false;
	if (pending->as == PENDING_STATED)
		return parts_of(new->period_ns, old->period_ns, old->period_ns / 100) > 1;
	/* Where the trace states which rate is active, it will state this one, too. */
	if (pending->as == PENDING_ASKED && pending->display->stated)
		return false;
	now = fit_of(v, &window, old);
	vsync_window_fill(&past, &v->log, back_from(pending->at_ns, PENDING_NS), pending->at_ns);
	before = fit_of(v, &past, old);
	/* Nothing was drawn then: what was drawn before that counts. */
	if (count_of(&before) < LOCK_TICKS) {
		vsync_window_fill(&past, &v->log, back_from(pending->at_ns, AGAIN_NS),
				  pending->at_ns);
		before = fit_of(v, &past, old);
	}
	return vsync_fit_is_used(&before) && vsync_fit_is_used(&fit) && !vsync_fit_is_used(&now);
}

/* The display that is pending is on, and has that period. @shown: not only stated. */
static void follow_pending(struct vsync_lattice *v, bool shown, uint64_t now_ns)
{
	struct vsync_pending pending = v->pending;
	bool is_named = pending.as == PENDING_OTHER && is_presented(v, pending.display) &&
			pending.from_ns == v->presented_ns;
	/* A mode is stated as it begins. Vsyncs show a period some time later. */
	bool is_stated = pending.as != PENDING_ASKED && pending.from_ns == pending.at_ns &&
			 is_mode(pending.display, pending.period_ns);
	struct vsync_window window;
	uint64_t error_ns;

	if (pending.as == PENDING_ASKED)
		reported_period_follow(pending.display, now_ns);
	error_ns = reported_period_of(pending.display).error_ns;
	v->guessed = false;
	follow_display(v, pending.display);
	if (vsync_is_near(vsync_period_ns(v), pending.period_ns, 15)) {
		lattice_set_period(v, vsync_period_ns(v), v->error_ns, pending.from_ns);
	} else if (shown && !is_named) {
		lattice_switch_to(v, VSYNC_REPORTED, pending.period_ns, error_ns,
				  is_stated ? pending.at_ns : 0, pending.from_ns, now_ns);
	} else {
		vsync_window_fill(&window, &v->log, pending.from_ns, now_ns);
		lattice_set_period(v, pending.period_ns, error_ns,
				   is_named ? v->presented_ns : pending.at_ns);
		v->authority = VSYNC_REPORTED;
		lattice_find_edges(v, &window);
	}
}

void vsync_learn_follow_pending(struct vsync_lattice *v, uint64_t now_ns)
{
	const struct vsync_pending *pending = &v->pending;
	struct vsync_display *display = pending->display;
	const struct render_period *render = reported_render_at(&v->reported, display, now_ns);
	struct reported_period reported = reported_period_of(display);
	uint64_t period_ns = pending->period_ns, wait_ns = PENDING_LATE_NS;
	bool is_near = vsync_is_near(vsync_period_ns(v), period_ns, 15);
	bool is_other = pending->as == PENDING_OTHER, is_stated = pending->as == PENDING_STATED;
	struct hypothesis old = { .period_ns = vsync_period_ns(v) }, new;
	struct vsync_window window;
	enum answer answer;

	if (now_ns < v->next_check_ns)
		return;
	v->next_check_ns = now_ns + CHECK_EVERY_NS;
	old.step =
		lattice_step(v, v->followed, old.period_ns, back_from(pending->at_ns, TOGETHER_NS));
	new.step = lattice_step(v, display, period_ns, now_ns);
	/* Before its render rate was stated, compositions were still those of the one before. */
	vsync_window_fill(&window, &v->log, later(pending->from_ns, render ? render->from_ns : 0),
			  now_ns);
	new.period_ns = refined(&window, period_ns,
				pending->as == PENDING_ASKED ? period_ns / 100 : reported.error_ns);
	answer = is_shown(v, &window, &old, &new, true);
	/* The mode of a display is stated before its first present, and no present of the other one
	 * follows but those under way. */
	if (is_other && is_hidden(v, display))
		answer = now_ns < pending->at_ns + TURN_NS ? ANSWER_OPEN : ANSWER_NO;
	else if (answer == ANSWER_OPEN &&
		 ((is_other && is_presented(v, display)) || takes_over(v, &old, &new, now_ns)))
		answer = ANSWER_YES;
	/* Waits longer while the old period still ticks, as the report may have come early. */
	if (answer == ANSWER_NO && !is_other && now_ns > pending->from_ns + 3 * period_ns)
		v->pending.from_ns += CHECK_EVERY_NS;
	/* At a low rate it takes longer until enough events show it; what is stated counts without
	 * them. */
	if (answer == ANSWER_OPEN && is_stated)
		wait_ns = PENDING_NS;
	else if (answer == ANSWER_OPEN && !is_other && period_ns < wait_ns / 16)
		wait_ns = later(PENDING_NS, 16 * period_ns);
	if (answer != ANSWER_YES && now_ns < pending->at_ns + wait_ns)
		return;
	/* Nothing shows which of the two displays is on. */
	if (is_other && answer == ANSWER_OPEN &&
	    (pending->from_ns < pending->at_ns || (is_alike(&old, &new) && !is_near)))
		set_unknown(v, true, pending->from_ns);
	/* Both have that period now. */
	if (v->unknown && is_near)
		set_unknown(v, false, pending->at_ns);
	if (answer == ANSWER_YES ||
	    (answer == ANSWER_OPEN && is_stated && !is_of_another(v, &reported)))
		follow_pending(v, answer == ANSWER_YES, now_ns);
	if (is_stated && answer == ANSWER_NO)
		display->foreign = true;
	v->pending.display = NULL;
}

/* --- what ticks and presents show --- */

void vsync_learn_find_other(struct vsync_lattice *v, uint64_t from_ns, uint64_t now_ns)
{
	struct hypothesis old = { vsync_period_ns(v), 1 }, new, twice;
	struct vsync_window window;
	struct vsync_fit fit;
	uint64_t parts;

	from_ns = later(from_ns, lattice_last(v)->from_ns);
	vsync_window_fill(&window, &v->log, from_ns, now_ns);
	fit = vsync_fit_of(&window, old.period_ns);
	if (count_of(&fit) < EVENTS_LEAST || vsync_fit_holds(&fit))
		return;
	/* A display's reported period may explain the ticks. */
	for (unsigned int i = 0; i < VSYNC_DISPLAYS; i++) {
		struct vsync_display *display = &v->reported.displays[i];
		struct reported_period reported = reported_period_of(display);

		if (!reported.period_ns || is_hidden(v, display) ||
		    vsync_is_near(reported.period_ns, old.period_ns, 15))
			continue;
		new.period_ns = refined(&window, reported.period_ns, reported.error_ns);
		new.step = lattice_step(v, display, reported.period_ns, now_ns);
		if (is_shown(v, &window, &old, &new, false) != ANSWER_YES)
			continue;
		follow_display(v, display);
		lattice_switch_to(v, VSYNC_REPORTED, new.period_ns, reported.error_ns, 0, from_ns,
				  now_ns);
		return;
	}
	if (v->authority == VSYNC_OPTION && !vsync_fit_is_refuted(&fit))
		return;
	fit = vsync_fit_find(&window, false);
	new = (struct hypothesis){ fit.period_ns, 1 };
	twice = (struct hypothesis){ 2 * fit.period_ns, 1 };
	if (!fit.period_ns || vsync_is_near(fit.period_ns, old.period_ns, 15) ||
	    fit.period_ns > VSYNC_PERIOD_USUAL_MAX_NS)
		return;
	/* A multiple is searched for in a longer window: see vsync_learn_find_slower(). Few ticks,
	 * most of them late, show it less exactly. */
	parts = (fit.period_ns + old.period_ns / 2) / old.period_ns;
	if (parts > 1 && vsync_is_near(fit.period_ns, parts * old.period_ns, 30))
		return;
	/* Late ticks of a display with twice the period may look the same. */
	if (is_shown(v, &window, &old, &new, false) != ANSWER_YES ||
	    is_shown(v, &window, &twice, &new, false) != ANSWER_YES)
		return;
	if (v->authority == VSYNC_REPORTED)
		v->followed = NULL;
	lattice_switch_to(v, VSYNC_FIT, fit.period_ns, fit.error_ns, 0, from_ns, now_ns);
}

/* The last events, but not those before the period began. */
static void fill_with_period(const struct vsync_lattice *v, struct vsync_window *window,
			     uint64_t now_ns)
{
	uint64_t from_ns = later(back_from(now_ns, SEARCH_BACK_NS), lattice_last(v)->from_ns);

	vsync_window_fill(window, &v->log, from_ns, now_ns);
}

void vsync_learn_doubt(struct vsync_lattice *v, uint64_t now_ns)
{
	uint64_t period_ns = vsync_period_ns(v);
	struct vsync_window window;
	unsigned int n_ticks = 0;

	/* That is decided first. */
	if (v->pending.display)
		return;
	fill_with_period(v, &window, now_ns);
	for (unsigned int kind = 0; kind < VSYNC_SOURCES; kind++)
		n_ticks += window.n[kind];
	/* Where there are ticks, they show if the display switched. */
	if ((v->authority != VSYNC_OPTION && n_ticks >= EVENTS_LEAST) ||
	    !is_refuted(&window, period_ns, v->error_ns))
		return;
	vsync_learn_find_other(v, window.from_ns, now_ns);
	if (!vsync_is_near(period_ns, vsync_period_ns(v), 15))
		return;
	v->option_refuted = v->authority == VSYNC_OPTION;
	v->followed = NULL;
	lattice_unlock(v);
	vsync_learn_decide(v, now_ns);
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
		set_unknown(v, true, later(v->slow_ns, v->unsure_ns));
}

void vsync_learn_verify(struct vsync_lattice *v, uint64_t now_ns)
{
	uint64_t period_ns = vsync_period_ns(v), better_ns, error_ns;
	struct vsync_window window;
	struct vsync_fit fit;

	fill_with_period(v, &window, now_ns);
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
	if (v->unsure_ns)
		return v->followed != NULL;
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
	v->unsure_ns = 0;
	if (v->unknown)
		set_unknown(v, false, now_ns);
}

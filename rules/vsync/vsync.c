/* SPDX-License-Identifier: Apache-2.0 */
/* The vsync lattice.
 *
 *     VSYNC-sf    |       |         |             |   |   |   |  |  |   |   on demand
 *     VSYNC-app     |       |                       |   |   |   |           late, but never early
 *     lattice     :   :   :   :   :   :   :   :   : : : : : : : : : : :     period and phase
 *     presents     #       #        #              #   #   #   #  #  #      begin 1 to 4 ms late
 *                 <- 16.7 ms, 60 Hz ->            <- 8.3 ms, 120 Hz ->
 *
 * The period comes from the most reliable source: the display's hardware vsyncs, counters of
 * SurfaceFlinger that state it, --vsync-ms; without these from ticks and presents (vsync_log.h). It
 * stays until there is evidence for another one: more ticks than it allows, presents half a period
 * off, too few ticks for some time, or another reported period. A period that presents do not fit
 * is not believed, whatever says it. If no other one explains them, the lattice is not locked, and
 * their vsyncs are unknown. To collect evidence takes some time, and frames of that time wait
 * (vsync_sure_until()). Then the time of the switch is found from the events before and after it
 * (vsync_switch.c).
 *
 * The last digits of the period come from events that are far apart. The first ticks may all agree
 * and be wrong: while a machine that was late catches up, they are too close together. No present
 * is late by a whole period, so if they slowly move by one period, the period is wrong.
 *
 * Distances alone do not show whether a display that ticks only every 33 ms could be faster.
 * Without a reported period such a value is divided until it is usual for displays, and marked as a
 * guess.
 *
 * A present is placed by its time in units of the period: its position, which is piecewise linear
 * over the switches of the refresh rate. The number of vsyncs between two presents is the
 * difference of their positions, rounded, if it is near a whole number. If it is not (at 120 Hz the
 * jitter of one present can be near half a period), the phase decides, provided that both presents
 * are near it. The phase is the part of a period in which presents usually begin, as a slow moving
 * average. The error of the period adds up with the distance; beyond some distance the number is
 * unknown.
 */
#include "rules/vsync/vsync.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "rules/base/table.h"

#define SUSPECT_TICKS 3	   /* surplus ticks that are evidence for another period */
#define LATE_TICKS 6	   /* late ticks of the last 16 that are evidence */
#define SLOW_NS (450 * MS) /* a slower rate is searched for after few ticks for this time */
#define SLOW_BLOCK 8	   /* ticks in one measurement of the tick rate */
#define SLOW_WAIT_NS (1200 * MS)
#define SOURCE_IDLE_NS (5000 * MS) /* after a silence of this time a counter no longer ticks */
#define WOKEN_NS (1000 * MS)	   /* resync() of 11+ states the period after 750 ms */
#define SILENT_PERIODS 30	   /* after a silence of this many periods the edge is unknown */
#define EDGE_TICKS 24		   /* the edge is the earliest of this many ticks */
#define SHARPEN_TICKS 32	   /* ticks between two attempts to make the period more precise */
#define VERIFY_TICKS 128
#define SETTLED_TICKS 12
#define WALK_PERIODS 64 /* presents of so many periods make the period more precise */
#define PHASE_GAIN 8	/* the phase follows an eighth of a present's distance from it */
#define ODD_PRESENTS 5	/* of 16, at most, where the phase tells their vsyncs */
#define PHASE_KEEP_NS (1000 * MS)

/* --- ticks --- */

void vsync_init(struct vsync_lattice *v, uint64_t option_ns)
{
	memset(v, 0, sizeof(*v));
	v->option_ns = option_ns;
	vsync_reset(v);
}

void vsync_reset(struct vsync_lattice *v)
{
	*v = (struct vsync_lattice){
		.option_ns = v->option_ns,
		.dumpsys_ns = v->dumpsys_ns,
		.epoch = v->epoch + 1,
		.sources_evicted = v->sources_evicted,
		.reported.evicted = v->reported.evicted,
	};
	if (v->option_ns)
		lattice_lock(v, v->option_ns, v->option_ns / 500, VSYNC_OPTION);
	else if (v->dumpsys_ns)
		lattice_lock(v, v->dumpsys_ns, v->dumpsys_ns / 500, VSYNC_DUMPSYS);
}

/* Detects that ticks have become so few that the display may be slower. */
static void watch_rate(struct vsync_lattice *v, struct vsync_source *source, uint64_t time_ns)
{
	uint64_t period_ns = vsync_period_ns(v);
	uint64_t took_ns = time_ns - source->block_ns;

	if (source->n_block++ > 0 && source->n_block <= SLOW_BLOCK)
		return;
	if (source->n_block > 1) {
		bool turned = v->authority > VSYNC_FIT && vsync_learn_may_be_turned(v);
		bool few = took_ns * 10 >= SLOW_BLOCK * period_ns * 17;
		bool slow = few && took_ns <= SLOW_BLOCK * VSYNC_PERIOD_USUAL_MAX_NS * 3 / 2;

		if (turned && !few)
			vsync_learn_is_on(v, time_ns);
		/* A reported or given period shows that the display is about that fast, if it is
		 * the one that is on. A block of ticks may begin before a foldable is turned. */
		if (turned && v->slow_ns > source->block_ns)
			slow = true;
		if (!slow || period_ns * 2 > VSYNC_PERIOD_USUAL_MAX_NS ||
		    (v->authority > VSYNC_FIT && !turned &&
		     (!v->followed ||
		      reported_period_of(v->followed).period_ns * 4 < period_ns * 5)))
			v->slow_ns = 0;
		/* The slow ticks may have begun in the block before. */
		else if (v->slow_ns == 0)
			v->slow_ns = source->block_before_ns;
	}
	source->block_before_ns = source->n_block > 1 ? source->block_ns : time_ns;
	source->n_block = 1;
	source->block_ns = time_ns;
	if (v->slow_ns && time_ns >= v->slow_ns + SLOW_NS)
		vsync_learn_find_slower(v, back_from(time_ns, SLOW_NS), time_ns);
}

/* Makes an imprecise period more precise by ticks. */
static void sharpen(struct vsync_lattice *v)
{
	uint64_t period_ns = vsync_period_ns(v), error_ns = v->error_ns;

	if (v->pending.display)
		return;
	lattice_sharpen(v, &period_ns, &error_ns);
	if (error_ns < v->error_ns)
		lattice_refine(v, period_ns, error_ns);
}

/* Follows the ticks of a counter with a period: its edge, which is the earliest of the last ticks,
 * and the evidence that the period is wrong, which is checked from time to time. */
static void follow(struct vsync_lattice *v, struct vsync_source *source, uint64_t time_ns)
{
	uint64_t period_ns = vsync_period_ns(v), before_ns = source->last_ns, late_ns = 0,
		 slots = 1;
	bool collision, late;

	if (time_ns > before_ns + SILENT_PERIODS * period_ns || source->settled == 0) {
		source->edge_ns = time_ns;
		source->least_ns = UINT64_MAX;
		source->n_least = 0;
		source->settled = 1;
	} else {
		source->settled++;
		slots = (time_ns - source->edge_ns + period_ns / 10) / period_ns;
		source->edge_ns += slots * period_ns;
		if (time_ns < source->edge_ns)
			source->edge_ns = time_ns;
		late_ns = time_ns - source->edge_ns;
		if (late_ns < source->least_ns)
			source->least_ns = late_ns;
		if (++source->n_least == EDGE_TICKS) {
			source->edge_ns += source->least_ns;
			late_ns -= source->least_ns;
			source->n_least = 0;
			source->least_ns = UINT64_MAX;
		}
	}
	collision = slots == 0;
	late = collision || late_ns > period_ns / 8;

	if (v->followed && !v->pending.display && v->n_ticks % VERIFY_TICKS == 0)
		vsync_learn_verify(v, time_ns);
	if (source->settled >= SETTLED_TICKS) {
		v->late_ticks = v->late_ticks << 1 | late;
		if (v->suspect.collisions && time_ns > v->suspect.last_ns + SUSPECT_NS)
			v->suspect.collisions = 0;
		if (collision) {
			if (v->suspect.collisions++ == 0)
				v->suspect.from_ns = before_ns;
			v->suspect.last_ns = time_ns;
		}
		if ((v->suspect.collisions >= SUSPECT_TICKS ||
		     __builtin_popcount(v->late_ticks & 0xffff) >= LATE_TICKS) &&
		    time_ns >= v->next_check_ns) {
			/* A short window shows a switch; a longer one shows it even if ticks are
			 * late. */
			uint64_t from_ns =
				back_from(time_ns, later(150 * MS, 10 * vsync_period_ns(v)));

			v->next_check_ns = time_ns + CHECK_EVERY_NS;
			if (v->suspect.collisions)
				from_ns = later(from_ns,
						back_from(v->suspect.from_ns, vsync_period_ns(v)));
			vsync_learn_find_other(v, from_ns, time_ns);
			if (v->late_ticks != 0)
				vsync_learn_find_other(v, back_from(time_ns, SLOW_NS), time_ns);
		}
	}
	watch_rate(v, source, time_ns);
	if (v->n_ticks % (v->error_ns * 200 > vsync_period_ns(v) ? LOCK_TICKS : SHARPEN_TICKS) == 0)
		sharpen(v);
}

/* The shortest distance from @from to @to, modulo one vsync: [-VSYNC_ONE / 2, VSYNC_ONE / 2). */
static int64_t wrap(int64_t from, int64_t to)
{
	int64_t d = (to - from) % VSYNC_ONE;

	if (d < -VSYNC_ONE / 2)
		d += VSYNC_ONE;
	if (d >= VSYNC_ONE / 2)
		d -= VSYNC_ONE;
	return d;
}

static int64_t fraction(int64_t position)
{
	int64_t f = position % VSYNC_ONE;

	return f < 0 ? f + VSYNC_ONE : f;
}

void vsync_tick(struct vsync_lattice *v, uint64_t name, unsigned int rank, uint64_t time_ns)
{
	struct vsync_source *source = v->sources, *end = source + VSYNC_SOURCES;
	struct vsync_segment *segment;

	while (source < end && (source->name != name || !source->last_ns))
		source++;
	if (source == end) {
		source = &v->sources[TABLE_LEAST(v->sources, VSYNC_SOURCES, last_ns)];
		v->sources_evicted += source->last_ns && time_ns < source->last_ns + SOURCE_IDLE_NS;
		*source = (struct vsync_source){
			.name = name, .rank = rank, .edge_ns = time_ns, .least_ns = UINT64_MAX
		};
	}

	/* No display is that fast: the tick before was late. */
	if (source->last_ns && time_ns < source->last_ns + VSYNC_PERIOD_MIN_NS * 3 / 4)
		return;
	source->rank = rank;
	vsync_log_add(&v->log, (unsigned int)(source - v->sources), time_ns);
	/* The period was not stated again after the silence: something is not recorded. */
	if (v->last_tick_ns && time_ns > later(v->last_tick_ns, v->stated_ns) + WOKEN_NS)
		v->unsure_ns = time_ns;
	v->last_tick_ns = later(v->last_tick_ns, time_ns);
	if (v->n_ticks++ == 0)
		v->first_tick_ns = time_ns;
	if (v->pending.display)
		vsync_learn_follow_pending(v, time_ns);
	if (!lattice_is_locked(v) || lattice_is_new(v)) {
		if (v->n_ticks % LOCK_TICKS == 0 && !v->pending.display &&
		    (v->authority < VSYNC_FIT || v->n_ticks % SHARPEN_TICKS == 0))
			vsync_learn_decide(v, time_ns);
	} else {
		follow(v, source, time_ns);
	}
	source->last_ns = time_ns;
	segment = lattice_is_locked(v) ? &v->segments[v->n_segments - 1] : NULL;
	if (!segment || (segment->has_ticks && rank > segment->tick_rank))
		return;
	segment->has_ticks = true;
	segment->tick_rank = rank;
	segment->tick_phase = fraction(lattice_position_in(segment, source->edge_ns));
}

void vsync_present(struct vsync_lattice *v, uint64_t time_ns)
{
	uint64_t distance_ns, period_ns, periods, walked_ns;
	struct vsync_window window;
	int64_t off_ns;
	bool is_slow;

	vsync_log_add(&v->log, VSYNC_PRESENTS, time_ns);
	/* Without ticks presents alone have to show it. */
	if (v->pending.display && time_ns > v->last_tick_ns + PENDING_NS)
		vsync_learn_follow_pending(v, time_ns);
	if (!lattice_is_locked(v))
		return;
	/* With the right period the presents' distances, less whole periods, add up to nearly
	 * nothing: the jitter of the first and of the last present. With a wrong one they add up to
	 * more and more. */
	distance_ns = time_ns - v->walk.last_ns;
	period_ns = vsync_period_ns(v);
	if (time_ns < v->walk.last_ns || distance_ns > SILENT_PERIODS * period_ns) {
		v->walk = (struct vsync_walk){ .last_ns = time_ns };
		return;
	}
	periods = (distance_ns + period_ns / 2) / period_ns;
	off_ns = (int64_t)(distance_ns - periods * period_ns);
	v->walk.last_ns = time_ns;
	v->walk.n++;
	v->walk.periods += periods;
	v->walk.off_ns += off_ns;
	v->walk.odd += llabs(off_ns) * 10 >= 3 * (int64_t)period_ns;
	walked_ns = (uint64_t)llabs(v->walk.off_ns);
	/* Presents may come later and later, but not by a whole period. */
	is_slow = v->walk.odd == 0 && v->walk.periods >= WALK_PERIODS;
	if ((walked_ns < (is_slow ? period_ns : period_ns / 2) && v->walk.odd * 4 <= v->walk.n) ||
	    time_ns < v->next_doubt_ns)
		return;
	v->next_doubt_ns = time_ns + CHECK_EVERY_NS;
	if (is_slow && !v->pending.display) {
		period_ns += (uint64_t)(v->walk.off_ns / (int64_t)v->walk.periods);
		vsync_window_fill(
			&window, &v->log,
			later(back_from(time_ns, SEARCH_BACK_NS), lattice_last(v)->from_ns),
			time_ns);
		lattice_refine(v, period_ns, vsync_period_ns(v) / v->walk.periods);
		lattice_find_edges(v, &window);
	} else if (!is_slow) {
		vsync_learn_doubt(v, time_ns);
	}
	v->walk = (struct vsync_walk){ .last_ns = time_ns };
}

void vsync_forget_ranks(struct vsync_lattice *v)
{
	for (unsigned int i = 0; i < v->n_segments; i++)
		v->segments[i].tick_rank = UINT_MAX;
}

void vsync_finish(struct vsync_lattice *v)
{
	if (!lattice_is_locked(v) || lattice_is_new(v)) {
		v->first_tick_ns = 0;
		vsync_learn_decide(v, vsync_log_end(&v->log));
	} else {
		sharpen(v);
	}
	if (v->pending.display) {
		v->next_check_ns = 0;
		vsync_learn_follow_pending(v, v->last_tick_ns + PENDING_NS);
	}
}

uint64_t vsync_sure_until(const struct vsync_lattice *v)
{
	uint64_t sure_ns = UINT64_MAX;

	if (v->undecided && lattice_is_new(v) && !lattice_has_presents_only(v))
		return 0;
	if (v->pending.display)
		sure_ns = back_from(v->pending.at_ns, 300 * MS);
	if (v->slow_ns && v->slow_ns < sure_ns && v->last_tick_ns < v->slow_ns + SLOW_WAIT_NS)
		sure_ns = v->slow_ns;
	if (v->suspect.collisions && v->suspect.from_ns < sure_ns &&
	    v->last_tick_ns < v->suspect.last_ns + SUSPECT_NS)
		sure_ns = v->suspect.from_ns;
	return sure_ns;
}

/* --- presents --- */

/* True: that part of a vsync is no whole number of them. */
static bool is_odd(int64_t part)
{
	return llabs(part) * 10 >= 3 * VSYNC_ONE;
}

void vsync_place(struct vsync_lattice *v, uint64_t present_ns, struct vsync_stamp *stamp)
{
	const struct render_period *render;
	struct vsync_segment *segment;
	int64_t off, to_tick;

	*stamp = (struct vsync_stamp){ .time_ns = present_ns,
				       .locked = lattice_is_locked(v),
				       .step = 1 };
	if (!lattice_is_locked(v))
		return;
	segment = &v->segments[v->n_segments - 1];
	while (segment > v->segments && segment->from_ns > present_ns)
		segment--;
	segment->used = true;
	stamp->position = lattice_position_in(segment, present_ns);
	stamp->uncertainty = lattice_period_uncertainty(segment, present_ns);
	/* From switches whose exact time is unknown. */
	for (unsigned int i = 0; i < VSYNC_SWITCH_RANGES && i < v->n_switch_ranges; i++) {
		const struct vsync_switch_range *u = &v->switch_ranges[i];

		if (present_ns >= u->to_ns)
			stamp->uncertainty += u->uncertainty;
		else if (present_ns > u->from_ns)
			stamp->uncertainty += (int64_t)((double)u->uncertainty *
							(double)(present_ns - u->from_ns) /
							(double)(u->to_ns - u->from_ns));
	}
	stamp->epoch = v->epoch;
	stamp->period_ns = segment->period_ns;
	stamp->from_ns = segment->from_ns;
	stamp->guessed = segment->guessed;
	stamp->unknown = segment->unknown;
	stamp->switches = segment->switches;
	render = reported_render_at(&v->reported, segment->display ? segment->display : v->followed,
				    present_ns);
	stamp->step = reported_step_of(render, stamp->period_ns);
	stamp->step_from_ns = render ? render->from_ns : 0;

	/* The phase of presents starts again at another refresh rate, and after a pause. */
	if (v->phase_number == 0 || vsync_is_switch(v->last_period_ns, stamp->period_ns) ||
	    vsync_distance(present_ns, v->last_present_ns) > PHASE_KEEP_NS) {
		v->n_presents = 0;
		v->present_phase = fraction(stamp->position);
		v->phase_number++;
	}
	v->odd_presents =
		(uint16_t)(v->odd_presents << 1 |
			   (v->n_presents > 0 && is_odd(wrap(v->last_position, stamp->position))));
	v->last_position = stamp->position;
	v->last_present_ns = present_ns;
	v->last_period_ns = stamp->period_ns;
	/* A moving average: of the first values their mean, then an eighth of each. It is not taken
	 * modulo one vsync, as numbers of vsyncs are counted from it. */
	v->n_presents += v->n_presents < PHASE_GAIN;
	v->present_phase += wrap(v->present_phase, stamp->position) / (int64_t)v->n_presents;

	stamp->phase_number = v->phase_number;
	/* A guess that presents do not fit is none: 4 and 5 vsyncs in turn are no 2 of half a 5. */
	stamp->unknown |= stamp->guessed && v->odd_presents != 0;
	off = wrap(v->present_phase, stamp->position);
	/* Presents of another period are now before the mean phase, now behind it. */
	stamp->in_phase = v->n_presents == PHASE_GAIN &&
			  __builtin_popcount(v->odd_presents) <= ODD_PRESENTS &&
			  off * 4 <= VSYNC_ONE && -off * 4 <= VSYNC_ONE;
	stamp->index = (stamp->position - off - v->present_phase) / VSYNC_ONE;
	to_tick = segment->has_ticks ? fraction(segment->tick_phase - v->present_phase) : 0;
	stamp->usual_ns = present_ns - (uint64_t)(off * (int64_t)segment->period_ns / VSYNC_ONE);
	stamp->vsync_ns =
		present_ns + (uint64_t)((to_tick - off) * (int64_t)segment->period_ns / VSYNC_ONE);
}

int64_t vsync_between(const struct vsync_stamp *earlier, const struct vsync_stamp *later)
{
	int64_t difference = later->position - earlier->position;
	int64_t uncertainty = later->uncertainty - earlier->uncertainty;
	int64_t whole = (difference + VSYNC_ONE / 2) / VSYNC_ONE;
	int64_t error = difference - whole * VSYNC_ONE;

	if (!earlier->locked || !later->locked || earlier->epoch != later->epoch || difference < 0)
		return -1;
	if (uncertainty * 4 > VSYNC_ONE || earlier->unknown || later->unknown)
		return -1;
	if (is_odd(error)) {
		if (!earlier->in_phase || !later->in_phase || later->index < earlier->index ||
		    earlier->phase_number != later->phase_number)
			return -1;
		whole = later->index - earlier->index;
	}
	/* SurfaceFlinger presents at most once in a vsync. */
	return whole == 0 && difference * 4 > VSYNC_ONE ? -1 : whole;
}

bool vsync_overrules(const struct vsync_lattice *v)
{
	if (!lattice_is_locked(v))
		return v->option_refuted;
	return v->option_ns && v->authority != VSYNC_OPTION &&
	       vsync_is_switch(v->option_ns, vsync_period_ns(v));
}

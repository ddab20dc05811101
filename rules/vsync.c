/* SPDX-License-Identifier: Apache-2.0 */
/* The vsync lattice.
 *
 *     VSYNC-sf    |       |       |               |   |   |   |   |   |     asked for one by one
 *     VSYNC-app     |       |                       |   |   |   |
 *     lattice     :   :   :   :   :   :   :   :   : : : : : : : : : : :     period and phase
 *     presents     #       #       #               #   #   #   #  #  #      begin 1 to 4 ms late
 *                 <- 16.7 ms, 60 Hz ->            <- 8.3 ms, 120 Hz ->
 *
 * Ticks come on demand: two of one counter are any whole number of periods apart, and now and
 * then none (SurfaceFlinger moved its offset). So the period is the longest one that explains
 * nearly all distances, and its precise value their sum over the periods in them. All multiples
 * of one period explain less, all its fractions explain as much: hence the longest. What no
 * distance can tell is whether a display that only ever ticks every 33 ms could do better: such a
 * period is halved until it is one that displays have.
 *
 * A present is placed by its time, in periods (a position, piecewise linear over the switches of
 * the refresh rate). Between two presents the rounded difference counts where it is near a whole
 * number. Where it is not (at 120 Hz the jitter of one present can be near half a period), the
 * phase decides: where in a period presents usually begin, followed slowly.
 */
#include "rules/vsync.h"

#include <stddef.h>
#include <string.h>

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

/* Displays: 300 Hz to 24 Hz. Slower than 46 Hz only on SurfaceFlinger's own word. */
#define PERIOD_MIN_NS (3 * MS + 300 * US)
#define PERIOD_MAX_NS (45 * MS)
#define PERIOD_USUAL_MAX_NS (21500 * US)

/* Distances of ticks that say something: above, an idle display's drift is as large as a tick. */
#define DELTA_MIN_NS (2500 * US)
#define DELTA_MAX_NS (200 * MS)

/* A tick is a wake-up of a thread: so late it is often, and later seldom. */
#define TICK_JITTER_NS (900 * US)

#define LOCK_DELTAS 6	/* so many distances make a lattice */
#define SWITCH_DELTAS 6 /* so many in a row, none explained but one, make another */
#define SLOW_RUN 32	/* so many in a row, all of twice the period: the display slowed down */
#define SLOW_RUN_NS (400 * MS)
#define HINTED_RUN 3  /* the same with SurfaceFlinger's own word for it */
#define HW_RUN 4      /* the same of hardware vsyncs, which leave none out */
#define HALF_DELTAS 6 /* so many odd multiples of half a period, and each so near, halve it */
#define HALF_JITTER_NS (300 * US)
#define REFINE_EVERY 16
#define REFINE_PERIODS 20 /* a mean over fewer is less precise than the value it would mend */

#define PHASE_GAIN 8 /* the phase follows an eighth of a present's distance from it */
#define PHASE_KEEP_NS (1000 * MS)

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t tolerance(uint64_t period_ns)
{
	return period_ns / 10 < TICK_JITTER_NS ? period_ns / 10 : TICK_JITTER_NS;
}

/* Whole periods in @length_ns, or 0 where it is no multiple. */
static uint32_t periods_in(uint64_t length_ns, uint64_t period_ns)
{
	uint64_t k = (length_ns + period_ns / 2) / period_ns;

	return distance(length_ns, k * period_ns) <= tolerance(period_ns) ? (uint32_t)k : 0;
}

/* --- the period --- */

struct fit {
	unsigned int explained;
	uint64_t sum_ns;
	uint64_t periods;
};

static unsigned int deltas_kept(const struct vsync_lattice *v)
{
	return v->n_deltas < VSYNC_DELTAS ? v->n_deltas : VSYNC_DELTAS;
}

/* The @back-th delta before the last. */
static const struct vsync_delta *delta_at(const struct vsync_lattice *v, unsigned int back)
{
	return &v->deltas[(v->n_deltas - 1 - back) % VSYNC_DELTAS];
}

static struct fit fit_of(const struct vsync_lattice *v, unsigned int n, uint64_t period_ns)
{
	struct fit fit = { 0, 0, 0 };

	for (unsigned int i = 0; i < n; i++) {
		const struct vsync_delta *delta = delta_at(v, i);
		uint32_t k = periods_in(delta->length_ns, period_ns);

		if (k == 0)
			continue;
		fit.explained++;
		fit.sum_ns += delta->length_ns;
		fit.periods += k;
	}
	return fit;
}

/* A period that displays have, of which @period_ns is a multiple. */
static uint64_t usual_period(uint64_t period_ns)
{
	uint64_t parts = (period_ns + PERIOD_USUAL_MAX_NS - 1) / PERIOD_USUAL_MAX_NS;

	return period_ns / parts;
}

/* Takes @period_ns as the best so far if it explains more, or nearly as much and is longer. */
static void try_period(const struct vsync_lattice *v, unsigned int n, uint64_t period_ns,
		       uint64_t *best_ns, unsigned int *best)
{
	unsigned int explained;
	bool better;

	if (period_ns < PERIOD_MIN_NS || period_ns > PERIOD_MAX_NS)
		return;
	explained = fit_of(v, n, period_ns).explained;
	if (period_ns > *best_ns)
		better = explained * 10 >= *best * 9;
	else
		better = explained * 9 > *best * 10;
	if (better && explained > 0) {
		*best_ns = period_ns;
		*best = explained;
	}
}

/* The best of the periods that fit @parts times into a delta; 0 where it explains too little. */
static uint64_t best_period(const struct vsync_lattice *v, unsigned int n, uint32_t parts,
			    unsigned int *explained)
{
	uint64_t best_ns = 0;

	*explained = 0;
	for (unsigned int i = 0; i < n && i < 24; i++)
		try_period(v, n, delta_at(v, i)->length_ns / parts, &best_ns, explained);
	return *explained * 3 >= n * 2 ? best_ns : 0;
}

/* The longest period that explains nearly all of the last @n deltas; 0 where none does. One that
 * is a delta itself first: an offset that moves by a third of a period now and then would make
 * that third explain more. */
static uint64_t estimate(const struct vsync_lattice *v, unsigned int n)
{
	unsigned int explained = 0;
	uint64_t best_ns = 0;
	struct fit fit;

	for (uint32_t parts = 1; parts <= 3 && !best_ns; parts++)
		best_ns = best_period(v, n, parts, &explained);
	if (!best_ns)
		return 0;
	if (v->hinted_ns && fit_of(v, n, v->hinted_ns).explained * 10 >= explained * 8)
		return v->hinted_ns;
	fit = fit_of(v, n, best_ns);
	return usual_period(fit.sum_ns / fit.periods);
}

/* --- stretches: from when on which period --- */

static struct vsync_stretch *stretch_at(struct vsync_lattice *v, uint64_t time_ns)
{
	unsigned int i = v->n_stretches - 1;

	while (i > 0 && v->stretches[i].from_ns > time_ns)
		i--;
	return &v->stretches[i];
}

static int64_t position_of(struct vsync_lattice *v, uint64_t time_ns)
{
	const struct vsync_stretch *s = stretch_at(v, time_ns);
	uint64_t gone = distance(time_ns, s->from_ns);
	int64_t whole = (int64_t)(gone / s->period_ns) * VSYNC_ONE;
	int64_t part = (int64_t)(gone % s->period_ns) * VSYNC_ONE / (int64_t)s->period_ns;

	return time_ns >= s->from_ns ? s->position + whole + part : s->position - whole - part;
}

static uint64_t period_of(const struct vsync_lattice *v)
{
	return v->n_stretches ? v->stretches[v->n_stretches - 1].period_ns : 0;
}

/* Has no present been placed in the last stretch yet? */
static bool is_unused(const struct vsync_lattice *v)
{
	return v->n_stretches > 0 && !v->stretches[v->n_stretches - 1].used;
}

bool vsync_is_switch(uint64_t before_ns, uint64_t after_ns)
{
	return distance(before_ns, after_ns) * 100 > before_ns;
}

/* A period that is only known better has its ticks at the same place. */
static void take_tick_phase(struct vsync_stretch *stretch, const struct vsync_stretch *before)
{
	if (vsync_is_switch(before->period_ns, stretch->period_ns))
		return;
	stretch->tick_phase = before->tick_phase;
	stretch->tick_rank = before->tick_rank;
	stretch->n_ticks = before->n_ticks;
}

/* A new period from @from_ns on. One that no present was placed on yet is replaced. */
static void set_period(struct vsync_lattice *v, uint64_t period_ns, uint64_t from_ns)
{
	uint64_t before = period_of(v);
	struct vsync_stretch stretch = { .from_ns = from_ns, .period_ns = period_ns };

	if (vsync_is_switch(before, period_ns))
		v->changed = true;
	if (before == 0 || is_unused(v)) {
		if (before)
			stretch = v->stretches[--v->n_stretches];
		stretch.period_ns = period_ns;
	} else {
		while (v->n_stretches > 1 && v->stretches[v->n_stretches - 1].from_ns >= from_ns)
			v->n_stretches--;
		stretch.position = position_of(v, from_ns);
		take_tick_phase(&stretch, &v->stretches[v->n_stretches - 1]);
	}
	if (v->n_stretches == VSYNC_STRETCHES) {
		memmove(&v->stretches[0], &v->stretches[1],
			sizeof(v->stretches) - sizeof(v->stretches[0]));
		v->n_stretches--;
	}
	v->stretches[v->n_stretches++] = stretch;
	v->locked = true;
	v->strangers = 0;
	v->run.n = v->hw_run.n = 0;
}

/* --- ticks --- */

void vsync_init(struct vsync_lattice *v, uint64_t given_ns)
{
	memset(v, 0, sizeof(*v));
	v->given_ns = given_ns;
	vsync_reset(v);
}

void vsync_reset(struct vsync_lattice *v)
{
	uint64_t given_ns = v->given_ns;
	uint32_t epoch = v->epoch + 1;

	memset(v, 0, sizeof(*v));
	v->given_ns = given_ns;
	v->epoch = epoch;
	if (given_ns) {
		set_period(v, given_ns, 0);
		v->guessed = true;
	}
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void run_add(struct vsync_run *run, uint32_t periods, uint64_t begin_ns)
{
	uint32_t multiple = run->n ? gcd(run->multiple, periods) : periods;

	if (run->n == 0 || multiple < 2) {
		*run = (struct vsync_run){ 1, periods, begin_ns };
		return;
	}
	run->multiple = multiple;
	run->n++;
}

/* The display slowed down to a multiple of its period: its ticks still fit, but none is between. */
static bool slowed_down(const struct vsync_lattice *v, uint64_t now_ns, uint64_t *from_ns)
{
	const struct vsync_run *run = &v->run;
	uint64_t period_ns = period_of(v);
	uint64_t slow_ns = period_ns * run->multiple;
	bool hinted = v->hinted_ns && distance(v->hinted_ns, slow_ns) * 100 < slow_ns;
	bool contradicted = v->hinted_ns && distance(v->hinted_ns, period_ns) * 100 < period_ns;

	*from_ns = v->hw_run.begin_ns;
	if (v->hw_run.n >= HW_RUN && v->hw_run.multiple >= 2 &&
	    v->hw_run.multiple * period_ns <= PERIOD_MAX_NS)
		return true;
	*from_ns = run->begin_ns;
	if (run->multiple < 2 || slow_ns > (hinted ? PERIOD_MAX_NS : PERIOD_USUAL_MAX_NS))
		return false;
	if (hinted)
		return run->n >= HINTED_RUN;
	return !contradicted && run->n >= SLOW_RUN && now_ns - run->begin_ns >= SLOW_RUN_NS;
}

/* Forgets all deltas but the last @n. */
static void keep_deltas(struct vsync_lattice *v, unsigned int n)
{
	struct vsync_delta kept[SWITCH_DELTAS];

	for (unsigned int i = 0; i < n; i++)
		kept[i] = *delta_at(v, n - 1 - i);
	memcpy(v->deltas, kept, n * sizeof(kept[0]));
	v->n_deltas = n;
}

/* When the ticks of another period began: with the earliest of the last strangers that it
 * explains, but not before the last tick that the old one explains. */
static uint64_t first_tick_of(const struct vsync_lattice *v, uint64_t period_ns)
{
	uint64_t first_ns = delta_at(v, 0)->begin_ns;

	for (unsigned int i = 0; i < v->strangers && i < deltas_kept(v); i++) {
		const struct vsync_delta *delta = delta_at(v, i);

		if (delta->begin_ns < first_ns && periods_in(delta->length_ns, period_ns))
			first_ns = delta->begin_ns;
	}
	return first_ns > v->last_known_ns ? first_ns : v->last_known_ns;
}

/* Another rate: the last distances, or all but one of them, are strangers to the period. */
static void follow_switch(struct vsync_lattice *v, uint64_t now_ns)
{
	uint64_t from_ns;
	uint64_t period_ns;

	if (slowed_down(v, now_ns, &from_ns)) {
		uint32_t multiple = from_ns == v->hw_run.begin_ns && v->hw_run.n >= HW_RUN
					    ? v->hw_run.multiple
					    : v->run.multiple;

		set_period(v, period_of(v) * multiple, from_ns);
		keep_deltas(v, SWITCH_DELTAS); /* those of the faster rate would halve it again */
		return;
	}
	if (v->strangers < SWITCH_DELTAS - 1 || v->n_deltas < SWITCH_DELTAS)
		return;
	period_ns = estimate(v, SWITCH_DELTAS);
	if (!period_ns || distance(period_ns, period_of(v)) * 100 < 3 * period_ns ||
	    fit_of(v, SWITCH_DELTAS, period_ns).explained < SWITCH_DELTAS - 1)
		return;
	set_period(v, period_ns, first_tick_of(v, period_ns));
	keep_deltas(v, SWITCH_DELTAS);
}

/* Ticks in the middle of periods: the display was faster all along, and seldom asked to be. */
static bool is_half(const struct vsync_lattice *v)
{
	uint64_t half_ns = period_of(v) / 2;
	unsigned int n = deltas_kept(v);
	unsigned int odd = 0;

	if (half_ns < PERIOD_MIN_NS)
		return false;
	for (unsigned int i = 0; i < n; i++) {
		uint64_t length_ns = delta_at(v, i)->length_ns;
		uint64_t k = (length_ns + half_ns / 2) / half_ns;

		odd += k % 2 == 1 && distance(length_ns, k * half_ns) <= HALF_JITTER_NS;
	}
	return odd >= HALF_DELTAS && odd * 12 >= n;
}

/* Looks at all that is kept again. The mean over the ticks is more precise than the first
 * estimate was: small steps only, and few, so that frame times stay comparable. As long as no
 * present was placed, and where the period has come to explain too little, begins anew. */
static void refine(struct vsync_lattice *v, uint64_t now_ns)
{
	unsigned int n = deltas_kept(v);
	uint64_t period_ns = period_of(v);
	struct fit fit = fit_of(v, n, period_ns);
	uint64_t better_ns = 0;

	if (is_half(v)) {
		set_period(v, period_ns / 2, now_ns);
		return;
	}
	if (is_unused(v) || fit.explained * 3 < n * 2)
		better_ns = estimate(v, n);
	if (better_ns) {
		set_period(v, better_ns, now_ns);
		return;
	}
	if (fit.periods < REFINE_PERIODS)
		return;
	better_ns = fit.sum_ns / fit.periods;
	if (v->hinted_ns && distance(v->hinted_ns, better_ns) * 200 < better_ns)
		better_ns = v->hinted_ns;
	if (distance(better_ns, period_ns) * 1000 > period_ns)
		set_period(v, better_ns, now_ns);
}

static void try_lock(struct vsync_lattice *v, unsigned int least, uint64_t now_ns)
{
	unsigned int n = deltas_kept(v);
	uint64_t period_ns = n >= least ? estimate(v, n) : 0;

	if (!period_ns || fit_of(v, n, period_ns).explained < least)
		return;
	set_period(v, period_ns, now_ns);
	v->guessed = false;
}

static void add_delta(struct vsync_lattice *v, uint64_t begin_ns, uint64_t now_ns, bool hardware)
{
	uint64_t length_ns = now_ns - begin_ns;
	uint32_t periods;

	if (length_ns < DELTA_MIN_NS || length_ns > DELTA_MAX_NS)
		return;
	v->deltas[v->n_deltas++ % VSYNC_DELTAS] =
		(struct vsync_delta){ begin_ns, (uint32_t)length_ns };
	if (!v->locked || v->guessed) {
		try_lock(v, LOCK_DELTAS, now_ns);
		return;
	}
	periods = periods_in(length_ns, period_of(v));
	v->strangers = periods ? 0 : v->strangers + 1;
	if (periods)
		v->last_known_ns = now_ns;
	if (periods)
		run_add(&v->run, periods, begin_ns);
	if (hardware && periods && length_ns <= PERIOD_MAX_NS)
		run_add(&v->hw_run, periods, begin_ns);
	else if (hardware)
		v->hw_run.n = 0;
	follow_switch(v, now_ns);
	if (v->n_deltas % REFINE_EVERY == 0)
		refine(v, now_ns);
}

/* The nearest distance from @from to @to around a vsync: [-VSYNC_ONE / 2, VSYNC_ONE / 2). */
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

/* A mean that follows: the first values count in full, later ones an eighth. */
static int64_t follow_phase(int64_t phase, int64_t position, unsigned int *n)
{
	if (*n < PHASE_GAIN)
		++*n;
	return fraction(phase + wrap(phase, position) / (int64_t)*n);
}

static void follow_tick_phase(struct vsync_lattice *v, unsigned int rank, uint64_t time_ns)
{
	struct vsync_stretch *stretch;

	if (!v->locked)
		return;
	stretch = &v->stretches[v->n_stretches - 1];
	if (stretch->n_ticks > 0 && rank > stretch->tick_rank)
		return;
	if (stretch->n_ticks > 0 && rank < stretch->tick_rank)
		stretch->n_ticks = 0;
	stretch->tick_rank = rank;
	stretch->tick_phase =
		follow_phase(stretch->tick_phase, position_of(v, time_ns), &stretch->n_ticks);
}

void vsync_tick(struct vsync_lattice *v, uint64_t name, unsigned int rank, bool hardware,
		uint64_t time_ns)
{
	struct vsync_source *source = &v->sources[0];

	for (unsigned int i = 0; i < VSYNC_SOURCES; i++) {
		if (v->sources[i].name == name) {
			source = &v->sources[i];
			break;
		}
		if (v->sources[i].last_ns < source->last_ns)
			source = &v->sources[i];
	}
	if (source->name == name && time_ns > source->last_ns)
		add_delta(v, source->last_ns, time_ns, hardware);
	source->name = name;
	source->last_ns = time_ns;
	/* Strangers may be the first of another period, which has its own phase. */
	if (!hardware && v->strangers == 0)
		follow_tick_phase(v, rank, time_ns);
}

void vsync_hint(struct vsync_lattice *v, uint64_t period_ns)
{
	if (period_ns >= PERIOD_MIN_NS && period_ns <= PERIOD_MAX_NS)
		v->hinted_ns = period_ns;
}

void vsync_finish(struct vsync_lattice *v)
{
	uint64_t now_ns = v->n_deltas ? delta_at(v, 0)->begin_ns : 0;

	if (!v->locked || v->guessed)
		try_lock(v, 2, now_ns);
	else if (is_unused(v))
		refine(v, now_ns);
	if (!v->locked && v->hinted_ns)
		set_period(v, v->hinted_ns, now_ns);
}

/* --- presents --- */

/* Presents of another rate, or after a pause, begin where they like. */
static void follow_present_phase(struct vsync_lattice *v, const struct vsync_stamp *stamp)
{
	if (v->phase_number == 0 || vsync_is_switch(v->last_period_ns, stamp->period_ns) ||
	    distance(stamp->time_ns, v->last_present_ns) > PHASE_KEEP_NS) {
		v->n_presents = 0;
		v->present_phase = fraction(stamp->position);
		v->phase_number++;
	}
	v->last_present_ns = stamp->time_ns;
	v->last_period_ns = stamp->period_ns;
	v->present_phase = follow_phase(v->present_phase, stamp->position, &v->n_presents);
}

void vsync_place(struct vsync_lattice *v, uint64_t present_ns, struct vsync_stamp *stamp)
{
	struct vsync_stretch *stretch;
	int64_t off, behind;

	*stamp = (struct vsync_stamp){ .time_ns = present_ns, .locked = v->locked };
	if (!v->locked)
		return;
	stretch = stretch_at(v, present_ns);
	stretch->used = true;
	stamp->position = position_of(v, present_ns);
	stamp->epoch = v->epoch;
	stamp->period_ns = stretch->period_ns;
	follow_present_phase(v, stamp);
	stamp->phase_number = v->phase_number;
	off = wrap(v->present_phase, stamp->position);
	stamp->index = (stamp->position - off - v->present_phase) / VSYNC_ONE;
	behind = stretch->n_ticks ? fraction(stretch->tick_phase - v->present_phase) : 0;
	stamp->vsync_ns =
		present_ns + (uint64_t)((behind - off) * (int64_t)stretch->period_ns / VSYNC_ONE);
}

int64_t vsync_between(const struct vsync_stamp *earlier, const struct vsync_stamp *later)
{
	int64_t difference = later->position - earlier->position;
	int64_t whole = (difference + VSYNC_ONE / 2) / VSYNC_ONE;
	int64_t error = difference - whole * VSYNC_ONE;

	if (!earlier->locked || !later->locked || earlier->epoch != later->epoch || difference < 0)
		return -1;
	if (error * 10 < 3 * VSYNC_ONE && error * 10 > -3 * VSYNC_ONE)
		return whole;
	if (earlier->phase_number != later->phase_number || later->index < earlier->index)
		return whole;
	return later->index - earlier->index;
}

uint64_t vsync_period_ns(const struct vsync_lattice *v)
{
	return v->locked ? period_of(v) : 0;
}

bool vsync_take_change(struct vsync_lattice *v, uint64_t *from_ns)
{
	bool changed = v->changed;

	*from_ns = v->n_stretches ? v->stretches[v->n_stretches - 1].from_ns : 0;
	v->changed = false;
	return changed;
}

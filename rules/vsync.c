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
 * distance can tell is whether a display that only ever ticks every 33 ms could do better: there
 * SurfaceFlinger's word counts, and what the display's own vsyncs showed while they were on;
 * without either, such a period is halved until it is one that displays have.
 *
 * A present is placed by its time, in periods (a position, piecewise linear over the switches of
 * the refresh rate). Between two presents the rounded difference counts where it is near a whole
 * number. Where it is not (at 120 Hz the jitter of one present can be near half a period), the
 * phase decides: where in a period presents usually begin, followed slowly.
 */
#include "rules/vsync.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "rules/vsync_fit.h"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

/* Distances of ticks that say something: above, an idle display's drift is as large as a tick. */
#define DELTA_MIN_NS (2500 * US)
#define DELTA_MAX_NS (200 * MS)

#define LOCK_DELTAS 6	/* so many distances make a lattice */
#define SWITCH_DELTAS 6 /* so many in a row, none explained but one, make another */
#define SLOW_RUN 32	/* so many in a row, all of twice the period: the display slowed down */
#define SLOW_RUN_NS (400 * MS)
#define TOLD_DELTAS 3 /* so many in a row that fit another period which was told */
#define HALF_DELTAS 6 /* so many odd multiples of half a period, and each so near, halve it */
#define HALF_JITTER_NS (300 * US)
#define REFINE_EVERY 16
#define REFINE_PERIODS 20 /* a mean over fewer is less precise than the value it would mend */

#define PHASE_GAIN 8 /* the phase follows an eighth of a present's distance from it */
#define PHASE_KEEP_NS (1000 * MS)

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
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
	uint64_t gone = vsync_distance(time_ns, s->from_ns);
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
	return vsync_distance(before_ns, after_ns) * 100 > before_ns;
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

/* A new period from @from_ns on. One that no present was placed on yet is replaced; presents that
 * were placed stay where they are. */
static void set_period(struct vsync_lattice *v, uint64_t period_ns, uint64_t from_ns)
{
	uint64_t before = period_of(v);
	struct vsync_stretch stretch = { .period_ns = period_ns };

	from_ns = later(from_ns, v->last_present_ns);
	stretch.from_ns = from_ns;
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
	v->run.n = 0;
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
static bool slowed_down(const struct vsync_lattice *v, uint64_t now_ns)
{
	const struct vsync_run *run = &v->run;
	uint64_t said_ns = vsync_word_period_ns(&v->word);
	uint64_t slow_ns = period_of(v) * run->multiple;

	return run->multiple >= 2 && run->n >= SLOW_RUN && now_ns - run->begin_ns >= SLOW_RUN_NS &&
	       slow_ns <= VSYNC_PERIOD_USUAL_MAX_NS && vsync_is_switch(period_of(v), said_ns) &&
	       vsync_is_switch(slow_ns, said_ns);
}

/* Forgets all deltas but the last @n. */
static void keep_deltas(struct vsync_lattice *v, unsigned int n)
{
	struct vsync_delta kept[SWITCH_DELTAS];

	for (unsigned int i = 0; i < n; i++)
		kept[i] = *vsync_delta_at(v, n - 1 - i);
	memcpy(v->deltas, kept, n * sizeof(kept[0]));
	v->n_deltas = n;
}

/* When the ticks of another period began: with the earliest of the last strangers that it
 * explains, but not before the last tick that the old one explains. */
static uint64_t first_tick_of(const struct vsync_lattice *v, uint64_t period_ns)
{
	uint64_t first_ns = vsync_delta_at(v, 0)->begin_ns;

	for (unsigned int i = 0; i < v->strangers && i < vsync_deltas_kept(v); i++) {
		const struct vsync_delta *delta = vsync_delta_at(v, i);

		if (delta->begin_ns < first_ns && vsync_periods_in(delta->length_ns, period_ns))
			first_ns = delta->begin_ns;
	}
	return later(first_ns, v->last_known_ns);
}

/* Is the period said to be another, and do the ticks agree? They may fit the old one, too. */
static bool is_told_otherwise(const struct vsync_lattice *v)
{
	uint64_t said_ns = vsync_word_period_ns(&v->word);

	return v->told.n >= TOLD_DELTAS &&
	       vsync_distance(said_ns, period_of(v)) * 100 >= 3 * said_ns;
}

/* From when on? Where the display slowed down its ticks had told before, but not before the last
 * word for the old period. */
static uint64_t told_from(const struct vsync_lattice *v)
{
	uint64_t slow_ns = period_of(v) * v->run.multiple;

	if (v->run.n > 0 && v->run.multiple >= 2 &&
	    !vsync_is_switch(slow_ns, vsync_word_period_ns(&v->word)))
		return later(v->told.since_ns, v->run.begin_ns);
	return later(v->told.from_ns, v->told.begin_ns);
}

/* Another rate: the ticks leave some out, or somebody says so, or the last distances, or all but
 * one of them, are strangers to the period. */
static void follow_switch(struct vsync_lattice *v, uint64_t now_ns)
{
	uint64_t period_ns;

	if (is_told_otherwise(v)) {
		period_ns = vsync_period_by_word(v, TOLD_DELTAS);
		set_period(v, period_ns, told_from(v));
		keep_deltas(v, TOLD_DELTAS); /* those of a faster rate would halve it again */
		return;
	}
	if (slowed_down(v, now_ns)) {
		set_period(v, period_of(v) * v->run.multiple, v->run.begin_ns);
		keep_deltas(v, SWITCH_DELTAS);
		return;
	}
	if (v->strangers < SWITCH_DELTAS - 1 || v->n_deltas < SWITCH_DELTAS)
		return;
	period_ns = vsync_estimate(v, SWITCH_DELTAS);
	if (!period_ns || vsync_distance(period_ns, period_of(v)) * 100 < 3 * period_ns ||
	    vsync_fit_of(v, SWITCH_DELTAS, period_ns).explained < SWITCH_DELTAS - 1)
		return;
	set_period(v, period_ns, first_tick_of(v, period_ns));
	keep_deltas(v, SWITCH_DELTAS);
}

/* Ticks in the middle of periods: the display was faster all along, and seldom asked to be. */
static bool is_half(const struct vsync_lattice *v)
{
	uint64_t half_ns = period_of(v) / 2;
	unsigned int n = vsync_deltas_kept(v);
	unsigned int odd = 0;

	if (half_ns < VSYNC_PERIOD_MIN_NS)
		return false;
	for (unsigned int i = 0; i < n; i++) {
		uint64_t length_ns = vsync_delta_at(v, i)->length_ns;
		uint64_t k = (length_ns + half_ns / 2) / half_ns;

		odd += k % 2 == 1 && vsync_distance(length_ns, k * half_ns) <= HALF_JITTER_NS;
	}
	return odd >= HALF_DELTAS && odd * 12 >= n;
}

/* Looks at all that is kept again. The mean over the ticks is more precise than the first
 * estimate was: small steps only, and few, so that frame times stay comparable. As long as no
 * present was placed, and where the period has come to explain too little, begins anew. */
static void refine(struct vsync_lattice *v, uint64_t now_ns)
{
	unsigned int n = vsync_deltas_kept(v);
	uint64_t period_ns = period_of(v);
	struct vsync_fit fit = vsync_fit_of(v, n, period_ns);
	uint64_t better_ns = 0;

	if (is_half(v)) {
		set_period(v, period_ns / 2, now_ns);
		return;
	}
	if (is_unused(v) || fit.explained * 3 < n * 2)
		better_ns = vsync_estimate(v, n);
	if (better_ns) {
		set_period(v, better_ns, now_ns);
		return;
	}
	if (fit.periods < REFINE_PERIODS)
		return;
	better_ns = fit.sum_ns / fit.periods;
	if (vsync_distance(v->word.hinted_ns, better_ns) * 200 < better_ns)
		better_ns = v->word.hinted_ns;
	if (vsync_distance(better_ns, period_ns) * 1000 > period_ns)
		set_period(v, better_ns, now_ns);
}

static void try_lock(struct vsync_lattice *v, unsigned int least, uint64_t now_ns)
{
	unsigned int n = vsync_deltas_kept(v);
	uint64_t period_ns = n >= least ? vsync_estimate(v, n) : 0;

	if (!period_ns || vsync_fit_of(v, n, period_ns).explained < least)
		return;
	set_period(v, period_ns, now_ns);
	v->guessed = false;
}

/* Counts the ticks that fit what was told. */
static void follow_word(struct vsync_lattice *v, uint64_t begin_ns, uint64_t length_ns)
{
	uint64_t said_ns = vsync_word_period_ns(&v->word);

	if (!said_ns || !vsync_periods_in(length_ns, said_ns)) {
		v->told.n = 0;
		return;
	}
	if (v->told.n++ == 0)
		v->told.begin_ns = begin_ns;
}

static void add_delta(struct vsync_lattice *v, uint64_t begin_ns, uint64_t now_ns)
{
	uint64_t length_ns = now_ns - begin_ns;
	uint32_t periods;

	if (length_ns < DELTA_MIN_NS || length_ns > DELTA_MAX_NS)
		return;
	v->deltas[v->n_deltas++ % VSYNC_DELTAS] =
		(struct vsync_delta){ begin_ns, (uint32_t)length_ns };
	follow_word(v, begin_ns, length_ns);
	if (!v->locked || v->guessed) {
		try_lock(v, LOCK_DELTAS, now_ns);
		return;
	}
	periods = vsync_periods_in(length_ns, period_of(v));
	v->strangers = periods ? 0 : v->strangers + 1;
	if (periods)
		v->last_known_ns = now_ns;
	if (periods)
		run_add(&v->run, periods, begin_ns);
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

static void hear_hardware(struct vsync_lattice *v, uint64_t begin_ns, uint64_t now_ns)
{
	uint64_t said_ns = vsync_word_period_ns(&v->word);

	if (!vsync_word_hardware(&v->word, begin_ns, now_ns - begin_ns))
		return;
	if (vsync_is_switch(vsync_word_period_ns(&v->word), said_ns))
		v->told = (struct vsync_told){ .since_ns = v->word.seen_from_ns,
					       .from_ns = v->word.seen_from_ns };
	v->last_said_ns = now_ns;
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
	if (source->name == name && time_ns > source->last_ns) {
		if (hardware)
			hear_hardware(v, source->last_ns, time_ns);
		add_delta(v, source->last_ns, time_ns);
	}
	v->last_tick_ns = time_ns;
	source->name = name;
	source->last_ns = time_ns;
	/* Strangers may be the first of another period, which has its own phase. */
	if (!hardware && v->strangers == 0)
		follow_tick_phase(v, rank, time_ns);
}

void vsync_forget_ranks(struct vsync_lattice *v)
{
	for (unsigned int i = 0; i < v->n_stretches; i++)
		v->stretches[i].tick_rank = UINT_MAX;
}

void vsync_hint(struct vsync_lattice *v, uint64_t period_ns)
{
	uint64_t said_ns = vsync_word_period_ns(&v->word);

	if (!vsync_word_hint(&v->word, period_ns))
		return;
	if (vsync_is_switch(vsync_word_period_ns(&v->word), said_ns))
		v->told = (struct vsync_told){ .since_ns = v->last_said_ns,
					       .from_ns = v->last_tick_ns };
	v->last_said_ns = v->last_tick_ns;
}

void vsync_give(struct vsync_lattice *v, uint64_t period_ns)
{
	if (v->given_ns || period_ns < VSYNC_PERIOD_MIN_NS || period_ns > VSYNC_PERIOD_MAX_NS)
		return;
	v->given_ns = period_ns;
	if (v->locked)
		return;
	set_period(v, period_ns, 0);
	v->guessed = true;
}

void vsync_finish(struct vsync_lattice *v)
{
	uint64_t now_ns = v->n_deltas ? vsync_delta_at(v, 0)->begin_ns : 0;

	if (!v->locked || v->guessed)
		try_lock(v, 2, now_ns);
	else if (is_unused(v))
		refine(v, now_ns);
	if (!v->locked && vsync_word_period_ns(&v->word))
		set_period(v, vsync_word_period_ns(&v->word), now_ns);
}

/* --- presents --- */

/* Presents of another rate, or after a pause, begin where they like. */
static void follow_present_phase(struct vsync_lattice *v, const struct vsync_stamp *stamp)
{
	if (v->phase_number == 0 || vsync_is_switch(v->last_period_ns, stamp->period_ns) ||
	    vsync_distance(stamp->time_ns, v->last_present_ns) > PHASE_KEEP_NS) {
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
	stamp->from_ns = stretch->from_ns;
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

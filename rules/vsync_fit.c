/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/vsync_fit.h"

/* A tick is a wake-up of a thread: so late it is often, and later seldom. */
#define TICK_JITTER_NS UINT64_C(900000)

static uint64_t tolerance(uint64_t period_ns)
{
	return period_ns / 10 < TICK_JITTER_NS ? period_ns / 10 : TICK_JITTER_NS;
}

uint32_t vsync_periods_in(uint64_t length_ns, uint64_t period_ns)
{
	uint64_t k = (length_ns + period_ns / 2) / period_ns;

	return vsync_distance(length_ns, k * period_ns) <= tolerance(period_ns) ? (uint32_t)k : 0;
}

unsigned int vsync_deltas_kept(const struct vsync_lattice *v)
{
	return v->n_deltas < VSYNC_DELTAS ? v->n_deltas : VSYNC_DELTAS;
}

const struct vsync_delta *vsync_delta_at(const struct vsync_lattice *v, unsigned int back)
{
	return &v->deltas[(v->n_deltas - 1 - back) % VSYNC_DELTAS];
}

struct vsync_fit vsync_fit_of(const struct vsync_lattice *v, unsigned int n, uint64_t period_ns)
{
	struct vsync_fit fit = { 0, 0, 0 };

	for (unsigned int i = 0; i < n; i++) {
		const struct vsync_delta *delta = vsync_delta_at(v, i);
		uint32_t k = vsync_periods_in(delta->length_ns, period_ns);

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
	uint64_t parts = (period_ns + VSYNC_PERIOD_USUAL_MAX_NS - 1) / VSYNC_PERIOD_USUAL_MAX_NS;

	return period_ns / parts;
}

/* Takes @period_ns as the best so far if it explains more, or nearly as much and is longer. */
static void try_period(const struct vsync_lattice *v, unsigned int n, uint64_t period_ns,
		       uint64_t *best_ns, unsigned int *best)
{
	unsigned int explained;
	bool better;

	if (period_ns < VSYNC_PERIOD_MIN_NS || period_ns > VSYNC_PERIOD_MAX_NS)
		return;
	explained = vsync_fit_of(v, n, period_ns).explained;
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
		try_period(v, n, vsync_delta_at(v, i)->length_ns / parts, &best_ns, explained);
	return *explained * 3 >= n * 2 ? best_ns : 0;
}

static struct vsync_fit fit_of_word(const struct vsync_lattice *v, unsigned int n)
{
	uint64_t said_ns = vsync_word_period_ns(&v->word);

	return said_ns ? vsync_fit_of(v, n, said_ns) : (struct vsync_fit){ 0, 0, 0 };
}

/* Where it was but seen, the mean over the ticks is more precise. */
uint64_t vsync_period_by_word(const struct vsync_lattice *v, unsigned int n)
{
	uint64_t said_ns = vsync_word_period_ns(&v->word);
	struct vsync_fit fit = fit_of_word(v, n);

	return said_ns == v->word.hinted_ns || fit.periods == 0 ? said_ns
								: fit.sum_ns / fit.periods;
}

/* A period that is a delta itself first: an offset that moves by a third of a period now and then
 * would make that third explain more. */
uint64_t vsync_estimate(const struct vsync_lattice *v, unsigned int n)
{
	unsigned int explained = 0;
	uint64_t best_ns = 0;
	struct vsync_fit fit;

	for (uint32_t parts = 1; parts <= 3 && !best_ns; parts++)
		best_ns = best_period(v, n, parts, &explained);
	if (!best_ns)
		return 0;
	if (fit_of_word(v, n).explained * 10 >= explained * 8)
		return vsync_period_by_word(v, n);
	fit = vsync_fit_of(v, n, best_ns);
	return usual_period(fit.sum_ns / fit.periods);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which period explains the distances of ticks? The idea: vsync.c. */
#ifndef JANKD_RULES_VSYNC_FIT_H
#define JANKD_RULES_VSYNC_FIT_H

#include <stdint.h>

#include "rules/vsync.h"

/* How a period explains distances of ticks. */
struct vsync_fit {
	unsigned int explained; /* so many are multiples of it */
	uint64_t sum_ns;	/* of those */
	uint64_t periods;	/* in those */
};

static inline uint64_t vsync_distance(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns;
}

/* Whole periods in @length_ns, or 0 where it is no multiple. */
uint32_t vsync_periods_in(uint64_t length_ns, uint64_t period_ns);

/* How many deltas are kept, and the one @back before the last. */
unsigned int vsync_deltas_kept(const struct vsync_lattice *v);
const struct vsync_delta *vsync_delta_at(const struct vsync_lattice *v, unsigned int back);

/* Of the last @n deltas, which must be kept. */
struct vsync_fit vsync_fit_of(const struct vsync_lattice *v, unsigned int n, uint64_t period_ns);

/* The longest period that explains nearly all of the last @n deltas; 0 where none does. */
uint64_t vsync_estimate(const struct vsync_lattice *v, unsigned int n);

/* The period that was told, as exact as the last @n deltas make it; 0 where none was. */
uint64_t vsync_period_by_word(const struct vsync_lattice *v, unsigned int n);

#endif

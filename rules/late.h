/* SPDX-License-Identifier: Apache-2.0 */
/* Which frames came late, as --snapshot asks for them: by so much beyond the cadence so far.
 *
 *     frames    . . . . . . . . . . . .           .         one that comes every second vsync is
 * even; late                              <------->           late is what lies beyond that
 *
 * The cadence so far is the most frequent of a layer's last 16 intervals, of several the smallest.
 * It is known once there are 8 since the last wait. A layer that does not draw continuously has
 * none: one that mostly draws less than ten times a second, as the clock in a status bar, or where
 * more than a quarter of the intervals are longer than 4 cadences. What it does not draw is rest.
 */
#ifndef JANKD_RULES_LATE_H
#define JANKD_RULES_LATE_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/interval.h"

#define LATE_INTERVALS 16

struct late_series {
	uint64_t owner; /* hash of the layer's name; 0: none */
	unsigned int n; /* intervals since the last wait */
	struct late_interval {
		uint32_t ns : 31;
		uint32_t plain : 1; /* its vsyncs are not known */
	} intervals[LATE_INTERVALS];
};

struct late_state {
	uint64_t limit_ns; /* late by that much; 0: nothing is */
	int max;
	struct late_series *series; /* by the layer's place in its table */
};

/* @state: all zeros, with limit_ns set. @max: layers. Returns 0 or -ENOMEM. */
int late_state_init(struct late_state *state, unsigned int max);
void late_state_free(struct late_state *state);

/* A frame of the layer at @place in its table, of the name with the hash @owner: is it late? A wait
 * is late only where the limit is one. */
bool late_check(struct late_state *state, int place, uint64_t owner, struct interval interval);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What late frames and stalls cost a user at worst: the worst moment, the worst minute. Their sum
 * is in struct grade_facts.
 *
 * The harm of a frame is the time by which its interval exceeds the cadence so far (late.h). That
 * of a stall is its whole length.
 */
#ifndef JANKD_RULES_COUNT_HARM_H
#define JANKD_RULES_COUNT_HARM_H

#include <stdint.h>

#include "rules/count/recent.h"

/* All zeros: none yet. Times are of the trace clock. */
struct harm {
	uint64_t worst_ns, worst_at_ns; /* the one with most harm, and when it ended */
	/* The 60 seconds with most harm: their harm, and when the first of them with harm began. */
	uint64_t minute_ns, minute_from_ns;
	struct recent recent; /* its last seconds; all zeros on another clock */
};

/* Adds harm of @ns (more than 0) that ended at @time_ns. Times must not go back on one clock; with
 * another one, the last seconds begin again. */
void harm_add(struct harm *harm, uint64_t time_ns, uint64_t ns);

#endif

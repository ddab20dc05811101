/* SPDX-License-Identifier: Apache-2.0 */
/* At most so many in any period of so long: apps and other programs can cause some things as often
 * as they like, and none of them may fill the disk. Time is an argument: a recorded trace has its
 * own. */
#ifndef JANKD_RULES_RATE_LIMIT_H
#define JANKD_RULES_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* The largest @max of rate_limit_allows(). */
#define RATE_LIMIT_MAX 32

/* All zeros: nothing has happened yet. */
struct rate_limit {
	uint64_t at_ns[RATE_LIMIT_MAX]; /* when the last ones were allowed: a ring */
	uint64_t allowed;		/* since the beginning */
};

/**
 * rate_limit_allows() - may it happen now, as one of at most @max in any @period_ns?
 * @max: the same in all calls
 * @now_ns: any clock; if it goes back nothing above @max is allowed until it has caught up
 *
 * True: it is counted as done.
 */
bool rate_limit_allows(struct rate_limit *limit, unsigned int max, uint64_t period_ns,
		       uint64_t now_ns);

#endif

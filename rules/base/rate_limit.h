/* SPDX-License-Identifier: Apache-2.0 */
/* Limits the number of actions in any period. Apps and other programs can cause some actions any
 * number of times, and must not fill the disk. Time is an argument, as a recorded trace has a time
 * of its own. */
#ifndef JANKD_RULES_BASE_RATE_LIMIT_H
#define JANKD_RULES_BASE_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* The largest @max of rate_limit_allows(). */
#define RATE_LIMIT_MAX 32

/* All zeros: no action yet. */
struct rate_limit {
	uint64_t at_ns[RATE_LIMIT_MAX]; /* times of the last allowed actions: a ring */
	uint64_t allowed;		/* actions so far */
};

/**
 * rate_limit_allows() - limit an action to @max in any @period_ns
 * @max: the same in all calls
 * @now_ns: any clock; after a step back fewer actions are allowed until it has caught up
 *
 * True: the action is allowed now, and is counted.
 */
static inline bool rate_limit_allows(struct rate_limit *limit, unsigned int max, uint64_t period_ns,
				     uint64_t now_ns)
{
	/* The next entry of the ring holds the time of the action @max before this one. */
	uint64_t *at_ns = &limit->at_ns[limit->allowed % max];

	if (limit->allowed >= max && now_ns < *at_ns + period_ns)
		return false;
	*at_ns = now_ns;
	limit->allowed++;
	return true;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/base/rate_limit.h"

bool rate_limit_allows(struct rate_limit *limit, unsigned int max, uint64_t period_ns,
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

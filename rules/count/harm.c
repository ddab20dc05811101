/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/harm.h"

#define SECOND_NS UINT64_C(1000000000)

void harm_add(struct harm *harm, struct recent *recent, uint64_t time_ns, uint64_t ns)
{
	struct recent_second *second = recent_second(recent, time_ns);
	uint64_t sum_us = 0, first = recent->number;

	if (ns > harm->worst_ns) {
		harm->worst_ns = ns;
		harm->worst_at_ns = time_ns;
	}
	second->harm_us += ns / 1000 < UINT32_MAX - second->harm_us ? (uint32_t)(ns / 1000)
								    : UINT32_MAX - second->harm_us;
	for (uint64_t back = 0; back < RECENT_SLOTS && back <= recent->number; back++) {
		uint32_t us = recent_second_of(recent, recent->number - back).harm_us;

		sum_us += us;
		if (us > 0)
			first = recent->number - back;
	}
	if (sum_us * 1000 <= harm->minute_ns)
		return;
	harm->minute_ns = sum_us * 1000;
	harm->minute_from_ns = first * SECOND_NS;
}

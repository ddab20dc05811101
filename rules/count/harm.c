/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/harm.h"

#define SECOND_NS UINT64_C(1000000000)

void harm_add(struct harm *harm, uint64_t time_ns, uint64_t ns)
{
	struct recent *recent = &harm->recent;
	uint64_t sum_us = 0, first = 0;
	uint32_t *us;

	if (ns > harm->worst_ns) {
		harm->worst_ns = ns;
		harm->worst_at_ns = time_ns;
	}
	recent_advance(recent, time_ns);
	us = &recent->harm_us[recent->number % RECENT_HARM_SLOTS];
	*us += ns / 1000 < UINT32_MAX - *us ? (uint32_t)(ns / 1000) : UINT32_MAX - *us;
	for (uint64_t back = 0; back < RECENT_HARM_SLOTS && back <= recent->number; back++) {
		uint64_t number = recent->number - back;
		uint32_t then_us = recent->harm_us[number % RECENT_HARM_SLOTS];

		sum_us += then_us;
		if (then_us > 0)
			first = number;
	}
	if (sum_us * 1000 <= harm->minute_ns)
		return;
	harm->minute_ns = sum_us * 1000;
	harm->minute_from_ns = first * SECOND_NS;
}

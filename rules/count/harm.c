/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/harm.h"

#include <string.h>

#define SECOND_NS UINT64_C(1000000000)

/* Removes the seconds that are more than a minute before @second. */
static void advance(struct harm *harm, uint64_t second)
{
	uint64_t steps = second > harm->second ? second - harm->second : 0;

	if (steps >= HARM_SECONDS) {
		memset(harm->us, 0, sizeof(harm->us));
		harm->sum_us = 0;
		steps = 0;
		harm->second = second;
	}
	for (; steps > 0; steps--) {
		uint32_t *oldest = &harm->us[++harm->second % HARM_SECONDS];

		harm->sum_us -= *oldest;
		*oldest = 0;
	}
	if (harm->sum_us == 0)
		harm->first = harm->second;
	while (harm->us[harm->first % HARM_SECONDS] == 0 && harm->first < harm->second)
		harm->first++;
}

void harm_add(struct harm *harm, uint64_t time_ns, uint64_t ns)
{
	uint32_t *us;
	uint64_t add_us = ns / 1000;

	if (ns > harm->worst_ns) {
		harm->worst_ns = ns;
		harm->worst_at_ns = time_ns;
	}
	advance(harm, time_ns / SECOND_NS);
	us = &harm->us[harm->second % HARM_SECONDS];
	if (add_us > UINT32_MAX - *us)
		add_us = UINT32_MAX - *us;
	*us += (uint32_t)add_us;
	harm->sum_us += add_us;
	if (harm->sum_us * 1000 <= harm->minute_ns)
		return;
	harm->minute_ns = harm->sum_us * 1000;
	harm->minute_from_ns = harm->first * SECOND_NS;
}

void harm_new_clock(struct harm *harm)
{
	memset(harm->us, 0, sizeof(harm->us));
	harm->sum_us = harm->second = 0;
}

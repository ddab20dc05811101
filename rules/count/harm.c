/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/harm.h"

#include <stdbool.h>

#include "rules/base/interval.h"

#define SECOND_NS UINT64_C(1000000000)
#define SECOND_US UINT64_C(1000000)

/* The second of @time_ns becomes the last one. */
static void advance(struct recent *recent, uint64_t time_ns)
{
	uint64_t number = time_ns / SECOND_NS;

	if (number < recent->number || number - recent->number >= HARM_SLOTS)
		*recent = (struct recent){ .number = number };
	while (recent->number < number) {
		uint64_t next = ++recent->number;

		recent->time_ns[next % RECENT_SLOTS] = recent->frames[next % RECENT_SLOTS] = 0;
		recent->minute_us -= recent->harm_us[next % HARM_SLOTS];
		recent->harm_us[next % HARM_SLOTS] = 0;
	}
}

/* Times are whole microseconds, as in the files: there the sums are the same. */
void harm_add(struct harm *harm, uint64_t time_ns, uint64_t ns)
{
	struct recent *recent = &harm->recent;
	uint64_t to_us = time_ns / 1000, from_us = back_from(to_us, ns / 1000);
	uint64_t first = from_us / SECOND_US, last = to_us / SECOND_US;

	if (ns > harm->worst_ns) {
		harm->worst_ns = ns;
		harm->worst_from_ns = back_from(time_ns, ns);
	}
	if (last < recent->number)
		advance(recent, time_ns);
	for (uint64_t second = first; second <= last; second++) {
		uint64_t begin_us, end_us, lost_us, number;
		uint32_t *us;

		/* Of hours no minute is worse than the first whole one. */
		if (second == first + HARM_SLOTS + 1 && last > second + HARM_SLOTS)
			second = last - HARM_SLOTS;
		begin_us = later(from_us, second * SECOND_US);
		end_us = (second + 1) * SECOND_US;
		if (second > recent->number)
			advance(recent, second * SECOND_NS);
		if (recent->number - second >= HARM_SLOTS)
			continue;
		us = &recent->harm_us[second % HARM_SLOTS];
		lost_us = (to_us < end_us ? to_us : end_us) - begin_us;
		if (lost_us > UINT32_MAX - *us)
			lost_us = UINT32_MAX - *us;
		*us += (uint32_t)lost_us;
		recent->minute_us += lost_us;
		/* The last minute may be the worst one. */
		if (recent->minute_us * 1000 <= harm->minute_ns)
			continue;
		harm->minute_ns = recent->minute_us * 1000;
		number = recent->number + 1;
		for (uint64_t later_us = 0; later_us < recent->minute_us;)
			later_us += recent->harm_us[--number % HARM_SLOTS];
		harm->minute_from_ns = number * SECOND_NS;
	}
}

void recent_add(struct recent *recent, uint64_t present_ns, uint64_t interval_ns)
{
	uint64_t slot;

	advance(recent, present_ns);
	slot = recent->number % RECENT_SLOTS;
	recent->frames[slot]++;
	recent->time_ns[slot] += interval_ns;
}

/* True: the second of that number is kept. */
static bool is_kept(const struct recent *recent, uint64_t number)
{
	return number <= recent->number && recent->number - number < RECENT_SLOTS;
}

double recent_fps(const struct recent *recent, uint64_t now_ns)
{
	uint64_t number = now_ns / SECOND_NS - 1, slot = number % RECENT_SLOTS;

	return is_kept(recent, number) && recent->time_ns[slot] > 0
		       ? (double)recent->frames[slot] * 1e9 / (double)recent->time_ns[slot]
		       : -1;
}

uint64_t recent_frames(const struct recent *recent, uint64_t now_ns)
{
	uint64_t frames = 0;

	for (uint64_t back = 1; back <= RECENT_SECONDS; back++) {
		uint64_t number = now_ns / SECOND_NS - back;

		frames += is_kept(recent, number) ? recent->frames[number % RECENT_SLOTS] : 0;
	}
	return frames;
}

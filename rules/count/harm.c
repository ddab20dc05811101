/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/harm.h"

#include <stddef.h>

#define SECOND_NS UINT64_C(1000000000)

/* The second of that number; NULL: it is not kept. */
static const struct recent_second *find(const struct recent *recent, uint64_t number)
{
	if (number > recent->number || recent->number - number >= RECENT_SLOTS)
		return NULL;
	return &recent->seconds[number % RECENT_SLOTS];
}

/* The second of @time_ns, which becomes the last one. */
static struct recent_second *advance(struct recent *recent, uint64_t time_ns)
{
	uint64_t number = time_ns / SECOND_NS;

	if (number < recent->number || number - recent->number >= RECENT_SLOTS)
		*recent = (struct recent){ .number = number };
	while (recent->number < number)
		recent->seconds[++recent->number % RECENT_SLOTS] = (struct recent_second){ 0 };
	return &recent->seconds[number % RECENT_SLOTS];
}

void harm_add(struct harm *harm, uint64_t time_ns, uint64_t ns)
{
	uint32_t *us = &advance(&harm->recent, time_ns)->harm_us;
	uint64_t sum_us = 0, first = 0, number = harm->recent.number;
	const struct recent_second *second;

	if (ns > harm->worst_ns) {
		harm->worst_ns = ns;
		harm->worst_at_ns = time_ns;
	}
	*us += ns / 1000 < UINT32_MAX - *us ? (uint32_t)(ns / 1000) : UINT32_MAX - *us;
	for (; (second = find(&harm->recent, number)); number--) {
		sum_us += second->harm_us;
		if (second->harm_us > 0)
			first = number;
	}
	if (sum_us * 1000 <= harm->minute_ns)
		return;
	harm->minute_ns = sum_us * 1000;
	harm->minute_from_ns = first * SECOND_NS;
}

void recent_add(struct recent *recent, uint64_t present_ns, uint64_t interval_ns)
{
	struct recent_second *second = advance(recent, present_ns);

	second->frames++;
	second->time_ns += interval_ns;
}

double recent_fps(const struct recent *recent, uint64_t now_ns)
{
	const struct recent_second *second = find(recent, now_ns / SECOND_NS - 1);

	return second && second->time_ns > 0
		       ? (double)second->frames * 1e9 / (double)second->time_ns
		       : -1;
}

uint64_t recent_frames(const struct recent *recent, uint64_t now_ns)
{
	uint64_t frames = 0;

	for (uint64_t back = 1; back <= RECENT_SECONDS; back++) {
		const struct recent_second *second = find(recent, now_ns / SECOND_NS - back);

		frames += second ? second->frames : 0;
	}
	return frames;
}

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
	while (recent->number < number) {
		struct recent_second *oldest = &recent->seconds[++recent->number % RECENT_SLOTS];

		recent->harm_us -= oldest->harm_us;
		*oldest = (struct recent_second){ 0 };
	}
	return &recent->seconds[number % RECENT_SLOTS];
}

void harm_add(struct harm *harm, uint64_t time_ns, uint64_t ns)
{
	struct recent *recent = &harm->recent;
	uint32_t *us = &advance(recent, time_ns)->harm_us;
	uint32_t added_us = ns / 1000 < UINT32_MAX - *us ? (uint32_t)(ns / 1000) : UINT32_MAX - *us;
	uint64_t number = recent->number + 1;

	if (ns > harm->worst_ns) {
		harm->worst_ns = ns;
		harm->worst_at_ns = time_ns;
	}
	*us += added_us;
	recent->harm_us += added_us;
	if (recent->harm_us * 1000 <= harm->minute_ns)
		return;
	harm->minute_ns = recent->harm_us * 1000;
	for (uint64_t later_us = 0; later_us < recent->harm_us;)
		later_us += recent->seconds[--number % RECENT_SLOTS].harm_us;
	harm->minute_from_ns = number * SECOND_NS;
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/recent.h"

#define NS_PER_S UINT64_C(1000000000)

void recent_advance(struct recent *recent, uint64_t time_ns)
{
	uint64_t number = time_ns / NS_PER_S;

	if (number < recent->number || number - recent->number >= RECENT_HARM_SLOTS)
		*recent = (struct recent){ .number = number };
	while (recent->number < number) {
		recent->seconds[++recent->number % RECENT_SLOTS] = (struct recent_second){ 0 };
		recent->harm_us[recent->number % RECENT_HARM_SLOTS] = 0;
	}
}

/* The second of that number, or an empty one. */
static struct recent_second second_of(const struct recent *recent, uint64_t number)
{
	if (number > recent->number || recent->number - number >= RECENT_SLOTS)
		return (struct recent_second){ 0 };
	return recent->seconds[number % RECENT_SLOTS];
}

void recent_add(struct recent *recent, uint64_t present_ns, uint64_t interval_ns)
{
	struct recent_second *second;

	recent_advance(recent, present_ns);
	second = &recent->seconds[recent->number % RECENT_SLOTS];
	second->frames++;
	second->time_ns += interval_ns;
}

double recent_fps(const struct recent *recent, uint64_t now_ns)
{
	struct recent_second second = second_of(recent, now_ns / NS_PER_S - 1);

	return second.time_ns > 0 ? (double)second.frames * 1e9 / (double)second.time_ns : -1;
}

uint64_t recent_frames(const struct recent *recent, uint64_t now_ns)
{
	uint64_t frames = 0;

	for (uint64_t back = 1; back <= RECENT_SECONDS; back++)
		frames += second_of(recent, now_ns / NS_PER_S - back).frames;
	return frames;
}

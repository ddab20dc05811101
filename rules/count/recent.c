/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/recent.h"

#define NS_PER_S UINT64_C(1000000000)

static void begin_second(struct recent *recent, uint64_t number)
{
	if (number < recent->number || number - recent->number > RECENT_SECONDS)
		*recent = (struct recent){ .number = number };
	while (recent->number < number)
		recent->seconds[++recent->number % RECENT_SLOTS] = (struct recent_second){ 0 };
}

void recent_add(struct recent *recent, uint64_t present_ns, uint64_t interval_ns)
{
	struct recent_second *second;

	if (present_ns / NS_PER_S != recent->number)
		begin_second(recent, present_ns / NS_PER_S);
	second = &recent->seconds[recent->number % RECENT_SLOTS];
	second->frames++;
	second->time_ns += interval_ns;
}

/* The second that is @back seconds before that of @now_ns. */
static struct recent_second second_before(const struct recent *recent, uint64_t now_ns,
					  unsigned int back)
{
	uint64_t number = now_ns / NS_PER_S - back;

	if (number > recent->number || recent->number - number > RECENT_SECONDS)
		return (struct recent_second){ 0 };
	return recent->seconds[number % RECENT_SLOTS];
}

double recent_fps(const struct recent *recent, uint64_t now_ns)
{
	struct recent_second second = second_before(recent, now_ns, 1);

	return second.time_ns > 0 ? (double)second.frames * 1e9 / (double)second.time_ns : -1;
}

uint64_t recent_frames(const struct recent *recent, uint64_t now_ns)
{
	uint64_t frames = 0;

	for (unsigned int back = 1; back <= RECENT_SECONDS; back++)
		frames += second_before(recent, now_ns, back).frames;
	return frames;
}

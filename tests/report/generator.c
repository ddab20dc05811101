/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/report/generator.h"

#include <math.h>
#include <stdlib.h>

#define PERIOD_US 16667
#define HALF_MINUTE 1800 /* frames */

double generator_random(struct generator *generator)
{
	uint64_t *state = &generator->state;

	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) / 9007199254740992.0;
}

double generator_normal(struct generator *generator)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += generator_random(generator);
	return sum;
}

/* Bursts begin at random and are geometrically distributed. */
static bool is_late(struct generator *generator)
{
	bool is_calm = generator->frame++ / HALF_MINUTE % 2 == 0;
	double mean = (1 + generator->calm_factor) / 2;
	double share = generator->share * (is_calm ? 1 : generator->calm_factor) / mean;
	double begin = share / generator->burst / (1 - share);

	if (generator->left == 0 && generator_random(generator) < begin)
		for (generator->left = 1; generator_random(generator) > 1 / generator->burst;
		     generator->left++)
			;
	if (generator->left == 0)
		return false;
	generator->left--;
	return true;
}

void generate_run(struct generator *generator, struct compared_surface *surface, enum group group,
		  uint32_t run, double seconds)
{
	uint64_t max = (uint64_t)(seconds * 60) + 1, us = 0;
	struct compared_run *to;

	surface->runs = realloc(surface->runs, (surface->n_runs + 1) * sizeof(*surface->runs));
	to = &surface->runs[surface->n_runs++];
	*to = (struct compared_run){
		.group = group,
		.run = run,
		.frames = malloc(max * sizeof(*to->frames)),
	};
	while (us < seconds * 1e6) {
		unsigned int vsyncs = 1;

		if (is_late(generator))
			vsyncs = 2 + (unsigned int)(5 * generator_random(generator));
		us += vsyncs * PERIOD_US;
		to->frames[to->n_frames++] = (struct compared_frame){
			.interval_us = vsyncs * PERIOD_US,
			.vsyncs = (uint16_t)vsyncs,
			.flags = vsyncs == 6 ? FRAME_JANK : 0,
		};
	}
	surface->time_s[group] += (double)us / 1e6;
}

void generated_free(struct compared_surface *surface)
{
	for (uint32_t i = 0; i < surface->n_runs; i++)
		free(surface->runs[i].frames);
	free(surface->runs);
	*surface = (struct compared_surface){ 0 };
}

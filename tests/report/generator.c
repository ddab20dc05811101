/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/report/generator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD_US 16667
#define HALF_MINUTE 1800 /* frames */
#define FROZEN_SECTION 2

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

/* Since the last frame @s seconds passed, the last freeze was @since_s ago. */
static bool freezes_now(struct generator *generator, double s, double since_s, uint32_t section)
{
	bool is_in = section == FROZEN_SECTION;
	double rate = generator->freezes / 60;

	if (generator->in_one_section)
		rate *= is_in ? GENERATED_SECTIONS : 0;
	if (since_s < 10)
		rate += generator->followers / 10;
	if (is_in && generator->is_planted) {
		double before = generator->section_s;

		generator->section_s += s;
		if (before == 0 || floor(before / 60) < floor(generator->section_s / 60))
			generator->planted_s = 60 * (floor(generator->section_s / 60) +
						     0.9 * generator_random(generator));
		if (before < generator->planted_s && generator->section_s >= generator->planted_s)
			return true;
	}
	return rate > 0 && generator_random(generator) < rate * s;
}

static void add_sections(struct compared_surface *surface)
{
	static const char *const names[GENERATED_SECTIONS] = { "a", "b", "c", "d", "e" };

	if (surface->n_sections > 0)
		return;
	surface->sections = calloc(GENERATED_SECTIONS, sizeof(*surface->sections));
	surface->n_sections = GENERATED_SECTIONS;
	for (unsigned int i = 0; i < GENERATED_SECTIONS; i++)
		surface->sections[i].name = strdup(names[i]);
}

void generate_run(struct generator *generator, struct compared_surface *surface, enum group group,
		  uint32_t run, double seconds)
{
	uint64_t max = (uint64_t)(seconds * 60) + 1, us = 0, froze_us = 0;
	uint32_t last_us = PERIOD_US;
	struct compared_run *to;

	add_sections(surface);
	surface->runs = realloc(surface->runs, (surface->n_runs + 1) * sizeof(*surface->runs));
	to = &surface->runs[surface->n_runs++];
	*to = (struct compared_run){
		.group = group,
		.run = run,
		.frames = malloc(max * sizeof(*to->frames)),
	};
	while (us < seconds * 1e6) {
		uint32_t at = (uint32_t)((double)us * GENERATED_SECTIONS / seconds / 1e6);
		struct compared_section *section = &surface->sections[at];
		struct grade_facts *facts[] = { &section->facts[group].sum, &to->facts.sum };
		struct compared_frame *frame = &to->frames[to->n_frames++];
		double since_s = froze_us > 0 ? (double)(us - froze_us) / 1e6 : HUGE_VAL;
		bool is_freeze = freezes_now(generator, last_us / 1e6, since_s, at);
		unsigned int vsyncs = 1;

		if (is_freeze)
			vsyncs = 30 - (unsigned int)(36 * log(1 - generator_random(generator)));
		else if (is_late(generator))
			vsyncs = 2 + (unsigned int)(5 * generator_random(generator));
		last_us = vsyncs * PERIOD_US;
		us += last_us;
		if (is_freeze)
			froze_us = us;
		else
			surface->time_s[group] += last_us / 1e6;
		*frame = (struct compared_frame){
			.interval_us = last_us,
			.late_us = is_freeze ? 0 : last_us - PERIOD_US,
			.vsyncs = (uint16_t)vsyncs,
			.flags = is_freeze     ? FRAME_WAIT | FRAME_STALL
				 : vsyncs == 6 ? FRAME_JANK
					       : 0,
			.step = 1,
		};
		for (unsigned int i = 0; i < 2; i++) {
			if (is_freeze || vsyncs > 1)
				grade_add_lost(facts[i], CAUSE_APP,
					       UINT64_C(1000) *
						       (is_freeze ? last_us : frame->late_us),
					       is_freeze);
			if (!is_freeze)
				facts[i]->time_ns += UINT64_C(1000) * last_us;
		}
		if (is_freeze && section->last_frozen[group] != run + 1) {
			section->last_frozen[group] = run + 1;
			section->frozen[group]++;
		}
	}
}

void generated_free(struct compared_surface *surface)
{
	for (uint32_t i = 0; i < surface->n_runs; i++)
		free(surface->runs[i].frames);
	for (uint32_t i = 0; i < surface->n_sections; i++)
		free(surface->sections[i].name);
	free(surface->sections);
	free(surface->runs);
	*surface = (struct compared_surface){ 0 };
}

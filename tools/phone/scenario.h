/* SPDX-License-Identifier: Apache-2.0 */
/* Generated scenarios: what happens on a phone, vsync by vsync, with a known truth. */
#ifndef JANKD_TOOLS_PHONE_SCENARIO_H
#define JANKD_TOOLS_PHONE_SCENARIO_H

#include <stdio.h>

#include "tools/phone/plan.h"

struct phone_scenario_options {
	const char *name;
	const char *vocabulary;
	unsigned int seconds; /* 0: as long as the scenario likes */
	uint64_t seed;
};

/* Prints names, with what they are, of scenarios and vocabularies. */
void phone_scenario_list(FILE *out);

/**
 * phone_scenario_make() - generate a scenario
 * @plan: an empty plan; filled, truth and all
 *
 * Returns 0; 1 where there is no scenario of that name; 2 where there is no such vocabulary.
 */
int phone_scenario_make(struct phone_plan *plan, const struct phone_scenario_options *options);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Generated scenarios: the behaviour of a phone, vsync by vsync, with a known truth. */
#ifndef JANKD_TOOLS_PHONE_SCENARIO_H
#define JANKD_TOOLS_PHONE_SCENARIO_H

#include <stdio.h>

#include "tools/phone/plan.h"

struct scenario_options {
	const char *name;
	const char *vocabulary;
	unsigned int seconds; /* 0: the scenario's own length */
	uint64_t seed;
};

/* Prints the scenarios with a description, and the vocabularies. */
void scenario_print_list(FILE *out);

/**
 * scenario_generate() - generate a scenario
 * @plan: empty; filled, with its truth
 *
 * Returns 0; 1 if there is no scenario of that name; 2 if there is no such vocabulary.
 */
int scenario_generate(struct plan *plan, const struct scenario_options *options);

#endif

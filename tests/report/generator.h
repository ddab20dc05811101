/* SPDX-License-Identifier: Apache-2.0 */
/* Frames whose lateness is known and comes in bursts: for tests of comparisons. */
#ifndef JANKD_TESTS_REPORT_GENERATOR_H
#define JANKD_TESTS_REPORT_GENERATOR_H

#include "tools/report/compare.h"

struct generator {
	uint64_t state;	    /* of the random numbers; not 0 */
	double share;	    /* of frames that are late */
	double burst;	    /* mean number of late frames that follow each other */
	double calm_factor; /* in every second half minute, late frames are so many times as
			       frequent; 1: equally. The share stays */
	unsigned int frame; /* number of the next one */
	unsigned int left;  /* late frames of the burst */

	/* Freezes of 0.5 s and more, 1.1 s in the mean. */
	double freezes;	     /* a minute */
	double followers;    /* mean number of further freezes in the 10 s after each of them */
	bool in_one_section; /* all of them are, five times as frequent there */
	bool is_planted;     /* and one in each minute of that section, besides */
	double section_s;    /* time in that section, of all runs */
	double planted_s;    /* that of the next one */
};

/* Sections of each run, of the same length. */
#define GENERATED_SECTIONS 5

/* Adds @seconds of frames at 60 Hz, a run of its own, to @surface. Frames that are late have 2 to 6
 * vsyncs, the others 1. */
void generate_run(struct generator *generator, struct compared_surface *surface, enum group group,
		  uint32_t run, double seconds);

void generated_free(struct compared_surface *surface);

/* A number from 0 to 1. */
double generator_random(struct generator *generator);

/* Normally distributed, with variance 1. */
double generator_normal(struct generator *generator);

#endif

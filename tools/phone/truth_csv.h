/* SPDX-License-Identifier: Apache-2.0 */
/* The truth that was played, as CSV: a row for each layer that had a frame in a present. */
#ifndef JANKD_TOOLS_PHONE_TRUTH_CSV_H
#define JANKD_TOOLS_PHONE_TRUTH_CSV_H

#include <stdio.h>

#include "tools/phone/plan.h"

/* When a present was played, on the clock of the trace, and how far behind its plan. */
struct phone_played {
	uint64_t time_ns;
	uint64_t late_ns;
};

struct phone_truth_layer {
	bool seen;
	bool late;
	int64_t vsync;	  /* of its last frame, counted through all loops */
	uint64_t plan_ns; /* time of that frame: of its vsync where the plan knows it */
	uint64_t frames;
};

struct phone_truth_writer {
	const struct phone_plan *plan;
	FILE *out;	    /* NULL: rows are counted only */
	uint64_t period_ns; /* to count vsyncs where the plan does not know them */
	double speed;
	uint64_t frames;
	uint64_t late; /* of these: by more than a quarter of a vsync */
	struct phone_truth_layer *layers;
};

/* Sets up @writer, which borrows @plan and @out, and prints the header line. */
void phone_truth_open(struct phone_truth_writer *writer, const struct phone_plan *plan, FILE *out,
		      uint64_t period_ns, double speed);

/**
 * phone_truth_rows() - print what was played of one loop
 * @loop: counts from 0
 * @played: for each of the first @count truths of the plan
 *
 * Where a frame was late by more than a quarter of a vsync, it was not the planned number of
 * vsyncs that passed around it: what the plan says of them stays empty.
 */
void phone_truth_rows(struct phone_truth_writer *writer, uint64_t loop,
		      const struct phone_played *played, uint32_t count);

/* Prints frames per layer to stderr. */
void phone_truth_summary(const struct phone_truth_writer *writer);

void phone_truth_close(struct phone_truth_writer *writer);

#endif

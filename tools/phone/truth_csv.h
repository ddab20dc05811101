/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the truth that was played as CSV: a row for each layer that had a frame in a present. */
#ifndef JANKD_TOOLS_PHONE_TRUTH_CSV_H
#define JANKD_TOOLS_PHONE_TRUTH_CSV_H

#include <stdio.h>

#include "tools/phone/plan.h"

/* The time at which a present was played, on the clock of the trace, and its delay compared with
 * the plan. */
struct played {
	uint64_t time_ns;
	uint64_t late_ns;
};

struct truth_layer {
	bool has_frame;
	bool late;	  /* its last frame */
	int64_t vsync;	  /* of its last frame, counted over all loops */
	uint64_t plan_ns; /* time of that frame: of its vsync if known, else of its present */
	uint64_t frames;
};

struct truth_csv {
	const struct plan *plan;
	FILE *out;	    /* NULL: rows are counted only */
	uint64_t period_ns; /* to count vsyncs if the plan has none */
	double speed;
	uint64_t frames;
	uint64_t late; /* frames that were late by more than a quarter of a vsync */
	struct truth_layer *layers;
};

/* Sets up @csv, which borrows @plan and @out, and prints the header line. Free it with
 * truth_csv_close(). @period_ns is that of the planned vsyncs. @speed: that of the playback. */
void truth_csv_open(struct truth_csv *csv, const struct plan *plan, FILE *out, uint64_t period_ns,
		    double speed);

/**
 * truth_csv_write() - print the frames of one loop that were played
 * @loop: counts from 0
 * @played: for each of the first @count frames of the plan's truth
 *
 * If a frame was late by more than a quarter of a vsync, the planned vsyncs were not played. Then
 * its vsync, and the interval and vsyncs before and after it, are empty.
 */
void truth_csv_write(struct truth_csv *csv, uint64_t loop, const struct played *played,
		     uint32_t count);

/* Prints frames and frames per layer to stderr, and frees what @csv has. */
void truth_csv_close(struct truth_csv *csv, bool interrupted);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The output of 'dumpsys SurfaceFlinger --latency LAYER': the display's period in ns, then for each
 * layer of that name 127 rows of three times in ns of CLOCK_MONOTONIC, oldest first, and an empty
 * line (FrameTracker.cpp, the same on Android 7 to 16). */
#ifndef JANKD_PARSER_LATENCY_DUMP_H
#define JANKD_PARSER_LATENCY_DUMP_H

#include <stdint.h>

#include "parser/span.h"

/* Rows of one layer: NUM_FRAME_RECORDS is 128, and the one that is being written is left out. */
#define LATENCY_ROWS 127

/* A time that is not known yet: its fence has not signaled. */
#define LATENCY_PENDING INT64_MAX

/* All zeros: the row is not used. */
struct latency_row {
	int64_t desired_ns; /* when the frame should be presented */
	int64_t actual_ns;  /* when it was: its present fence */
	int64_t ready_ns;   /* when its buffer was complete: its acquire fence */
};

enum latency_line {
	LATENCY_LINE_OTHER, /* not of this output */
	LATENCY_LINE_PERIOD,
	LATENCY_LINE_ROW,
	LATENCY_LINE_END, /* of the rows of one layer */
};

/* Parses a line. *row: set for LATENCY_LINE_ROW; for LATENCY_LINE_PERIOD the period is in
 * ->desired_ns. */
enum latency_line latency_dump_line(struct span line, struct latency_row *row);

#endif

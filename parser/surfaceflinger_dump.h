/* SPDX-License-Identifier: Apache-2.0 */
/* The output of 'dumpsys SurfaceFlinger': what it plans, its list of layers, the frames of one.
 * Names of layers come from apps and may be any text. */
#ifndef JANKD_PARSER_SURFACEFLINGER_DUMP_H
#define JANKD_PARSER_SURFACEFLINGER_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

/* The times that SurfaceFlinger plans for a frame. Names of layers follow these lines in each
 * version:
 *
 *     7 to 9    DispSync configuration: app phase N ns, sf phase N ns, ... (refresh N ns)
 *     10, 11    app phase: N ns   SF phase: N ns
 *               present offset: N ns   VSYNC period: N ns
 *     12 to 16  the same, and: app duration: N ns   SF duration: N ns
 *
 * Lines for other states of SurfaceFlinger ("early", "GL early") are left out. */

/* A value that the output does not state. */
#define SURFACEFLINGER_DUMP_UNKNOWN INT64_MIN

/* All in ns, as printed: any number of up to 18 digits, also below 0. */
struct surfaceflinger_dump {
	int64_t period_ns; /* of the current refresh rate */
	int64_t app_phase_ns, sf_phase_ns;
	int64_t app_duration_ns, sf_duration_ns;
};

#define SURFACEFLINGER_DUMP_NONE                                                                   \
	((struct surfaceflinger_dump){ SURFACEFLINGER_DUMP_UNKNOWN, SURFACEFLINGER_DUMP_UNKNOWN,   \
				       SURFACEFLINGER_DUMP_UNKNOWN, SURFACEFLINGER_DUMP_UNKNOWN,   \
				       SURFACEFLINGER_DUMP_UNKNOWN })

/* Parses the next line. The first line with a value counts. */
void surfaceflinger_dump_line(struct surfaceflinger_dump *dump, struct span line);

/* True: no later line changes what work_durations_of() returns. */
bool surfaceflinger_dump_is_complete(const struct surfaceflinger_dump *dump);

/* --- 'dumpsys SurfaceFlinger --list' --- */

/* The name in a line, as 'dumpsys SurfaceFlinger --latency' takes it: the line itself on Android 7
 * to 14; since 15 the part of 'RequestedLayerState{NAME#ID parentId=... z=...}' up to the ID.
 * SPAN_NULL: the line has no name. Borrows from @line. */
struct span layer_list_name(struct span line);

/* True: a layer with this name only contains others, and never has a buffer. */
bool layer_list_is_container(struct span name);

/* --- 'dumpsys SurfaceFlinger --latency LAYER' --- */

/* The output of 'dumpsys SurfaceFlinger --latency LAYER': the display's period in ns, then for each
 * layer of that name 127 rows of three times in ns of CLOCK_MONOTONIC, oldest first, and an empty
 * line (FrameTracker.cpp, the same on Android 7 to 16). */

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

/* SPDX-License-Identifier: Apache-2.0 */
/* The times that SurfaceFlinger plans for a frame, in the output of 'dumpsys SurfaceFlinger'. Names
 * of layers in it come from apps and may be any text, but follow these lines in each version:
 *
 *     7 to 9    DispSync configuration: app phase N ns, sf phase N ns, ... (refresh N ns)
 *     10, 11    app phase: N ns   SF phase: N ns
 *               present offset: N ns   VSYNC period: N ns
 *     12 to 16  the same, and: app duration: N ns   SF duration: N ns
 *
 * Lines for other states of SurfaceFlinger ("early", "GL early") are left out. */
#ifndef JANKD_PARSER_SURFACEFLINGER_DUMP_H
#define JANKD_PARSER_SURFACEFLINGER_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

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

#endif

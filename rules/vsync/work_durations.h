/* SPDX-License-Identifier: Apache-2.0 */
/* How long the app and SurfaceFlinger may work on a frame, from what SurfaceFlinger prints. */
#ifndef JANKD_RULES_VSYNC_WORK_DURATIONS_H
#define JANKD_RULES_VSYNC_WORK_DURATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/surfaceflinger_dump.h"

/* What SurfaceFlinger plans for a frame, from its dump. In ns; 0: unknown. The app begins app_ns
 * before its deadline, and SurfaceFlinger sf_ns before the present: that is the app's deadline. */
struct work_durations {
	uint64_t app_ns, sf_ns;
	uint64_t period_ns; /* of the refresh rate for which these are valid; 0: unknown */
};

/* Where the durations come from. */
enum durations_source {
	DURATIONS_UNKNOWN,
	DURATIONS_DUMPSYS,
	DURATIONS_LEARNT, /* some frames: from the trace, see expected.h */
};

/* True: a longer one is an error of the text. */
bool work_duration_possible(int64_t ns);

/* A value that is not stated, or not possible, is 0. The durations are those of the first lines,
 * which are valid while SurfaceFlinger is not in one of its early states. */
struct work_durations work_durations_of(const struct surfaceflinger_dump *dump);

/* True: both durations are known. */
static inline bool work_durations_known(const struct work_durations *durations)
{
	return durations->app_ns > 0 && durations->sf_ns > 0;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Since Android 12 SurfaceFlinger prints the durations. Before, it prints phases: offsets from a
 * vsync. VsyncConfiguration.cpp converts them with these formulas, in which the app has a period or
 * more (Android 12 and later have both):
 *
 *     vsync        vsync        vsync        vsync
 *     |--app phase--> app begins
 *                  |-sf phase-> SurfaceFlinger begins: the app's deadline
 *                                            | present
 *                     <-- app --><--- sf ---->
 */
#include "rules/vsync/work_durations.h"

#include "rules/vsync/vsync.h"

#define DURATION_MAX_NS INT64_C(200000000)

#define UNKNOWN SURFACEFLINGER_DUMP_UNKNOWN

bool work_duration_possible(int64_t ns)
{
	return ns > 0 && ns <= DURATION_MAX_NS;
}

static uint64_t possible(int64_t ns)
{
	return work_duration_possible(ns) ? (uint64_t)ns : 0;
}

struct work_durations work_durations_of(const struct surfaceflinger_dump *dump)
{
	int64_t period = dump->period_ns, app_ns = dump->app_duration_ns;
	int64_t sf_ns = dump->sf_duration_ns;
	bool has_phases = dump->sf_phase_ns != UNKNOWN;

	/* If it is not stated, the SurfaceFlinger phase and duration add up to it. */
	if (period == UNKNOWN && has_phases && sf_ns != UNKNOWN)
		period = dump->sf_phase_ns + sf_ns;
	if (period < (int64_t)VSYNC_PERIOD_MIN_NS || period > (int64_t)VSYNC_PERIOD_MAX_NS)
		period = 0;
	has_phases &= period > 0;
	if (sf_ns == UNKNOWN && has_phases)
		sf_ns = period - dump->sf_phase_ns;
	if (app_ns == UNKNOWN && has_phases && dump->app_phase_ns != UNKNOWN) {
		app_ns = period + dump->sf_phase_ns - dump->app_phase_ns;
		app_ns += app_ns < period ? period : 0;
	}
	return (struct work_durations){ possible(app_ns), possible(sf_ns), (uint64_t)period };
}

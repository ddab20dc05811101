/* SPDX-License-Identifier: Apache-2.0 */
/* Plays a plan by real processes and threads into a real trace_marker. */
#ifndef JANKD_TOOLS_PHONE_PLAY_TRACEFS_H
#define JANKD_TOOLS_PHONE_PLAY_TRACEFS_H

#include <signal.h>
#include <time.h>

#include "tools/phone/plan.h"
#include "tools/phone/truth_csv.h"

struct play_options {
	const char *marker_path; /* path of trace_marker */
	clockid_t clock;	 /* of the trace, for the times of the truth */
	double speed;		 /* above 0 */
	uint64_t loops;
	const volatile sig_atomic_t *stop; /* set by a signal: playback ends early */
};

struct play_result {
	uint64_t markers;     /* written */
	uint64_t refused;     /* not recorded by the kernel: tracing was off */
	uint64_t max_late_ns; /* largest delay of a marker, compared with the plan */
	uint64_t mean_late_ns;
};

/**
 * play_tracefs() - play @plan
 * @truth: rows are written to it after each loop
 * @result: filled in
 *
 * The markers in the trace have the order of the plan, even if they are late. All processes have
 * ended when this returns. Ends the program if a process cannot be created or ends early.
 */
void play_tracefs(const struct plan *plan, const struct play_options *options,
		  struct truth_csv *truth, struct play_result *result);

#endif

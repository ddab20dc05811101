/* SPDX-License-Identifier: Apache-2.0 */
/* A plan played by real processes and threads into a real trace_marker. */
#ifndef JANKD_TOOLS_PHONE_PLAY_TRACEFS_H
#define JANKD_TOOLS_PHONE_PLAY_TRACEFS_H

#include <signal.h>
#include <time.h>

#include "tools/phone/plan.h"
#include "tools/phone/truth_csv.h"

struct phone_play_options {
	const char *marker; /* path of trace_marker */
	clockid_t clock;    /* of the trace: what the truth's times are read from */
	double speed;	    /* above 0 */
	uint64_t loops;
	const volatile sig_atomic_t *stop; /* set by a signal: the play ends early */
};

struct phone_play_result {
	uint64_t marks;	      /* written */
	uint64_t refused;     /* not taken by the kernel: tracing was off */
	uint64_t max_late_ns; /* the latest mark, behind its plan */
	uint64_t mean_late_ns;
};

/**
 * phone_play() - play @plan
 * @truth: gets the rows, a loop at a time
 *
 * Marks stand in the trace in the order of the plan, however late the machine is. All processes
 * are gone when this returns. Ends the program where a process cannot be made or dies.
 */
void phone_play(const struct phone_plan *plan, const struct phone_play_options *options,
		struct phone_truth_writer *truth, struct phone_play_result *result);

#endif

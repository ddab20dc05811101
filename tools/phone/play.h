/* SPDX-License-Identifier: Apache-2.0 */
/* Plays a plan: as ftrace text, without a kernel, or by real processes and threads into a real
 * trace_marker. */
#ifndef JANKD_TOOLS_PHONE_PLAY_H
#define JANKD_TOOLS_PHONE_PLAY_H

#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "tools/phone/plan.h"
#include "tools/phone/truth_csv.h"

/* The time on @clock. */
uint64_t clock_ns(clockid_t clock);

struct play_options {
	/* Only play_tracefs() needs the path of trace_marker and the clock of the trace, which
	 * gives the times of the truth. */
	const char *marker_path;
	clockid_t clock;
	double speed; /* 2 waits half as long as planned; a text may have 0, which does not wait */
	uint64_t loops;
	const volatile sig_atomic_t *stop; /* set by a signal: playback ends early */
};

/* Writes the lines that trace_pipe would print. The times in the text are always those of the plan,
 * so that the same plan gives the same bytes. Returns 0, or -errno if writing to @out failed
 * (-EPIPE: its reader has closed it). */
int play_text(const struct plan *plan, const struct play_options *options, struct truth_csv *truth,
	      FILE *out);

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

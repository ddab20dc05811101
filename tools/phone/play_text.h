/* SPDX-License-Identifier: Apache-2.0 */
/* Plays a plan as ftrace text, without a kernel. */
#ifndef JANKD_TOOLS_PHONE_PLAY_TEXT_H
#define JANKD_TOOLS_PHONE_PLAY_TEXT_H

#include <signal.h>
#include <stdio.h>

#include "tools/phone/plan.h"
#include "tools/phone/truth_csv.h"

/**
 * play_text() - write the lines that trace_pipe would print
 * @speed: 0 does not wait; 2 waits half as long as planned. The times in the text are always those
 *         of the plan, so that the same plan gives the same bytes
 * @stop: set by a signal: the loop ends early
 *
 * Returns 0, or -errno if writing to @out failed (-EPIPE: its reader has closed it).
 */
int play_text(const struct plan *plan, FILE *out, double speed, uint64_t loops,
	      struct truth_csv *truth, const volatile sig_atomic_t *stop);

#endif

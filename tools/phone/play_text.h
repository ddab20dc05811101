/* SPDX-License-Identifier: Apache-2.0 */
/* A plan played as ftrace text, for readers without a kernel. */
#ifndef JANKD_TOOLS_PHONE_PLAY_TEXT_H
#define JANKD_TOOLS_PHONE_PLAY_TEXT_H

#include <signal.h>
#include <stdio.h>

#include "tools/phone/plan.h"
#include "tools/phone/truth_csv.h"

/**
 * phone_text_play() - write the lines that trace_pipe would print
 * @speed: 0 writes as fast as @out takes it; 2 waits half as long as planned. Times in the text
 *         are the plan's in any case, so that the same plan gives the same bytes
 * @stop: set by a signal: the loop ends early
 *
 * Returns 0, or -errno where @out takes no more (-EPIPE: its reader has seen enough).
 */
int phone_text_play(const struct phone_plan *plan, FILE *out, double speed, uint64_t loops,
		    struct phone_truth_writer *truth, const volatile sig_atomic_t *stop);

#endif

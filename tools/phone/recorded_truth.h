/* SPDX-License-Identifier: Apache-2.0 */
/* The truth of a recorded trace: which layers SurfaceFlinger latched before each present. */
#ifndef JANKD_TOOLS_PHONE_RECORDED_TRUTH_H
#define JANKD_TOOLS_PHONE_RECORDED_TRUTH_H

#include "tools/phone/plan.h"

/**
 * recorded_truth_add() - add the truth of a recording to its plan
 * @plan: the recording's plan
 * @trace: path of the recording
 *
 * Reads frames.csv in the folder of @trace if that file begins with "present_us,layer". Ends the
 * program if a row of it has no present in the plan. Without that file, finds the latched layers in
 * the markers of @plan. That search shares no code with rules/ on purpose: it is used to test them.
 */
void recorded_truth_add(struct plan *plan, const char *trace);

#endif

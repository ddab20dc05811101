/* SPDX-License-Identifier: Apache-2.0 */
/* The truth of a recorded trace: which layers SurfaceFlinger latched before each present. */
#ifndef JANKD_TOOLS_PHONE_RECORDED_TRUTH_H
#define JANKD_TOOLS_PHONE_RECORDED_TRUTH_H

#include "tools/phone/plan.h"

/* Adds the truth of @plan by its own marks. A second opinion by intention: it shares nothing
 * with the rules that it is there to check. */
void phone_evidence_find(struct phone_plan *plan);

/**
 * phone_evidence_read() - add the truth that stands beside a recording
 * @plan: the recording's plan
 * @trace: path of the recording; its folder's frames.csv is read
 *
 * Returns 0; 1 where there is no such file, or it does not begin with "present_us,layer". Ends
 * the program where a row of it has no present in the plan.
 */
int phone_evidence_read(struct phone_plan *plan, const char *trace);

#endif

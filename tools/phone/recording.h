/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a plan from a recorded trace, with its truth: which layers SurfaceFlinger latched before
 * each present. */
#ifndef JANKD_TOOLS_PHONE_RECORDING_H
#define JANKD_TOOLS_PHONE_RECORDING_H

#include "tools/phone/plan.h"

/**
 * recording_load() - read the markers of a trace, ftrace text, plain or gzip
 * @plan: empty; filled, but without the truth. Its base time is that of the recording
 * @path: the file
 *
 * Threads keep their names and their processes. If a trace has more of them than THREADS_MAX
 * or PROCESSES_MAX, the threads with the fewest markers are merged into one, in a process
 * 'others', and a line on stderr reports it. Ends the program if the file has no marker.
 */
void recording_load(struct plan *plan, const char *path);

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

/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a plan from a recorded trace. */
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

#endif

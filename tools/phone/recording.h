/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded trace becomes a plan. */
#ifndef JANKD_TOOLS_PHONE_RECORDING_H
#define JANKD_TOOLS_PHONE_RECORDING_H

#include "tools/phone/plan.h"

/**
 * phone_record_load() - read the markers of a trace, ftrace text, plain or gzip
 * @plan: an empty plan; filled but for the truth. Its base time is the recording's
 * @path: the file
 *
 * Threads keep their names, processes their threads. Where a trace has more of them than
 * PHONE_THREADS_MAX or PHONE_PROCESSES_MAX, those that write least share one thread of a process
 * 'others', and a line on stderr says so. Ends the program where the file gives no marker.
 */
void phone_record_load(struct phone_plan *plan, const char *path);

#endif

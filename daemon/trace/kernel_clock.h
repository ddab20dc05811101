/* SPDX-License-Identifier: Apache-2.0 */
/* Trace clocks against the time of day, also those that only the kernel has ("local", "global"). */
#ifndef JANKD_DAEMON_TRACE_KERNEL_CLOCK_H
#define JANKD_DAEMON_TRACE_KERNEL_CLOCK_H

#include "daemon/trace/trace_files.h"
#include "daemon/base/wall_clock.h"

/* Measures the offset of the clock of that name. @files: of the trace that it dates. */
struct wall_clock kernel_clock_measure(const char *trace_clock, const struct trace_files *files);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Trace clocks, including those that only the kernel can read ("local", "global"). */
#ifndef JANKD_DAEMON_TRACE_KERNEL_CLOCK_H
#define JANKD_DAEMON_TRACE_KERNEL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/wall_clock.h"
#include "daemon/trace/trace_files.h"

/* Reads the trace clock's time in nanoseconds from the statistics of @cpu, which have microseconds.
 * Returns false if they cannot be read. */
bool kernel_clock_now(const struct trace_files *files, unsigned int cpu, uint64_t *now_ns);

/* Measures the offset of the clock @trace_clock to wall time. @files: of the trace that uses it. */
struct wall_clock kernel_clock_measure(const char *trace_clock, const struct trace_files *files);

#endif

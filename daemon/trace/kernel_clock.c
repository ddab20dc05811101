/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/kernel_clock.h"

#include "daemon/trace/cpu_buffer_stats.h"

/* The kernel tells such a clock's time in the account of a CPU's buffer. The reading with the least
 * time around it counts: we may be interrupted in between. */
struct wall_clock kernel_clock_measure(const char *trace_clock, const struct trace_files *files)
{
	struct wall_clock clock = wall_clock_measure(trace_clock);
	int64_t narrowest = INT64_MAX;

	if (clock.known || !wall_clock_is_time(trace_clock))
		return clock;
	for (int i = 0; i < 3; i++) {
		int64_t before = wall_clock_now(), width;
		uint64_t now_ns;

		if (!cpu_buffer_now(files, 0, &now_ns) || now_ns > INT64_MAX)
			return clock;
		width = wall_clock_now() - before;
		if (width < narrowest) {
			narrowest = width;
			clock.offset_ns = before + width / 2 - (int64_t)now_ns;
		}
	}
	clock.known = true;
	return clock;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/kernel_clock.h"

#include <stdio.h>
#include <string.h>

/* The statistics of a CPU's buffer end with the time of the trace clock. */
bool kernel_clock_now(const struct trace_files *files, unsigned int cpu, uint64_t *now_ns)
{
	static const struct span key = SPAN_INIT("now ts: ");
	unsigned long long seconds, micros;
	char text[1024];
	struct span stats = trace_files_stats(files, cpu, text, sizeof(text) - 1);
	const char *at;

	text[stats.len] = '\0';
	at = memmem(text, stats.len, key.ptr, key.len);
	if (!at || sscanf(at + key.len, "%llu.%6llu", &seconds, &micros) != 2)
		return false;
	*now_ns = seconds * UINT64_C(1000000000) + micros * 1000;
	return true;
}

/* A reading that takes this long was not interrupted. */
#define UNDISTURBED_NS INT64_C(10000)

/* The fastest of several readings counts: in others, an interrupt may have come between the two
 * clocks. One is enough if it was fast. */
struct wall_clock kernel_clock_measure(const char *trace_clock, const struct trace_files *files)
{
	struct wall_clock clock = wall_clock_measure(trace_clock);
	int64_t narrowest = INT64_MAX;

	if (clock.known || !wall_clock_is_time(trace_clock))
		return clock;
	for (int i = 0; i < 3 && narrowest > UNDISTURBED_NS; i++) {
		int64_t before = wall_clock_now(), width;
		uint64_t now_ns;

		if (!kernel_clock_now(files, 0, &now_ns) || now_ns > INT64_MAX)
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

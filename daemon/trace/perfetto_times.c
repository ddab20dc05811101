/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/perfetto_parts.h"

#include <stdbool.h>
#include <string.h>

#define APART_FIRST_NS UINT64_C(1000000000)

static bool is_needed(const struct perfetto_moments *moments, const struct perfetto_moment *last,
		      const struct perfetto_moment *next)
{
	uint64_t jump_ns = (next->boot_ns - next->other_ns) - (last->boot_ns - last->other_ns);

	return next->boot_ns - last->boot_ns >= moments->apart_ns ||
	       jump_ns + PERFETTO_JUMP_NS > UINT64_C(2) * PERFETTO_JUMP_NS;
}

/* How many moments are at @boot_ns or before. They nearly always come in the order of time. */
static unsigned int n_before(const struct perfetto_moments *moments, uint64_t boot_ns)
{
	unsigned int n = moments->n;

	while (n > 0 && moments->moments[n - 1].boot_ns > boot_ns)
		n--;
	return n;
}

static void add(struct perfetto_moments *moments, uint64_t boot_ns, uint64_t other_ns)
{
	const struct perfetto_moment moment = { boot_ns, other_ns };
	unsigned int at = n_before(moments, boot_ns), n = 1;
	struct perfetto_moment *all = moments->moments;

	if (boot_ns == 0 || other_ns == 0 || (at > 0 && !is_needed(moments, &all[at - 1], &moment)))
		return;
	/* Leaves out those that are near the one before. */
	if (moments->n == PERFETTO_MOMENTS) {
		moments->apart_ns = moments->apart_ns ? 2 * moments->apart_ns : APART_FIRST_NS;
		for (unsigned int i = 1; i < moments->n; i++)
			if (is_needed(moments, &all[n - 1], &all[i]))
				all[n++] = all[i];
		moments->n = n;
		at = n_before(moments, boot_ns);
	}
	/* A trace in which the clocks jump all the time is hostile. */
	if (moments->n == PERFETTO_MOMENTS)
		return;
	memmove(&all[at + 1], &all[at], (moments->n - at) * sizeof(all[0]));
	all[at] = moment;
	moments->n++;
}

/* The first bundles of a trace do not name their clock, though it is that of the others. */
void perfetto_times_add_bundle(struct perfetto_times *times, const struct perfetto_bundle *bundle)
{
	if (bundle->clock == PERFETTO_FTRACE_BOOT)
		return;
	times->ftrace_clock = bundle->clock;
	add(&times->clocks[PERFETTO_TIMES_FTRACE], bundle->boot_ns, bundle->ftrace_ns);
}

void perfetto_times_add_snapshot(struct perfetto_times *times,
				 const uint64_t times_ns[static PERFETTO_CLOCKS])
{
	for (unsigned int i = PERFETTO_CLOCK_REALTIME; i < PERFETTO_CLOCK_BOOTTIME; i++)
		add(&times->clocks[i], times_ns[PERFETTO_CLOCK_BOOTTIME], times_ns[i]);
}

/* Brings @time_ns from CLOCK_BOOTTIME to the other clock, or back, by the last moment at that time
 * or before; else by the first. */
static uint64_t convert(const struct perfetto_moments *moments, bool from_boot, uint64_t time_ns)
{
	struct perfetto_moment by = { 0, 0 };

	for (unsigned int i = 0; i < moments->n; i++) {
		struct perfetto_moment moment = moments->moments[i];

		if (i > 0 && (from_boot ? moment.boot_ns : moment.other_ns) > time_ns)
			break;
		by = moment;
	}
	return from_boot ? time_ns - by.boot_ns + by.other_ns : time_ns - by.other_ns + by.boot_ns;
}

uint64_t perfetto_times_convert(const struct perfetto_times *times, uint64_t clock,
				uint64_t time_ns)
{
	unsigned int ftrace = PERFETTO_TIMES_FTRACE;

	if (clock >= PERFETTO_CLOCK_REALTIME && clock < PERFETTO_CLOCK_BOOTTIME)
		time_ns = convert(&times->clocks[clock], false, time_ns);
	if (times->ftrace_clock == PERFETTO_FTRACE_BOOT)
		return time_ns;
	if (times->clocks[ftrace].n == 0 && times->ftrace_clock == PERFETTO_FTRACE_MONOTONIC_RAW)
		ftrace = PERFETTO_CLOCK_MONOTONIC_RAW;
	return convert(&times->clocks[ftrace], true, time_ns);
}

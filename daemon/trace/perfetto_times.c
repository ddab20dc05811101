/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/perfetto_times.h"

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

/* Leaves out moments that are near the one before. */
static void thin_out(struct perfetto_moments *moments)
{
	unsigned int n = 1;

	moments->apart_ns = moments->apart_ns ? 2 * moments->apart_ns : APART_FIRST_NS;
	for (unsigned int i = 1; i < moments->n; i++)
		if (is_needed(moments, &moments->moments[n - 1], &moments->moments[i]))
			moments->moments[n++] = moments->moments[i];
	moments->n = n;
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
	unsigned int at = n_before(moments, boot_ns);
	struct perfetto_moment *place;

	if (boot_ns == 0 || other_ns == 0)
		return;
	if (at > 0 && !is_needed(moments, &moments->moments[at - 1], &moment))
		return;
	/* A trace in which the clocks jump all the time is hostile. */
	if (moments->n == PERFETTO_MOMENTS) {
		thin_out(moments);
		at = n_before(moments, boot_ns);
	}
	if (moments->n == PERFETTO_MOMENTS)
		return;
	place = &moments->moments[at];
	memmove(place + 1, place, (moments->n - at) * sizeof(*place));
	*place = moment;
	moments->n++;
}

/* The first bundles of a trace do not name their clock, though it is that of the others. */
void perfetto_times_add_bundle(struct perfetto_times *times, const struct perfetto_bundle *bundle)
{
	if (bundle->clock == PERFETTO_FTRACE_BOOT)
		return;
	times->ftrace_clock = bundle->clock;
	add(&times->ftrace, bundle->boot_ns, bundle->ftrace_ns);
}

void perfetto_times_add_snapshot(struct perfetto_times *times,
				 const uint64_t times_ns[static PERFETTO_CLOCKS])
{
	for (unsigned int i = PERFETTO_CLOCK_REALTIME; i < PERFETTO_CLOCK_BOOTTIME; i++)
		add(&times->clocks[i], times_ns[PERFETTO_CLOCK_BOOTTIME], times_ns[i]);
}

/* The last moment at @time_ns or before, on CLOCK_BOOTTIME or the other clock; else the first. */
static const struct perfetto_moment *moment_at(const struct perfetto_moments *moments, bool by_boot,
					       uint64_t time_ns)
{
	const struct perfetto_moment *found = &moments->moments[0];

	for (unsigned int i = 1; i < moments->n; i++) {
		const struct perfetto_moment *moment = &moments->moments[i];

		if ((by_boot ? moment->boot_ns : moment->other_ns) > time_ns)
			break;
		found = moment;
	}
	return found;
}

static uint64_t from_boot(const struct perfetto_moments *moments, uint64_t time_ns)
{
	const struct perfetto_moment *moment = moment_at(moments, true, time_ns);

	return moments->n > 0 ? moment->other_ns + (time_ns - moment->boot_ns) : time_ns;
}

uint64_t perfetto_times_convert(const struct perfetto_times *times, uint64_t clock,
				uint64_t time_ns)
{
	if (clock >= PERFETTO_CLOCK_REALTIME && clock < PERFETTO_CLOCK_BOOTTIME &&
	    times->clocks[clock].n > 0) {
		const struct perfetto_moment *moment =
			moment_at(&times->clocks[clock], false, time_ns);

		time_ns = moment->boot_ns + (time_ns - moment->other_ns);
	}
	if (times->ftrace_clock == PERFETTO_FTRACE_BOOT)
		return time_ns;
	if (times->ftrace.n == 0 && times->ftrace_clock == PERFETTO_FTRACE_MONOTONIC_RAW)
		return from_boot(&times->clocks[PERFETTO_CLOCK_MONOTONIC_RAW], time_ns);
	return from_boot(&times->ftrace, time_ns);
}

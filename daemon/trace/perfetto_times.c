/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/perfetto_times.h"

#include <stdbool.h>

/* The clocks differ by that much more than before: after a suspend, or the setting of a clock. */
#define JUMP_NS 1000000

#define APART_FIRST_NS UINT64_C(1000000000)

static bool is_jump(const struct perfetto_moment *a, const struct perfetto_moment *b)
{
	uint64_t difference_ns = (b->boot_ns - b->other_ns) - (a->boot_ns - a->other_ns);

	return difference_ns + JUMP_NS > UINT64_C(2) * JUMP_NS;
}

static bool is_needed(const struct perfetto_moments *moments, const struct perfetto_moment *last,
		      const struct perfetto_moment *next)
{
	return next->boot_ns - last->boot_ns >= moments->apart_ns || is_jump(last, next);
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

static void add(struct perfetto_moments *moments, uint64_t boot_ns, uint64_t other_ns)
{
	const struct perfetto_moment moment = { boot_ns, other_ns };
	const struct perfetto_moment *last = &moments->moments[moments->n > 0 ? moments->n - 1 : 0];

	if (boot_ns == 0 || other_ns == 0)
		return;
	if (moments->n > 0 && (last->boot_ns > boot_ns || !is_needed(moments, last, &moment)))
		return;
	/* A trace in which the clocks jump all the time is hostile. */
	if (moments->n == PERFETTO_MOMENTS)
		thin_out(moments);
	if (moments->n < PERFETTO_MOMENTS)
		moments->moments[moments->n++] = moment;
}

void perfetto_times_add_bundle(struct perfetto_times *times, const struct perfetto_bundle *bundle)
{
	times->ftrace_clock = bundle->clock;
	if (bundle->clock != PERFETTO_FTRACE_BOOT)
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

static uint64_t to_boot(const struct perfetto_moments *moments, uint64_t time_ns)
{
	const struct perfetto_moment *moment = moment_at(moments, false, time_ns);

	return moments->n > 0 ? moment->boot_ns + (time_ns - moment->other_ns) : time_ns;
}

static uint64_t from_boot(const struct perfetto_moments *moments, uint64_t time_ns)
{
	const struct perfetto_moment *moment = moment_at(moments, true, time_ns);

	return moments->n > 0 ? moment->other_ns + (time_ns - moment->boot_ns) : time_ns;
}

uint64_t perfetto_times_convert(const struct perfetto_times *times, uint64_t clock,
				uint64_t time_ns)
{
	if (clock >= PERFETTO_CLOCK_REALTIME && clock < PERFETTO_CLOCK_BOOTTIME)
		time_ns = to_boot(&times->clocks[clock], time_ns);
	if (times->ftrace_clock == PERFETTO_FTRACE_BOOT)
		return time_ns;
	if (times->ftrace.n == 0 && times->ftrace_clock == PERFETTO_FTRACE_MONOTONIC_RAW)
		return from_boot(&times->clocks[PERFETTO_CLOCK_MONOTONIC_RAW], time_ns);
	return from_boot(&times->ftrace, time_ns);
}

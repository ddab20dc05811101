/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/drain_period.h"

#include "daemon/base/loop.h"
#include "daemon/base/periods.h"

/* The first period. The limit is doubled with each measurement. */
#define FIRST_NS (250 * NS_PER_MS)

/* Younger events are not read, as a writer may not have finished them. So there is no use in
 * draining more often. */
#define LEAST_NS (5 * NS_PER_MS)

/* Frames wait for 0.4 s, and for 0.6 s while the display's clock is new. */
#define USUAL_WAIT_NS (650 * NS_PER_MS)

void drain_period_begin(struct drain_period *period, uint64_t now_ns)
{
	period->since_ns = now_ns;
	period->most_ns = FIRST_NS;
}

void drain_period_resume(struct drain_period *period, uint64_t now_ns)
{
	period->since_ns = now_ns;
}

/* A rate that grows counts at once. One that falls is halved at most, as it may grow again. */
void drain_period_measure(struct drain_period *period, const struct source *source, uint64_t now_ns)
{
	uint64_t passed_ms = (now_ns - period->since_ns) / NS_PER_MS;

	if (passed_ms < DRAIN_PERIOD_MEASURE_NS / NS_PER_MS)
		return;
	for (unsigned int cpu = 0; cpu < trace_cpus(); cpu++) {
		uint64_t bytes = source_cpu_bytes(source, cpu);
		uint64_t rate = (bytes - period->bytes[cpu]) * 1000 / passed_ms;
		uint64_t half = period->rates[cpu] / 2;

		period->rates[cpu] = rate > half ? rate : half;
		period->bytes[cpu] = bytes;
	}
	period->since_ns = now_ns;
	if (period->most_ns < UINT64_MAX / 2)
		period->most_ns *= 2;
}

/* A quarter of the time in which a buffer of @kb fills, ns. */
static uint64_t quarter_ns(uint64_t kb, uint64_t rate)
{
	return rate > 0 ? kb * 1024 * 1000 / 4 / rate * NS_PER_MS : UINT64_MAX;
}

uint64_t drain_period_ns(const struct drain_period *period, const struct buffer_sizes *size,
			 uint64_t most_ns)
{
	uint64_t least_ns = most_ns < period->most_ns ? most_ns : period->most_ns;

	for (unsigned int cpu = 0; cpu < size->cpus; cpu++) {
		uint64_t full_ns = quarter_ns(size->kb[cpu], period->rates[cpu]);

		if (size->kb[cpu] > 0 && full_ns < least_ns)
			least_ns = full_ns;
	}
	return least_ns > LEAST_NS ? least_ns : LEAST_NS;
}

uint64_t drain_period_delay_ns(uint64_t took_ns, uint64_t waiting_ns)
{
	return took_ns + (waiting_ns > USUAL_WAIT_NS ? waiting_ns - USUAL_WAIT_NS : 0);
}

uint64_t drain_period_with_delay_ns(uint64_t period_ns, uint64_t delay_ns)
{
	uint64_t most_ns = periods.drain_most_ns - periods.drain_delayed_least_ns;

	most_ns = periods.drain_most_ns - (delay_ns < most_ns ? delay_ns : most_ns);
	return period_ns < most_ns ? period_ns : most_ns;
}

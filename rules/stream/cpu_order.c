/* SPDX-License-Identifier: Apache-2.0 */
/* Time also goes back if the clock stepped back. But then the lines of all CPUs alternate, before
 * and after the step. In a trace that is sorted by CPU no CPU comes a second time, and the lines of
 * the next CPU begin before the end of the previous ones and cover the same time:
 *
 *     CPU 0              ----->      its buffer overflowed: older lines are lost
 *     CPU 1      ------------->
 *     CPU 2   ---------------->
 */
#include "rules/stream/cpu_order.h"

#include "rules/base/interval.h"

/* From one CPU's lines to the next, time goes back by more than this. Records of several CPUs that
 * are only out of order differ by less. */
#define SEAM_NS UINT64_C(50000000)

/* This many lines in the time of other CPUs prove the order. */
#define SURE 32
/* At the end of a trace, as it may be too short for those, so many prove it that are in the first
 * half of that time: what is only out of order is near to its end. */
#define SURE_AT_END 8

void cpu_order_add(struct cpu_order *order, const struct trace_record *record)
{
	uint64_t time_ns = record->time_ns;

	if (!order->possible || cpu_order_is_sure(order, false))
		return;
	/* The lines of another CPU begin. */
	if (order->cpus == 0 || record->cpu != order->cpu) {
		order->possible =
			record->cpu >= 0 && record->cpu < 64 && !(order->cpus >> record->cpu & 1);
		if (!order->possible)
			return;
		if (order->cpus) {
			order->begin_ns = order->first_ns;
			order->end_ns = order->last_ns;
			order->back |= time_ns + SEAM_NS < order->last_ns;
		}
		order->cpu = record->cpu;
	}
	if (order->cpus == 0 || time_ns < order->first_ns)
		order->first_ns = time_ns;
	order->last_ns = later(order->last_ns, time_ns);
	order->cpus |= UINT64_C(1) << record->cpu;
	/* The line is in the time of the other CPUs' lines. */
	order->overlapping +=
		order->back && time_ns >= order->begin_ns && time_ns + SEAM_NS < order->end_ns;
	order->within += time_ns >= order->begin_ns &&
			 time_ns < order->begin_ns + since(order->begin_ns, order->end_ns) / 2;
}

bool cpu_order_is_sure(const struct cpu_order *order, bool ended)
{
	return order->possible &&
	       (order->overlapping >= SURE || (ended && order->within >= SURE_AT_END));
}

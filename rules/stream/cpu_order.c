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

/* From one CPU's lines to the next, time goes back by more than this. Records of several CPUs that
 * are only out of order differ by less. */
#define SEAM_NS UINT64_C(50000000)

/* This many lines in the time of other CPUs prove the order. */
#define SURE 32

static void add_time(struct cpu_order *order, uint64_t time_ns)
{
	if (order->cpus == 0 || time_ns < order->first_ns)
		order->first_ns = time_ns;
	if (time_ns > order->last_ns)
		order->last_ns = time_ns;
}

/* The lines of another CPU begin. */
static void change_cpu(struct cpu_order *order, const struct trace_record *record)
{
	if (record->cpu < 0 || record->cpu >= 64 || order->cpus >> record->cpu & 1) {
		order->possible = false;
		return;
	}
	if (order->cpus) {
		order->begin_ns = order->first_ns;
		order->end_ns = order->last_ns;
		order->back |= record->time_ns + SEAM_NS < order->last_ns;
	}
	order->cpu = record->cpu;
	add_time(order, record->time_ns);
	order->cpus |= UINT64_C(1) << record->cpu;
}

/* True: @time_ns is in the time of the other CPUs' lines. */
static bool is_overlapping(const struct cpu_order *order, uint64_t time_ns)
{
	return order->back && time_ns >= order->begin_ns && time_ns + SEAM_NS < order->end_ns;
}

void cpu_order_add(struct cpu_order *order, const struct trace_record *record)
{
	if (!order->possible || cpu_order_is_sure(order))
		return;
	if (order->cpus == 0 || record->cpu != order->cpu)
		change_cpu(order, record);
	else
		add_time(order, record->time_ns);
	order->overlapping += order->possible && is_overlapping(order, record->time_ns);
}

bool cpu_order_is_sure(const struct cpu_order *order)
{
	return order->possible && order->overlapping >= SURE;
}

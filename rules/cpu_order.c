/* SPDX-License-Identifier: Apache-2.0 */
/* A clock that goes back goes back on all CPUs, and they take turns before and after. Where a trace
 * is sorted by CPU none ever comes again, and the next one's lines reach from before into the time
 * that others have written in:
 *
 *     CPU 0              ----->      its buffer ran over: what is older is gone
 *     CPU 1      ------------->
 *     CPU 2   ---------------->
 */
#include "rules/cpu_order.h"

/* A seam goes back by more than CPUs are out of order. */
#define SEAM_NS UINT64_C(50000000)

/* Lines in the time of others, without a sign of another order. */
#define SURE 32

void cpu_order_init(struct cpu_order *order, bool possible)
{
	*order = (struct cpu_order){ .possible = possible, .cpu = TRACE_ID_UNKNOWN };
}

static void add_time(struct cpu_order *order, uint64_t time_ns)
{
	if (order->seen == 0 || time_ns < order->first_ns)
		order->first_ns = time_ns;
	if (time_ns > order->last_ns)
		order->last_ns = time_ns;
}

/* The lines of another CPU begin, and those before have their time. */
static void turn(struct cpu_order *order, const struct trace_record *record)
{
	if (record->cpu < 0 || record->cpu >= 64 || order->seen >> record->cpu & 1) {
		order->possible = false;
		return;
	}
	if (order->seen) {
		order->begin_ns = order->first_ns;
		order->end_ns = order->last_ns;
		order->back |= record->time_ns + SEAM_NS < order->last_ns;
	}
	order->cpu = record->cpu;
	add_time(order, record->time_ns);
	order->seen |= UINT64_C(1) << record->cpu;
}

/* Is @time_ns one of those that other CPUs have written in? */
static bool is_behind(const struct cpu_order *order, uint64_t time_ns)
{
	return order->back && time_ns >= order->begin_ns && time_ns + SEAM_NS < order->end_ns;
}

void cpu_order_add(struct cpu_order *order, const struct trace_record *record)
{
	if (!order->possible || cpu_order_is_sure(order))
		return;
	if (order->seen == 0 || record->cpu != order->cpu)
		turn(order, record);
	else
		add_time(order, record->time_ns);
	order->behind += order->possible && is_behind(order, record->time_ns);
}

bool cpu_order_is_sure(const struct cpu_order *order)
{
	return order->possible && order->behind >= SURE;
}

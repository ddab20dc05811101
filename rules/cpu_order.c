/* SPDX-License-Identifier: Apache-2.0 */
/* A clock that goes back goes back on all CPUs, and they take turns before and after. Where a trace
 * is sorted by CPU none of them goes back: at each seam another one begins that was not there
 * before, in the midst of the time that the one before has written in, and that never comes
 * again. */
#include "rules/cpu_order.h"

/* A seam goes back by more than CPUs are out of order. */
#define SEAM_NS UINT64_C(50000000)

/* Lines behind the first seam without a sign of another order. */
#define SURE 32

void cpu_order_init(struct cpu_order *order, bool possible)
{
	*order = (struct cpu_order){ .possible = possible, .cpu = TRACE_ID_UNKNOWN };
}

/* Is the record the first of the next CPU's lines? */
static bool is_seam(const struct cpu_order *order, const struct trace_record *record)
{
	uint64_t span_ns = order->last_ns - order->first_ns;

	return record->cpu >= 0 && record->cpu < 64 && !(order->seen >> record->cpu & 1) &&
	       record->time_ns + SEAM_NS < order->last_ns &&
	       record->time_ns + span_ns >= order->first_ns;
}

static void begin(struct cpu_order *order, const struct trace_record *record)
{
	order->cpu = record->cpu;
	order->seen |= UINT64_C(1) << record->cpu;
	order->first_ns = order->last_ns = record->time_ns;
}

static void turn(struct cpu_order *order, const struct trace_record *record)
{
	if (order->seen == 0 && record->cpu >= 0 && record->cpu < 64) {
		begin(order, record);
	} else if (order->seen && is_seam(order, record)) {
		begin(order, record);
		order->behind++;
	} else {
		order->possible = false;
	}
}

void cpu_order_take(struct cpu_order *order, const struct trace_record *record)
{
	if (!order->possible || cpu_order_is_sure(order))
		return;
	if (record->cpu != order->cpu) {
		turn(order, record);
		return;
	}
	order->behind += order->behind > 0;
	/* The next CPU's lines may be few; those of one CPU go on. */
	if (record->time_ns > order->last_ns)
		order->last_ns = record->time_ns;
}

bool cpu_order_is_sure(const struct cpu_order *order)
{
	return order->possible && order->behind >= SURE;
}

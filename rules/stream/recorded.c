/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/stream/recorded.h"

#include "rules/base/interval.h"

/* The lines are no duplicates if this many in a row are new, or more than one in eight. After a
 * clock step of whole periods many lines of a regular trace have the same time as earlier ones. */
#define OUTLIERS_MAX 16
#define OUTLIERS_FREE 8
#define OUTLIERS_SHARE 8

/* Searches of the whole ring are slow, so they are limited. Beyond the limit nothing is found. */
#define SEARCHES_FREE 1000
#define RECORDS_PER_SEARCH 64

/* Sets duplicates->at to the place of the record. */
static bool find(struct duplicates *duplicates, uint32_t hash)
{
	uint64_t kept = duplicates->n < DUPLICATES_MAX ? duplicates->n : DUPLICATES_MAX;

	if (duplicates->searches > SEARCHES_FREE + duplicates->n / RECORDS_PER_SEARCH)
		return false;
	duplicates->searches++;
	for (uint64_t i = 1; i <= kept; i++) {
		if (duplicates->hashes[DUPLICATES_PLACE(duplicates->n - i)] == hash) {
			duplicates->at = DUPLICATES_PLACE(duplicates->n - i);
			return true;
		}
	}
	return false;
}

bool duplicates_has(struct duplicates *duplicates, const struct trace_record *record)
{
	return duplicates->hashes && find(duplicates, duplicates_hash(record));
}

void duplicates_begin(struct duplicates *duplicates, uint64_t end_ns)
{
	duplicates->active = true;
	duplicates->end_ns = end_ns;
	duplicates->outliers_in_row = duplicates->outliers = 0;
	duplicates->skipped = 2;
}

enum duplicates_answer duplicates_check(struct duplicates *duplicates,
					const struct trace_record *record)
{
	uint32_t hash = duplicates_hash(record);
	bool same = record->time_ns <= duplicates->end_ns;

	if (!duplicates->active)
		return DUPLICATES_NONE;
	/* Duplicates are usually in the same order as before. */
	if (same && duplicates->hashes[DUPLICATES_PLACE(duplicates->at + 1)] == hash)
		duplicates->at = DUPLICATES_PLACE(duplicates->at + 1);
	else if (same)
		same = find(duplicates, hash);
	duplicates->outliers_in_row = same ? 0 : duplicates->outliers_in_row + 1;
	duplicates->outliers += !same;
	if (record->time_ns > duplicates->end_ns ||
	    (record->time_ns == duplicates->end_ns && !same)) {
		duplicates->active = false;
		return DUPLICATES_OVER;
	}
	if (duplicates->outliers_in_row > OUTLIERS_MAX ||
	    (duplicates->outliers > OUTLIERS_FREE &&
	     duplicates->outliers * OUTLIERS_SHARE > duplicates->skipped)) {
		duplicates->active = false;
		return DUPLICATES_BROKEN;
	}
	duplicates->skipped++;
	return DUPLICATES_SAME;
}

/* --- the order of CPUs --- */

/* Time also goes back if the clock stepped back. But then the lines of all CPUs alternate, before
 * and after the step. In a trace that is sorted by CPU no CPU comes a second time, and the lines of
 * the next CPU begin before the end of the previous ones and cover the same time:
 *
 *     CPU 0              ----->      its buffer overflowed: older lines are lost
 *     CPU 1      ------------->
 *     CPU 2   ---------------->
 */

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

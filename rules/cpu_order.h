/* SPDX-License-Identifier: Apache-2.0 */
/* Is a recorded trace sorted by CPU: all lines of one, then all of the next? Nothing can be counted
 * in it before it is sorted by time. */
#ifndef JANKD_RULES_CPU_ORDER_H
#define JANKD_RULES_CPU_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"

struct cpu_order {
	bool possible;		    /* as far as can be told yet */
	int32_t cpu;		    /* whose lines these are, TRACE_ID_UNKNOWN before the first */
	uint64_t seen;		    /* CPUs, a bit for each */
	uint64_t first_ns, last_ns; /* of all lines so far */
	uint64_t begin_ns, end_ns;  /* the same of all but this CPU's */
	bool back;		    /* one of them began before the end of those before */
	unsigned int behind;	    /* lines in the time of other CPUs */
};

/* @possible: of a live trace it is not. */
void cpu_order_init(struct cpu_order *order, bool possible);

/* Takes the next record. */
void cpu_order_add(struct cpu_order *order, const struct trace_record *record);

/* It is sure. */
bool cpu_order_is_sure(const struct cpu_order *order);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Detects a recorded trace that is sorted by CPU: all lines of one CPU, then all of the next. Such
 * a trace must be sorted by time before jankd can analyze it. */
#ifndef JANKD_RULES_STREAM_CPU_ORDER_H
#define JANKD_RULES_STREAM_CPU_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"

struct cpu_order {
	bool possible;		    /* nothing so far shows another order; false: a live trace */
	int32_t cpu;		    /* of the current lines; TRACE_ID_UNKNOWN before the first */
	uint64_t cpus;		    /* mask of the CPUs so far */
	uint64_t first_ns, last_ns; /* time of all lines so far */
	uint64_t begin_ns, end_ns;  /* time of the lines of all other CPUs */
	bool back;		    /* a CPU's lines begin before the end of the previous ones */
	unsigned int overlapping;   /* number of lines in the time of other CPUs */
	unsigned int within;	    /* the same, in the first half of that time */
};

/* Adds the next record. */
void cpu_order_add(struct cpu_order *order, const struct trace_record *record);

/* True: the trace is sorted by CPU. @ended: it has no more lines, so fewer prove that. */
bool cpu_order_is_sure(const struct cpu_order *order, bool ended);

#endif

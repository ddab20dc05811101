/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of the trace: checks the order of records, and detects that the clock stepped back. The
 * method is described in trace_clock.c. */
#ifndef JANKD_RULES_TRACE_CLOCK_H
#define JANKD_RULES_TRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"
#include "rules/cpu_order.h"
#include "rules/events.h"
#include "rules/duplicates.h"

/* CPUs whose records are compared separately. */
#define TRACE_CLOCK_CPUS 64

enum clock_verdict {
	CLOCK_RUNS,    /* process the record */
	CLOCK_IGNORE,  /* ignore it: a single record from the past, or a duplicate */
	CLOCK_BACK,    /* process it; the clock stepped back, so earlier times are invalid */
	CLOCK_UNSTUCK, /* process it; an earlier line was from the future, see forged_ns */
};

struct trace_clock {
	struct event_writer *events;		/* of the owner */
	uint64_t cpu_last_ns[TRACE_CLOCK_CPUS]; /* time of the last record of each CPU */
	int32_t sf_tid;				/* SurfaceFlinger's thread, at the last record */
	uint64_t sf_ns;				/* time of its last record */
	uint64_t now_ns;			/* latest time of all records */
	uint64_t sure_ns;			/* the same without the record of now_ns */
	uint64_t forged_ns; /* set with CLOCK_UNSTUCK: times from here on are invalid */
	uint64_t back_ns;   /* set with CLOCK_BACK: size of the step */

	/* Counters since the start, see struct pipeline_counters. */
	uint64_t steps;
	uint64_t late;
	uint64_t repeated;

	/* A single record from the past was ignored. The next members describe it. */
	bool ignored_one;
	bool by_cpu; /* it was before the last record of its CPU */
	bool is_duplicate;
	int32_t cpu;
	uint64_t past_ns; /* its time */

	struct duplicates duplicates;
	struct cpu_order order;
};

/* @recorded: lines may be duplicated, or sorted by CPU. Returns 0 or -ENOMEM; trace_clock_free()
 * must be called in any case. */
int trace_clock_init(struct trace_clock *clock, bool recorded, struct event_writer *events);
void trace_clock_free(struct trace_clock *clock);

static inline bool trace_clock_counts_cpu(int32_t cpu)
{
	return cpu >= 0 && cpu < TRACE_CLOCK_CPUS;
}

/* The record is valid. Hot path: called for each record. */
static inline void trace_clock_follow(struct trace_clock *clock, const struct trace_record *record)
{
	uint64_t time_ns = record->time_ns;

	if (time_ns > clock->now_ns) {
		clock->sure_ns = clock->now_ns ? clock->now_ns : time_ns;
		clock->now_ns = time_ns;
	} else if (time_ns > clock->sure_ns) {
		clock->sure_ns = time_ns;
	}
	if (trace_clock_counts_cpu(record->cpu))
		clock->cpu_last_ns[record->cpu] = time_ns;
	if (record->tid == clock->sf_tid)
		clock->sf_ns = time_ns;
	duplicates_keep(&clock->duplicates, record);
}

/* trace_clock_check() for all records. */
enum clock_verdict trace_clock_check_any(struct trace_clock *clock,
					 const struct trace_record *record, int32_t sf_tid);

/* Checks the next record, which is not TRACE_LOST. @sf_tid: SurfaceFlinger's thread, or
 * TRACE_ID_UNKNOWN. */
static inline enum clock_verdict trace_clock_check(struct trace_clock *clock,
						   const struct trace_record *record,
						   int32_t sf_tid)
{
	if (record->time_ns < clock->now_ns || sf_tid != clock->sf_tid || clock->ignored_one ||
	    clock->duplicates.active || clock->order.possible)
		return trace_clock_check_any(clock, record, sf_tid);
	trace_clock_follow(clock, record);
	return CLOCK_RUNS;
}

/* True: in a run of duplicates. A loss in it is a duplicate, too. */
bool trace_clock_in_duplicates(const struct trace_clock *clock);

/* Writes the event for CLOCK_BACK. */
void trace_clock_report_back(struct trace_clock *clock, uint64_t time_ns);

/* The current time of the trace in ns, without a single line that is a second ahead of the rest. */
uint64_t trace_clock_now(const struct trace_clock *clock);

/* The same for final decisions: also without a single line that is 100 ms ahead. */
uint64_t trace_clock_sure(const struct trace_clock *clock);

/* Later times are those of another clock. */
void trace_clock_restart(struct trace_clock *clock);

/* The trace ends: reports the duplicates so far. */
void trace_clock_end(struct trace_clock *clock);

#endif

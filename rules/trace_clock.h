/* SPDX-License-Identifier: Apache-2.0 */
/* The trace's clock: which records come in time, which from nowhere, and when it went back. The
 * idea: trace_clock.c. */
#ifndef JANKD_RULES_TRACE_CLOCK_H
#define JANKD_RULES_TRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"
#include "rules/cpu_order.h"
#include "rules/events.h"
#include "rules/pipeline_counters.h"
#include "rules/repeats.h"

enum clock_verdict {
	CLOCK_RUNS,    /* take the record */
	CLOCK_PASSES,  /* leave it: it alone is from the past, or it was there before */
	CLOCK_BACK,    /* take it: the clock went back, what was has nothing to do with it */
	CLOCK_UNSTUCK, /* take it: a line from the future is forgotten, see forged_ns */
};

struct trace_clock {
	struct event_writer *events;	     /* of the owner */
	struct pipeline_counters *counters;  /* of the owner: clock_steps, late, repeated */
	uint64_t cpu_last_ns[PIPELINE_CPUS]; /* the last record of each CPU */
	int32_t sf_tid;			     /* SurfaceFlinger's thread, as told last */
	uint64_t sf_ns;			     /* its last record */
	uint64_t now_ns;		     /* latest time of a record */
	uint64_t sure_ns;		     /* the same of all others */
	uint64_t forged_ns; /* with CLOCK_UNSTUCK: what is dated so or later was nothing */
	uint64_t back_ns;   /* with CLOCK_BACK: how far */

	/* A record from the past was passed: alone, as far as can be told yet. */
	bool waits;
	bool by_cpu;	  /* its CPU had come further */
	bool was_there;	  /* it is one of the records before */
	int32_t cpu;	  /* of it */
	uint64_t past_ns; /* its time */

	struct repeats repeats;
	struct cpu_order order;
};

/* @recorded: lines may come twice, or sorted by CPU. Returns 0 or -ENOMEM; trace_clock_free() is
 * due in any case. */
int trace_clock_init(struct trace_clock *clock, bool recorded, struct event_writer *events,
		     struct pipeline_counters *counters);
void trace_clock_free(struct trace_clock *clock);

/* Takes a record that is no loss. @sf_tid: SurfaceFlinger's thread, or TRACE_ID_UNKNOWN. */
enum clock_verdict trace_clock_check(struct trace_clock *clock, const struct trace_record *record,
				     int32_t sf_tid);

/* Are lines that were there before passed just now? A loss among them was told before, too. */
bool trace_clock_repeats(const struct trace_clock *clock);

/* Tells of the step that CLOCK_BACK stands for. */
void trace_clock_report_back(struct trace_clock *clock, uint64_t time_ns);

/* The time that the trace has come to: one line far ahead of all others moves it not yet. */
uint64_t trace_clock_now(const struct trace_clock *clock);

/* The same for what cannot be taken back: a line that is only a little ahead does not count. */
uint64_t trace_clock_sure(const struct trace_clock *clock);

/* What comes is dated by another clock. */
void trace_clock_restart(struct trace_clock *clock);

/* The trace ends: tells of what was not told. */
void trace_clock_end(struct trace_clock *clock);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of the trace: checks the times of records before anything uses them, and detects that
 * the clock stepped back. The method is described in trace_clock.c. */
#ifndef JANKD_RULES_STREAM_TRACE_CLOCK_H
#define JANKD_RULES_STREAM_TRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"
#include "rules/base/interval.h"
#include "rules/base/memory.h"
#include "rules/stream/events.h"
#include "rules/stream/held_records.h"
#include "rules/stream/recorded.h"

/* CPUs whose records are compared separately. */
#define TRACE_CLOCK_CPUS 64

/* The time of a record that is ahead of all others by this much is not believed at once. The clocks
 * of two CPUs differ by less. */
#define TRACE_CLOCK_AHEAD_NS UINT64_C(50000000)

/* Records that wait, at most. */
#define TRACE_CLOCK_WAITING 128

enum clock_verdict {
	CLOCK_RUNS,  /* process the record */
	CLOCK_WAITS, /* not now: trace_clock_next() returns it later, or never */
	CLOCK_BACK,  /* process it; the clock stepped back, so earlier times are invalid */
};

/* A record that waits until others confirm its time, in trace_clock.held. */
struct clock_waiting {
	uint64_t time_ns; /* 0: a loss whose time is not believed */
	bool is_loss;
	bool is_dropped;
	unsigned int confirmed; /* by so many later records */
	unsigned int weight;	/* of these */
	unsigned int refuted;
};

struct trace_clock {
	struct event_writer *events;		/* of the owner */
	uint64_t cpu_last_ns[TRACE_CLOCK_CPUS]; /* time of the last record of each CPU */
	uint64_t now_ns;			/* latest time that is believed */
	int32_t sf_tid;				/* SurfaceFlinger's thread, at the last record */
	uint64_t sf_ns;				/* time of its last record */
	uint64_t sure_ns;			/* the same without the record of now_ns */
	uint64_t back_ns;			/* set with CLOCK_BACK: size of the step */
	uint64_t ended_ns;			/* likewise: the latest time before the step */

	/* Counters since the start, see struct pipeline_counters. */
	uint64_t steps;
	uint64_t late;
	uint64_t ahead;
	uint64_t repeated;

	/* The records that wait, in their order. */
	struct held_records held;
	size_t taken; /* bytes of it that are no longer used */
	unsigned int first, n, n_losses;
	bool behind;	   /* they are from the past, or the clock stepped back */
	bool by_cpu;	   /* the first of these was before the last record of its CPU */
	bool is_duplicate; /* it was read before */
	int32_t cpu;	   /* its CPU */
	uint64_t past_ns;  /* its time */
	unsigned int n_behind;
	unsigned int weight;  /* of those after the first */
	unsigned int refuted; /* by so many records that are ahead */
	bool stepped;	      /* they are the first of a new clock */
	bool deciding;	      /* none of them is to wait any longer */
	uint64_t reached_ns;  /* the trace has reached that time; 0: unknown */
	struct clock_waiting waiting[TRACE_CLOCK_WAITING];

	struct duplicates duplicates;
	struct cpu_order order;
};

/* @recorded: lines may be duplicated, or sorted by CPU. */
void trace_clock_init(struct trace_clock *clock, bool recorded, struct event_writer *events,
		      struct memory *memory);

static inline bool trace_clock_counts_cpu(int32_t cpu)
{
	return cpu >= 0 && cpu < TRACE_CLOCK_CPUS;
}

/* The record is valid; of a recorded trace duplicates_keep() must be called, too. Hot path: called
 * for each record. */
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
}

/* Checks the next record, which is not TRACE_LOST. @sf_tid: SurfaceFlinger's thread, or
 * TRACE_ID_UNKNOWN. */
enum clock_verdict trace_clock_check(struct trace_clock *clock, const struct trace_record *record,
				     int32_t sf_tid);

/* How far ahead of now_ns a record is valid without a check, as nearly all are; 0: each is to be
 * checked. It stays so until a record is checked, or another thread is SurfaceFlinger's. */
static inline uint64_t trace_clock_unchecked_ns(const struct trace_clock *clock, int32_t sf_tid)
{
	return clock->n == 0 && !clock->duplicates.active && !clock->order.possible &&
			       sf_tid == clock->sf_tid
		       ? TRACE_CLOCK_AHEAD_NS
		       : 0;
}

/* The next record is TRACE_LOST. True: it waits, as its time or that of records before it is not
 * believed; trace_clock_next() returns it later. Else its time is valid. */
bool trace_clock_holds_loss(struct trace_clock *clock, const struct trace_record *record);

/* The time for final decisions: not that of the first record after a silence, as the tick of that
 * time may follow. */
static inline uint64_t trace_clock_sure(const struct trace_clock *clock)
{
	return clock->now_ns > clock->sure_ns + 2 * TRACE_CLOCK_AHEAD_NS ? clock->sure_ns
									 : clock->now_ns;
}

/* True: records wait. trace_clock_next() may return some. */
static inline bool trace_clock_has_waiting(const struct trace_clock *clock)
{
	return clock->n > 0;
}

/* Sets @record to the next one that is no longer to wait. It borrows its text from @clock, until
 * the next call of another function. Returns CLOCK_WAITS if there is none. */
enum clock_verdict trace_clock_next(struct trace_clock *clock, struct trace_record *record);

/* A live trace has reached that time: a record up to then is not from the future. */
static inline void trace_clock_reached(struct trace_clock *clock, uint64_t time_ns)
{
	clock->reached_ns = later(clock->reached_ns, time_ns);
}

/* True: records wait that are ahead, and the next one is from the past: it may be the first of a
 * new clock. trace_clock_decide() must be called before trace_clock_check(). */
bool trace_clock_may_step(struct trace_clock *clock, const struct trace_record *record);

/* No record follows on this clock: decides about those that wait. trace_clock_next() returns those
 * that are valid. */
void trace_clock_decide(struct trace_clock *clock);

/* Writes the event for CLOCK_BACK. */
void trace_clock_report_back(struct trace_clock *clock, uint64_t time_ns);

/* Later times are those of another clock. No record must wait. */
void trace_clock_restart(struct trace_clock *clock);

/* The trace ends: reports the duplicates so far. */
void trace_clock_end(struct trace_clock *clock);

#endif

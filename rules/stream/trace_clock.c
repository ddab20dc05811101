/* SPDX-License-Identifier: Apache-2.0 */
/* A time is believed before it is used. Any app can write a line end, and after it a line with any
 * time and CPU: into one marker go 1,024 bytes, which are up to 24 such lines, and since Linux 6.8
 * 4,096, which are 97.
 *
 *     now      | 50 ms |
 *     ---------+-------+------------------------------------+---->
 *     in order         | ahead: the trace was silent, or    |
 *                      | the line is forged                 |
 *
 * A record that is ahead of all others waits, and those after it that are ahead, too. Real time
 * does not go back: two later records that are earlier by 50 ms refute it, and it is dropped and
 * counted. More text than one marker holds confirms it, in lines that are not earlier, or 31 such
 * records of a source that is no text, where none is forged. So a silence of the phone costs
 * nothing but the wait for these records, or for the reader to say that there are none.
 *
 * Records of several CPUs come out of order: by milliseconds, and by more if a writer was delayed
 * between its time stamp and its text. But the records of one CPU are always in order, and so are
 * those of one thread, except for differences between the clocks of CPUs. So the clock has stepped
 * back if
 *
 *     a record is earlier than the last one of its CPU,
 *     a record of SurfaceFlinger's thread is earlier than its last one, by more than the clocks of
 *     CPUs differ,
 *     or a record is a second earlier than the latest one.
 *
 * Such records wait, too. One that is in order shows that they were forged. Without one, two are a
 * step of less than a second, and as many as confirm a time a larger one; then they are the first
 * of the new clock. A line that was ahead by less than 50 ms makes the next record seem too early;
 * if that one is in order without it, that line's time does not count.
 */
#include "rules/stream/trace_clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/base/table.h"

/* The records of a CPU are in order, but a kernel that corrects its clock may go back by less. */
#define SLACK_NS UINT64_C(5000000)

/* The clocks of two CPUs differ by less. */
#define CPUS_DIFFER_NS TRACE_CLOCK_AHEAD_NS

/* Records of several CPUs can be out of order by this much. */
#define DISORDER_NS UINT64_C(1000000000)

/* The weight of records that confirm a time: bytes of text, more than there are in one marker. */
#define CONFIRMED 4096

/* The weight of a record that was in no text: 31 of them confirm a time. */
#define NO_TEXT_WEIGHT 133

/* Two records out of order refute a time, as one may have been delayed. */
#define REFUTED 2

/* Bytes for records that wait, and losses among them. */
#define HELD_SIZE 262144
#define LOSSES_MAX 16

/* --- events --- */

/* Writes the event "@before 1.234 s@after". */
static void report_by(struct trace_clock *clock, uint64_t time_ns, const char *before,
		      uint64_t by_ns, const char *after)
{
	char text[96];

	snprintf(text, sizeof(text), "%s %llu.%03llu s%s", before,
		 (unsigned long long)(by_ns / 1000000000),
		 (unsigned long long)(by_ns / 1000000 % 1000), after);
	events_write(clock->events, time_ns, TRACE_EVENT_TRACING, text);
}

void trace_clock_report_back(struct trace_clock *clock, uint64_t time_ns)
{
	report_by(clock, time_ns, "the clock stepped back by", clock->back_ns, "");
}

static void report_duplicates(struct trace_clock *clock, uint64_t time_ns)
{
	char text[128];

	snprintf(text, sizeof(text), "%llu duplicate lines ignored",
		 (unsigned long long)clock->duplicates.skipped);
	events_write(clock->events, time_ns, TRACE_EVENT_TRACING, text);
}

/* --- the order of a record --- */

static bool is_behind_cpu(const struct trace_clock *clock, const struct trace_record *record)
{
	return trace_clock_counts_cpu(record->cpu) &&
	       since(record->time_ns, clock->cpu_last_ns[record->cpu]) > SLACK_NS;
}

static bool is_behind(struct trace_clock *clock, const struct trace_record *record)
{
	uint64_t time_ns = record->time_ns;

	if (since(time_ns, clock->now_ns) > DISORDER_NS || is_behind_cpu(clock, record))
		return true;
	if (record->tid == clock->sf_tid && since(time_ns, clock->sf_ns) > CPUS_DIFFER_NS)
		return true;
	/* The first duplicate may be that of its CPU's last record: its time is equal then. */
	return trace_clock_counts_cpu(record->cpu) && time_ns <= clock->cpu_last_ns[record->cpu] &&
	       duplicates_has(&clock->duplicates, record);
}

/* --- records that wait --- */

static struct clock_waiting *waiting_at(struct trace_clock *clock, unsigned int i)
{
	return RING_AT(clock->waiting, clock->first + i);
}

/* Returns false if there is no space. */
static bool add_waiting(struct trace_clock *clock, const struct trace_record *record)
{
	struct held_records *held = &clock->held;
	bool is_loss = record->kind == TRACE_LOST;

	if (clock->n == 0) {
		held_remove(held, held->used);
		clock->taken = 0;
	}
	if (clock->n == TRACE_CLOCK_WAITING || (is_loss && clock->n_losses == LOSSES_MAX))
		return false;
	if (!held_add(held, record, 0)) {
		held_remove(held, clock->taken);
		clock->taken = 0;
		if (!held_add(held, record, 0))
			return false;
	}
	*waiting_at(clock, clock->n++) =
		(struct clock_waiting){ .time_ns = record->time_ns, .is_loss = is_loss };
	clock->n_losses += is_loss;
	return true;
}

static void drop_ahead(struct trace_clock *clock, uint64_t time_ns)
{
	clock->ahead++;
	report_by(clock, clock->now_ns, "ignored a line stamped", time_ns - clock->now_ns,
		  " in the future");
}

/* The time is not believed. The loss itself is. */
static void drop(struct trace_clock *clock, struct clock_waiting *waiting)
{
	if (waiting->is_loss)
		waiting->time_ns = 0;
	else
		waiting->is_dropped = true;
}

static unsigned int weight_of(const struct trace_record *record)
{
	return record->text_len > 0 ? record->text_len : NO_TEXT_WEIGHT;
}

/* @record follows those that wait. */
static void weigh(struct trace_clock *clock, const struct trace_record *record)
{
	uint64_t time_ns = record->time_ns;

	for (unsigned int i = 0; i < clock->n; i++) {
		struct clock_waiting *waiting = waiting_at(clock, i);

		if (waiting->is_dropped || waiting->time_ns == 0)
			continue;
		if (since(time_ns, waiting->time_ns) < TRACE_CLOCK_AHEAD_NS) {
			waiting->confirmed++;
			waiting->weight += weight_of(record);
		} else if (++waiting->refuted >= REFUTED) {
			if (!waiting->is_loss)
				drop_ahead(clock, waiting->time_ns);
			drop(clock, waiting);
		} else {
			waiting->confirmed = waiting->weight = 0;
		}
	}
}

/* The records from the past were forged. */
static void drop_behind(struct trace_clock *clock, uint64_t time_ns)
{
	clock->late += clock->n_behind;
	clock->behind = false;
	report_by(clock, time_ns, "ignored a line stamped", clock->now_ns - clock->past_ns,
		  " in the past");
	for (unsigned int i = 0; i < clock->n; i++)
		if (waiting_at(clock, i)->time_ns <= clock->now_ns)
			drop(clock, waiting_at(clock, i));
}

/* --- the verdict on a record --- */

static void follow(struct trace_clock *clock, const struct trace_record *record)
{
	cpu_order_add(&clock->order, record);
	trace_clock_follow(clock, record);
	duplicates_keep(&clock->duplicates, record, 1);
}

static void step_back(struct trace_clock *clock, uint64_t time_ns)
{
	clock->ended_ns = clock->now_ns;
	clock->back_ns = clock->now_ns - time_ns;
	clock->steps++;
	trace_clock_restart(clock);
}

static enum clock_verdict ignore_past(struct trace_clock *clock, const struct trace_record *record)
{
	clock->late++;
	report_by(clock, clock->now_ns, "ignored a line stamped", clock->now_ns - record->time_ns,
		  " in the past");
	return CLOCK_WAITS;
}

static enum clock_verdict judge_behind(struct trace_clock *clock, const struct trace_record *record)
{
	bool is_duplicate = duplicates_has(&clock->duplicates, record);

	if (clock->behind && since(record->time_ns, clock->past_ns) > DISORDER_NS) {
		ignore_past(clock, record);
		drop_behind(clock, clock->now_ns);
		return CLOCK_WAITS;
	}
	if (clock->behind && clock->n_behind == 1 && clock->is_duplicate && is_duplicate) {
		for (unsigned int i = 0; i < clock->n; i++)
			drop(clock, waiting_at(clock, i));
		clock->behind = false;
		duplicates_begin(&clock->duplicates, clock->now_ns);
		clock->repeated += 2;
		return CLOCK_WAITS;
	}
	/* Only one line was ahead of the rest, by little. */
	if (!clock->behind && !is_duplicate && since(record->time_ns, clock->sure_ns) <= SLACK_NS) {
		report_by(clock, record->time_ns, "a line was stamped",
			  clock->now_ns - clock->sure_ns, " in the future");
		clock->ahead++;
		clock->now_ns = clock->sure_ns;
		for (int i = 0; i < TRACE_CLOCK_CPUS; i++)
			if (clock->cpu_last_ns[i] > clock->now_ns)
				clock->cpu_last_ns[i] = clock->now_ns;
		if (clock->sf_ns > clock->now_ns)
			clock->sf_ns = clock->now_ns;
		follow(clock, record);
		return CLOCK_RUNS;
	}
	if (!clock->behind) { /* the first record that is too early */
		clock->behind = true;
		clock->by_cpu = is_behind_cpu(clock, record);
		clock->is_duplicate = is_duplicate;
		clock->cpu = record->cpu;
		clock->past_ns = record->time_ns;
		clock->n_behind = clock->refuted = clock->weight = 0;
	}
	weigh(clock, record);
	if (!add_waiting(clock, record))
		return ignore_past(clock, record);
	if (clock->n_behind++ > 0)
		clock->weight += weight_of(record);
	if (clock->n_behind > 1 &&
	    (clock->weight >= CONFIRMED || clock->now_ns - clock->past_ns < DISORDER_NS))
		clock->stepped = true;
	if (clock->stepped)
		step_back(clock, clock->past_ns);
	return CLOCK_WAITS;
}

static bool is_ahead(const struct trace_clock *clock, const struct trace_record *record)
{
	return clock->now_ns > 0 && since(clock->now_ns, record->time_ns) >= TRACE_CLOCK_AHEAD_NS;
}

enum clock_verdict trace_clock_check(struct trace_clock *clock, const struct trace_record *record,
				     int32_t sf_tid)
{
	if (sf_tid != clock->sf_tid) {
		clock->sf_tid = sf_tid;
		clock->sf_ns = 0;
	}
	switch (duplicates_check(&clock->duplicates, record)) {
	case DUPLICATES_SAME:
		clock->repeated++;
		return CLOCK_WAITS;
	case DUPLICATES_OVER:
		report_duplicates(clock, record->time_ns);
		break;
	case DUPLICATES_BROKEN:
		report_duplicates(clock, clock->now_ns);
		step_back(clock, record->time_ns);
		follow(clock, record);
		return CLOCK_BACK;
	case DUPLICATES_NONE:
		break;
	}
	if (record->time_ns < clock->now_ns && is_behind(clock, record))
		return judge_behind(clock, record);
	if (is_ahead(clock, record)) {
		if (clock->behind && ++clock->refuted >= REFUTED)
			drop_behind(clock, clock->now_ns);
		weigh(clock, record);
		if (!add_waiting(clock, record))
			drop_ahead(clock, record->time_ns);
		return CLOCK_WAITS;
	}
	/* A record in order shows that those from the past were forged. One of another CPU with an
	 * earlier time does not: that CPU may have been idle since before the step. */
	if (clock->behind &&
	    (record->time_ns >= clock->now_ns ||
	     (clock->by_cpu ? record->cpu == clock->cpu : record->tid == clock->sf_tid)))
		drop_behind(clock, record->time_ns);
	if (!clock->behind)
		weigh(clock, record);
	follow(clock, record);
	return CLOCK_RUNS;
}

bool trace_clock_holds_loss(struct trace_clock *clock, const struct trace_record *record)
{
	return (is_ahead(clock, record) || clock->n > 0) && add_waiting(clock, record);
}

enum clock_verdict trace_clock_next(struct trace_clock *clock, struct trace_record *record)
{
	while (clock->n > 0 && !clock->behind) {
		struct clock_waiting *waiting = waiting_at(clock, 0);
		enum clock_verdict verdict = clock->stepped ? CLOCK_BACK : CLOCK_RUNS;
		uint64_t until_ns = later(clock->now_ns, clock->reached_ns), note;
		bool is_ready = clock->now_ns == 0 ||
				since(until_ns, waiting->time_ns) < TRACE_CLOCK_AHEAD_NS ||
				waiting->weight >= CONFIRMED ||
				(clock->deciding && waiting->confirmed > waiting->refuted);

		if (!waiting->is_dropped && !is_ready) {
			if (!clock->deciding)
				return CLOCK_WAITS;
			if (!waiting->is_loss)
				drop_ahead(clock, waiting->time_ns);
			drop(clock, waiting);
		}
		clock->taken = held_read(&clock->held, clock->taken, record, &note);
		clock->first = (clock->first + 1) % TRACE_CLOCK_WAITING;
		clock->n--;
		clock->n_losses -= waiting->is_loss;
		if (waiting->is_dropped)
			continue;
		clock->stepped = false;
		if (!waiting->is_loss)
			follow(clock, record);
		else if (waiting->time_ns == 0)
			record->time_ns = clock->now_ns;
		return verdict;
	}
	clock->deciding = false;
	return CLOCK_WAITS;
}

bool trace_clock_may_step(struct trace_clock *clock, const struct trace_record *record)
{
	return !clock->behind && record->time_ns < clock->now_ns && is_behind(clock, record);
}

void trace_clock_decide(struct trace_clock *clock)
{
	clock->deciding = true;
	if (!clock->behind)
		return;
	if (clock->n_behind == 1) {
		drop_behind(clock, clock->now_ns);
		return;
	}
	clock->stepped = true;
	step_back(clock, clock->past_ns);
}

/* --- init and end --- */

void trace_clock_restart(struct trace_clock *clock)
{
	clock->now_ns = clock->sure_ns = clock->sf_ns = clock->reached_ns = 0;
	clock->behind = false;
	memset(clock->cpu_last_ns, 0, sizeof(clock->cpu_last_ns));
}

void trace_clock_end(struct trace_clock *clock)
{
	if (clock->duplicates.active)
		report_duplicates(clock, clock->now_ns);
}

void trace_clock_init(struct trace_clock *clock, bool recorded, struct event_writer *events,
		      struct memory *memory)
{
	*clock = (struct trace_clock){
		.events = events,
		.sf_tid = TRACE_ID_UNKNOWN,
		.order = { .possible = recorded, .cpu = TRACE_ID_UNKNOWN },
		.held = { memory_keep(memory, calloc(1, HELD_SIZE)), HELD_SIZE, 0 },
	};
	if (recorded)
		clock->duplicates.hashes =
			memory_keep(memory, memory_new(DUPLICATES_MAX, sizeof(uint32_t)));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Records of several CPUs come out of order: by milliseconds, and by more if a writer was delayed
 * between its time stamp and its text. But the records of one CPU are always in order, and so are
 * those of one thread, except for differences between the clocks of CPUs. So the clock has stepped
 * back if
 *
 *     a record is earlier than the last one of its CPU,
 *     a record of SurfaceFlinger's thread is earlier than its last one, by more than the clocks of
 *     CPUs differ,
 *     or a record is a second earlier than the latest one.
 *
 * Any app can write a line end, and after it a line with any time and CPU. So a single such record
 * is ignored and counted; two in a row are a step. A line with a time in the future makes the next
 * record seem too early; if that record is in order without it, the line was forged.
 */
#include "rules/trace_clock.h"

#include <stdio.h>
#include <string.h>

/* The records of a CPU are in order, but a kernel that corrects its clock may go back by less. */
#define SLACK_NS UINT64_C(5000000)

/* The clocks of two CPUs differ by less. */
#define CPUS_DIFFER_NS UINT64_C(50000000)

/* Records of several CPUs can be out of order by this much. */
#define DISORDER_NS UINT64_C(1000000000)

/* The time of a single line that is ahead by more than this is not the time of the trace. */
#define AHEAD_NS UINT64_C(100000000)

/* --- events --- */

/* Writes and counts the event "@before 1.234 s@after". */
static void report_by(struct trace_clock *clock, uint64_t time_ns, const char *before,
		      uint64_t by_ns, const char *after)
{
	char text[96];

	clock->steps++;
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
	       record->time_ns + SLACK_NS < clock->cpu_last_ns[record->cpu];
}

static bool is_behind_thread(const struct trace_clock *clock, const struct trace_record *record)
{
	return record->tid == clock->sf_tid && record->time_ns + CPUS_DIFFER_NS < clock->sf_ns;
}

/* The first duplicate may be that of its CPU's last record: then its time is equal, not earlier. */
static bool is_first_duplicate(struct trace_clock *clock, const struct trace_record *record)
{
	return trace_clock_counts_cpu(record->cpu) &&
	       record->time_ns <= clock->cpu_last_ns[record->cpu] &&
	       duplicates_has(&clock->duplicates, record);
}

static bool is_behind(struct trace_clock *clock, const struct trace_record *record)
{
	return record->time_ns + DISORDER_NS < clock->now_ns || is_behind_cpu(clock, record) ||
	       is_behind_thread(clock, record) || is_first_duplicate(clock, record);
}

/* True: only one record is later than @time_ns. */
static bool is_one_ahead(const struct trace_clock *clock, uint64_t time_ns)
{
	return clock->sure_ns <= time_ns + SLACK_NS;
}

/* --- the verdict on a record --- */

/* Only one line was ahead of the rest: it was forged. */
static enum clock_verdict forget_future(struct trace_clock *clock,
					const struct trace_record *record)
{
	report_by(clock, record->time_ns, "ignored a line stamped", clock->now_ns - clock->sure_ns,
		  " in the future");
	clock->forged_ns = clock->now_ns;
	clock->now_ns = clock->sure_ns;
	for (int i = 0; i < TRACE_CLOCK_CPUS; i++)
		if (clock->cpu_last_ns[i] > clock->now_ns)
			clock->cpu_last_ns[i] = clock->now_ns;
	if (clock->sf_ns > clock->now_ns)
		clock->sf_ns = clock->now_ns;
	trace_clock_follow(clock, record);
	return CLOCK_UNSTUCK;
}

static enum clock_verdict go_back(struct trace_clock *clock, const struct trace_record *record)
{
	clock->back_ns = clock->now_ns - record->time_ns;
	clock->ignored_one = false;
	clock->now_ns = clock->sf_ns = 0;
	memset(clock->cpu_last_ns, 0, sizeof(clock->cpu_last_ns));
	trace_clock_follow(clock, record);
	return CLOCK_BACK;
}

/* The record is too early. Ignores it if it is the only such record so far. */
static enum clock_verdict judge_behind(struct trace_clock *clock, const struct trace_record *record)
{
	bool another = clock->ignored_one && record->time_ns + DISORDER_NS >= clock->past_ns;
	bool is_duplicate = duplicates_has(&clock->duplicates, record);

	if (!clock->ignored_one && !is_duplicate && is_one_ahead(clock, record->time_ns))
		return forget_future(clock, record);
	if (another && clock->is_duplicate && is_duplicate) {
		clock->ignored_one = false;
		clock->late--;
		duplicates_begin(&clock->duplicates, clock->now_ns);
		clock->repeated += 2;
		return CLOCK_IGNORE;
	}
	if (another)
		return go_back(clock, record);
	clock->ignored_one = true;
	clock->by_cpu = is_behind_cpu(clock, record);
	clock->is_duplicate = is_duplicate;
	clock->cpu = record->cpu;
	clock->past_ns = record->time_ns;
	clock->late++;
	return CLOCK_IGNORE;
}

/* The record is in order. True: it shows that the ignored record was a single one. A record of
 * another CPU with an earlier time does not: that CPU may have been idle since before the step. */
static bool was_alone(const struct trace_clock *clock, const struct trace_record *record)
{
	if (record->time_ns >= clock->now_ns)
		return true;
	return clock->by_cpu ? record->cpu == clock->cpu : record->tid == clock->sf_tid;
}

/* Returns false if the record is not a duplicate. */
static bool skip_duplicate(struct trace_clock *clock, const struct trace_record *record,
			   enum clock_verdict *verdict)
{
	switch (duplicates_check(&clock->duplicates, record)) {
	case DUPLICATES_SAME:
		clock->repeated++;
		*verdict = CLOCK_IGNORE;
		return true;
	case DUPLICATES_OVER:
		report_duplicates(clock, record->time_ns);
		return false;
	default: /* DUPLICATES_BROKEN */
		report_duplicates(clock, clock->now_ns);
		*verdict = go_back(clock, record);
		return true;
	}
}

enum clock_verdict trace_clock_check_any(struct trace_clock *clock,
					 const struct trace_record *record, int32_t sf_tid)
{
	enum clock_verdict verdict;

	if (sf_tid != clock->sf_tid) {
		clock->sf_tid = sf_tid;
		clock->sf_ns = 0;
	}
	cpu_order_add(&clock->order, record);
	if (clock->duplicates.active && skip_duplicate(clock, record, &verdict))
		return verdict;
	if (record->time_ns < clock->now_ns && is_behind(clock, record))
		return judge_behind(clock, record);
	if (clock->ignored_one && was_alone(clock, record)) {
		clock->ignored_one = false;
		report_by(clock, record->time_ns, "ignored a line stamped",
			  clock->now_ns - clock->past_ns, " in the past");
	}
	trace_clock_follow(clock, record);
	return CLOCK_RUNS;
}

bool trace_clock_in_duplicates(const struct trace_clock *clock)
{
	return clock->duplicates.active;
}

/* --- the time --- */

static uint64_t within(const struct trace_clock *clock, uint64_t ahead_ns)
{
	return clock->now_ns > clock->sure_ns + ahead_ns ? clock->sure_ns : clock->now_ns;
}

uint64_t trace_clock_now(const struct trace_clock *clock)
{
	return within(clock, DISORDER_NS);
}

uint64_t trace_clock_sure(const struct trace_clock *clock)
{
	return within(clock, AHEAD_NS);
}

/* --- init and end --- */

void trace_clock_restart(struct trace_clock *clock)
{
	clock->now_ns = clock->sure_ns = clock->sf_ns = 0;
	clock->ignored_one = false;
	memset(clock->cpu_last_ns, 0, sizeof(clock->cpu_last_ns));
}

void trace_clock_end(struct trace_clock *clock)
{
	if (clock->duplicates.active)
		report_duplicates(clock, clock->now_ns);
}

int trace_clock_init(struct trace_clock *clock, bool recorded, struct event_writer *events)
{
	*clock = (struct trace_clock){
		.events = events,
		.sf_tid = TRACE_ID_UNKNOWN,
	};
	cpu_order_init(&clock->order, recorded);
	return duplicates_init(&clock->duplicates, recorded);
}

void trace_clock_free(struct trace_clock *clock)
{
	duplicates_free(&clock->duplicates);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/threads/sf_runs.h"

#include "parser/record.h"

/* In a gap of this length the thread may have moved to another CPU, and from there to a third. */
#define MOVE_NS UINT64_C(1000000)

/* The same, and back. */
#define RETURN_NS UINT64_C(4000000)

/* Ticks from which the least time between two is known. */
#define TICKS_ENOUGH 8

static struct sf_run *run_at(struct sf_runs *runs, uint32_t number)
{
	return &runs->runs[number % SF_RUNS_MAX];
}

static struct sf_run *last_run(struct sf_runs *runs)
{
	return run_at(runs, runs->n - 1);
}

static void report(struct sf_runs *runs, uint64_t from_ns, uint64_t length_ns,
		   const struct sf_run *after, bool there, bool foretold)
{
	const struct sf_hidden hidden = { .from_ns = from_ns,
					  .length_ns = length_ns,
					  .slices = after->slices,
					  .at_rest = after->at_rest,
					  .there = there,
					  .foretold = foretold };

	runs->hidden(runs->context, &hidden);
}

static struct sf_tick *tick_at(struct sf_runs *runs, uint32_t number)
{
	return &runs->ticks[number % SF_TICKS_MAX];
}

/* The begin of the composition that @before, the run with that number, belongs to; 0: unknown. */
static uint64_t composition_begin(struct sf_runs *runs, uint32_t before)
{
	uint32_t kept = runs->n < SF_RUNS_MAX ? runs->n : SF_RUNS_MAX;

	for (; runs->n - before <= kept; before--)
		if (run_at(runs, before)->at_rest)
			return run_at(runs, before)->from_ns;
	return 0;
}

/* Three quarters of the least time between two ticks so far; 0: there were few. */
static uint64_t ticks_apart(struct sf_runs *runs)
{
	uint32_t kept = runs->n_ticks < SF_TICKS_MAX ? runs->n_ticks : SF_TICKS_MAX;
	uint64_t least_ns = UINT64_MAX;

	if (kept < TICKS_ENOUGH)
		return 0;
	for (uint32_t i = 1; i < kept; i++) {
		uint64_t ns = tick_at(runs, runs->n_ticks - i)->time_ns -
			      tick_at(runs, runs->n_ticks - i - 1)->time_ns;

		least_ns = ns < least_ns ? ns : least_ns;
	}
	return least_ns / 4 * 3;
}

/* True: between the composition that begins at @begin_ns and the one at @end_ns there was no other,
 * as there is one tick. The hole is too short for two more. */
static bool ticks_prove(struct sf_runs *runs, uint64_t begin_ns, uint64_t end_ns, uint64_t hole_ns)
{
	uint32_t kept = runs->n_ticks < SF_TICKS_MAX ? runs->n_ticks : SF_TICKS_MAX;
	uint32_t last = runs->n_ticks, first;

	if (hole_ns >= ticks_apart(runs))
		return false;
	while (kept > 0 && tick_at(runs, last - 1)->time_ns > end_ns) {
		last--;
		kept--;
	}
	for (first = last; kept > 0 && tick_at(runs, first - 1)->time_ns > begin_ns; first--)
		kept--;
	return begin_ns > 0 && last - first == 1 && kept > 0 && tick_at(runs, first)->fits;
}

static uint64_t gap_ns(const struct sf_run *before, const struct sf_run *after)
{
	return after->from_ns > before->to_ns ? after->from_ns - before->to_ns : 0;
}

/* @hole covers the gap between the runs number @before and @after, or a part of it. Returns true if
 * hidden() was called for that gap before: then the caller does it. */
static bool judge(struct sf_runs *runs, uint32_t number, struct sf_run *after,
		  const struct sf_hole *hole, bool foretold)
{
	const struct sf_run *before = run_at(runs, number);
	uint64_t length_ns = gap_ns(before, after);
	uint64_t from_ns = before->to_ns > hole->from_ns ? before->to_ns : hole->from_ns;
	uint64_t to_ns = after->from_ns < hole->to_ns ? after->from_ns : hole->to_ns;
	uint64_t covered_ns = to_ns > from_ns ? to_ns - from_ns : 0;
	bool there = before->cpu == hole->cpu || after->cpu == hole->cpu || before->cpu < 0 ||
		     after->cpu < 0;
	uint64_t least_ns = before->cpu == after->cpu ? RETURN_NS : MOVE_NS;

	if (after->at_rest)
		least_ns = SF_RUNS_GAP_NS;
	if (!there && (length_ns < least_ns || covered_ns < SF_RUNS_GAP_NS))
		return false;
	if (after->hidden && (after->there || !there))
		return true;
	after->reported = true;
	if (after->at_rest && !after->has_latches && hole->to_ns < UINT64_MAX &&
	    ticks_prove(runs, composition_begin(runs, number), after->from_ns,
			hole->to_ns - hole->from_ns))
		return false;
	after->hidden = true;
	after->there |= there;
	report(runs, before->to_ns, length_ns, after, there, foretold);
	return false;
}

/* Reports the gap before the run with that number once more. */
static void report_again(struct sf_runs *runs, uint32_t number)
{
	const struct sf_run *before = run_at(runs, number - 1), *after = run_at(runs, number);

	report(runs, before->to_ns, gap_ns(before, after), after, after->there, false);
}

void sf_runs_begin(struct sf_runs *runs, int32_t tid, const struct sf_run *begun)
{
	struct sf_run run = *begun;

	if (tid != runs->tid)
		sf_runs_clear(runs);
	for (unsigned int i = 0; runs->n > 0 && i < runs->n_holes; i++)
		judge(runs, runs->n - 1, &run, &runs->holes[i], runs->foretold);
	runs->tid = tid;
	runs->n_holes = 0;
	runs->last = run_at(runs, runs->n++);
	*runs->last = run;
}

static void add_hole(struct sf_runs *runs, int32_t cpu, uint64_t from_ns)
{
	const struct sf_hole hole = { cpu, from_ns, UINT64_MAX };

	if (runs->n_holes < SF_HOLES_MAX) {
		runs->holes[runs->n_holes++] = hole;
	} else {
		/* The gap counts in any case. */
		runs->holes[0] = (struct sf_hole){ last_run(runs)->cpu, 0, UINT64_MAX };
		runs->holes_refused++;
	}
	runs->last = NULL;
}

bool sf_runs_lost(struct sf_runs *runs, int32_t tid, int32_t cpu, uint64_t from_ns, uint64_t now_ns)
{
	uint32_t kept = runs->n < SF_RUNS_MAX ? runs->n : SF_RUNS_MAX;
	uint32_t first = runs->n - kept;
	const struct sf_run *oldest = run_at(runs, first), *last = last_run(runs);
	const struct sf_hole hole = { cpu, from_ns, now_ns };
	struct sf_run after = { .slices = UINT64_MAX };
	uint32_t first_again = 0, last_again = 0;

	if (kept == 0 || tid != runs->tid) {
		report(runs, from_ns, UINT64_MAX, &after, true, false);
		return false;
	}
	after.slices = oldest->slices;
	if (oldest->from_ns > from_ns)
		report(runs, from_ns, oldest->from_ns - from_ns, &after, true, false);
	while (first + 1 < runs->n && run_at(runs, first + 1)->from_ns <= from_ns)
		first++;
	/* Of the gaps that were reported before, the first one ends what was queued, and the last
	 * one what was open: the others add nothing. There can be 500, for each of the losses. */
	for (; first + 1 < runs->n; first++) {
		if (!judge(runs, first, run_at(runs, first + 1), &hole, false))
			continue;
		first_again = first_again ? first_again : first + 1;
		if (!run_at(runs, first + 1)->at_rest)
			last_again = first + 1;
	}
	if (first_again)
		report_again(runs, first_again);
	if (last_again > first_again)
		report_again(runs, last_again);
	runs->foretold = (runs->n_holes == 0 || runs->foretold) &&
			 (last->cpu == cpu || now_ns >= last->to_ns + RETURN_NS);
	add_hole(runs, cpu, from_ns);
	return runs->foretold;
}

void sf_runs_hole_ends(struct sf_runs *runs, uint64_t time_ns)
{
	for (unsigned int i = 0; i < runs->n_holes; i++)
		if (runs->holes[i].to_ns == UINT64_MAX && runs->holes[i].from_ns > 0)
			runs->holes[i].to_ns = time_ns;
}

void sf_runs_tick(struct sf_runs *runs, uint64_t time_ns, int64_t value)
{
	bool fits = runs->n_ticks > 0 && (value == 0 || value == 1) && runs->tick == 1 - value;

	runs->tick = value;
	*tick_at(runs, runs->n_ticks++) = (struct sf_tick){ time_ns, fits };
}

void sf_runs_not_at_rest(struct sf_runs *runs)
{
	uint32_t kept = runs->n < SF_RUNS_MAX ? runs->n : SF_RUNS_MAX;

	for (uint32_t i = 1; i < kept; i++) {
		struct sf_run *run = run_at(runs, runs->n - i);
		const struct sf_run *before = run_at(runs, runs->n - i - 1);

		if (!run->at_rest)
			continue;
		run->at_rest = false;
		if (run->reported)
			report(runs, before->to_ns, 0, run, false, false);
		return;
	}
}

void sf_runs_clear(struct sf_runs *runs)
{
	runs->tid = TRACE_ID_UNKNOWN;
	runs->n = runs->n_holes = runs->n_ticks = 0;
	runs->last = NULL;
}

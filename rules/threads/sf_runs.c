/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/threads/sf_runs.h"

#include "parser/record.h"
#include "rules/base/interval.h"
#include "rules/base/table.h"

/* In a gap of this length the thread may have moved to another CPU, and from there to a third. */
#define MOVE_NS UINT64_C(1000000)

/* The same, and back. */
#define RETURN_NS UINT64_C(4000000)

/* Ticks from which the least time between two is known. */
#define TICKS_ENOUGH 8

static struct sf_run *run_at(struct sf_runs *runs, uint32_t number)
{
	return RING_AT(runs->runs, number);
}

/* Events may be missing in the gap between two runs. */
static void report(struct sf_runs *runs, const struct sf_run *before, const struct sf_run *after,
		   bool foretold)
{
	runs->hidden(runs->context,
		     &(struct sf_hidden){ .from_ns = before->to_ns,
					  .length_ns = since(before->to_ns, after->from_ns),
					  .after_ns = after->from_ns,
					  .at_rest = after->at_rest,
					  .there = after->there,
					  .foretold = foretold });
}

/* True: between the composition of the run number @before and the one that begins at @end_ns there
 * was no other, as there is one tick. */
static bool ticks_prove(struct sf_runs *runs, uint32_t before, uint64_t end_ns, uint64_t hole_ns)
{
	uint32_t kept = RING_KEPT(runs->ticks, runs->n_ticks), last = runs->n_ticks, first;
	uint64_t least_ns = UINT64_MAX, begin_ns;

	/* Three quarters of the least time between two ticks are too short for two. */
	for (uint32_t n = last - 1, left = kept; left > 1; n--, left--) {
		uint64_t ns =
			RING_AT(runs->ticks, n)->time_ns - RING_AT(runs->ticks, n - 1)->time_ns;

		least_ns = ns < least_ns ? ns : least_ns;
	}
	if (kept < TICKS_ENOUGH || hole_ns >= least_ns / 4 * 3)
		return false;
	while (runs->n - before <= RING_KEPT(runs->runs, runs->n) && !run_at(runs, before)->at_rest)
		before--;
	if (runs->n - before > RING_KEPT(runs->runs, runs->n))
		return false;
	begin_ns = run_at(runs, before)->from_ns;
	for (; kept > 0 && RING_AT(runs->ticks, last - 1)->time_ns > end_ns; last--)
		kept--;
	for (first = last; kept > 0 && RING_AT(runs->ticks, first - 1)->time_ns > begin_ns; first--)
		kept--;
	return begin_ns > 0 && last - first == 1 && kept > 0 && RING_AT(runs->ticks, first)->fits;
}

/* @hole covers the gap between the runs number @before and @after, or a part of it. Returns true if
 * hidden() was called for that gap before: then the caller does it. */
static bool judge(struct sf_runs *runs, uint32_t number, struct sf_run *after,
		  const struct sf_hole *hole, bool foretold)
{
	const struct sf_run *before = run_at(runs, number);
	uint64_t to_ns = after->from_ns < hole->to_ns ? after->from_ns : hole->to_ns;
	uint64_t covered_ns = since(later(before->to_ns, hole->from_ns), to_ns);
	bool there = before->cpu == hole->cpu || after->cpu == hole->cpu || before->cpu < 0 ||
		     after->cpu < 0;
	uint64_t least_ns = before->cpu == after->cpu ? RETURN_NS : MOVE_NS;

	if (after->at_rest)
		least_ns = SF_RUNS_GAP_NS;
	if (!there &&
	    (since(before->to_ns, after->from_ns) < least_ns || covered_ns < SF_RUNS_GAP_NS))
		return false;
	if (after->hidden && (after->there || !there))
		return true;
	after->reported = true;
	if (after->at_rest && !after->has_latches && hole->to_ns < UINT64_MAX &&
	    ticks_prove(runs, number, after->from_ns, hole->to_ns - hole->from_ns))
		return false;
	after->hidden = true;
	after->there |= there;
	report(runs, before, after, foretold);
	return false;
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

bool sf_runs_lost(struct sf_runs *runs, int32_t tid, int32_t cpu, uint64_t from_ns, uint64_t now_ns)
{
	uint32_t first = runs->n - RING_KEPT(runs->runs, runs->n);
	const struct sf_run *oldest = run_at(runs, first), *last = run_at(runs, runs->n - 1);
	const struct sf_hole hole = { cpu, from_ns, now_ns };
	uint32_t first_again = 0, last_again = 0;

	if (runs->n == 0 || tid != runs->tid) {
		runs->hidden(runs->context, &(struct sf_hidden){ .from_ns = from_ns,
								 .length_ns = UINT64_MAX,
								 .after_ns = UINT64_MAX,
								 .there = true });
		return false;
	}
	if (oldest->from_ns > from_ns)
		runs->hidden(runs->context,
			     &(struct sf_hidden){ .from_ns = from_ns,
						  .length_ns = oldest->from_ns - from_ns,
						  .after_ns = oldest->from_ns,
						  .there = true });
	if (from_ns >= runs->lost_from_ns && runs->lost_first > first)
		first = runs->lost_first;
	while (first + 1 < runs->n && run_at(runs, first + 1)->from_ns <= from_ns)
		first++;
	runs->lost_from_ns = from_ns;
	runs->lost_first = first;
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
		report(runs, run_at(runs, first_again - 1), run_at(runs, first_again), false);
	if (last_again > first_again)
		report(runs, run_at(runs, last_again - 1), run_at(runs, last_again), false);
	runs->foretold = (runs->n_holes == 0 || runs->foretold) &&
			 (last->cpu == cpu || now_ns >= last->to_ns + RETURN_NS);
	if (runs->n_holes < SF_HOLES_MAX) {
		runs->holes[runs->n_holes++] = (struct sf_hole){ cpu, from_ns, UINT64_MAX };
	} else {
		/* The gap counts in any case. */
		runs->holes[0] = (struct sf_hole){ last->cpu, 0, UINT64_MAX };
		runs->holes_refused++;
	}
	runs->last = NULL;
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
	*RING_AT(runs->ticks, runs->n_ticks++) = (struct sf_tick){ time_ns, fits };
}

void sf_runs_not_at_rest(struct sf_runs *runs)
{
	uint32_t kept = RING_KEPT(runs->runs, runs->n);

	for (uint32_t n = runs->n - 1; kept > 1; n--, kept--) {
		struct sf_run *run = run_at(runs, n);

		if (!run->at_rest)
			continue;
		run->at_rest = false;
		if (run->reported)
			runs->hidden(runs->context,
				     &(struct sf_hidden){ .from_ns = run_at(runs, n - 1)->to_ns,
							  .after_ns = run->from_ns });
		return;
	}
}

void sf_runs_clear(struct sf_runs *runs)
{
	runs->tid = TRACE_ID_UNKNOWN;
	runs->n = runs->n_holes = runs->n_ticks = runs->lost_first = 0;
	runs->last = NULL;
}

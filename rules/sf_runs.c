/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/sf_runs.h"

#include "parser/record.h"

/* In a gap of this length the thread may have moved to another CPU, and from there to a third. */
#define MOVE_NS UINT64_C(1000000)

/* The same, and back. */
#define RETURN_NS UINT64_C(4000000)

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

/* A hole of @cpu covers the gap between the two runs, or a part of it. */
static void judge(struct sf_runs *runs, const struct sf_run *before, struct sf_run *after,
		  int32_t cpu, bool foretold)
{
	uint64_t length_ns = after->from_ns > before->to_ns ? after->from_ns - before->to_ns : 0;
	bool there = before->cpu == cpu || after->cpu == cpu || before->cpu < 0 || after->cpu < 0;
	uint64_t least_ns = before->cpu == after->cpu ? RETURN_NS : MOVE_NS;

	if (!there && length_ns < (after->at_rest ? SF_RUNS_GAP_NS : least_ns))
		return;
	after->reported = true;
	report(runs, before->to_ns, length_ns, after, there, foretold);
}

void sf_runs_begin(struct sf_runs *runs, int32_t tid, const struct sf_run *begun)
{
	struct sf_run before = runs->n > 0 ? *last_run(runs) : (struct sf_run){ 0 };
	struct sf_run run = *begun;

	if (tid != runs->tid)
		sf_runs_clear(runs);
	for (unsigned int i = 0; runs->n > 0 && i < runs->n_holes; i++)
		judge(runs, &before, &run, runs->holes[i], runs->foretold);
	runs->tid = tid;
	runs->n_holes = 0;
	runs->last = run_at(runs, runs->n++);
	*runs->last = run;
}

static void add_hole(struct sf_runs *runs, int32_t cpu)
{
	if (runs->n_holes < SF_HOLES_MAX)
		runs->holes[runs->n_holes++] = cpu;
	else
		runs->holes[0] = last_run(runs)->cpu; /* the gap counts in any case */
	runs->last = NULL;
}

bool sf_runs_lost(struct sf_runs *runs, int32_t tid, int32_t cpu, uint64_t from_ns, uint64_t now_ns)
{
	uint32_t kept = runs->n < SF_RUNS_MAX ? runs->n : SF_RUNS_MAX;
	uint32_t first = runs->n - kept;
	const struct sf_run *oldest = run_at(runs, first), *last = last_run(runs);
	struct sf_run after = { .slices = UINT64_MAX };

	if (kept == 0 || tid != runs->tid) {
		report(runs, from_ns, UINT64_MAX, &after, true, false);
		return false;
	}
	after.slices = oldest->slices;
	if (oldest->from_ns > from_ns)
		report(runs, from_ns, oldest->from_ns - from_ns, &after, true, false);
	while (first + 1 < runs->n && run_at(runs, first + 1)->from_ns <= from_ns)
		first++;
	for (; first + 1 < runs->n; first++)
		judge(runs, run_at(runs, first), run_at(runs, first + 1), cpu, false);
	runs->foretold = (runs->n_holes == 0 || runs->foretold) &&
			 (last->cpu == cpu || now_ns >= last->to_ns + RETURN_NS);
	add_hole(runs, cpu);
	return runs->foretold;
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
	runs->n = runs->n_holes = 0;
	runs->last = NULL;
}

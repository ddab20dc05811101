/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/grade.h"

#include <string.h>

#include "rules/base/table.h"

#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)

/* Lost milliseconds in a second of drawing: more is at most that grade. */
#define LOST_FAIR 5
#define LOST_POOR 10
#define LOST_BAD 30

/* A share of missing time, of gaps, or of unknown vsyncs, that leaves the answer open. */
#define DOUBT_PERCENT 5

const char *const grade_names[GRADES] = {
	[GRADE_NONE] = "",	     [GRADE_TOO_SHORT] = "TOO SHORT",
	[GRADE_BAD] = "BAD",	     [GRADE_POOR] = "POOR",
	[GRADE_FAIR] = "FAIR",	     [GRADE_INCOMPLETE] = "INCOMPLETE",
	[GRADE_UNCLEAR] = "UNCLEAR", [GRADE_GOOD] = "GOOD",
};

void grade_add_lost(struct grade_facts *facts, enum cause cause, uint64_t lost_ns, bool is_freeze)
{
	facts->causes[cause]++;
	facts->cause_ns[cause] += lost_ns;
	if (!is_freeze) {
		facts->late++;
		facts->late_ns += lost_ns;
		return;
	}
	facts->freezes++;
	facts->freeze_ns += lost_ns;
	facts->longest_freeze_ns = later(facts->longest_freeze_ns, lost_ns);
}

void grade_add_endless(struct grade_facts *facts, enum cause cause, uint64_t stall_ns)
{
	grade_add_lost(facts, cause, stall_ns, true);
	facts->endless++;
	facts->endless_ns += stall_ns;
	facts->endless_long += stall_ns > STATS_FROZEN_NS;
}

void grade_add_gap(struct grade_facts *facts, uint64_t gap_ns)
{
	if (facts->gaps++ == 0 || gap_ns < facts->shortest_gap_ns)
		facts->shortest_gap_ns = gap_ns;
	facts->longest_gap_ns = later(facts->longest_gap_ns, gap_ns);
	facts->gap_ns += gap_ns;
}

/* Adds a stretch, joined with those that it meets. Returns how much of it they did not have. */
static uint64_t stretches_add(struct stretches *stretches, struct stretch added)
{
	uint64_t new_ns = added.until_ns - added.from_ns;
	struct stretch joined = added;
	unsigned int n = 0;

	for (unsigned int i = 0; i < stretches->n; i++) {
		struct stretch one = stretches->kept[i];

		if (one.until_ns <= added.from_ns || one.from_ns >= added.until_ns) {
			stretches->kept[n++] = one;
			continue;
		}
		new_ns -= (one.until_ns < added.until_ns ? one.until_ns : added.until_ns) -
			  later(one.from_ns, added.from_ns);
		if (one.from_ns < joined.from_ns)
			joined.from_ns = one.from_ns;
		joined.until_ns = later(joined.until_ns, one.until_ns);
	}
	if (n == STRETCHES_MAX)
		memmove(&stretches->kept[0], &stretches->kept[1], --n * sizeof(stretches->kept[0]));
	stretches->kept[n++] = joined;
	stretches->n = n;
	return new_ns;
}

struct uncounted uncounted_before(struct stretches *surface, struct stretches *app,
				  uint64_t until_ns, uint64_t ns)
{
	struct stretch stretch = { back_from(until_ns, ns), until_ns };
	uint64_t new_ns = stretches_add(surface, stretch);

	return (struct uncounted){ new_ns, app ? stretches_add(app, stretch) : new_ns };
}

void grade_add(struct grade_facts *sum, const struct grade_facts *facts)
{
	uint64_t uncounted_ns = later(sum->uncounted_ns, facts->uncounted_ns);

	if (facts->gaps > 0 && (sum->gaps == 0 || facts->shortest_gap_ns < sum->shortest_gap_ns))
		sum->shortest_gap_ns = facts->shortest_gap_ns;
	sum->longest_gap_ns = later(sum->longest_gap_ns, facts->longest_gap_ns);
	for (unsigned int i = 0; i < ARRAY_SIZE(sum->sums); i++)
		sum->sums[i] += facts->sums[i];
	sum->uncounted_ns = later(uncounted_ns, sum->app_uncounted_ns);
	sum->longest_freeze_ns = later(sum->longest_freeze_ns, facts->longest_freeze_ns);
	sum->span_ns = later(sum->span_ns, facts->span_ns);
	sum->missing_ns = later(sum->missing_ns, facts->missing_ns);
	sum->more_freezes |= facts->more_freezes;
	sum->fails_rule |= facts->fails_rule;
	if (sum->at_most == GRADE_NONE || (facts->at_most && facts->at_most < sum->at_most))
		sum->at_most = facts->at_most;
}

void grade_add_after(struct grade_facts *sum, const struct grade_facts *facts)
{
	struct grade_facts next = *facts;

	next.span_ns += sum->span_ns;
	next.missing_ns += sum->missing_ns;
	next.uncounted_ns += sum->uncounted_ns;
	grade_add(sum, &next);
}

/* More than one freeze, and more than one in each @ns of drawing. A single one says nothing about
 * how often it happens. */
static bool freezes_often(const struct grade_facts *facts, uint64_t ns)
{
	return facts->freezes > 1 &&
	       (double)facts->freezes * (double)ns > (double)grade_drawing_ns(facts);
}

static bool is_much(uint64_t part, uint64_t all)
{
	return (double)part * 100 > (double)all * DOUBT_PERCENT;
}

bool grade_is_at_least(const struct grade_facts *facts, enum lost_number number)
{
	bool is_missing = grade_missing_ns(facts) > 0;
	bool late = is_missing || is_much(facts->unknown, facts->frames);
	bool freezes = is_missing || facts->more_freezes || facts->gaps > 0;

	if (number == LOST_LATE)
		return late;
	if (number == LOST_FREEZES)
		return freezes;
	if (number == LOST_RATE && is_missing && grade_lost_ns(facts) > 0)
		return false;
	return late || freezes;
}

bool grade_is_missing_much(const struct grade_facts *facts)
{
	return is_much(grade_missing_ns(facts), facts->span_ns);
}

bool grade_may_hang(const struct grade_facts *facts)
{
	return is_much(facts->gap_ns, grade_drawing_ns(facts) + facts->gap_ns);
}

enum grade grade_of_known(const struct grade_facts *facts)
{
	uint64_t drawing_ns = grade_drawing_ns(facts);
	double lost = grade_lost_rate(facts);

	if (facts->frames == 0 && facts->freezes == 0)
		return GRADE_NONE;
	if (drawing_ns < GRADE_DRAWING_NS || facts->frames < GRADE_FRAMES)
		return GRADE_TOO_SHORT;
	if (lost > LOST_BAD || freezes_often(facts, MINUTE_NS))
		return GRADE_BAD;
	if (lost > LOST_POOR || facts->longest_freeze_ns >= SECOND_NS ||
	    freezes_often(facts, 10 * MINUTE_NS))
		return GRADE_POOR;
	if (lost > LOST_FAIR || facts->freezes > 0 || facts->fails_rule)
		return GRADE_FAIR;
	if (grade_is_missing_much(facts))
		return GRADE_INCOMPLETE;
	if (grade_may_hang(facts) || grade_is_mostly_unknown(facts))
		return GRADE_UNCLEAR;
	return GRADE_GOOD;
}

enum grade grade_of(const struct grade_facts *facts)
{
	enum grade grade = grade_of_known(facts);

	return facts->at_most && grade > facts->at_most ? facts->at_most : grade;
}

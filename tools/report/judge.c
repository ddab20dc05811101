/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/text.h"
#include "daemon/show/apps.h"
#include "tools/report/compare.h"

#define TEXT_SIZE 256

/* --- sessions --- */

static bool asks_for_more(const struct condition *condition)
{
	return condition->relation == MORE || condition->relation == MORE_OR_EQUAL;
}

/* What more data cannot make less: counts, sums, the longest time, freezes that are known though
 * others are not. NAN: nothing is known. */
static double at_least(enum metric metric, const struct numbers *numbers,
		       const struct grade_facts *facts)
{
	double drawing_ns = (double)grade_drawing_ns(facts), known = numbers->of[metric];
	struct numbers endless;

	switch (metric) {
	case METRIC_FREEZES:
	case METRIC_STALLS:
		return (double)facts->freezes;
	case METRIC_JANK:
	case METRIC_BIG_JANK:
		return fmax(known, (double)facts->freezes);
	case METRIC_STALL_TIME:
		return fmax(known, (double)facts->freeze_ns / 1e9);
	case METRIC_HARM:
		return (double)grade_lost_ns(facts) / 1e6;
	case METRIC_LATE:
		return (double)facts->late;
	case METRIC_LATE_TIME:
		return (double)facts->late_ns / 1e9;
	/* More freezes make these higher, but less than that they would be with more drawing. */
	case METRIC_LOST_RATE:
		return isnan(known) && drawing_ns >= 1e9 * JUDGE_SECONDS_LEAST
			       ? grade_lost_rate(facts)
			       : NAN;
	case METRIC_FREEZES_10MIN:
		return isnan(known) && drawing_ns >= 1e9 * JUDGE_SECONDS_LEAST
			       ? 600e9 * (double)facts->freezes /
					 (drawing_ns + (double)facts->span_ns)
			       : NAN;
	default:
		numbers_set_endless(&endless, facts);
		return metrics[metric].is_sum || metric == METRIC_MAX || metric == METRIC_LONGEST
			       ? fmax(known, endless.of[metric])
			       : NAN;
	}
}

/* Why a condition that is not true may be so nevertheless: freezes of the app may be unknown. ""
 * without a doubt. */
static void tell_doubt(char text[TEXT_SIZE], const struct condition *condition,
		       const struct grade_facts *facts)
{
	char missing[GRADE_TIMES_SIZE], still[GRADE_TIME_SIZE];

	grade_part(missing, grade_missing_ns(facts), facts->span_ns, ENGLISH);
	grade_time(still, facts->gap_ns, ENGLISH);
	text[0] = '\0';
	if (!asks_for_more(condition) || !condition_counts_freezes(condition))
		return;
	if (grade_is_missing_much(facts))
		snprintf(text, TEXT_SIZE, ", but %s are missing", missing);
	else if (grade_may_hang(facts))
		snprintf(text, TEXT_SIZE,
			 ", but it drew nothing for %s, and the trace does not say whether it hung",
			 still);
	else if (facts->more_freezes && condition->metric != METRIC_GRADE)
		snprintf(text, TEXT_SIZE,
			 ", but there may be more freezes: events, or events.csv, are missing");
}

static double drawing_s(const struct numbers *numbers)
{
	return fmax(0, numbers->of[METRIC_TIME]) + fmax(0, numbers->of[METRIC_STALL_TIME]);
}

/* Unknown of freezes of unknown length; of nothing 0. */
static double longest_of(const struct numbers *numbers)
{
	double longest = numbers->of[METRIC_LONGEST];

	return isnan(longest) && numbers->of[METRIC_STALLS] == 0 ? 0 : longest;
}

/* Adds the numbers of another Surface of an app. What is no sum, and does not follow from one,
 * stays that of the first one, the one that draws longest. */
static void add_numbers(struct numbers *sum, const struct numbers *numbers)
{
	double *to = sum->of, time_s[2] = { drawing_s(sum), drawing_s(numbers) };
	double longest[2] = { longest_of(sum), longest_of(numbers) };

	if (isnan(to[METRIC_STUTTER]))
		to[METRIC_STUTTER] = numbers->of[METRIC_STUTTER];
	else if (!isnan(numbers->of[METRIC_STUTTER]) && time_s[1] > 0)
		to[METRIC_STUTTER] =
			(time_s[0] * to[METRIC_STUTTER] + time_s[1] * numbers->of[METRIC_STUTTER]) /
			(time_s[0] + time_s[1]);
	for (unsigned int i = 0; i < METRICS; i++)
		if (metrics[i].is_sum && !isnan(numbers->of[i]))
			to[i] = isnan(to[i]) ? numbers->of[i] : to[i] + numbers->of[i];
	to[METRIC_MAX] = fmax(to[METRIC_MAX], numbers->of[METRIC_MAX]);
	to[METRIC_LONGEST] = isnan(longest[0] + longest[1]) ? NAN : fmax(longest[0], longest[1]);
}

/* What follows from the sums. */
static void derive(struct numbers *numbers)
{
	double *of = numbers->of, time = drawing_s(numbers);

	if (of[METRIC_TIME] > 0)
		of[METRIC_FPS] = of[METRIC_FRAMES] / of[METRIC_TIME];
	if (time > 0) {
		of[METRIC_JANK_10MIN] = 600 * of[METRIC_JANK] / time;
		of[METRIC_BIG_JANK_10MIN] = 600 * of[METRIC_BIG_JANK] / time;
	}
	of[METRIC_LOST_RATE] = NAN;
	numbers_derive(numbers);
}

/* The numbers of place @i of the session's Surfaces, or with @in_sections of those in sections, if
 * they are a part of the app; else NULL. *@is_first: they are those of @app->surface. */
static const struct numbers *part_of(const struct session *session, const struct graded_app *app,
				     bool in_sections, uint32_t i, bool *is_first)
{
	const struct section_numbers *in = in_sections ? &session->in_sections[i] : NULL;
	uint32_t number = in ? in->surface : i;
	const struct surface *surface = &session->surfaces[number];

	*is_first = number == app->surface;
	if (surface->app != app->app || !surface->has_package || !surface->is_shown ||
	    (in && in->section != app->section))
		return NULL;
	return in ? &in->numbers : &surface->numbers;
}

/* Adds up the app's Surfaces: in the session, or in the app's section. */
static void app_numbers(struct numbers *sum, const struct session *session,
			const struct graded_app *app, bool in_sections)
{
	uint32_t n = in_sections ? session->n_in_sections : session->n_surfaces;
	const struct numbers *part;
	bool is_first, has_more = false;

	for (uint32_t i = 0; i < n; i++) {
		part = part_of(session, app, in_sections, i, &is_first);
		if (part && is_first)
			*sum = *part;
	}
	for (uint32_t i = 0; i < n; i++) {
		part = part_of(session, app, in_sections, i, &is_first);
		if (!part || is_first)
			continue;
		add_numbers(sum, part);
		has_more = true;
	}
	if (has_more)
		derive(sum);
	numbers_set_grade(sum, &app->facts, app->grade);
}

/* What is judged: an app or a Surface. */
struct subject {
	const struct section *section; /* NULL: in the whole session */
	uint32_t name;
	struct numbers numbers;
	const struct grade_facts *facts;
	enum grade grade;
};

static void judge_at(struct results *results, const struct session *session,
		     const struct condition *condition, const struct subject *subject)
{
	const struct section *section = subject->section;
	const struct grade_facts *facts = subject->facts;
	const char *metric = metrics[condition->metric].name;
	double time_s = (double)grade_drawing_ns(facts) / 1e9, value;
	struct numbers numbers = subject->numbers, endless;
	char text[TEXT_SIZE], number[METRIC_TEXT_SIZE], longest[GRADE_TIME_SIZE];
	char why[TEXT_SIZE] = "", doubt[TEXT_SIZE], *where;
	enum outcome outcome;

	/* An app that hangs must not pass for one that does not. */
	if (facts->endless > 0 && !isnan(numbers.of[METRIC_STALLS])) {
		numbers_set_endless(&endless, facts);
		/* Of an unknown number they are only a part. */
		for (unsigned int i = 0; i < METRICS; i++)
			if (isnan(numbers.of[i]))
				endless.of[i] = NAN;
		add_numbers(&numbers, &endless);
		derive(&numbers);
	}
	value = numbers.of[condition->metric];
	if (condition->metric == METRIC_GRADE && isnan(value))
		snprintf(why, sizeof(why), "the grade is %s",
			 subject->grade == GRADE_NONE ? "unknown" : grade_names[subject->grade]);
	else if (isnan(value))
		snprintf(why, sizeof(why), "%s is not captured", metric);
	else if (time_s < JUDGE_SECONDS_LEAST)
		snprintf(why, sizeof(why), "not enough data: %.1f s of drawing, %d s are needed",
			 time_s, JUDGE_SECONDS_LEAST);
	if (why[0]) {
		double known = at_least(condition->metric, &numbers, facts);

		/* What is known to be beyond the limit stays so. */
		metric_print(number, condition->metric, known);
		grade_time(longest, facts->longest_freeze_ns, ENGLISH);
		outcome = OUTCOME_HOLDS;
		if (asks_for_more(condition) && known > 0 && condition_holds(condition, known)) {
			snprintf(text, sizeof(text), "%s is %s or more (%s)", metric, number, why);
		} else if (condition->needs_no_freeze && facts->freezes > 0) {
			snprintf(text, sizeof(text), "%s, but it froze (longest %s)", why, longest);
		} else {
			strcpy(text, why);
			outcome = OUTCOME_UNKNOWN;
		}
	} else {
		/* As it is printed, and as it is in summary.csv. */
		metric_print(number, condition->metric, value);
		value = condition->metric == METRIC_GRADE ? value : strtod(number, NULL);
		tell_doubt(doubt, condition, facts);
		outcome = condition_holds(condition, value) ? OUTCOME_HOLDS
			  : doubt[0]			    ? OUTCOME_UNKNOWN
							    : OUTCOME_HOLDS_NOT;
		snprintf(text, sizeof(text), "%s is %s", metric, number);
		if (outcome == OUTCOME_UNKNOWN)
			text_append(text, sizeof(text), "%s", doubt);
	}
	if (asprintf(&where, "%s: %s%s%s", session->folder,
		     section ? name_of(session, section->name) : "", section ? ": " : "",
		     name_of(session, subject->name)) < 0) {
		results->failed = true;
		return;
	}
	results_add(results, outcome, where, condition->text, text);
	free(where);
}

static void judge_session(struct results *results, const struct selection *selection,
			  const struct session *session, const struct condition *condition)
{
	const char *why = "not enough data: no app has a grade";
	bool in_sections = selection->section != NULL, is_judged = false;
	uint32_t n = in_sections ? session->n_in_section_apps : session->n_apps;

	if (selection->surface)
		n = in_sections ? session->n_in_sections : session->n_surfaces;
	for (uint32_t i = 0; i < n; i++) {
		struct subject subject;
		uint32_t section;

		if (selection->surface) {
			const struct section_numbers *in =
				in_sections ? &session->in_sections[i] : NULL;
			const struct surface *surface = &session->surfaces[in ? in->surface : i];

			if (!surface->is_shown)
				continue;
			section = in ? in->section : 0;
			subject = (struct subject){ .name = surface->name,
						    .numbers = in ? in->numbers : surface->numbers,
						    .facts = in ? &in->facts : &surface->facts,
						    .grade = in ? in->grade : surface->grade };
		} else {
			const struct graded_app *app =
				in_sections ? &session->in_section_apps[i] : &session->apps[i];

			/* Nobody uses it, and it is not named. */
			if (!selection->app && !app_is_used(session_app_place(session, app)))
				continue;
			section = app->section;
			subject = (struct subject){ .name = app->app,
						    .facts = &app->facts,
						    .grade = app->grade };
			app_numbers(&subject.numbers, session, app, in_sections);
		}
		subject.section = in_sections ? &session->sections[section] : NULL;
		if (!select_section(selection, session, section))
			continue;
		judge_at(results, session, condition, &subject);
		is_judged = true;
	}
	if (is_judged)
		return;
	/* What is known of apps that have no grade: a freeze is one, however long it drew. */
	for (uint32_t i = 0; i < session->n_ungraded; i++) {
		struct subject subject = { .name = session->ungraded[i].app,
					   .facts = &session->ungraded[i].facts };

		numbers_clear(&subject.numbers);
		judge_at(results, session, condition, &subject);
	}
	if (selection->surface || selection->app || selection->section)
		why = "not enough data: no app, Surface or section matches";
	else if (session->n_apps > 0)
		why = "not enough data: only the system's own Surfaces, or a wallpaper, drew; "
		      "--app judges them";
	/* Else a session that crashed before it drew would pass beside others. */
	if (session->n_ungraded == 0)
		results_add(results, OUTCOME_UNKNOWN, session->folder, condition->text, why);
}

void judge_sessions(struct results *results, const struct report *report,
		    const struct condition *conditions, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		for (uint32_t j = 0; j < report->n; j++)
			judge_session(results, report->selection, &report->sessions[j],
				      &conditions[i]);
}

/* --- comparison --- */

static int judge_change(struct results *results, const struct condition *condition,
			const struct compared_surface *surface,
			const struct compared_verdict *verdict)
{
	struct change change;
	int error = compare_metric(surface, condition->metric, &change);
	bool counts = asks_for_more(condition) && condition_counts_freezes(condition);
	double base = change.of[BASE].value, new = change.of[NEW].value;
	char text[TEXT_SIZE], doubt[TEXT_SIZE], range[COMPARE_RANGE_SIZE];
	const uint64_t *freezes = verdict->freezes;
	struct grade_facts facts;
	enum outcome outcome;

	if (error < 0)
		return error;
	outcome = compare_judge(condition, &change);
	if (!change.is_known) {
		snprintf(text, sizeof(text), "%s", change.why);
	} else {
		snprintf(text, sizeof(text), "%.4g -> %.4g%s", base * change.scale,
			 new *change.scale, change.threshold_us > 0 ? " % of the frames" : "");
		if (change.threshold_us > 0)
			text_append(text, sizeof(text), " %s %.1f ms",
				    change.or_equal ? "at or above" : "above",
				    change.threshold_us / 1e3);
		if (base > 0)
			text_append(text, sizeof(text), ": %+.1f %%", 100 * (new / base - 1));
		compare_range(range, &change);
		if (compare_by_freezes(&change, verdict))
			text_append(text, sizeof(text),
				    ": %s, as the number of freezes is beyond chance",
				    compare_words(&change, verdict));
		else if (base > 0)
			text_append(text, sizeof(text), ", noise %s%s",
				    range[0] == 'a' ? "allows " : "", range);
	}

	/* A freeze that is known is one, however little else is; whether they are more, the verdict
	 * says. */
	if (change.metric == METRIC_FREEZES_10MIN && condition->relation == MORE &&
	    condition->limit == 0 &&
	    (condition->is_change ? verdict->freezes_more : freezes[NEW] > 0)) {
		outcome = OUTCOME_HOLDS;
		if (!change.is_known)
			snprintf(text, sizeof(text), "NEW froze (%s)", change.why);
	} else if (change.is_known && outcome == OUTCOME_UNKNOWN) {
		text_append(text, sizeof(text), ", but these are too few to rule out chance");
	} else if (outcome == OUTCOME_HOLDS && condition->is_change && counts &&
		   verdict->doubt == DOUBT_MORE && verdict->doubtful == BASE) {
		outcome = OUTCOME_UNKNOWN;
		text_append(text, sizeof(text), ", but BASE may have more freezes than are known");
	} else if (outcome == OUTCOME_HOLDS_NOT) {
		/* The same rule as for a session; and freezes of NEW, or time that all of its runs
		 * lost, may be too few to rule out chance: that is no equality. Nor is a limit kept
		 * that NEW is beyond, but not beyond the noise. */
		facts = compare_facts(surface, NEW);
		tell_doubt(doubt, condition, &facts);
		if (!doubt[0] && counts && compare_excess(condition, &change) > 0) {
			if (compare_by_freezes(&change, verdict))
				strcpy(doubt, ", but by how much is not known");
			else if (verdict->freezes_more)
				strcpy(doubt, ", but NEW freezes more than BASE");
			else if (freezes[NEW] > 0 && freezes[BASE] == 0)
				snprintf(doubt, sizeof(doubt),
					 ", but NEW has %llu freeze%s, BASE none%s: too few to "
					 "rule out chance",
					 (unsigned long long)freezes[NEW],
					 freezes[NEW] == 1 ? "" : "s",
					 verdict->more[BASE] > 0 ? " that is known" : "");
			else if (verdict->doubt == DOUBT_RUNS && verdict->doubtful == NEW)
				strcpy(doubt, ", but each run of NEW loses more time than any run "
					      "of BASE: too few runs to rule out chance");
			else if (!condition->is_change)
				strcpy(doubt, ", but the noise is too large to tell");
		}
		text_append(text, sizeof(text), "%s", doubt);
		outcome = doubt[0] ? OUTCOME_UNKNOWN : OUTCOME_HOLDS_NOT;
	}
	/* Whether NEW freezes more, the verdict says. */
	if (outcome == OUTCOME_UNKNOWN || strcmp(condition->text, MORE_FREEZES) != 0)
		results_add(results, outcome, surface->name, condition->text, text);
	return 0;
}

int judge_comparison(struct results *results, const struct compare_report *report)
{
	static const struct condition more_freezes = {
		.text = MORE_FREEZES,
		.metric = METRIC_FREEZES,
		.relation = MORE,
		.is_change = true,
	};
	const struct comparison *comparison = report->comparison;
	bool is_asked = report->n_conditions == 0;
	int error = 0;

	/* A condition may ask the same as MORE_FREEZES, and so says the same. */
	for (unsigned int i = 0; i < report->n_conditions; i++) {
		const struct condition *one = &report->conditions[i];

		is_asked |= (one->metric == METRIC_FREEZES || one->metric == METRIC_STALLS ||
			     one->metric == METRIC_FREEZES_10MIN) &&
			    asks_for_more(one) && one->is_change && one->limit == 0;
	}
	/* Whatever else is asked for: more freezes than in BASE fail. */
	for (uint32_t i = 0; i < comparison->n_surfaces && error == 0; i++) {
		const struct compared_verdict *verdict = &comparison->verdicts[i];
		char lines[COMPARE_LINES][COMPARE_LINE_SIZE];

		if (verdict->freezes_more) {
			compare_lines(lines, comparison, verdict, ENGLISH);
			results_add(results, OUTCOME_HOLDS, comparison->surfaces[i].name,
				    MORE_FREEZES, lines[0]);
		} else if (!is_asked) {
			error = judge_change(results, &more_freezes, &comparison->surfaces[i],
					     verdict);
		}
	}
	for (unsigned int i = 0; i < report->n_conditions; i++) {
		const struct condition *condition = &report->conditions[i];

		for (uint32_t j = 0; j < comparison->n_surfaces && error == 0; j++)
			error = judge_change(results, condition, &comparison->surfaces[j],
					     &comparison->verdicts[j]);
		if (comparison->n_surfaces == 0)
			results_add(results, OUTCOME_UNKNOWN, "all", condition->text,
				    "not enough data: no Surface to compare");
	}
	return error;
}

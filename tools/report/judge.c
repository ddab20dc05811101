/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#define WHERE_SIZE (3 * NAMES_SIZE)
#define TEXT_SIZE 256

/* --- sessions --- */

static void judge(struct results *results, const struct condition *condition, const char *where,
		  const struct numbers *numbers)
{
	double value = numbers->of[condition->metric], time = numbers->of[METRIC_TIME];
	char text[TEXT_SIZE], number[METRIC_TEXT_SIZE];
	enum outcome outcome = OUTCOME_UNKNOWN;

	metric_print(number, condition->metric, value);
	if (isnan(value)) {
		snprintf(text, sizeof(text), "%s is not captured", metrics[condition->metric].name);
	} else if (!(time >= JUDGE_SECONDS_LEAST)) {
		snprintf(text, sizeof(text), "not enough data: %.1f s of frames, %d are needed",
			 isnan(time) ? 0 : time, JUDGE_SECONDS_LEAST);
	} else {
		/* As it is printed, and as it is in summary.csv. */
		value = strtod(number, NULL);
		outcome = condition_holds(condition, value) ? OUTCOME_HOLDS : OUTCOME_HOLDS_NOT;
		snprintf(text, sizeof(text), "%s is %s", metrics[condition->metric].name, number);
	}
	results_add(results, outcome, where, condition->text, text);
}

static bool is_judged(const struct report *report, const struct session *session,
		      const struct surface *surface)
{
	return surface->source != FROM_NOTHING &&
	       (surface->is_judged || report->selection->surface) &&
	       select_surface(report->selection, name_of(session, surface->name),
			      name_of(session, surface->app));
}

/* Returns how many were judged. */
static unsigned int judge_session(struct results *results, const struct report *report,
				  const struct session *session, const struct condition *condition)
{
	char *where = malloc(WHERE_SIZE);
	unsigned int n = 0;

	for (uint32_t i = 0; where && !report->selection->section && i < session->n_surfaces; i++) {
		const struct surface *surface = &session->surfaces[i];

		if (!is_judged(report, session, surface))
			continue;
		snprintf(where, WHERE_SIZE, "%s: %s", session->folder,
			 name_of(session, surface->name));
		judge(results, condition, where, &surface->numbers);
		n++;
	}
	for (uint32_t i = 0; where && report->selection->section && i < session->n_in_sections;
	     i++) {
		const struct section_numbers *in = &session->in_sections[i];
		const struct surface *surface = &session->surfaces[in->surface];

		if (!is_judged(report, session, surface) ||
		    !select_section(report->selection, session, in->section))
			continue;
		snprintf(where, WHERE_SIZE, "%s: %s: %s", session->folder,
			 name_of(session, session->sections[in->section].name),
			 name_of(session, surface->name));
		judge(results, condition, where, &in->numbers);
		n++;
	}
	results->failed |= !where;
	free(where);
	return n;
}

void judge_sessions(struct results *results, const struct report *report,
		    const struct condition *conditions, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		unsigned int judged = 0;

		for (uint32_t j = 0; j < report->n; j++)
			judged += judge_session(results, report, &report->sessions[j],
						&conditions[i]);
		if (judged == 0)
			results_add(results, OUTCOME_UNKNOWN, "all", conditions[i].text,
				    "not enough data: no Surface or section fits");
	}
}

/* --- comparison --- */

static void describe(char text[TEXT_SIZE], const struct change *change)
{
	double base = change->of[BASE].value, new = change->of[NEW].value;
	const char *unit = change->threshold_us > 0 ? " % of the frames" : "";
	size_t n;

	if (!change->is_known) {
		snprintf(text, TEXT_SIZE, "%s", change->why);
		return;
	}
	n = (size_t)snprintf(text, TEXT_SIZE, "%.4g -> %.4g%s", base * change->scale,
			     new * change->scale, unit);
	if (change->threshold_us > 0)
		n += (size_t)snprintf(text + n, TEXT_SIZE - n, " %s %.1f ms",
				      change->or_equal ? "from" : "beyond",
				      change->threshold_us / 1e3);
	if (base > 0)
		n += (size_t)snprintf(text + n, TEXT_SIZE - n, ": %+.1f %%, noise %+.1f %% to ",
				      100 * (new / base - 1), 100 * change->low);
	if (base > 0 && isfinite(change->high))
		snprintf(text + n, TEXT_SIZE - n, "%+.1f %%", 100 * change->high);
	else if (base > 0)
		snprintf(text + n, TEXT_SIZE - n, "open");
}

int judge_comparison(struct results *results, const struct compare_report *report)
{
	const struct comparison *comparison = report->comparison;

	for (unsigned int i = 0; i < report->n_conditions; i++) {
		const struct condition *condition = &report->conditions[i];

		for (uint32_t j = 0; j < comparison->n_surfaces; j++) {
			const struct compared_surface *surface = &comparison->surfaces[j];
			struct change change;
			char text[TEXT_SIZE];
			int error = compare_metric(surface, condition->metric, &change);

			if (error < 0)
				return error;
			describe(text, &change);
			results_add(results, compare_judge(condition, &change), surface->name,
				    condition->text, text);
		}
		if (comparison->n_surfaces == 0)
			results_add(results, OUTCOME_UNKNOWN, "all", condition->text,
				    "not enough data: no Surface to compare");
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed of the model. All of these are the same numbers; jank-report(1) has the schemas.
 */
#ifndef JANKD_TOOLS_REPORT_OUTPUT_H
#define JANKD_TOOLS_REPORT_OUTPUT_H

#include <stdio.h>

#include "tools/report/compare.h"
#include "tools/report/condition.h"
#include "tools/report/session.h"

/* The sessions of all folders. */
struct report {
	struct session *sessions;
	uint32_t n;
	const struct selection *selection;
	unsigned int columns; /* of the terminal */
};

/* What was compared. */
struct compare_report {
	const struct comparison *comparison;
	const struct condition *conditions;
	unsigned int n_conditions;
	const struct results *results; /* of the conditions */
	unsigned int first_result;     /* those before it are of other comparisons */
	unsigned int columns;
};

/* Each prints to @out, and returns 0 or -ENOMEM. */
int output_text(FILE *out, const struct report *report);
int output_json(FILE *out, const struct report *report);
/* Prints a session of it, without the end of its object: more members may follow. */
int output_json_session(FILE *out, const struct session *session,
			const struct selection *selection);

/* Prints the table of devices and builds as one more member, without the end of its array. */
int output_json_devices(FILE *out, const struct report *report);

/* Prints a text as JSON. */
void output_json_text(FILE *out, const char *text);

/* The apps of all sessions with grade, sentences and facts, and nothing else: a JSON array. */
int output_grades(FILE *out, const struct report *report);

/* The same for the objects of a JSON array that @in has: app and facts are used. Returns 0,
 * -ENOMEM, or -EINVAL: it is no array. */
int output_grades_of(FILE *in, FILE *out);

int output_markdown(FILE *out, const struct report *report);
int output_csv(FILE *out, const struct report *report);
int output_openmetrics(FILE *out, const struct report *report);
int output_compare_text(FILE *out, const struct compare_report *report);
int output_compare_markdown(FILE *out, const struct compare_report *report);
int output_compare_json(FILE *out, const struct compare_report *report);

#endif

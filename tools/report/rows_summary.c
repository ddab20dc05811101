/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/rows.h"

#include <math.h>
#include <string.h>

/* --- summary.csv --- */

/* Its numbers are found by the names of enum metric. */
#define SUMMARY_COLUMNS(X)                                                                         \
	X(SUMMARY_APP, "app", 0, true)                                                             \
	X(SUMMARY_SURFACE, "Surface", 0, true)                                                     \
	X(SUMMARY_FRAMES, "frames", 0, true)                                                       \
	X(SUMMARY_FPS, "FPS", 2, true)                                                             \
	X(SUMMARY_FIRST, "first(s)", 6, false)                                                     \
	X(SUMMARY_LAST, "last(s)", 6, false)                                                       \
	X(SUMMARY_JANK_TYPES, "jank types", 0, false)                                              \
	X(SUMMARY_VERDICT, "verdict", 0, false)                                                    \
	X(SUMMARY_GRADE, "grade", 0, false)

enum summary_column { SUMMARY_COLUMNS(COLUMN_NUMBER) };
static const struct column summary_columns[COLUMNS_MAX] = { SUMMARY_COLUMNS(COLUMN_INFO) };

static void read_summary_row(const struct csv_row *csv)
{
	struct session *session = csv->reading->session;
	struct surface *surface = surface_in_row(csv, SUMMARY_SURFACE, SUMMARY_APP);
	const char *verdict = name_of(session, name_in(csv, SUMMARY_VERDICT));

	if (!surface)
		return;
	for (unsigned int i = 0; i < METRIC_MISSED_1000; i++) {
		int place = csv_reader_column(&csv->csv, metrics[i].name);
		int64_t number;

		surface->numbers.of[i] = place >= 0 && csv_number(csv->csv.fields[place],
								  metrics[i].decimals, &number)
						 ? (double)number / pow(10, metrics[i].decimals)
						 : NAN;
	}
	surface->source = FROM_SUMMARY;
	surface->jank_types = name_in(csv, SUMMARY_JANK_TYPES);
	if (strlen(verdict) < VERDICT_SIZE)
		strcpy(surface->verdict, verdict);
	for (unsigned int i = GRADE_BAD; i < GRADES; i++)
		if (span_equal(text_in(csv, SUMMARY_GRADE), span_of(grade_names[i])))
			surface->said = (enum grade)i;
	extend(session, number_in(csv, SUMMARY_FIRST));
	extend(session, number_in(csv, SUMMARY_LAST));
}

const struct kind summary_kind = { CSV_SUMMARY, summary_columns, read_summary_row, NULL };

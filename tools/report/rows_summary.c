/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/rows_part.h"

#include <math.h>
#include <string.h>

/* --- summary.csv --- */

/* The columns that are numbers come first: those of enum metric. */
enum {
	SUMMARY_APP = METRIC_MISSED_1000,
	SUMMARY_SURFACE,
	SUMMARY_FIRST,
	SUMMARY_LAST,
	SUMMARY_JANK_TYPES,
	SUMMARY_VERDICT,
	SUMMARY_GRADE,
	SUMMARY_COLUMNS
};

static const char *const summary_needed[] = { "app", "Surface", "frames", "FPS", NULL };
static const char *const no_columns[] = { NULL };

static void read_summary_row(struct reading *reading, const struct csv_reader *csv,
			     const int *unused)
{
	struct session *session = reading->session;
	static const char *const texts[] = { "app",	   "Surface", "first(s)", "last(s)",
					     "jank types", "verdict", "grade" };
	int columns[SUMMARY_COLUMNS];
	struct surface *surface;
	const char *verdict, *grade;
	int64_t first_us, last_us;

	for (unsigned int i = 0; i < SUMMARY_COLUMNS; i++)
		columns[i] = csv_reader_column(csv, i < SUMMARY_APP ? metrics[i].name
								    : texts[i - SUMMARY_APP]);
	surface = surface_of(reading, name_in(reading, csv, columns[SUMMARY_SURFACE]),
			     name_in(reading, csv, columns[SUMMARY_APP]));
	if (!surface)
		return;
	for (unsigned int i = 0; i < SUMMARY_APP; i++) {
		int64_t number = number_of(csv, columns[i], metrics[i].decimals);

		surface->numbers.of[i] =
			number < 0 ? NAN : (double)number / pow(10, metrics[i].decimals);
	}
	surface->source = FROM_SUMMARY;
	surface->jank_types = name_in(reading, csv, columns[SUMMARY_JANK_TYPES]);
	verdict = name_of(session, name_in(reading, csv, columns[SUMMARY_VERDICT]));
	if (strlen(verdict) < VERDICT_SIZE)
		strcpy(surface->verdict, verdict);
	grade = name_of(session, name_in(reading, csv, columns[SUMMARY_GRADE]));
	for (unsigned int i = GRADE_BAD; i < GRADES; i++)
		if (strcmp(grade, grade_names[i]) == 0)
			surface->said = (enum grade)i;
	first_us = number_of(csv, columns[SUMMARY_FIRST], 6);
	last_us = number_of(csv, columns[SUMMARY_LAST], 6);
	extend(session, first_us);
	extend(session, last_us);
}

const struct kind summary_kind = { CSV_SUMMARY, summary_needed, read_summary_row, no_columns,
				   NULL };

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/show/show.h"

#include <inttypes.h>
#include <string.h>

#include "daemon/base/text.h"
#include "rules/count/stats.h"

#define SHOWN_MAX_BYTES (4 * STATUS_NAME_SIZE)
#define CELL_SIZE 400 /* of any double */

/* Widths of the name. A column of numbers is left out if less than NAME_LEAST would remain. A
 * column for wide terminals is left out if less than NAME_GOOD would remain: the width of
 * "com.example.mail/.MainActivity". */
#define NAME_LEAST 16
#define NAME_GOOD 30
#define APP_WIDTH 20

/* Lines of a page besides the surfaces: title, last report, two of the head, "and more", totals,
 * cursor. */
#define OTHER_LINES 8
#define TOTALS_LINES 2 /* included in OTHER_LINES */
#define TOTALS_SIZE 512

/* Colours of a terminal. Each is beside a word or number that says the same. */
#define RED "\x1b[31m"
#define GREEN "\x1b[32m"
#define YELLOW "\x1b[33m"
#define BLUE "\x1b[36m"
#define PLAIN "\x1b[0m"

/* The columns, from left to right: those of this moment, and those of the whole session. */
enum table_column {
	COLUMN_NOW,
	COLUMN_FROZEN,
	COLUMN_GRADE,
	COLUMN_LOST,
	COLUMN_FREEZES,
	COLUMN_FPS,
	COLUMN_LOW,
	COLUMN_P50,
	COLUMN_P99,
	COLUMN_MAX,
	COLUMN_JANK,
	COLUMN_BIG,
	COLUMN_WAITS,
	COLUMN_FRAMES,
	COLUMN_MISSED,
	COLUMN_SCORE,
	TABLE_COLUMN_KINDS,
};

/* Names include the unit, widths the blank before the column. */
static const struct {
	const char *name;
	unsigned int width;
} cells[TABLE_COLUMN_KINDS] = {
	[COLUMN_NOW] = { "FPS now", 8 },     [COLUMN_FROZEN] = { "frozen", 8 },
	[COLUMN_GRADE] = { "grade", 11 },    [COLUMN_LOST] = { "lost ms/s", 10 },
	[COLUMN_FREEZES] = { "freezes", 8 }, [COLUMN_FPS] = { "FPS", 6 },
	[COLUMN_LOW] = { "1% low", 7 },	     [COLUMN_P50] = { "p50 ms", 7 },
	[COLUMN_P99] = { "p99 ms", 7 },	     [COLUMN_MAX] = { "max ms", 7 },
	[COLUMN_JANK] = { "jank", 5 },	     [COLUMN_BIG] = { "big", 4 },
	[COLUMN_WAITS] = { "waits", 6 },     [COLUMN_SCORE] = { "score", 6 },
	[COLUMN_FRAMES] = { "frames", 8 },   [COLUMN_MISSED] = { "missed", 7 },
};

/* The columns, the most important first. The first NARROW_COLUMNS are for all terminals, the others
 * only for wide ones. */
static const enum table_column importance[TABLE_COLUMN_KINDS] = {
	COLUMN_NOW,   COLUMN_FROZEN, COLUMN_GRADE,  COLUMN_LOST, COLUMN_FREEZES, COLUMN_FPS,
	COLUMN_P99,   COLUMN_MAX,    COLUMN_LOW,    COLUMN_JANK, COLUMN_BIG,	 COLUMN_WAITS,
	COLUMN_SCORE, COLUMN_FRAMES, COLUMN_MISSED, COLUMN_P50,
};
#define NARROW_COLUMNS 9

/* Cuts a long name at its beginning, which all activities of an app have in common. */
static void print_name(FILE *out, const char *name, unsigned int width)
{
	char shown[SHOWN_MAX_BYTES];
	size_t columns;

	text_cut_left(shown, sizeof(shown), name, width);
	columns = text_columns(shown);
	fprintf(out, "%s%*s", shown, columns < width ? (int)(width - columns) : 0, "");
}

/* Formats a number that is too long in thousands, millions, and so on. Negative: '-'. */
static void format_count(char text[static CELL_SIZE], double count, int width)
{
	static const char suffixes[] = " kMGTPE";
	unsigned int n = 0;

	snprintf(text, CELL_SIZE, count < 0 ? "-" : "%.0f", count);
	while (strlen(text) > (size_t)width && n + 2 < sizeof(suffixes)) {
		count = (double)(uint64_t)(count / 1000);
		snprintf(text, CELL_SIZE, "%.0f%c", count, suffixes[++n]);
	}
}

static void print_cell(FILE *out, const struct summary_row *row, enum table_column column,
		       bool colour)
{
	static const char *const colours[GRADES] = {
		[GRADE_BAD] = RED,	   [GRADE_POOR] = RED,	   [GRADE_FAIR] = YELLOW,
		[GRADE_INCOMPLETE] = BLUE, [GRADE_UNCLEAR] = BLUE, [GRADE_GOOD] = GREEN,
	};
	const struct frame_stats *stats = &row->stats;
	bool draws = grade_drawing_ns(&row->facts) > 0;
	/* Negative: unknown. */
	const double numbers[TABLE_COLUMN_KINDS] = {
		[COLUMN_NOW] = row->frozen_ns > 0 ? 0 : row->now_fps,
		[COLUMN_LOST] = draws ? grade_lost_rate(&row->facts) : -1,
		[COLUMN_FREEZES] = (double)row->facts.freezes,
		[COLUMN_FPS] = row->fps,
		[COLUMN_LOW] = row->low1_fps,
		[COLUMN_P50] = (double)row->p50_ns / 1e6,
		[COLUMN_P99] = (double)row->p99_ns / 1e6,
		[COLUMN_MAX] = (double)(int64_t)stats->max_ns / 1e6,
		[COLUMN_JANK] = (double)stats->jank,
		[COLUMN_BIG] = (double)stats->big_jank,
		[COLUMN_WAITS] = (double)stats->waits,
		[COLUMN_FRAMES] = (double)stats->frames,
		[COLUMN_MISSED] = (double)frame_stats_by_vsyncs(stats, stats->missed),
		[COLUMN_SCORE] = stats->score,
	};
	double number = numbers[column];
	/* A number of what was lost may be too small. */
	bool is_least = (column == COLUMN_LOST && number >= 0 &&
			 grade_is_at_least(&row->facts, LOST_RATE)) ||
			(column == COLUMN_FREEZES && grade_is_at_least(&row->facts, LOST_FREEZES));
	int width = (int)cells[column].width - 1 - is_least, blanks;
	const char *sequence = NULL;
	char text[CELL_SIZE];

	if (column == COLUMN_GRADE)
		snprintf(text, sizeof(text), "%s", row->grade ? grade_names[row->grade] : "-");
	else if (column == COLUMN_FROZEN && row->frozen_ns == 0)
		text[0] = '\0';
	else if (column == COLUMN_FROZEN)
		snprintf(text, sizeof(text),
			 row->frozen_ns < UINT64_C(1000000000000) ? "%.1f s" : "%.0f s",
			 (double)row->frozen_ns / 1e9);
	else if ((column >= COLUMN_JANK && column <= COLUMN_MISSED) || column == COLUMN_FREEZES)
		format_count(text, number, width);
	else if (stats->frames == 0 && column > COLUMN_LOST)
		format_count(text, -1, width);
	else if (snprintf(text, sizeof(text), "%.1f", number) > width || number < 0)
		format_count(text, number, width);

	if (colour && column == COLUMN_GRADE)
		sequence = colours[row->grade];
	else if (colour && column <= COLUMN_FROZEN && row->frozen_ns > 0)
		sequence = RED;
	blanks = width - (int)strlen(text);
	fprintf(out, " %*s%s%s%s%s", blanks > 0 ? blanks : 0, "", is_least ? "≥" : "",
		sequence ? sequence : "", text, sequence ? PLAIN : "");
}

/* Writes counts, losses, time span and refresh rate: in one line if they fit, else in two or more.
 * A line breaks at the time, or at a '|' if the next part does not fit. Returns the number of
 * lines. */
static unsigned int make_totals(char text[static TOTALS_SIZE],
				const struct pipeline_counters *counters, unsigned int columns)
{
	bool any = counters->last_ns > counters->first_ns, is_long;
	uint64_t span_ns = counters->span_ns + (any ? counters->last_ns - counters->first_ns : 0);
	char *line = text, *time;
	unsigned int lines = 1;

	snprintf(text, TOTALS_SIZE, "presents %" PRIu64 ",|frames %" PRIu64 ",", counters->presents,
		 counters->frames);
	if (counters->frames_refused > 0)
		text_append(text, TOTALS_SIZE, "|refused %" PRIu64 ",", counters->frames_refused);
	text_append(text, TOTALS_SIZE, "|lost events %" PRIu64, counters->lost_events);
	if (counters->lost_unknown > 0)
		text_append(text, TOTALS_SIZE, "|plus %" PRIu64 " %s of unknown size",
			    counters->lost_unknown,
			    counters->lost_unknown == 1 ? "loss" : "losses");
	if (counters->hole_time_ns >= 50000000)
		text_append(text, TOTALS_SIZE, ",|%.1f s without events",
			    (double)counters->hole_time_ns / 1e9);
	text_append(text, TOTALS_SIZE, ",");
	time = text + strlen(text);
	text_append(text, TOTALS_SIZE, "|span %.3f s,|refresh ", (double)span_ns / 1e9);
	if (counters->refresh_mhz >= 0)
		text_append(text, TOTALS_SIZE, "%.2f Hz", (double)counters->refresh_mhz / 1000);
	else
		text_append(text, TOTALS_SIZE, "unknown");
	is_long = strlen(text) > columns;
	for (char *bar = strchr(text, '|'); bar; bar = strchr(bar, '|')) {
		size_t len = (size_t)(bar - line) + 1 + strcspn(bar + 1, "|");

		*bar = ' ';
		if (len <= columns && !(bar == time && is_long))
			continue;
		*bar = '\n';
		line = bar + 1;
		lines++;
	}
	text_append(text, TOTALS_SIZE, "\n");
	return lines;
}

/* True: it has nothing to say about an app: it has no package in its name, or a grade is not
 * possible. */
static bool is_minor(const struct summary_row *row)
{
	return !app_has_surface(row->app, row->surface) || app_is_system(row->app) ||
	       row->grade <= GRADE_TOO_SHORT;
}

/* The worst first. In a live table, what is frozen now is worse than all others, and what has drawn
 * nothing for ten seconds is the last. */
static bool is_worse(const struct summary_row *a, const struct summary_row *b, bool live)
{
	bool a_draws = a->recent_frames > 0, b_draws = b->recent_frames > 0;
	double a_lost = grade_lost_rate(&a->facts), b_lost = grade_lost_rate(&b->facts);

	if (live && a->frozen_ns != b->frozen_ns)
		return a->frozen_ns > b->frozen_ns;
	if (live && a_draws != b_draws)
		return a_draws;
	if (is_minor(a) != is_minor(b))
		return is_minor(b);
	if (!is_minor(a) && a->grade != b->grade)
		return a->grade < b->grade;
	if (a_lost != b_lost)
		return a_lost > b_lost;
	return a->stats.frames > b->stats.frames;
}

void table_print(FILE *out, const struct status *status, unsigned int lines, unsigned int columns,
		 bool colour)
{
	bool live = status->which == STATUS_OF_NOW;
	unsigned int shown = status->n_surfaces < lines ? status->n_surfaces : lines;
	const struct summary_row *rows = status->surfaces;
	unsigned int order[STATUS_SURFACES_MAX]; /* numbers of the surfaces */
	/* What fits: widths of the names (0: left out), and which columns of numbers. */
	unsigned int app_width = 0, width = columns, now, rest = 0;
	bool has[TABLE_COLUMN_KINDS] = { false };
	char totals[TOTALS_SIZE], name[STATUS_NAME_SIZE];

	for (unsigned int i = 0; i < TABLE_COLUMN_KINDS; i++) {
		enum table_column column = importance[i];
		unsigned int least = i < NARROW_COLUMNS ? NAME_LEAST : NAME_GOOD;

		if (column <= COLUMN_FROZEN && !live)
			continue;
		if (width < least + cells[column].width)
			break;
		has[column] = true;
		width -= cells[column].width;
	}
	if (width < NAME_LEAST)
		width = NAME_LEAST;
	if (width >= NAME_GOOD + APP_WIDTH + 1) {
		app_width = APP_WIDTH;
		width -= APP_WIDTH + 1;
	}
	for (unsigned int i = 0; i < status->n_surfaces; i++) {
		unsigned int at = i;

		for (; at > 0 && is_worse(&rows[i], &rows[order[at - 1]], live); at--)
			order[at] = order[at - 1];
		order[at] = i;
	}

	/* The head. Its first line says what is of this moment, and what of the whole session. */
	now = width + (app_width > 0 ? app_width + 1 : 0);
	for (enum table_column i = 0; i < TABLE_COLUMN_KINDS; i++)
		if (has[i])
			*(i <= COLUMN_FROZEN ? &now : &rest) += cells[i].width;
	if (shown > 0) {
		if (has[COLUMN_NOW])
			fprintf(out, "%*s%*s\n", (int)now, "now", (int)rest,
				rest > strlen("the whole session") ? "the whole session" : "");
		if (app_width > 0)
			fprintf(out, "%-*s ", (int)app_width, "app");
		fprintf(out, "%-*s", (int)width, "Surface");
		for (enum table_column i = 0; i < TABLE_COLUMN_KINDS; i++)
			if (has[i])
				fprintf(out, "%*s", (int)cells[i].width, cells[i].name);
		fputc('\n', out);
	}

	for (unsigned int i = 0; i < shown; i++) {
		const struct summary_row *row = &rows[order[i]];

		if (app_width > 0) {
			print_name(out, row->app, app_width);
			fputc(' ', out);
		}
		text_copy(name, sizeof(name), row->surface);
		text_short_component(name);
		print_name(out, name, width);
		for (enum table_column column = 0; column < TABLE_COLUMN_KINDS; column++)
			if (has[column])
				print_cell(out, row, column, colour);
		fputc('\n', out);
	}
	if (shown < status->surfaces_total)
		fprintf(out, "and %u more in summary.csv\n", status->surfaces_total - shown);
	make_totals(totals, &status->counters, columns);
	fputs(totals, out);
}

void table_print_page(FILE *out, const struct status *status, const char *title, unsigned int lines,
		      unsigned int columns, bool colour)
{
	const char *first[] = { title, status->last_report };
	unsigned int others = OTHER_LINES, n_totals;
	char shown[4096], totals[TOTALS_SIZE];

	/* The page has space for one line of each. */
	for (size_t i = 0; i < 2; i++) {
		text_shorten(shown, sizeof(shown), first[i], columns);
		fprintf(out, "%s\n", shown);
	}
	n_totals = make_totals(totals, &status->counters, columns);
	if (n_totals > TOTALS_LINES)
		others += n_totals - TOTALS_LINES;
	table_print(out, status, lines > others + 1 ? lines - others : 1, columns, colour);
}

void table_print_result(FILE *out, const struct status *status, unsigned int columns, bool colour)
{
	table_print(out, status, UINT32_MAX, columns, colour);
	verdict_print(out, status, columns);
	fprintf(out, "CSV files in %s\n", status->folder);
}

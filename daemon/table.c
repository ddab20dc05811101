/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "daemon/report.h"
#include "daemon/text.h"
#include "rules/memory.h"

/* Surfaces that are kept for the table: those with most frames. */
#define ROWS_MAX 40
#define NAME_MAX_BYTES 1024
#define SHOWN_MAX_BYTES (4 * NAME_MAX_BYTES)

/* What the columns of numbers take, and the blanks between all. */
#define NUMBERS_WIDTH 62

/* A terminal that has less beside them does without the app and the median. */
#define NAMES_LEAST 38
#define NARROW_NUMBERS_WIDTH 55
#define NARROW_SURFACE_LEAST 12

/* Lines of a page beside the surfaces: title, blank, head, "and more", totals, the last one. */
#define OTHER_LINES 7
#define TOTALS_LINES 2 /* of these */

/* How wide the columns of names are; an app of 0 is left out, and the median with it. */
struct table_widths {
	unsigned int app, surface;
};

struct table_row {
	char app[NAME_MAX_BYTES], surface[NAME_MAX_BYTES];
	struct frame_stats stats;
	double fps;
	int64_t p50_ns, p99_ns;
};

struct table {
	struct table_row rows[ROWS_MAX];
	unsigned int count;
	unsigned int surfaces; /* seen, shown or not */
};

struct table *table_new(void)
{
	return memory_new(1, sizeof(struct table));
}

struct table *table_free(struct table *table)
{
	free(table);
	return NULL;
}

/* --- collecting --- */

static bool comes_before(const struct frame_stats *a, const struct frame_stats *b)
{
	return a->frames > b->frames;
}

static void copy_name(char to[static NAME_MAX_BYTES], const char *from)
{
	size_t len = strnlen(from, NAME_MAX_BYTES - 1);

	memcpy(to, from, len);
	to[len] = '\0';
}

static void set_row(struct table_row *to, const struct summary_row *from)
{
	copy_name(to->app, from->app);
	copy_name(to->surface, from->surface);
	to->stats = from->stats;
	to->fps = from->fps;
	to->p50_ns = from->p50_ns;
	to->p99_ns = from->p99_ns;
}

/* Inserts by number of frames; of equal ones the first seen stays in front. */
static void take_row(void *context, const struct summary_row *row)
{
	struct table *table = context;
	unsigned int at = table->count;

	table->surfaces++;
	while (at > 0 && comes_before(&row->stats, &table->rows[at - 1].stats))
		at--;
	if (at == ROWS_MAX)
		return;
	if (table->count < ROWS_MAX)
		table->count++;
	memmove(&table->rows[at + 1], &table->rows[at],
		(table->count - at - 1) * sizeof(table->rows[0]));
	set_row(&table->rows[at], row);
}

/* --- printing --- */

static void print_name(FILE *out, const char *name, unsigned int width)
{
	char shown[SHOWN_MAX_BYTES];
	size_t columns;

	text_shorten(shown, sizeof(shown), name, width);
	columns = text_columns(shown);
	fprintf(out, "%s%*s", shown, columns < width ? (int)(width - columns) : 0, "");
}

static void print_number(FILE *out, double number, int width, int decimals)
{
	if (number < 0)
		fprintf(out, " %*s", width, "-");
	else
		fprintf(out, " %*.*f", width, decimals, number);
}

static void print_count(FILE *out, int64_t count, int width)
{
	if (count < 0)
		fprintf(out, " %*s", width, "-");
	else
		fprintf(out, " %*" PRId64, width, count);
}

static void print_row(FILE *out, const struct table_row *row, const struct table_widths *widths)
{
	const struct frame_stats *stats = &row->stats;
	bool any = stats->frames > 0;
	char janks[48];

	snprintf(janks, sizeof(janks), "%" PRIu64 "/%" PRIu64, stats->jank, stats->big_jank);
	if (widths->app > 0) {
		print_name(out, row->app, widths->app);
		fputc(' ', out);
	}
	print_name(out, row->surface, widths->surface);
	print_number(out, any ? row->fps : -1, 6, 2);
	print_count(out, (int64_t)stats->frames, 7);
	if (widths->app > 0)
		print_number(out, any ? (double)row->p50_ns / 1e6 : -1, 5, 1);
	print_number(out, any ? (double)row->p99_ns / 1e6 : -1, 5, 1);
	print_number(out, any ? (double)stats->max_ns / 1e6 : -1, 5, 1);
	print_count(out, stats->missed, 6);
	fprintf(out, " %8s", janks);
	print_count(out, (int64_t)stats->waits, 5);
	print_number(out, any ? stats->score : -1, 5, 1);
	fputc('\n', out);
}

static void print_head(FILE *out, const struct table_widths *widths)
{
	if (widths->app > 0)
		fprintf(out, "%-*s ", (int)widths->app, "app");
	fprintf(out, "%-*s %6s %7s", (int)widths->surface, "Surface", "FPS", "frames");
	if (widths->app > 0)
		fprintf(out, " %5s", "p50");
	fprintf(out, " %5s %5s %6s %8s %5s %5s\n", "p99", "max", "missed", "jank/big", "waits",
		"score");
}

/* The totals, in lines that fit. */
struct totals {
	char text[512];
	unsigned int lines;
};

/* Adds the words up to each '|' of @words: in the next line, where this one does not hold them. */
static void add_words(struct totals *totals, const char *words, unsigned int columns)
{
	char *end = totals->text + strlen(totals->text);
	size_t line = 0;

	totals->lines++;
	for (size_t len; *words; words += len + (words[len] == '|')) {
		len = strcspn(words, "|");
		if (line > 0 && line + 1 + len > columns) {
			*end++ = '\n';
			totals->lines++;
			line = 0;
		} else if (line > 0) {
			*end++ = ' ';
			line++;
		}
		memcpy(end, words, len);
		end += len;
		line += len;
	}
	memcpy(end, "\n", 2);
}

/* What was counted and lost, how long and at which rate: two lines, where one does not hold it, or
 * as many as it takes. */
static void make_totals(struct totals *totals, const struct pipeline_counters *counters,
			unsigned int columns)
{
	bool any = counters->last_ns > counters->first_ns;
	uint64_t span_ns = any ? counters->last_ns - counters->first_ns : 0;
	char lost[64] = "", refused[64] = "", refresh[32] = "unknown";
	char seen[264], time[100], all[366];

	if (counters->lost_unknown > 0)
		snprintf(lost, sizeof(lost), "|and %" PRIu64 " times an unknown number",
			 counters->lost_unknown);
	if (counters->refresh_mhz >= 0)
		snprintf(refresh, sizeof(refresh), "%.2f Hz", (double)counters->refresh_mhz / 1000);
	if (counters->frames_refused > 0)
		snprintf(refused, sizeof(refused), "|refused %" PRIu64 ",",
			 counters->frames_refused);
	snprintf(seen, sizeof(seen),
		 "presents %" PRIu64 ",|frames %" PRIu64 ",%s|lost events %" PRIu64 "%s,",
		 counters->presents, counters->frames, refused, counters->lost_events, lost);
	snprintf(time, sizeof(time), "span %.3f s,|refresh %s", (double)span_ns / 1e9, refresh);
	snprintf(all, sizeof(all), "%s|%s", seen, time);
	*totals = (struct totals){ .lines = 0 };
	if (strlen(all) <= columns) {
		add_words(totals, all, columns);
	} else {
		add_words(totals, seen, columns);
		add_words(totals, time, columns);
	}
}

static struct table_widths widths_in(unsigned int columns)
{
	unsigned int names = columns > NUMBERS_WIDTH ? columns - NUMBERS_WIDTH : 0;

	if (names >= NAMES_LEAST)
		return (struct table_widths){ names * 2 / 5, names - names * 2 / 5 };
	if (columns < NARROW_NUMBERS_WIDTH + NARROW_SURFACE_LEAST)
		return (struct table_widths){ 0, NARROW_SURFACE_LEAST };
	return (struct table_widths){ 0, columns - NARROW_NUMBERS_WIDTH };
}

/* At most @lines surfaces, and the totals. */
static void print_surfaces(struct table *table, FILE *out, struct pipeline *pipeline,
			   unsigned int lines, const struct totals *totals, unsigned int columns)
{
	struct table_widths widths = widths_in(columns);
	unsigned int shown;

	table->count = table->surfaces = 0;
	pipeline_summary(pipeline, table, take_row);
	shown = table->count < lines ? table->count : lines;
	if (shown > 0)
		print_head(out, &widths);
	for (unsigned int i = 0; i < shown; i++)
		print_row(out, &table->rows[i], &widths);
	if (shown < table->surfaces)
		fprintf(out, "and %u more in summary.csv\n", table->surfaces - shown);
	fputs(totals->text, out);
}

void table_print(struct table *table, FILE *out, struct pipeline *pipeline, unsigned int lines,
		 unsigned int columns)
{
	struct totals totals;

	make_totals(&totals, pipeline_counters(pipeline), columns);
	print_surfaces(table, out, pipeline, lines, &totals, columns);
}

void table_print_page(struct table *table, FILE *out, struct pipeline *pipeline, const char *title,
		      unsigned int lines, unsigned int columns)
{
	char shown[SHOWN_MAX_BYTES];
	struct totals totals;
	unsigned int others;

	make_totals(&totals, pipeline_counters(pipeline), columns);
	others = OTHER_LINES + (totals.lines > TOTALS_LINES ? totals.lines - TOTALS_LINES : 0);
	text_shorten(shown, sizeof(shown), title, columns);
	fprintf(out, "%s\n", shown);
	text_shorten(shown, sizeof(shown), report_last(), columns);
	fprintf(out, "%s\n", shown);
	print_surfaces(table, out, pipeline, lines > others + 1 ? lines - others : 1, &totals,
		       columns);
}

bool table_terminal(int fd, unsigned int *lines, unsigned int *columns)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) < 0)
		return false;
	*lines = size.ws_row > 0 ? size.ws_row : 24;
	*columns = size.ws_col > 0 ? size.ws_col : 80;
	return true;
}

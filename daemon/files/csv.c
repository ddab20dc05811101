/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/text.h"

/* Powers of ten of a nanosecond. */
#define SECONDS 9
#define MILLISECONDS 6

/* --- fields --- */

static void begin(struct csv_row *text)
{
	text->len = 0;
	text->is_too_long = false;
}

/* True: there is space for @len bytes, and for the comma or line end after them. */
static bool fits(struct csv_row *text, size_t len)
{
	text->is_too_long |= text->len + len + 2 > CSV_ROW_MAX;
	return !text->is_too_long;
}

/* Each field writes a comma after it. end() replaces the last comma with the line end. */
static void raw(struct csv_row *text, const char *field)
{
	size_t len = strlen(field);

	if (!fits(text, len))
		return;
	memcpy(text->bytes + text->len, field, len);
	text->len += len;
	text->bytes[text->len++] = ',';
}

static void end(struct csv_row *text)
{
	if (text->is_too_long)
		text->len = 0;
	else
		text->bytes[text->len - 1] = '\n';
}

static void empty(struct csv_row *text, unsigned int columns)
{
	for (unsigned int i = 0; i < columns; i++)
		raw(text, "");
}

static void count(struct csv_row *text, uint64_t value)
{
	char field[24];

	snprintf(field, sizeof(field), "%" PRIu64, value);
	raw(text, field);
}

/* Negative values, such as ROW_UNKNOWN, give an empty field. */
static void count_if_known(struct csv_row *text, int64_t value)
{
	if (value < 0)
		empty(text, 1);
	else
		count(text, (uint64_t)value);
}

/* ns / 10^@unit with @decimals, truncated. Negative: empty. */
static void time_in(struct csv_row *text, int64_t ns, unsigned int unit, unsigned int decimals)
{
	uint64_t whole = 1, cut = 1;
	char field[48];

	if (ns < 0) {
		empty(text, 1);
		return;
	}
	for (unsigned int i = 0; i < unit; i++)
		whole *= 10;
	for (unsigned int i = decimals; i < unit; i++)
		cut *= 10;
	snprintf(field, sizeof(field), "%" PRIu64 ".%0*" PRIu64, (uint64_t)ns / whole,
		 (int)decimals, (uint64_t)ns % whole / cut);
	raw(text, field);
}

static void seconds(struct csv_row *text, int64_t ns)
{
	time_in(text, ns, SECONDS, 6);
}

static void milliseconds(struct csv_row *text, int64_t ns)
{
	time_in(text, ns, MILLISECONDS, 3);
}

/* With @decimals, rounded. Negative: empty. */
static void number(struct csv_row *text, double value, unsigned int decimals)
{
	char field[64];

	if (!(value >= 0) || value > 1e15) {
		empty(text, 1);
		return;
	}
	snprintf(field, sizeof(field), "%.*f", (int)decimals, value);
	raw(text, field);
}

/* Rounded to @decimals, then printed with "%.6g", as the 2019 program did. */
static void short_number(struct csv_row *text, double value, unsigned int decimals)
{
	char rounded[64], field[32];

	if (!(value >= 0) || value > 1e15) {
		empty(text, 1);
		return;
	}
	snprintf(rounded, sizeof(rounded), "%.*f", (int)decimals, value);
	snprintf(field, sizeof(field), "%.6g", strtod(rounded, NULL));
	raw(text, field);
}

enum name_flags {
	NAME_PLAIN = 0,
	NAME_LINES = 1, /* its line ends are from jankd, and are kept, in quotes */
};

/* A spreadsheet runs a cell that begins with such a character as a formula. */
static bool begins_formula(char first)
{
	return first != '\0' && strchr("=+-@\t", first) != NULL;
}

/* Escapes @text into @to. Returns the length; *quote is set if RFC 4180 requires quotes. */
static size_t escape_field(char *to, const char *text, enum name_flags flags, bool *quote)
{
	size_t len = 0;

	if (begins_formula(text[0]))
		to[len++] = '\'';
	while (len < CSV_FIELD_MAX) {
		struct text_unit unit = text_next(text);

		if (unit.used == 0)
			break;
		if (*text == '\n' && (flags & NAME_LINES))
			unit = (struct text_unit){ .bytes = "\n", .len = 1, .used = 1 };
		if (strchr(",\"\n", unit.bytes[0]))
			*quote = true;
		if (unit.bytes[0] == '"')
			to[len++] = '"';
		memcpy(to + len, unit.bytes, unit.len);
		len += unit.len;
		text += unit.used;
	}
	return len;
}

/* The most bytes of a field. Each byte may be written as \xNN. The other 8 bytes are for two
 * quotes, the ' before a formula, and the rest of the last character of a cut text. */
static size_t most_of_field(const char *text)
{
	size_t len = strlen(text);

	return len < CSV_FIELD_MAX / 4 ? 4 * len + 8 : CSV_FIELD_MAX + 8;
}

/* A name from the trace, or a list of such names: escaped, and quoted if needed. */
static void name_in(struct csv_row *text, const char *name, enum name_flags flags)
{
	bool quote = false;
	char *to = text->bytes + text->len;
	size_t len;

	if (!fits(text, most_of_field(name)))
		return;
	len = escape_field(to + 1, name, flags, &quote);
	if (quote) {
		to[0] = '"';
		to[len + 1] = '"';
		len += 2;
	} else {
		memmove(to, to + 1, len);
	}
	text->len += len;
	text->bytes[text->len++] = ',';
}

static void name(struct csv_row *text, const char *name)
{
	name_in(text, name, NAME_PLAIN);
}

/* --- rows --- */

/* A value that depends on frames is unknown without frames. */
static int64_t if_frames(const struct frame_stats *stats, int64_t value)
{
	return stats->frames > 0 ? value : ROW_UNKNOWN;
}

static double stutter(const struct frame_stats *stats)
{
	if (stats->frames == 0 || stats->time_ns == 0)
		return -1;
	return 100.0 * (double)stats->jank_ns / (double)stats->time_ns;
}

static double in_10_minutes(const struct frame_stats *stats, uint64_t janks)
{
	if (stats->frames == 0 || stats->time_ns == 0)
		return -1;
	return (double)janks * 600e9 / (double)stats->time_ns;
}

static void refresh(struct csv_row *text, int64_t mhz)
{
	number(text, mhz < 0 ? -1 : (double)mhz / 1000, 2);
}

static void buckets(struct csv_row *text, const struct frame_stats *stats)
{
	count(text, stats->waits);
	count(text, stats->a);
	count(text, stats->b);
	count(text, stats->c);
	count_if_known(text, stats->d);
}

static void fps_new_columns(struct csv_row *text, const struct fps_row *row)
{
	const struct frame_stats *stats = &row->stats;

	refresh(text, row->refresh_mhz);
	milliseconds(text, if_frames(stats, row->p50_ns));
	milliseconds(text, if_frames(stats, row->p90_ns));
	milliseconds(text, if_frames(stats, row->p99_ns));
	count_if_known(text, stats->missed);
	count(text, stats->jank);
	count(text, stats->big_jank);
	number(text, stutter(stats), 3);
	empty(text, 2);
	count_if_known(text, stats->lost);
	empty(text, 2);
	count_if_known(text, row->cadence);
	count_if_known(text, row->off_cadence);
}

/* Columns 3 to 7 as the 2019 program printed them. */
static void fps_legacy_rates(struct csv_row *text, const struct fps_row *row)
{
	const struct frame_stats *stats = &row->stats;

	short_number(text, row->fps, 1);
	count(text, stats->frames);
	short_number(text, (double)stats->time_ns / 1e9, 3);
	short_number(text, stats->frames > 0 ? (double)stats->max_ns / 1e6 : -1, 6);
	short_number(text, (double)stats->wait_ns / 1e9, 3);
}

static void fps_rates(struct csv_row *text, const struct fps_row *row)
{
	const struct frame_stats *stats = &row->stats;

	number(text, stats->frames > 0 ? row->fps : -1, 2);
	count(text, stats->frames);
	seconds(text, (int64_t)stats->time_ns);
	milliseconds(text, if_frames(stats, (int64_t)stats->max_ns));
	seconds(text, (int64_t)stats->wait_ns);
}

void csv_fps_row(struct csv_row *text, const struct fps_row *row)
{
	const struct frame_stats *stats = &row->stats;
	double score = stats->frames > 0 ? stats->score : -1;

	begin(text);
	seconds(text, (int64_t)row->start_ns);
	seconds(text, (int64_t)row->end_ns);
	if (row->legacy)
		fps_legacy_rates(text, row);
	else
		fps_rates(text, row);
	buckets(text, stats);
	if (row->legacy)
		short_number(text, score, 2);
	else
		number(text, score, 2);
	count(text, stats->tx);
	name(text, row->app);
	name(text, row->surface);
	if (row->legacy)
		empty(text, 15);
	else
		fps_new_columns(text, row);
	end(text);
}

void csv_drop_row(struct csv_row *text, const struct drop_row *row)
{
	begin(text);
	seconds(text, row->start_ns);
	seconds(text, row->end_ns);
	if (row->legacy)
		short_number(text, (double)row->interval_ns / 1e6, 6);
	else
		milliseconds(text, (int64_t)row->interval_ns);
	name(text, row->tick);
	count(text, row->tx);
	name(text, row->app);
	name(text, row->surface);
	name_in(text, row->info, row->legacy ? NAME_LINES : NAME_PLAIN);
	if (row->legacy) {
		empty(text, 4);
	} else {
		count_if_known(text, row->missed);
		empty(text, 1);
		name(text, row->layer);
		count_if_known(text, row->frame_number);
	}
	end(text);
}

void csv_frame_row(struct csv_row *text, const struct frame_row *row)
{
	begin(text);
	seconds(text, (int64_t)row->present_ns);
	seconds(text, row->vsync_ns);
	time_in(text, row->interval_ns, MILLISECONDS, 6);
	count_if_known(text, row->vsyncs);
	name(text, row->app);
	name(text, row->surface);
	name(text, row->layer);
	count_if_known(text, row->frame_number);
	seconds(text, row->queued_ns);
	seconds(text, row->latched_ns);
	empty(text, 2);
	count_if_known(text, row->lost);
	empty(text, 1);
	end(text);
}

static void summary_rates(struct csv_row *text, const struct summary_row *row)
{
	const struct frame_stats *stats = &row->stats;

	count(text, stats->frames);
	seconds(text, (int64_t)stats->time_ns);
	number(text, stats->frames > 0 ? row->fps : -1, 2);
	milliseconds(text, if_frames(stats, row->p50_ns));
	milliseconds(text, if_frames(stats, row->p90_ns));
	milliseconds(text, if_frames(stats, row->p95_ns));
	milliseconds(text, if_frames(stats, row->p99_ns));
	milliseconds(text, if_frames(stats, row->p999_ns));
	milliseconds(text, if_frames(stats, (int64_t)stats->max_ns));
	number(text, stats->frames > 0 ? row->low1_fps : -1, 2);
	number(text, stats->frames > 0 ? row->low01_fps : -1, 2);
}

static void summary_janks(struct csv_row *text, const struct frame_stats *stats)
{
	number(text, stats->frames > 0 ? stats->score : -1, 2);
	count_if_known(text, stats->missed);
	count(text, stats->small_jank);
	count(text, stats->jank);
	count(text, stats->big_jank);
	number(text, stutter(stats), 3);
	for (unsigned int i = 0; i < 5; i++)
		count_if_known(text, stats->matrix[i]);
	count_if_known(text, stats->slow);
	count_if_known(text, stats->frozen);
}

static void summary_new_columns(struct csv_row *text, const struct summary_row *row)
{
	const struct frame_stats *stats = &row->stats;

	empty(text, 2);
	count_if_known(text, row->cadence);
	count_if_known(text, row->off_cadence);
	number(text, in_10_minutes(stats, stats->jank), 2);
	number(text, in_10_minutes(stats, stats->big_jank), 2);
	empty(text, 2);
	number(text, stats->frames > 0 ? row->low1_time_fps : -1, 2);
	number(text, stats->frames > 0 ? row->low01_time_fps : -1, 2);
}

void csv_summary_row(struct csv_row *text, const struct summary_row *row)
{
	begin(text);
	name(text, row->app);
	name(text, row->surface);
	seconds(text, (int64_t)row->first_ns);
	seconds(text, (int64_t)row->last_ns);
	summary_rates(text, row);
	seconds(text, (int64_t)row->stats.wait_ns);
	buckets(text, &row->stats);
	summary_janks(text, &row->stats);
	empty(text, 3);
	count_if_known(text, row->stats.lost);
	summary_new_columns(text, row);
	end(text);
}

void csv_event_row(struct csv_row *text, int64_t time_ns, const char *wall, const char *kind,
		   const char *event)
{
	begin(text);
	seconds(text, time_ns);
	raw(text, wall);
	raw(text, kind);
	name(text, event);
	end(text);
}

void csv_header_row(struct csv_row *text, const char *columns)
{
	begin(text);
	raw(text, columns);
	end(text);
}

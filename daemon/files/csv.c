/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/text.h"
#include "daemon/base/wall_clock.h"
#include "daemon/files/event_queue.h"
#include "rules/beside/frame_timeline.h"
#include "rules/count/stats.h"

/* More than the digits of a number in any field. */
#define NUMBER_MAX 32

/* --- fields --- */

/* True: there is space for @len bytes, and for the comma or line end after them. */
static bool fits(struct csv_row *text, size_t len)
{
	text->is_too_long |= text->len + len + 2 > CSV_ROW_MAX;
	return !text->is_too_long;
}

/* Each field writes a comma after it. */
static void raw(struct csv_row *text, const char *field, size_t len)
{
	if (!fits(text, len))
		return;
	memcpy(text->bytes + text->len, field, len);
	text->len += len;
	text->bytes[text->len++] = ',';
}

static void empty(struct csv_row *text, unsigned int columns)
{
	for (unsigned int i = 0; i < columns; i++)
		raw(text, "", 0);
}

/* --- numbers ---
 *
 * A row has up to 40 of them. With snprintf() they would be most of its cost. They are written from
 * the last digit to the first. */

/* @value / 10^@decimals */
static void decimal(struct csv_row *text, uint64_t value, unsigned int decimals)
{
	static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	char field[NUMBER_MAX], *to = field + sizeof(field);

	if (decimals > 0) {
		uint32_t part = (uint32_t)(value % powers[decimals]);

		value /= powers[decimals];
		for (unsigned int i = 0; i < decimals; i++, part /= 10)
			*--to = (char)('0' + part % 10);
		*--to = '.';
	}
	do
		*--to = (char)('0' + value % 10);
	while (value /= 10);
	raw(text, to, (size_t)(field + sizeof(field) - to));
}

static void count(struct csv_row *text, uint64_t value)
{
	decimal(text, value, 0);
}

/* An unknown number gives an empty field. */
static void decimal_if(struct csv_row *text, bool is_known, int64_t value, unsigned int decimals)
{
	if (is_known)
		decimal(text, (uint64_t)value, decimals);
	else
		empty(text, 1);
}

/* Negative values, such as ROW_UNKNOWN, are unknown. */
static void count_if_known(struct csv_row *text, int64_t value)
{
	decimal_if(text, value >= 0, value, 0);
}

/* With 6 decimals, truncated. A time may have 64 bits: only ROW_UNKNOWN is unknown. */
static void seconds(struct csv_row *text, int64_t ns)
{
	decimal_if(text, ns != ROW_UNKNOWN, (int64_t)((uint64_t)ns / 1000), 6);
}

/* With 3 decimals, truncated. Negative: unknown. */
static void milliseconds(struct csv_row *text, int64_t ns)
{
	decimal_if(text, ns >= 0, ns / 1000, 3);
}

/* With @decimals, rounded. Negative: empty. No row of a single frame has such a number. */
static void number(struct csv_row *text, double value, unsigned int decimals)
{
	char field[NUMBER_MAX];

	if (!(value >= 0) || value > 1e15)
		empty(text, 1);
	else
		raw(text, field,
		    (size_t)snprintf(field, sizeof(field), "%.*f", (int)decimals, value));
}

/* Rounded to @decimals, then printed with "%.6g", as the 2019 program did. */
static void short_number(struct csv_row *text, double value, unsigned int decimals)
{
	char field[NUMBER_MAX];

	if (!(value >= 0) || value > 1e15) {
		empty(text, 1);
		return;
	}
	snprintf(field, sizeof(field), "%.*f", (int)decimals, value);
	raw(text, field, (size_t)snprintf(field, sizeof(field), "%.6g", strtod(field, NULL)));
}

/* A spreadsheet runs a cell that begins with such a character as a formula. */
static bool begins_formula(char first)
{
	return first == '=' || first == '+' || first == '-' || first == '@' || first == '\t';
}

/* True: 16 bytes are written as they are, and need no quotes. They are compared at once: a byte
 * that is not ASCII is negative. */
static bool are_plain(const char *text)
{
	int8_t __attribute__((vector_size(16))) bytes;
	uint64_t others[2];

	memcpy(&bytes, text, sizeof(bytes));
	bytes = (bytes < 0x20) | (bytes == 0x7f) | (bytes == ',') | (bytes == '"');
	memcpy(others, &bytes, sizeof(others));
	return (others[0] | others[1]) == 0;
}

/* The number of bytes before the first that is not plain, @len at most. Most names are plain. */
static size_t plain_length(const char *text, size_t len)
{
	size_t n = 0;

	while (len - n >= 16 && are_plain(text + n))
		n += 16;
	if (len >= 16 && len - n < 16 && are_plain(text + len - 16))
		return len;
	while (n < len && text[n] >= 0x20 && text[n] < 0x7f && text[n] != ',' && text[n] != '"')
		n++;
	return n;
}

/* A name from the trace, or a list of such names: escaped, and in quotes if RFC 4180 requires them.
 * @keeps_lines: its line ends are from jankd, and are kept, in quotes. */
static void name_in(struct csv_row *text, const char *name, bool keeps_lines)
{
	size_t size = strlen(name), len = 0;
	const char *end = name + size;
	char *to = text->bytes + text->len + 1; /* after the first quote */
	bool quote = false;

	if (size <= CSV_FIELD_MAX && plain_length(name, size) == size && !begins_formula(name[0])) {
		raw(text, name, size);
		return;
	}
	/* Each byte may be written as \xNN. The other 8 bytes are for two quotes, the ' before a
	 * formula, and the rest of the last character of a cut text. */
	if (!fits(text, 8 + (size < CSV_FIELD_MAX / 4 ? 4 * size : CSV_FIELD_MAX)))
		return;
	if (begins_formula(name[0]))
		to[len++] = '\'';
	while (name < end && len < CSV_FIELD_MAX) {
		size_t left = (size_t)(end - name), space = CSV_FIELD_MAX - len;
		size_t plain = plain_length(name, left < space ? left : space);
		struct text_unit unit;

		memcpy(to + len, name, plain);
		len += plain;
		name += plain;
		if (name == end || len == CSV_FIELD_MAX)
			break;
		unit = text_next(name);
		if (*name == '\n' && keeps_lines)
			unit = (struct text_unit){ .bytes = "\n", .len = 1, .used = 1 };
		quote |= *name == ',' || *name == '"' || unit.bytes[0] == '\n';
		if (*name == '"')
			to[len++] = '"';
		memcpy(to + len, unit.bytes, unit.len);
		len += unit.len;
		name += unit.used;
	}
	if (quote) {
		to[-1] = '"';
		to[len++] = '"';
		text->len++;
	} else {
		memmove(to - 1, to, len);
	}
	text->len += len;
	text->bytes[text->len++] = ',';
}

static void name(struct csv_row *text, const char *name)
{
	name_in(text, name, false);
}

/* --- rows --- */

/* A value that depends on frames is unknown without frames. */
static int64_t if_frames(const struct frame_stats *stats, int64_t value)
{
	return stats->frames > 0 ? value : ROW_UNKNOWN;
}

/* Empty if all vsyncs are unknown. */
static void count_by_vsyncs(struct csv_row *text, const struct frame_stats *stats, int64_t value)
{
	count_if_known(text, frame_stats_by_vsyncs(stats, value));
}

static void buckets(struct csv_row *text, const struct frame_stats *stats)
{
	count(text, stats->waits);
	count(text, stats->a);
	count(text, stats->b);
	count(text, stats->c);
	count_by_vsyncs(text, stats, stats->d);
}

/* A row of gfx2019 has columns 3 to 7 as the 2019 program printed them, and none after Surface. */
static void fps_fields(struct csv_row *text, const void *value)
{
	const struct fps_row *row = value;
	const struct frame_stats *stats = &row->stats;
	bool any = stats->frames > 0;

	seconds(text, (int64_t)row->start_ns);
	seconds(text, (int64_t)row->end_ns);
	if (row->legacy) {
		short_number(text, row->fps, 1);
		count(text, stats->frames);
		short_number(text, (double)stats->time_ns / 1e9, 3);
		short_number(text, any ? (double)stats->max_ns / 1e6 : -1, 6);
		short_number(text, (double)stats->wait_ns / 1e9, 3);
		buckets(text, stats);
		short_number(text, any ? stats->score : -1, 2);
	} else {
		number(text, any ? row->fps : -1, 2);
		count(text, stats->frames);
		seconds(text, (int64_t)stats->time_ns);
		milliseconds(text, if_frames(stats, (int64_t)stats->max_ns));
		seconds(text, (int64_t)stats->wait_ns);
		buckets(text, stats);
		number(text, any ? stats->score : -1, 2);
	}
	count(text, stats->tx);
	name(text, row->app);
	name(text, row->surface);
	if (row->legacy) {
		empty(text, 18);
		return;
	}
	number(text, row->refresh_mhz < 0 ? -1 : (double)row->refresh_mhz / 1000, 2);
	milliseconds(text, if_frames(stats, row->p50_ns));
	milliseconds(text, if_frames(stats, row->p90_ns));
	milliseconds(text, if_frames(stats, row->p99_ns));
	count_by_vsyncs(text, stats, stats->missed);
	count(text, stats->jank);
	count(text, stats->big_jank);
	number(text, frame_stats_stutter(stats), 3);
	milliseconds(text, frame_stats_gpu_mean(stats));
	milliseconds(text, frame_stats_gpu_max(stats));
	count_if_known(text, stats->lost);
	count_if_known(text, stats->stalls);
	seconds(text, stats->stalls < 0 ? ROW_UNKNOWN : (int64_t)stats->stall_ns);
	count_if_known(text, row->cadence);
	count_if_known(text, row->off_cadence);
	count_by_vsyncs(text, stats, (int64_t)stats->late);
	seconds(text, frame_stats_by_vsyncs(stats, (int64_t)stats->late_ns));
	count(text, stats->unknown);
}

static void drop_fields(struct csv_row *text, const void *value)
{
	const struct drop_row *row = value;

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
	name_in(text, row->info, row->legacy);
	if (row->legacy) {
		empty(text, 4);
	} else {
		count_if_known(text, row->missed);
		name(text, cause_names[row->cause]);
		name(text, row->layer);
		count_if_known(text, row->frame_number);
	}
}

static void frame_fields(struct csv_row *text, const void *value)
{
	const struct frame_row *row = value;

	seconds(text, (int64_t)row->present_ns);
	seconds(text, row->vsync_ns);
	decimal_if(text, row->interval_ns >= 0, row->interval_ns, 6); /* ms */
	count_if_known(text, row->vsyncs);
	name(text, row->app);
	name(text, row->surface);
	name(text, row->layer);
	count_if_known(text, row->frame_number);
	seconds(text, row->queued_ns);
	seconds(text, row->latched_ns);
	seconds(text, row->gpu_done_ns);
	name(text, cause_names[row->cause]);
	count_if_known(text, row->lost);
	count_if_known(text, row->vsync_id);
}

static void latency_fields(struct csv_row *text, const void *value)
{
	const struct frame_row *row = value;

	seconds(text, row->latched_ns);
	seconds(text, (int64_t)row->present_ns);
	seconds(text, row->queued_ns);
	decimal_if(text, row->interval_ns >= 0, row->interval_ns, 6); /* ms */
	count_if_known(text, row->vsyncs);
	name(text, row->app);
	name(text, row->surface);
	name(text, row->layer);
}

static void doframe_fields(struct csv_row *text, const void *value)
{
	const struct doframe_row *row = value;

	seconds(text, (int64_t)row->start_ns);
	seconds(text, (int64_t)row->end_ns);
	name(text, row->app);
	count_if_known(text, row->pid);
	count_if_known(text, row->tid);
	count(text, row->frames);
	seconds(text, (int64_t)row->time_ns);
	number(text, row->fps, 2);
	milliseconds(text, row->avg_ns);
	milliseconds(text, row->p99_ns);
	milliseconds(text, row->max_ns);
	milliseconds(text, row->draw_avg_ns);
	milliseconds(text, row->draw_max_ns);
	count_if_known(text, row->skipped);
	for (unsigned int i = 0; i < 5; i++)
		count_if_known(text, row->matrix[i]);
	count_if_known(text, row->lost);
}

/* @word: NULL for a number without a name, which is written as it is. */
static void word_or_number(struct csv_row *text, const char *word, int64_t value)
{
	if (word)
		raw(text, word, strlen(word));
	else
		count_if_known(text, value);
}

static void timeline_fields(struct csv_row *text, const void *value)
{
	const struct timeline_row *row = value;
	char janks[TIMELINE_JANK_SIZE];

	word_or_number(text, row->is_surface ? "surface" : "display", 0);
	seconds(text, row->start_ns);
	seconds(text, row->end_ns);
	seconds(text, row->expected_start_ns);
	seconds(text, row->expected_end_ns);
	count_if_known(text, row->event.token);
	count_if_known(text, row->event.display_token);
	count_if_known(text, row->event.pid);
	name(text, row->app);
	name(text, row->surface);
	name(text, row->layer);
	word_or_number(text, timeline_name(TIMELINE_PRESENT, row->event.present_type),
		       row->event.present_type);
	count_if_known(text, row->event.on_time_finish);
	count_if_known(text, row->event.gpu_composition);
	word_or_number(text, timeline_name(TIMELINE_PREDICTION, row->event.prediction),
		       row->event.prediction);
	timeline_jank_name(row->event.jank_type, janks);
	raw(text, janks, strlen(janks));
	word_or_number(text, timeline_name(TIMELINE_SEVERITY, row->event.severity),
		       row->event.severity);
	count_if_known(text, row->event.is_buffer);
}

static void summary_fields(struct csv_row *text, const void *value)
{
	const struct summary_row *row = value;
	const struct frame_stats *stats = &row->stats;

	name(text, row->app);
	name(text, row->surface);
	seconds(text, (int64_t)row->first_ns);
	seconds(text, (int64_t)row->last_ns);
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
	seconds(text, (int64_t)stats->wait_ns);
	buckets(text, stats);
	number(text, stats->frames > 0 ? stats->score : -1, 2);
	count_by_vsyncs(text, stats, stats->missed);
	count(text, stats->small_jank);
	count(text, stats->jank);
	count(text, stats->big_jank);
	number(text, frame_stats_stutter(stats), 3);
	for (unsigned int i = 0; i < 5; i++)
		count_by_vsyncs(text, stats, stats->matrix[i]);
	count_by_vsyncs(text, stats, stats->slow);
	count_if_known(text, stats->frozen);
	milliseconds(text, row->gpu_p50_ns);
	milliseconds(text, row->gpu_p99_ns);
	count_if_known(text, row->gpu_bound);
	count_if_known(text, stats->lost);
	count_if_known(text, stats->stalls);
	seconds(text, stats->stalls < 0 ? ROW_UNKNOWN : (int64_t)stats->stall_ns);
	count_if_known(text, row->cadence);
	count_if_known(text, row->off_cadence);
	number(text, frame_stats_in_10_minutes(stats, stats->jank), 2);
	number(text, frame_stats_in_10_minutes(stats, stats->big_jank), 2);
	name(text, row->jank_types);
	name(text, row->verdict);
	number(text, stats->frames > 0 ? row->low1_time_fps : -1, 2);
	number(text, stats->frames > 0 ? row->low01_time_fps : -1, 2);
	count_by_vsyncs(text, stats, (int64_t)stats->late);
	seconds(text, frame_stats_by_vsyncs(stats, (int64_t)stats->late_ns));
	number(text, frame_stats_lost_rate(stats), 3);
	milliseconds(text, frame_stats_longest(stats));
	name(text, grade_names[row->grade]);
	count(text, stats->unknown);
}

static void event_fields(struct csv_row *text, const void *value)
{
	const struct queued_event *event = value;
	char wall[WALL_CLOCK_TEXT];

	wall_clock_format(wall, event->wall_ns);
	seconds(text, event->time_ns);
	raw(text, wall, strlen(wall));
	raw(text, event->kind, strlen(event->kind));
	name(text, event->text);
}

/* --- what files/ has to know of the rows --- */

#define TIMES(type, begin, end) offsetof(struct type, begin), offsetof(struct type, end)

const struct csv_kind csv_kinds[CSV_SESSION] = {
	[ROW_FRAMES] = { frame_fields, TIMES(frame_row, present_ns, present_ns) },
	[ROW_TIMELINE] = { timeline_fields, TIMES(timeline_row, start_ns, end_ns) },
	[ROW_DROPS] = { drop_fields, TIMES(drop_row, start_ns, end_ns) },
	[ROW_DOFRAMES] = { doframe_fields, TIMES(doframe_row, start_ns, end_ns) },
	[ROW_LATENCY] = { latency_fields, TIMES(frame_row, present_ns, present_ns) },
	[ROW_FPS] = { fps_fields, TIMES(fps_row, start_ns, end_ns) },
	[ROW_EVENTS] = { .fields = event_fields },
	[CSV_SUMMARY] = { .fields = summary_fields },
};

struct span csv_format(struct csv_row *text, enum csv_file_kind which, const void *value)
{
	text->len = 0;
	text->is_too_long = false;
	csv_kinds[which].fields(text, value);
	/* The last comma becomes the line end. */
	if (text->is_too_long)
		text->len = 0;
	else
		text->bytes[text->len - 1] = '\n';
	return (struct span){ text->bytes, text->len };
}

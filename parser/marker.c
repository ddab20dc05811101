/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/marker.h"

static const struct span clock_sync = SPAN_INIT("trace_event_clock_sync:");

/* Reads the whole @text as a signed number: libcutils prints counters as PRId64. */
static bool parse_value(struct span text, int64_t *value)
{
	return span_take_signed(&text, value) && text.len == 0;
}

/* Removes the last field of @text, behind @bar. Returns false if there is no @bar. */
static bool pop_last_field(struct span *text, char bar, struct span *field)
{
	const char *at = memrchr(text->ptr, bar, text->len);

	if (!at)
		return false;
	*field = span_skip(*text, (size_t)(at + 1 - text->ptr));
	text->len = (size_t)(at - text->ptr);
	return true;
}

/* Removes and returns the first '|' field of @text; the whole text if there is no '|'. */
static struct span pop_first_field(struct span *text)
{
	const char *bar = memchr(text->ptr, '|', text->len);
	struct span field = { text->ptr, bar ? (size_t)(bar - text->ptr) : text->len };

	*text = span_skip(*text, field.len + (bar != NULL));
	return field;
}

/* Removes "|value" from the end. HarmonyOS appends a tag such as "|M62", which is skipped.
 * OpenHarmony marks its names with "H:": there any fields may follow the value
 * ("|I62|category|key=value"), and versions 3 and 4 write a blank before the value. */
static inline bool pop_value(struct span *text, int64_t *value)
{
	bool is_hitrace;
	struct span rest = *text, field;
	size_t at = text->len;
	int64_t sum = 0;

	/* The usual ones have up to 17 digits, and are not negative. */
	for (int64_t unit = 1; at > 0 && unit < INT64_C(1000000000000000000); unit *= 10) {
		char c = text->ptr[--at];

		if (c == '|' && unit > 1) {
			text->len = at;
			*value = sum;
			return true;
		}
		if (!is_digit(c))
			break;
		sum += unit * (c - '0');
	}
	is_hitrace = span_starts_with(*text, SPAN_LITERAL("H:"));
	for (int n = 0; (n < 2 || is_hitrace) && pop_last_field(&rest, '|', &field); n++) {
		if (parse_value(field, value)) {
			*text = rest;
			return true;
		}
	}
	if (!is_hitrace || !pop_last_field(&rest, ' ', &field))
		return false;
	*text = rest;
	return parse_value(field, value);
}

/* The kind of each letter, and 1. */
static const uint8_t kinds[UINT8_MAX + 1] = {
	['B'] = 1 + TRACE_SLICE_BEGIN, ['E'] = 1 + TRACE_SLICE_END, ['C'] = 1 + TRACE_COUNTER,
	['S'] = 1 + TRACE_ASYNC_BEGIN, ['F'] = 1 + TRACE_ASYNC_END, ['I'] = 1 + TRACE_INSTANT,
	['G'] = 1 + TRACE_TRACK_BEGIN, ['H'] = 1 + TRACE_TRACK_END, ['N'] = 1 + TRACE_TRACK_INSTANT,
};

bool marker_parse_fields(char letter, int32_t pid, struct span text, struct trace_record *record)
{
	const unsigned int without_value = 1U << TRACE_SLICE_BEGIN | 1U << TRACE_SLICE_END |
					   1U << TRACE_INSTANT | 1U << TRACE_TRACK_INSTANT;
	enum trace_kind kind = (enum trace_kind)(kinds[(uint8_t)letter] - 1);
	struct span track = SPAN_NULL;
	int64_t value = 0;

	if (kinds[(uint8_t)letter] == 0)
		return false;
	if (kind == TRACE_TRACK_BEGIN || kind == TRACE_TRACK_INSTANT)
		track = pop_first_field(&text);
	if (!(without_value >> kind & 1) && !pop_value(&text, &value))
		return false;
	/* H|pid|track|cookie, or H|pid|track|name|cookie as 13.0 wrote it */
	if (kind == TRACE_TRACK_END)
		track = pop_first_field(&text);
	marker_set(record, kind, pid, value, text, track);
	return true;
}

bool marker_parse_rare(struct span payload, struct trace_record *record)
{
	struct span text = span_skip(payload, 2);
	uint64_t pid;

	if (span_equal(payload, SPAN_LITERAL("E")) || span_equal(payload, SPAN_LITERAL("E|"))) {
		marker_set(record, TRACE_SLICE_END, TRACE_ID_UNKNOWN, 0, SPAN_NULL, SPAN_NULL);
		return true;
	}
	if (span_starts_with(payload, clock_sync)) {
		text = span_skip(payload, clock_sync.len);
		text = span_skip(text, text.len > 0 && text.ptr[0] == ' ');
		marker_set(record, TRACE_CLOCK_SYNC, TRACE_ID_UNKNOWN, 0, text, SPAN_NULL);
		return true;
	}
	return payload.len >= 3 && payload.ptr[1] == '|' &&
	       span_take_number(&text, INT32_MAX, &pid) && (text.len == 0 || text.ptr[0] == '|') &&
	       marker_parse_fields(payload.ptr[0], (int32_t)pid, span_skip(text, 1), record);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The payload of a trace marker, which is the same in text and in raw events. */
#ifndef JANKD_PARSER_MARKER_H
#define JANKD_PARSER_MARKER_H

#include <stdbool.h>

#include "parser/record.h"
#include "parser/swar.h"

/* Bytes of a marker that are read at once: "X|" and eight more, of which seven may be digits. */
#define MARKER_READS 10

/* Parts of marker_parse(): the fields after "X|pid|"; and markers that are rare: "E" and "E|", of
 * which the letter is enough, those with a long number of a process, and "trace_event_clock_sync:
 * name". */
bool marker_parse_fields(char letter, int32_t pid, struct span text, struct trace_record *record);
bool marker_parse_rare(struct span payload, struct trace_record *record);

/* Sets all fields at once: an invalid marker sets none. */
static inline void marker_set(struct trace_record *record, enum trace_kind kind, int32_t pid,
			      int64_t value, struct span name, struct span track)
{
	record->kind = kind;
	record->pid = pid;
	record->value = value;
	record->name = name;
	record->track = track;
}

/* marker_parse() of a payload with nothing to ignore at its end. Hot path: most markers are
 * "B|pid|name" and "E|pid". Up to seven digits are enough for any pid, but a process may write
 * more. @is_readable: MARKER_READS bytes may be read. */
static inline __attribute__((always_inline)) bool marker_parse_ended(struct span payload,
								     bool is_readable,
								     struct trace_record *record)
{
	struct span text = span_skip(payload, 2);
	uint64_t word, others;
	unsigned int n;
	int32_t pid;

	if (payload.len < 3 || payload.ptr[1] != '|')
		return marker_parse_rare(payload, record);
	word = is_readable ? word_load(text.ptr) : word_load_some(text.ptr, text.len);
	word ^= WORD_ONES * '0';
	others = word_not_digits(word);
	n = others ? (unsigned int)__builtin_ctzll(others) / 8 : 0;
	if (n == 0 || (n != text.len && (n > text.len || text.ptr[n] != '|')))
		return marker_parse_rare(payload, record);
	pid = (int32_t)word_number(word << (64 - 8 * n));
	text = span_skip(text, n + 1);
	if (payload.ptr[0] == 'B')
		marker_set(record, TRACE_SLICE_BEGIN, pid, 0, text, SPAN_NULL);
	else if (payload.ptr[0] == 'E')
		marker_set(record, TRACE_SLICE_END, pid, 0, text, SPAN_NULL);
	else
		return marker_parse_fields(payload.ptr[0], pid, text, record);
	return true;
}

/**
 * marker_parse() - parse the text that a process wrote into trace_marker
 * @payload: the text; blanks and control bytes at its end are ignored, as other programs add them
 * @is_readable: MARKER_READS bytes may be read, even if it is shorter: that is faster
 * @record: kind, pid, value, name and track are set on success, other members never
 *
 * The value of a counter is its last field, so names may contain '|'. If the last field is no
 * number, it is a tag that HarmonyOS appends, and the value is the field before it. OpenHarmony's
 * own forms are in marker.c. Spans in @record borrow from @payload. Source of the grammar:
 * libcutils trace-dev.inc, Android 4.1 to 16; OpenHarmony's hitrace_meter.cpp.
 *
 * Returns false if the text is no marker (any process may write any text).
 */
static inline bool marker_parse(struct span payload, bool is_readable, struct trace_record *record)
{
	while (payload.len > 0 && (unsigned char)payload.ptr[payload.len - 1] <= ' ')
		payload.len--;
	return marker_parse_ended(payload, is_readable, record);
}

#endif

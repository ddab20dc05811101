/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/latency_dump.h"

/* Removes a number from the begin of @text. False: there is none, or it is too large. Negative
 * numbers are no times: SurfaceFlinger prints -1 for an invalid fence, which is read as 0. */
static bool take_number(struct span *text, int64_t *value)
{
	bool is_negative = text->len > 0 && text->ptr[0] == '-';
	uint64_t number;

	*text = span_skip(*text, is_negative);
	if (!span_take_number(text, INT64_MAX, &number))
		return false;
	*value = is_negative ? 0 : (int64_t)number;
	return true;
}

static bool take_blanks(struct span *text)
{
	size_t n = 0;

	while (n < text->len && (text->ptr[n] == '\t' || text->ptr[n] == ' '))
		n++;
	*text = span_skip(*text, n);
	return n > 0;
}

enum latency_line latency_dump_line(struct span line, struct latency_row *row)
{
	if (line.len > 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	if (line.len == 0)
		return LATENCY_LINE_END;
	if (!take_number(&line, &row->desired_ns))
		return LATENCY_LINE_OTHER;
	if (line.len == 0)
		return row->desired_ns > 0 ? LATENCY_LINE_PERIOD : LATENCY_LINE_OTHER;
	if (!take_blanks(&line) || !take_number(&line, &row->actual_ns) || !take_blanks(&line) ||
	    !take_number(&line, &row->ready_ns) || line.len > 0)
		return LATENCY_LINE_OTHER;
	return LATENCY_LINE_ROW;
}

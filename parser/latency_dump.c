/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/latency_dump.h"

enum latency_line latency_dump_line(struct span line, struct latency_row *row)
{
	int64_t *const times_ns[] = { &row->desired_ns, &row->actual_ns, &row->ready_ns };
	unsigned int n = 0;

	if (line.len > 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	if (line.len == 0)
		return LATENCY_LINE_END;
	for (;;) {
		struct span rest;

		if (!span_take_signed(&line, times_ns[n]))
			return LATENCY_LINE_OTHER;
		/* Negative numbers are no times: SurfaceFlinger prints -1 for an invalid fence. */
		if (*times_ns[n] < 0)
			*times_ns[n] = 0;
		if (++n == 3 || line.len == 0)
			break;
		rest = span_skip_blanks(line);
		if (rest.len == line.len)
			return LATENCY_LINE_OTHER;
		line = rest;
	}
	if (n == 3 && line.len == 0)
		return LATENCY_LINE_ROW;
	return n == 1 && row->desired_ns > 0 ? LATENCY_LINE_PERIOD : LATENCY_LINE_OTHER;
}

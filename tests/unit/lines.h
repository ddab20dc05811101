/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of trace text, one for each millisecond. Each contains its number, so that missing lines
 * are detected. */
#ifndef JANKD_TESTS_LINES_H
#define JANKD_TESTS_LINES_H

#include "daemon/trace/trace_buffer.h"
#include "tests/unit/unit.h"

struct lines {
	uint64_t ms;	  /* number of ->line */
	uint64_t last_ns; /* of the last record that was parsed */
	char line[256];
	size_t len, given;
};

/* Reads up to @most bytes into @buffer, as from a source, and parses them. Returns the time of the
 * last record. */
uint64_t lines_read(struct lines *lines, struct trace_buffer *buffer, size_t most);

/* Returns the number in a line. */
uint64_t lines_ms(const char *line);

/* Checks that @text has whole lines, numbered from @first_ms on. Returns the number after the last
 * one. */
uint64_t lines_check(struct span text, uint64_t first_ms);

#endif

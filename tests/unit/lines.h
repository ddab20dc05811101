/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of trace text, one for each millisecond. Each contains its number, so that missing lines
 * are detected. */
#ifndef JANKD_TESTS_LINES_H
#define JANKD_TESTS_LINES_H

#include "daemon/trace/trace_buffer.h"
#include "tests/unit/unit.h"

struct lines {
	uint64_t ms;	  /* of the line that is being given out */
	uint64_t last_ns; /* of the last record that was taken apart */
	char line[256];
	size_t len, given;
};

/* Reads @most bytes into @ring, as from a source, and takes them apart. Returns the time of the
 * last record. */
uint64_t lines_read(struct lines *lines, struct trace_buffer *buffer, size_t most);

/* The number of a line. */
uint64_t lines_ms(const char *line);

/* @text holds whole lines, those from @first_ms on. Returns the number behind the last. */
uint64_t lines_check(struct span text, uint64_t first_ms);

#endif

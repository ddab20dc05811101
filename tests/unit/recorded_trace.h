/* SPDX-License-Identifier: Apache-2.0 */
/* Reads recorded traces as 'jankd analyze' does, and stores what the parser would get. */
#ifndef JANKD_TESTS_RECORDED_TRACE_H
#define JANKD_TESTS_RECORDED_TRACE_H

#include <stddef.h>
#include <sys/types.h>

#include "tests/unit/scratch.h"

struct recorded_trace {
	struct scratch scratch; /* for the files of the test */
	char *trace;		/* text of a trace with 300 frames */
	/* Results of recorded_trace_read(). */
	char *text; /* valid until the next call */
	size_t len;
	ssize_t result;	     /* of the last read: 0 or -errno */
	char damage[128];    /* "": no data is missing */
	const char *printed; /* on standard error */
};

/* Fixtures of cmocka. *state is a struct recorded_trace. */
int recorded_trace_set_up(void **state);
int recorded_trace_tear_down(void **state);

/* Reads the file at @path in pieces of @piece bytes. */
void recorded_trace_read(struct recorded_trace *recorded, const char *path, size_t piece);

#endif

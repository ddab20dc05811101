/* SPDX-License-Identifier: Apache-2.0 */
/* Reads recorded traces as 'jankd analyze' does, and stores what the parser would get. */
#ifndef JANKD_TESTS_RECORDED_TRACE_H
#define JANKD_TESTS_RECORDED_TRACE_H

#include <stddef.h>
#include <sys/types.h>

#include "tests/unit/scratch.h"

extern struct recorded_trace {
	char *trace; /* text of a trace with 300 frames */
	/* Results of recorded_trace_read(). */
	char *text; /* valid until the next call */
	size_t len;
	ssize_t result;	     /* of the last read: 0 or -errno */
	char damage[128];    /* "": no data is missing */
	const char *printed; /* on standard error */
} recorded;

/* Fixtures of cmocka. The files of the test are in the scratch folder. */
int recorded_trace_set_up(void **state);
int recorded_trace_tear_down(void **state);

/* Reads the file at @path in pieces of @piece bytes. */
void recorded_trace_read(const char *path, size_t piece);

/* Reads a file of the scratch folder: it has the whole trace; it is refused with one message, which
 * has @word. */
void recorded_trace_is_whole(const char *name);
void recorded_trace_is_refused(const char *name, const char *word);

/* Cuts a file of the scratch folder to this part of its size, and reads it: at most the text before
 * the cut. */
void recorded_trace_is_cut(const char *name, int percent);

/* A page of systrace with the trace in it; the caller frees it. */
char *recorded_trace_html(void);

#endif

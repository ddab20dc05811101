/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a session for people: a table of the surfaces, and a line of totals.
 *
 * The surface with most frames stands first: of a capture that goes on the one with most in the
 * last ten seconds. Components are in Android's short form (com.a/.Main). A narrow terminal does
 * without the columns that matter least; 80 columns have the frame rate now (in the last whole
 * second of the trace clock) and over the session, the mean of the slowest 1 %, p99, max, jank, big
 * jank and waits. '-': there is none, as of a surface that draws nothing now.
 */
#ifndef JANKD_DAEMON_CONTROL_TABLE_H
#define JANKD_DAEMON_CONTROL_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "rules/pipeline.h"

/* Columns where the output is no terminal. */
#define TABLE_COLUMNS 100

struct table;

/* Returns NULL where there is no memory. */
struct table *table_new(void);

/* Frees @table, which may be NULL. Returns NULL. */
struct table *table_free(struct table *table);

/* Prints the surfaces with most frames so far, at most @lines of them, in @columns: of a whole
 * session, so without a frame rate now. */
void table_print(struct table *table, FILE *out, struct pipeline *pipeline, unsigned int lines,
		 unsigned int columns);

/* The same of a capture that goes on, with its frame rate now, in at most @lines, under the line
 * @title and what was said last, if anything. */
void table_print_page(struct table *table, FILE *out, struct pipeline *pipeline, const char *title,
		      unsigned int lines, unsigned int columns);

/* Size of the terminal at @fd; false where it is none. */
bool table_terminal(int fd, unsigned int *lines, unsigned int *columns);

#endif

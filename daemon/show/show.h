/* SPDX-License-Identifier: Apache-2.0 */
/* show/: struct status and grades as text, table and JSON. Other rooms of the daemon include only
 * this header of the room; jank-report has the grades from it, too, so both say the same.
 *
 *     status_json.c   session.json, 'jankd status --json', 'jankd analyze --json'
 *     status_text.c   'jankd status'
 *     table.c         the surfaces: 'jankd top', the live view, the end of 'run'
 *     verdict_text.c  grades and sentences below that table, and of jank-report
 *     apps.c          the surfaces of an app, added up
 *     grade_text.c    a grade as sentences; json.c as JSON
 */
#ifndef JANKD_DAEMON_SHOW_SHOW_H
#define JANKD_DAEMON_SHOW_SHOW_H

#include <stdbool.h>
#include <stdio.h>

#include "daemon/base/status.h"
#include "daemon/show/apps.h"

/* Returns the JSON object of session.json as text, without a final line end. The caller frees it
 * with free(). Returns NULL if out of memory. @running: also with the members of a running capture
 * (pid, uptime_s, folder, last_words). For a recorded trace the text depends only on the input: the
 * same input gives the same bytes. */
char *status_json(const struct status *status, bool running);

/* The same for a folder in which no capture runs: {"running":false, ...}, from what is known of its
 * last capture. Returns NULL if nothing is known. */
char *status_json_of_last(const char *folder);

/* Prints what the capture does, has read and lost, and costs. Then prints the surfaces with most
 * frames: @status must contain some (STATUS_OF_NOW or STATUS_OF_SESSION). */
void status_text_print(FILE *out, const struct status *status, unsigned int columns);

/* Returns the verdict on each app of @status as JSON text, for scripts. The caller frees it with
 * free(). Returns NULL if out of memory. */
char *verdict_json(const struct status *status);

/* Columns if the output is not a terminal. */
#define TABLE_COLUMNS 100

/* Prints at most @lines surfaces of @status, in @columns, the worst first, and the totals. A narrow
 * terminal shows only the most important columns, see table.c. '-' is an unknown number. @colour:
 * with escape sequences, for a terminal. */
void table_print(FILE *out, const struct status *status, unsigned int lines, unsigned int columns,
		 bool colour);

/* Prints the table as a page of at most @lines for a live view, below @title and the last reported
 * line. */
void table_print_page(FILE *out, const struct status *status, const char *title, unsigned int lines,
		      unsigned int columns, bool colour);

/* Prints the end of a session: all surfaces of @status, the verdict, and the folder. */
void table_print_result(FILE *out, const struct status *status, unsigned int columns, bool colour);

/* Prints the grades of the apps of @status, most drawing first, in @columns: what was lost and why,
 * and what is unknown. */
void verdict_print(FILE *out, const struct status *status, unsigned int columns);

#endif

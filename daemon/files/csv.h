/* SPDX-License-Identifier: Apache-2.0 */
/* A row as a line of CSV text. Uses only memory: no file and no clock, and all rows are formatted.
 * A name from the trace may have any bytes: it is escaped (text.h), and quoted as in RFC 4180. Text
 * that a spreadsheet would run as a formula gets a ' in front. */
#ifndef JANKD_DAEMON_FILES_CSV_H
#define JANKD_DAEMON_FILES_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/row.h"

/* Names are cut behind this number of bytes. */
#define CSV_FIELD_MAX 24576

/* The longest row: five names of 1 KiB and 2 KiB of counters, each byte written as \xNN. */
#define CSV_ROW_MAX 32768

/* The text of one row with its line end. */
struct csv_row {
	size_t len;
	bool is_too_long;
	char bytes[CSV_ROW_MAX];
};

/* Each replaces the text. @text->len is 0 if the row is longer than CSV_ROW_MAX. */
void csv_fps_row(struct csv_row *text, const struct fps_row *row);
void csv_drop_row(struct csv_row *text, const struct drop_row *row);
void csv_frame_row(struct csv_row *text, const struct frame_row *row);
void csv_summary_row(struct csv_row *text, const struct summary_row *row);

/* @time_ns: ROW_UNKNOWN: empty. @wall: "": empty. */
void csv_event_row(struct csv_row *text, int64_t time_ns, const char *wall, const char *kind,
		   const char *event);

/* The first line of a file. @columns: from csv_columns.h. */
void csv_header_row(struct csv_row *text, const char *columns);

#endif

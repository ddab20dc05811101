/* SPDX-License-Identifier: Apache-2.0 */
/* Formats a row as a line of CSV text, in memory only: no file, no clock. output.h selects the
 * rows. A name from the trace may have any bytes: it is escaped (text.h), and quoted as in RFC
 * 4180. Text that a spreadsheet would run as a formula gets a ' in front. */
#ifndef JANKD_DAEMON_FILES_CSV_H
#define JANKD_DAEMON_FILES_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/base/row.h"
#include "rules/count/summary_row.h"

/* Names are cut after this number of bytes. */
#define CSV_FIELD_MAX 24576

/* The longest row: five names of 1 KiB and 2 KiB of counters, each byte written as \xNN. */
#define CSV_ROW_MAX 32768

/* The text of one row with its line end. */
struct csv_row {
	size_t len;
	bool is_too_long;
	char bytes[CSV_ROW_MAX];
};

/* Each overwrites @text. @text->len is 0 if the row is longer than CSV_ROW_MAX. */
void csv_fps_row(struct csv_row *text, const struct fps_row *row);
void csv_drop_row(struct csv_row *text, const struct drop_row *row);
void csv_frame_row(struct csv_row *text, const struct frame_row *row);
void csv_doframe_row(struct csv_row *text, const struct doframe_row *row);
void csv_timeline_row(struct csv_row *text, const struct timeline_row *row);
void csv_latency_row(struct csv_row *text, const struct latency_csv_row *row);
void csv_summary_row(struct csv_row *text, const struct summary_row *row);

/* ROW_UNKNOWN as @time_ns gives an empty column, and so does "" as @wall. */
void csv_event_row(struct csv_row *text, int64_t time_ns, const char *wall, const char *kind,
		   const char *event);

/* The first line of a file. @columns: from csv_columns.h. */
void csv_header_row(struct csv_row *text, const char *columns);

#endif

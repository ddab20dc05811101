/* SPDX-License-Identifier: Apache-2.0 */
/* Formats a row as a line of CSV text, in memory only: no file, no clock. output.h selects the
 * rows. A name from the trace may have any bytes: it is escaped (text.h), and quoted as in RFC
 * 4180. Text that a spreadsheet would run as a formula gets a ' in front. */
#ifndef JANKD_DAEMON_FILES_CSV_H
#define JANKD_DAEMON_FILES_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/csv_files.h"
#include "parser/span.h"
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

/* A row of a file as a value: a structure of rules/base/row.h; of events.csv, struct queued_event.
 */
struct csv_kind {
	void (*fields)(struct csv_row *text, const void *value); /* writes it */
	size_t begin_ns, end_ns; /* offsets of its times, of 64 bits; they may be ROW_UNKNOWN */
};

extern const struct csv_kind csv_kinds[CSV_SESSION];

/* Overwrites @text. Returns the row, in @text; it is empty if it is longer than CSV_ROW_MAX. */
struct span csv_format(struct csv_row *text, enum csv_file_kind which, const void *value);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a CSV file (RFC 4180), plain or gzip, in bounded memory.
 *
 * What is no row of the file's columns is counted and left out: a line with another number of
 * fields, a last line without its line end (the writer was cut off), a row longer than
 * CSV_READER_ROW_MAX, a second header (segments that were joined).
 */
#ifndef JANKD_TOOLS_REPORT_CSV_READER_H
#define JANKD_TOOLS_REPORT_CSV_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

#define CSV_READER_COLUMNS_MAX 96
#define CSV_READER_ROW_MAX (1 << 20) /* bytes */

struct csv_reader {
	void *file; /* of zlib */
	char *buffer;
	size_t begin, end;
	bool at_end;		/* of the file */
	bool is_torn;		/* the last row is cut off, or the gzip data is */
	bool is_damaged;	/* the gzip data is not valid */
	int error;		/* 0, or -errno of a failed read */
	unsigned int n_columns; /* of the header */
	char *header;		/* with NULs between its columns */
	struct span columns[CSV_READER_COLUMNS_MAX]; /* of the header */
	struct span fields[CSV_READER_COLUMNS_MAX];  /* of the row; valid until the next call */
	unsigned int n_fields;
	uint64_t rows, malformed, too_long, headers; /* headers: repeated ones */
};

/* Opens a file and reads its header. Returns 0; CSV_READER_EMPTY or CSV_READER_OTHER if it has no
 * header; or -errno. csv_reader_close() must be called in any case. */
enum { CSV_READER_EMPTY = 1, CSV_READER_OTHER = 2 };
int csv_reader_open(struct csv_reader *reader, const char *path);
void csv_reader_close(struct csv_reader *reader);

/* For a file without a header, as it was opened: these are its columns, and its first row is a row.
 * @header has no quotes. Returns 0 or -ENOMEM. */
int csv_reader_set_header(struct csv_reader *reader, const char *header);

/* The number of the column @name, or -1. */
int csv_reader_column(const struct csv_reader *reader, const char *name);

/* Reads the next row into reader->fields. Returns false at the end. */
bool csv_reader_next(struct csv_reader *reader);

/* @field as a number times 10^@decimals, truncated: "1.5" with 6 is 1500000. Returns false if it is
 * empty, no number, negative, or more than 4.6 * 10^15. */
bool csv_number(struct span field, unsigned int decimals, int64_t *number);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One CSV file: whole rows in, whole rows on the disk. */
#ifndef JANKD_DAEMON_CSV_FILE_H
#define JANKD_DAEMON_CSV_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A name is written up to this many bytes. */
#define CSV_FIELD_MAX 24576
#define CSV_BUFFER_SIZE 131072

struct csv_file {
	const char *name; /* NULL: not open, what is written goes nowhere */
	int fd;
	bool is_stream; /* a terminal or pipe: a row is out as soon as it is whole */
	char *buffer;	/* CSV_BUFFER_SIZE bytes */
	size_t len;
	size_t row_begin;   /* bytes of whole rows */
	bool row_dropped;   /* the row that is being written finds no room */
	off_t size;	    /* bytes on the disk */
	uint64_t rows_lost; /* rows that found no room here, because the disk had none */
	int error;	    /* the first -errno, kept */
};

/* Begins @name with its header line. Returns 0 or -errno. */
int csv_file_create(struct csv_file *file, int folder_fd, const char *name, const char *header);

/* The same for a descriptor that is open: borrowed. */
int csv_file_attach(struct csv_file *file, int fd, const char *name, const char *header);
int csv_file_attach_stream(struct csv_file *file, int fd, const char *name, const char *header);

/* Writes the whole rows that are buffered. After a failure they are kept, and the file ends with
 * the last row that was written: the next call tries again. Returns 0 or -errno. */
int csv_file_flush(struct csv_file *file);

/* Rows that reached no file: after a failed flush those that wait for the next one, too. */
uint64_t csv_file_rows_lost(const struct csv_file *file);

/* Flushes, closes and frees. Returns the first -errno that the file ever had, or 0. */
int csv_file_close(struct csv_file *file);

/* --- the fields of a row, in order; csv_row_end() ends it --- */

void csv_empty(struct csv_file *file);
void csv_count(struct csv_file *file, uint64_t count);
void csv_signed(struct csv_file *file, int64_t value); /* ROW_UNKNOWN: empty */
void csv_raw(struct csv_file *file, const char *text); /* our own, nothing to quote */
void csv_row_end(struct csv_file *file);

/* ns / 10^@unit with @decimals, cut off; 9 is seconds, 6 milliseconds. Negative: empty. */
void csv_time(struct csv_file *file, int64_t ns, unsigned int unit, unsigned int decimals);

/* With @decimals, rounded. Negative: empty. */
void csv_number(struct csv_file *file, double number, unsigned int decimals);

/* Rounded to @decimals, then as short as "%.6g" prints it: the 2019 program's way. */
void csv_short_number(struct csv_file *file, double number, unsigned int decimals);

enum csv_text_flags {
	CSV_TEXT_PLAIN = 0,
	CSV_TEXT_LINES = 1, /* line ends are our own: written as they are, in quotes */
};

/* A name from the trace, or what was made of some: escaped, quoted where needed. */
void csv_text(struct csv_file *file, const char *text, enum csv_text_flags flags);

#endif

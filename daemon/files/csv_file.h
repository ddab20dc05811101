/* SPDX-License-Identifier: Apache-2.0 */
/* One CSV file: whole rows in, whole rows on the disk. */
#ifndef JANKD_DAEMON_FILES_CSV_FILE_H
#define JANKD_DAEMON_FILES_CSV_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/stream.h"

/* A name is written up to this many bytes. */
#define CSV_FIELD_MAX 24576

/* Rows wait here while the disk is full, and go out in few writes. */
#define CSV_BUFFER_SIZE 106496

/* For whom no row waits: the longest one has room. */
#define CSV_BUFFER_LEAST 32768

struct csv_file {
	const char *name;   /* NULL: not open, what is written goes nowhere */
	const char *header; /* its first line without the line end; NULL: it has none */
	int folder_fd;	    /* where it is made: borrowed */
	int fd;		    /* -1: it is made at the next flush */
	bool is_stream;	    /* a terminal or pipe: a row is out as soon as it is whole */
	bool may_wait;	    /* a stream: until it is; else what it does not take waits here */
	struct stream stream;
	bool is_nameless; /* a file that stands in no folder */
	char *buffer;
	size_t buffer_size;
	size_t len;
	size_t row_begin;   /* bytes of whole rows */
	bool row_dropped;   /* the row that is being written finds no room */
	off_t size;	    /* bytes on the disk */
	off_t synced;	    /* that many of them stay there when the power is cut */
	uint64_t limit;	    /* bytes that it may have there; 0: any number */
	uint64_t rows;	    /* taken so far, written or in the buffer */
	uint64_t rows_lost; /* that found no room here: the disk had none, or a stream took none */
	int error;	    /* of the last try to write: -errno */
	/* Asked about each row when it is whole: the buffer's bytes from row_begin to len. It may
	 * flush the file and change its fd. False: the row is not for this file. May be NULL. */
	bool (*admit)(void *context, struct csv_file *file);
	void *context; /* of admit */
};

/* Begins @name with its header line. @buffer_size: CSV_BUFFER_SIZE or _LEAST. Returns 0 or -errno.
 */
int csv_file_create(struct csv_file *file, int folder_fd, size_t buffer_size, const char *name,
		    const char *header);

/* The same for a descriptor that is open: borrowed. @buffer_size: CSV_BUFFER_SIZE or _LEAST.
 * @may_wait: for whoever reads the stream. */
int csv_file_attach(struct csv_file *file, int fd, size_t buffer_size, const char *name,
		    const char *header);
int csv_file_attach_stream(struct csv_file *file, int fd, const char *name, const char *header,
			   bool may_wait);

/* The same for a file that was attached: it has a buffer. What is left in it is forgotten. */
void csv_file_attach_next(struct csv_file *file, int fd);

/**
 * csv_file_flush() - write the whole rows that are buffered
 *
 * A file that is not there is made. After a failure the rows are kept, and the file ends with the
 * last row that was written: the next call tries again. Returns 0 or -errno; 1: the file is at its
 * limit, the rows that are left wait for another.
 */
int csv_file_flush(struct csv_file *file);

/* Has it a row on the disk? */
bool csv_file_is_begun(const struct csv_file *file);

/* Has it a row, on the disk or on the way there? */
bool csv_file_has_rows(const struct csv_file *file);

/* Would the row that is being ended lead beyond the limit, and is it not alone? */
bool csv_file_is_full(const struct csv_file *file);

enum csv_file_state {
	CSV_FILE_THERE,
	CSV_FILE_GONE,	   /* it was removed, or has another name */
	CSV_FILE_REPLACED, /* another one has its name */
	CSV_FILE_CUT,	   /* it is shorter than what was written */
	CSV_FILE_GROWN,	   /* it is longer */
};

/* What has become of it under our hands? */
enum csv_file_state csv_file_look(const struct csv_file *file);

/* Cuts off what is behind the last row that was written. Returns 0 or -errno. */
int csv_file_cut_behind(const struct csv_file *file);

/* Is it no longer where its rows are looked for? */
bool csv_file_is_gone(const struct csv_file *file);

/* Lets go of the file on the disk. The next flush makes it anew in @folder_fd, and writes there
 * what is still in the buffer. */
void csv_file_begin_again(struct csv_file *file, int folder_fd);

/* Rows that reached a file; those that will with the next flush count, if all is well. */
uint64_t csv_file_rows_written(const struct csv_file *file);

/* Rows that reached no file: after a failed flush those that wait for the next one, too. */
uint64_t csv_file_rows_lost(const struct csv_file *file);

/* Flushes, closes and frees; a stream gets half a second to take what is left. Returns 0, or the
 * -errno of the last try to write. */
int csv_file_close(struct csv_file *file);

/* --- the fields of a row, in order; csv_row_end() ends it --- */

void csv_empty(struct csv_file *file);
void csv_count(struct csv_file *file, uint64_t count);
void csv_signed(struct csv_file *file, int64_t value); /* ROW_UNKNOWN: empty */
void csv_raw(struct csv_file *file, const char *text); /* our own, nothing to quote */
void csv_row_end(struct csv_file *file);

/* A whole row that was made before, with its line end. */
void csv_row(struct csv_file *file, const char *row, size_t len);

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

/* SPDX-License-Identifier: Apache-2.0 */
/* One CSV file: whole rows are appended, and only whole rows are on the disk. A row is bytes here
 * (csv.h makes them): which rows a file gets is decided before. */
#ifndef JANKD_DAEMON_FILES_CSV_FILE_H
#define JANKD_DAEMON_FILES_CSV_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/stream.h"

/* Rows are held here while the disk is full, and are written in few calls. */
#define CSV_BUFFER_SIZE 106496

/* Where no rows have to be held: enough for the longest row (csv.h). */
#define CSV_BUFFER_LEAST 32768

struct csv_file {
	const char *name;   /* NULL: not open, rows are discarded */
	const char *header; /* its first line without the line end; NULL: it has none */
	int folder_fd;	    /* where it is created: borrowed */
	int fd;		    /* -1: it is created at the next flush */
	bool is_stream;	    /* a terminal or pipe: each row is written at once */
	bool may_wait;	    /* a stream: until it is written; else rows that do not fit are kept */
	struct stream stream;
	char *buffer;
	size_t buffer_size;
	size_t len;	    /* of the rows in the buffer */
	off_t size;	    /* bytes on the disk */
	off_t synced;	    /* that many of them survive a power cut */
	uint64_t limit;	    /* bytes that it may have on the disk; 0: any number */
	uint64_t rows;	    /* appended so far, written or in the buffer */
	uint64_t rows_lost; /* no space in the buffer: the disk is full, or a stream is not read */
	int error;	    /* of the last try to write: -errno */
};

/* Creates @name with its header line. @buffer_size: CSV_BUFFER_SIZE or _LEAST. Returns 0 or -errno.
 */
int csv_file_create(struct csv_file *file, int folder_fd, size_t buffer_size, const char *name,
		    const char *header);

/* The same for an open descriptor: borrowed. @may_wait: for the reader of the stream. */
int csv_file_attach_stream(struct csv_file *file, int fd, const char *name, const char *header,
			   bool may_wait);

/* Makes space for a row of @len bytes: flushes where the buffer is full. False: there is none, and
 * the row is counted as lost. */
bool csv_file_reserve(struct csv_file *file, size_t len);

/* Appends a whole row with its line end, behind csv_file_reserve(). A stream is flushed. */
void csv_file_append(struct csv_file *file, const char *row, size_t len);

/**
 * csv_file_flush() - write the rows in the buffer
 *
 * A file that does not exist yet is created. After a failure the rows are kept, and the file ends
 * with the last whole row: the next call tries again. Returns 0 or -errno; 1: the file is at its
 * limit, the rows in the buffer belong into the next one.
 */
int csv_file_flush(struct csv_file *file);

/* Does it have a row on the disk? */
bool csv_file_is_begun(const struct csv_file *file);

/* Does it have a row, on the disk or in the buffer? */
bool csv_file_has_rows(const struct csv_file *file);

/* Would a further row of @len bytes exceed the limit? A file without rows takes one of any size. */
bool csv_file_is_full(const struct csv_file *file, size_t len);

enum csv_file_state {
	CSV_FILE_UNCHANGED,
	CSV_FILE_REMOVED,  /* removed or renamed */
	CSV_FILE_REPLACED, /* another file has its name */
	CSV_FILE_CUT,	   /* shorter than what was written */
	CSV_FILE_GROWN,	   /* longer than what was written */
};

/* What another program did to it. */
enum csv_file_state csv_file_check(const struct csv_file *file);

/* Removes what follows the last row that was written. Returns 0 or -errno. */
int csv_file_cut_behind(const struct csv_file *file);

/* Was it removed, renamed or replaced? */
bool csv_file_is_gone(const struct csv_file *file);

/* Closes the file on the disk. The next flush creates a new one in @folder_fd, and writes there
 * what is still in the buffer. */
void csv_file_begin_again(struct csv_file *file, int folder_fd);

/* Rows that reached a file; those in the buffer count, unless the last flush failed. */
uint64_t csv_file_rows_written(const struct csv_file *file);

/* Rows that reached no file; after a failed flush those in the buffer count, too. */
uint64_t csv_file_rows_lost(const struct csv_file *file);

/* Flushes, closes and frees; a stream is given half a second for what is left. Returns 0, or the
 * -errno of the last try to write. */
int csv_file_close(struct csv_file *file);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One CSV file. Rows, as bytes from csv.h, are appended whole, and the file on the disk always ends
 * with a whole row. */
#ifndef JANKD_DAEMON_FILES_CSV_FILE_H
#define JANKD_DAEMON_FILES_CSV_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/csv_files.h"
#include "daemon/base/stream.h"

/* Holds rows while the disk is full, and keeps the number of writes low. */
#define CSV_BUFFER_SIZE 106496

/* Enough for the longest row (csv.h), for files that need not hold rows. */
#define CSV_BUFFER_LEAST 32768

struct csv_file {
	const char *name;   /* NULL: not open, rows are discarded */
	const char *header; /* its first line without the line end; NULL: it has no header */
	int folder_fd;	    /* where it is created: borrowed */
	int fd;		    /* -1: the next flush creates the file */
	bool is_lazy;	    /* the file is created with its first row, not before */
	bool is_stream;	    /* a terminal or pipe: each row is written at once */
	bool may_wait;	    /* stream: a write waits for the reader; else rows stay in the buffer */
	struct stream stream;
	char *buffer;
	size_t buffer_size;
	size_t len;	    /* bytes of the rows in the buffer */
	off_t size;	    /* bytes on the disk */
	off_t synced;	    /* bytes that survive a power cut */
	uint64_t limit;	    /* the most bytes on the disk, set after csv_file_open(); 0: no limit */
	uint64_t rows_lost; /* no space in the buffer: the disk is full, or the stream's reader is
			       slow */
	int error;	    /* of the last attempt to write: -errno, or 0 */
};

/* Creates the file @info with its header line, or with ->is_lazy when it has its first row.
 * @buffer_size: CSV_BUFFER_SIZE or _LEAST. @again: a file that exists already is repaired, and rows
 * are appended. Returns 0 or -errno; -EPROTO: it is no regular file with that header. */
int csv_file_open(struct csv_file *file, int folder_fd, size_t buffer_size,
		  const struct csv_file_info *info, bool again);

/* Removes an incomplete row at the end of a file, and everything from the first NUL on: a power cut
 * can leave blocks of NULs, and no row has one. Removes a file that ends within its @header. Does
 * not change a file that begins with something else or is not a regular file. The file is synced
 * when this returns. Returns 0 or -errno; 0 if there is no such file. */
int csv_file_repair(int folder_fd, const char *name, const char *header);

/* Begins to write to an open descriptor, which is borrowed. @may_wait: see struct csv_file. */
int csv_file_attach_stream(struct csv_file *file, int fd, const char *name, const char *header,
			   bool may_wait);

/* Makes space for a row of @len bytes: flushes if the buffer is full. False: there is no space, and
 * the row is counted as lost. */
bool csv_file_reserve(struct csv_file *file, size_t len);

/* To be called after csv_file_reserve(). A stream is flushed. */
void csv_file_append(struct csv_file *file, const char *row, size_t len);

/* Writes the rows in the buffer, and creates the file if it does not exist yet. After a failure the
 * rows are kept, and the file ends with the last whole row: the next call tries again. Returns 0 or
 * -errno; 1: the file is at its limit, and the rows in the buffer belong to the next file. */
int csv_file_flush(struct csv_file *file);

/* Waits until what was flushed survives a power cut. */
int csv_file_sync(struct csv_file *file);

/* True: the file has a row on the disk; or in the buffer. */
bool csv_file_is_begun(const struct csv_file *file);
bool csv_file_has_rows(const struct csv_file *file);

/* True: another row of @len bytes would exceed the limit. A file without rows accepts a row of any
 * size. */
bool csv_file_is_full(const struct csv_file *file, size_t len);

enum csv_file_state {
	CSV_FILE_UNCHANGED,
	CSV_FILE_REMOVED,  /* removed or renamed */
	CSV_FILE_REPLACED, /* another file has its name */
	CSV_FILE_CUT,	   /* shorter than what was written */
	CSV_FILE_GROWN,	   /* longer than what was written */
};

/* What another program did to the file. */
enum csv_file_state csv_file_check(const struct csv_file *file);

/* Removes what is behind the rows, which another program has appended. Returns 0 or -errno. */
int csv_file_cut_appended(const struct csv_file *file);

/* Closes the file on the disk. The next flush creates a new one in @folder_fd and writes the rest
 * of the buffer into it. */
void csv_file_recreate(struct csv_file *file, int folder_fd);

/* Rows that were not written; after a failed flush those in the buffer count, too. */
uint64_t csv_file_rows_lost(const struct csv_file *file);

/* Flushes, closes and frees. A stream has half a second to accept the rest. Returns 0, or the
 * -errno of the last attempt to write. */
int csv_file_close(struct csv_file *file);

#endif

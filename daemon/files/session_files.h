/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a session on the disk. Does one job at a time: appends rows, replaces files,
 * rotates. Also recreates files that other programs remove. The caller waits for the disk: in a
 * live capture that is the thread of file_thread.h. */
#ifndef JANKD_DAEMON_FILES_SESSION_FILES_H
#define JANKD_DAEMON_FILES_SESSION_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/folder.h"
#include "daemon/base/options.h"
#include "daemon/files/csv_file.h"
#include "daemon/files/disk_floor.h"

/* --- jobs --- */

/* Files that are written under a temporary name, and then replace the file with their name. */
enum replaced_file { REPLACED_SUMMARY, REPLACED_SESSION, REPLACED_SNAPSHOT, REPLACED_FILES };

enum file_job_kind {
	FILE_JOB_ROW,	/* @bytes: a whole row of @which, with its line end; @number: 1: a mark */
	FILE_JOB_FLUSH, /* write the buffers; check disk and folder */
	/* The same when all rows except the stop event were sent; also reports the lost rows. */
	FILE_JOB_FINAL_FLUSH,
	FILE_JOB_ROTATE,	/* close the segment, and begin the next */
	FILE_JOB_REPLACE_BEGIN, /* begin to replace @which: @bytes is its name, @number its size */
	FILE_JOB_REPLACE_BYTES, /* append @bytes to the new file */
	FILE_JOB_REPLACE_END,	/* the new file is complete; or @number is an errno: discard it */
	FILE_JOB_ACCEPT, /* the session will not be refused: a rotation may remove segments */
	FILE_JOB_PRUNE,	 /* the same, and remove the segments beyond --keep now */
	FILE_JOB_CLOSE,	 /* flush, sync, close */
	FILE_JOB_REMOVE_JOURNAL, /* all tracing settings were restored */
};

struct file_job {
	enum file_job_kind kind;
	unsigned int which; /* enum csv_file_kind or replaced_file, depending on the kind */
	uint64_t number;
	const char *bytes;
	size_t len;
};

/* --- reports and the result --- */

/* Instead of the kind of an event: the text is for stderr. The receiver adds the prefix. */
#define FILES_ERROR NULL
#define FILES_WARNING "warning"

static inline uint64_t rows_of_all_files(const uint64_t rows[ROW_FILES])
{
	uint64_t sum = 0;

	for (int i = 0; i < ROW_FILES; i++)
		sum += rows[i];
	return sum;
}

/* The result of the jobs so far: a value, copied for other threads. */
struct session_files_state {
	uint64_t lost[ROW_FILES];     /* rows that could not be written */
	uint64_t left_out[ROW_FILES]; /* rows that were not, because of the disk floor */
	unsigned int stopped;	      /* this many files, the first, take no rows at present */
	bool mark_lost;		      /* the last mark was not written to events.csv */
	unsigned long segment;	      /* number of the last closed segment */
	bool segment_has_rows;	      /* it has files other than events.csv */
	int rotate_result; /* of the last FILE_JOB_ROTATE: 0; 1: there was no row; or -errno */
	uint64_t rotations;
	uint64_t removed;     /* number of removed segments */
	uint64_t recreations; /* of the folder, after it was removed */
	struct {
		uint64_t done; /* number of FILE_JOB_REPLACE_END jobs */
		int error;     /* of the last of them */
	} replaced[REPLACED_FILES];
	bool has_rows;	 /* in files or buffers: a rotation would close a segment */
	bool is_failing; /* something cannot be written at present */
	bool failed;	 /* the files are incomplete */
};

struct session_files {
	struct folder *folder;
	const struct options *options;
	bool is_live;
	bool is_provisional; /* the session may still be refused: removes no old segment */
	struct csv_file rows[ROW_FILES];
	struct replacement {
		int fd; /* negative: no file is being written */
		int error;
		char name[40];
	} replaced[REPLACED_FILES];
	struct disk_floor floor;
	struct session_files_state state;

	uint64_t lost_reported, left_out_reported;
	uint64_t next_watch_ns, next_sync_ns; /* times of loop_now() */

	/* The last failure since the last flush. The next flush reports it. */
	const char *failing; /* name of the file; NULL: none */
	int failing_error;
	bool failing_reported;
	bool has_recovered; /* a failure was reported, and is over */
	int lock_error;	    /* of the last check of the lock: -errno */
	int folder_error;   /* of the last check of the folder */

	bool is_ending;	  /* after FILE_JOB_FINAL_FLUSH */
	bool is_reported; /* an error was printed on stderr */

	/* See session_files_open(). */
	void (*report)(void *context, const char *kind, const char *text);
	void *context;
	/* Called with each check of the folder, until FILE_JOB_REMOVE_JOURNAL; NULL: none. */
	void (*check)(void *context);
	void *check_context;
};

/* Creates the files with rows that @options require. @files must not move. @options, @folder:
 * borrowed. @report: called with an event of the given kind, or a message for stderr: FILES_ERROR,
 * FILES_WARNING. Returns 0, or -errno after the reason was reported. Before this call @files may be
 * all zeros: then FILE_JOB_CLOSE and session_files_remove() do nothing. @again: repairs and
 * continues the files that a killed capture left. */
int session_files_open(struct session_files *files, const struct options *options,
		       struct folder *folder, bool again,
		       void (*report)(void *context, const char *kind, const char *text),
		       void *context);

void session_files_do(struct session_files *files, const struct file_job *job);

/* Checks disk and folder. To be called often: does nothing if the last check was less than a second
 * ago. */
void session_files_watch(struct session_files *files);

/* After a failed start: removes the new files. */
void session_files_remove(struct session_files *files);

#endif

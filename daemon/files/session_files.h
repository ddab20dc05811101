/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a session on the disk. Does one job at a time (file_job.h): appends rows, replaces
 * whole files, closes segments, and restores files that other programs remove. The caller waits for
 * the disk: in a live capture that is the thread of file_thread.h. */
#ifndef JANKD_DAEMON_FILES_SESSION_FILES_H
#define JANKD_DAEMON_FILES_SESSION_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/folder.h"
#include "daemon/base/options.h"
#include "daemon/files/csv_file.h"
#include "daemon/files/disk_floor.h"
#include "daemon/files/file_job.h"

/* Instead of an event's kind: the text is for stderr, without its prefix. */
#define FILES_ERROR NULL
#define FILES_WARNING "warning"

/* The result of the jobs so far: a value, copied for other threads. */
struct session_files_state {
	uint64_t lost[ROW_FILES]; /* rows that could not be written */
	unsigned long segment;	  /* number of the last closed segment */
	int rolled;		  /* of the last FILE_JOB_ROLL: 0; 1: there was no row; or -errno */
	uint64_t rotations;
	uint64_t removed;     /* number of segments */
	uint64_t begun_again; /* how often the folder was removed and created again */
	struct {
		uint64_t done; /* number of FILE_JOB_END jobs */
		int error;     /* of the last of them */
	} whole[WHOLE_FILES];
	bool has_rows;	 /* in files or buffers: a segment could be closed */
	int spill_error; /* of the first write that failed */
	bool is_frozen;	 /* the disk is nearly full: spills may not grow */
	bool is_failing; /* something cannot be written at present */
	bool failed;	 /* the files are incomplete */
};

struct session_files {
	struct folder *folder;
	const struct options *options;
	bool is_live;
	bool may_undo; /* the session may still be refused: no old segment is removed */
	struct csv_file rows[ROW_FILES];
	struct {
		int fd; /* -1: no file is being written */
		int error;
		char name[40];
	} whole[WHOLE_FILES];
	int spill_fds[SPILL_KINDS]; /* borrowed */
	struct disk_floor floor;
	struct session_files_state state;

	uint64_t not_written_reported;
	uint64_t lost_reported;
	uint64_t next_watch_ns, next_sync_ns; /* on the clock of loop_now() */

	/* The last failure since the last flush. A flush reports it, between rows. */
	const char *failing;
	int failing_error;
	bool failing_reported;
	bool has_recovered; /* a failure was reported, and has ended */
	int lock_error;	    /* of the last check of the lock: -errno */
	int folder_error;   /* of the last check of the folder */

	bool is_last;	  /* this is the last flush */
	bool is_reported; /* an error was printed on stderr */

	/* Called with an event of the given kind, or a message for stderr: FILES_ERROR,
	 * FILES_WARNING. */
	void (*report)(void *context, const char *kind, const char *text);
	void *context;
	/* Called about once a second; may be NULL. Checks other files in the folder. */
	void (*check)(void *context);
	void *check_context;
};

/* Creates the files with rows that @options require. The caller sets ->report, ->context and
 * ->spill_fds, and all else to zero. @files must not move. Returns 0, or -errno after the reason
 * was reported. */
int session_files_open(struct session_files *files, const struct options *options,
		       struct folder *folder);

void session_files_do(struct session_files *files, const struct file_job *job);

/* Checks disk and folder, about once a second at most, however often it is called. */
void session_files_watch(struct session_files *files);

/* The name of a file, constant; NULL: it is not written in this session. From any thread. */
const char *session_files_name(const struct session_files *files, enum row_file which);

/* After a failed start: removes the new files. */
void session_files_remove(struct session_files *files);

#endif

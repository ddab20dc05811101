/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a session on the disk: takes rows as text, writes them, and keeps going when the
 * disk does not. Whoever calls it waits for the disk. */
#ifndef JANKD_DAEMON_FILES_FILES_H
#define JANKD_DAEMON_FILES_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/files/csv_file.h"
#include "daemon/files/file_job.h"
#include "daemon/base/folder.h"
#include "daemon/base/options.h"

/* In place of an event's kind: the text is for stderr, without its prefix. */
#define FILES_ERROR NULL
#define FILES_WARNING "warning"

/* What has become of the jobs: a value, to be looked at by others. */
struct files_state {
	uint64_t lost[ROW_FILES];     /* rows that the disk did not take */
	uint64_t left_out[ROW_FILES]; /* rows that came while the disk was nearly full */
	unsigned long segment;	      /* number of the last one that was closed */
	int rolled;		      /* the last FILE_JOB_ROLL: 0; 1: no row to close; or -errno */
	uint64_t rotations;
	uint64_t removed;     /* segments */
	uint64_t begun_again; /* so often the folder was gone, and was made anew */
	struct {
		uint64_t done; /* so often it was ended */
		int error;     /* of the last time */
	} whole[WHOLE_FILES];
	bool has_rows;	 /* files or buffers have some: a segment could be closed */
	int spill_error; /* of the first write that failed */
	bool is_frozen;	 /* the disk is nearly full: spills may not grow */
	bool trouble;	 /* something cannot be written for now */
	bool failed;	 /* the files are incomplete */
};

struct files {
	struct folder *folder;
	const struct options *options;
	bool is_live;
	bool may_undo; /* all may have to be as it was: no old segment is removed */
	struct csv_file rows[ROW_FILES];
	const char *names[ROW_FILES]; /* constant; NULL: not asked for */
	struct {
		int fd; /* -1: none is being written */
		int error;
		char name[40];
	} whole[WHOLE_FILES];
	int spill_fds[SPILL_KINDS]; /* borrowed */
	struct files_state state;

	unsigned int stopped; /* so many files of the list have to wait for room on the disk */
	uint64_t left_out_told;
	uint64_t lost_told;
	uint64_t next_watch_ns, next_sync_ns; /* on the clock of loop_now() */

	/* What could not be done, until it can: it is told between rows, not within one. */
	const char *trouble;
	int trouble_error;
	bool trouble_told;
	bool was_over;	  /* it was told, and then it could be done */
	int lock_error;	  /* of the last look at the lock: -errno */
	int folder_error; /* the same of the folder */

	bool is_last;  /* what is written now is written for the last time */
	bool reported; /* something could not be written: that was said */

	/* Takes an event of that kind, or a message for stderr: FILES_ERROR, FILES_WARNING. */
	void (*tell)(void *context, const char *kind, const char *text);
	void *context;
	/* About once a second, may be NULL: whoever has other files in the folder. */
	void (*watch)(void *context);
	void *watch_context;
};

/* Makes those with rows that @options ask for, and the spills. ->tell and ->context are set; all
 * else is zero. @files must not move. Returns 0, or -errno after the reason was told. */
int files_open(struct files *files, const struct options *options, struct folder *folder);

/* Does a job. */
void files_do(struct files *files, const struct file_job *job);

/* A start that failed leaves no files behind. */
void files_remove(struct files *files);

/* Closes what is open. */
void files_close(struct files *files);

/* --- between the files of this module --- */

void files_tell(struct files *files, const char *kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Brings what is written of @file to the disk. What fails is lost there, whatever comes later: it
 * is told. */
void files_sync(struct files *files, struct csv_file *file);

/* Notes that @name could not be written, for the next flush to tell. @name: constant. */
void files_trouble(struct files *files, const char *name, int error);

/* Tells of rows that are lost and were not told of. */
void files_tell_lost(struct files *files);

/* Takes the row that @file is about to end: closes the segment first where it would be too large
 * (files_roll.c). */
void files_make_room(struct files *files, const struct csv_file *file);

/* Closes the segment of all files. Returns 0; 1 where there is no row to close; or -errno: told
 * where all trouble is told. */
int files_roll(struct files *files);

/* Does what --sync asks for. */
void files_sync_if_due(struct files *files);

/* Looks after disk and folder; it works about once a second. */
void files_watch(struct files *files);

/* Removes the segments that --keep does not want, unless all may have to be as it was. */
void files_keep(struct files *files);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of session_files.h, and the names of the files. */
#ifndef JANKD_DAEMON_FILES_FILE_JOB_H
#define JANKD_DAEMON_FILES_FILE_JOB_H

#include <stddef.h>
#include <stdint.h>

/* The files with rows, in the order in which low disk space stops them (disk_floor.h). */
enum row_file { ROW_FRAMES, ROW_DROPS, ROW_FPS, ROW_EVENTS, ROW_FILES };

/* The files that are replaced as a whole. */
enum whole_file { WHOLE_SUMMARY, WHOLE_SESSION, WHOLE_SNAPSHOT, WHOLE_FILES };

/* The files without a name, for the overflow of the rules' tables. */
enum spill_kind { SPILL_OF_SURFACES, SPILL_OF_LAYERS, SPILL_KINDS };

enum file_job_kind {
	FILE_JOB_ROW,	/* @bytes: a whole row of @which, with its line end */
	FILE_JOB_FLUSH, /* write the buffers; check disk and folder */
	FILE_JOB_LAST,	/* the same, and report the lost rows */
	FILE_JOB_ROLL,	/* close the segment */
	FILE_JOB_BEGIN, /* begin to replace @which: @bytes is its name, @number its size */
	FILE_JOB_BYTES, /* @bytes of that file */
	FILE_JOB_END, /* the file is whole; @number not 0: it is discarded because of that errno */
	FILE_JOB_SPILL,		 /* write @bytes at the offset @number of @which */
	FILE_JOB_KEEP,		 /* remove the segments beyond --keep */
	FILE_JOB_CLOSE,		 /* flush, sync, close */
	FILE_JOB_REMOVE_JOURNAL, /* all settings were restored */
};

struct file_job {
	enum file_job_kind kind;
	unsigned int which; /* enum row_file, whole_file or spill_kind */
	uint64_t number;
	const char *bytes;
	size_t len;
};

#endif

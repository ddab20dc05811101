/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of session_files.h. */
#ifndef JANKD_DAEMON_FILES_FILE_JOB_H
#define JANKD_DAEMON_FILES_FILE_JOB_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/csv_files.h"

/* Files that are written under a temporary name, and then replace the file with their name. */
enum replaced_file { REPLACED_SUMMARY, REPLACED_SESSION, REPLACED_SNAPSHOT, REPLACED_FILES };

enum file_job_kind {
	FILE_JOB_ROW,	/* @bytes: a whole row of @which, with its line end */
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

#endif

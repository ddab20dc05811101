/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be done to the files of a session, one thing at a time. The disk may hold up whoever
 * does it: in a live capture that is a thread of its own (file_thread.h). */
#ifndef JANKD_DAEMON_FILES_FILE_JOB_H
#define JANKD_DAEMON_FILES_FILE_JOB_H

#include <stddef.h>
#include <stdint.h>

/* The files that grow, in the order in which a disk that is nearly full stops them. */
enum row_file { ROW_FRAMES, ROW_DROPS, ROW_FPS, ROW_EVENTS, ROW_FILES };

/* Those that are replaced as a whole. */
enum whole_file { WHOLE_SUMMARY, WHOLE_SESSION, WHOLE_SNAPSHOT, WHOLE_FILES };

/* The nameless ones, of what the rules' tables have no room for. */
enum spill_kind { SPILL_OF_SURFACES, SPILL_OF_LAYERS, SPILL_KINDS };

enum file_job_kind {
	FILE_JOB_ROW,	 /* @bytes: a whole row of @which, with its line end */
	FILE_JOB_FLUSH,	 /* write what is buffered; look after disk and folder */
	FILE_JOB_LAST,	 /* the same, and tell of rows that are lost */
	FILE_JOB_ROLL,	 /* close the segment */
	FILE_JOB_BEGIN,	 /* @which is replaced: @bytes is its name, @number the bytes to come */
	FILE_JOB_BYTES,	 /* @bytes of it */
	FILE_JOB_END,	 /* it is whole; @number not 0: it is given up, for that error */
	FILE_JOB_SPILL,	 /* @bytes at the offset @number of @which */
	FILE_JOB_KEEP,	 /* remove the segments that --keep does not want */
	FILE_JOB_CLOSE,	 /* flush, sync, close */
	FILE_JOB_FORGET, /* all settings are put back: remove the journal */
};

struct file_job {
	enum file_job_kind kind;
	unsigned int which; /* enum row_file, whole_file or spill_kind */
	uint64_t number;
	const char *bytes;
	size_t len;
};

#endif

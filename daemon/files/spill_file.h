/* SPDX-License-Identifier: Apache-2.0 */
/* The file for the overflow of full tables. It uses at most half of the free disk space. It has no
 * name: a kill leaves no file, and it can be used after its folder was removed. */
#ifndef JANKD_DAEMON_FILES_SPILL_FILE_H
#define JANKD_DAEMON_FILES_SPILL_FILE_H

#include <stdbool.h>

#include "daemon/base/folder.h"
#include "rules/spill.h"

struct file_thread;
struct session_files_state;

struct spill_file {
	struct spill spill; /* for the rules; all zeros: the file is not open */
	int fd;
	unsigned int which;	    /* enum spill_kind */
	struct file_thread *thread; /* writes the file; NULL: writes are done at once */
	uint64_t size;		    /* the file was written up to here */
	uint64_t reserved;	    /* it may grow by this before the disk is checked again */
	bool is_frozen;		    /* the disk is nearly full: it may not grow */
	bool is_broken;		    /* a write of the thread has failed */
	int error;		    /* of the first failure: -errno */
};

/* Creates it in @folder. @file: must not move afterwards. Returns 0 or -errno. */
int spill_file_open(struct spill_file *file, const struct folder *folder, unsigned int which);

/* From now on @thread writes the file. Borrowed. NULL: the thread has ended and has written all. */
void spill_file_set_thread(struct spill_file *file, struct file_thread *thread);

/* To be called when the state of the session's files has changed: the file may grow only while the
 * disk has space, and is not read after a failed write. */
void spill_file_update(struct spill_file *file, const struct session_files_state *state);

void spill_file_close(struct spill_file *file);

#endif

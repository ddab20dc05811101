/* SPDX-License-Identifier: Apache-2.0 */
/* The file of what full tables have no room for. It takes no more of the disk than it leaves. It
 * has no name: a kill leaves nothing behind, and a folder that is removed does not take it away. */
#ifndef JANKD_DAEMON_FILES_SPILL_FILE_H
#define JANKD_DAEMON_FILES_SPILL_FILE_H

#include <stdbool.h>

#include "daemon/base/folder.h"
#include "rules/spill.h"

struct file_thread;

struct spill_file {
	struct spill spill; /* where the rules find it; all zeros: the file is not open */
	int fd;
	unsigned int which;	    /* enum spill_kind */
	struct file_thread *thread; /* that writes; NULL: it is written at once */
	uint64_t size;		    /* it has been written up to here */
	uint64_t room;		    /* so much more it may have, as the disk was asked last */
	bool is_frozen;		    /* the disk is nearly full: it may not grow */
	bool is_broken;		    /* a write of the thread has failed */
	int error;		    /* of the first try that failed: -errno */
};

/* Makes it in @folder. @file: must not move afterwards. Returns 0 or -errno. */
int spill_file_open(struct spill_file *file, const struct folder *folder, unsigned int which);
void spill_file_close(struct spill_file *file);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What happens when less of the disk is free than --min-free, the floor: closed segments are
 * removed, the oldest first. Where none is left, files stop, one with each look, in the order of
 * enum row_file; events.csv never stops. A file starts again when an eighth more than the floor is
 * free. This is the only module that reads how much of a disk is free. */
#ifndef JANKD_DAEMON_FILES_DISK_FLOOR_H
#define JANKD_DAEMON_FILES_DISK_FLOOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/files/file_job.h"

/* Free bytes of the disk that @fd is on, without those reserved for root; UINT64_MAX where that
 * cannot be read. */
uint64_t disk_free_bytes(int fd);

struct disk_floor {
	uint64_t bytes;		      /* 0: there is no floor */
	const char *names[ROW_FILES]; /* of the files; NULL: not written in this session */
	uint64_t removed;	      /* segments */
	/* The only fields that two threads use: the one that writes, and the one that makes rows.
	 */
	_Atomic unsigned int stopped;		 /* so many files of the list */
	_Atomic uint64_t not_written[ROW_FILES]; /* rows that were refused for that */
	/* Set by the owner: an event of the kind "rotate". */
	void (*report)(void *context, const char *text);
	void *context;
};

/* Do @len bytes more leave the floor free? */
bool disk_floor_allows(const struct disk_floor *floor, int folder_fd, uint64_t len);

/* Looks at the disk: removes segments, stops a file or starts one again. True: one started. */
bool disk_floor_check(struct disk_floor *floor, int folder_fd);

/* Is a row for that file refused, because the file has stopped? Such a row is counted. */
bool disk_floor_refuses(struct disk_floor *floor, enum row_file which);

#endif

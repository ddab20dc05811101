/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the disk floor free (--min-free). If there is less free disk space, the oldest closed
 * segments are removed. If none is left, each check stops one more file, in the order of enum
 * csv_file_kind; events.csv goes on until 1 MB of it was written below the floor. Files start again
 * when an eighth more than the floor is free, one with each check. Only this module reads the free
 * disk space. */
#ifndef JANKD_DAEMON_FILES_DISK_FLOOR_H
#define JANKD_DAEMON_FILES_DISK_FLOOR_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/csv_files.h"

/* Free bytes of the disk of @fd, without those reserved for root; UINT64_MAX if they cannot be
 * read. */
uint64_t disk_free_bytes(int fd);

/* The floor of a capture on Android without --min-free: 5 % of the file system of @fd or 500 MB,
 * whichever is less. 0 if its size cannot be read. */
uint64_t disk_floor_of_device(int fd);

struct disk_floor {
	/* Set by the owner; all others are 0 at first. */
	uint64_t bytes;		       /* 0: no floor */
	const struct options *options; /* which files are written: borrowed */
	void (*report)(void *context, const char *kind, const char *text); /* an event */
	void *context;

	uint64_t removed;     /* number of removed segments */
	uint64_t free_bytes;  /* at the last check, and what was removed since */
	bool is_below;	      /* less was free at the last check */
	uint64_t event_bytes; /* written to events.csv since then */
	unsigned int stopped; /* this many files have stopped, the first of enum csv_file_kind */
};

/* Checks the free space: removes segments, stops a file or starts one again. True: a file was
 * started again. */
bool disk_floor_check(struct disk_floor *floor, int folder_fd);

/* False: the row of @len bytes is refused because its file has stopped. Below the floor few events
 * are accepted: apps could fill the disk with them. */
bool disk_floor_takes(struct disk_floor *floor, enum csv_file_kind which, uint64_t len);

#endif

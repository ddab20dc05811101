/* SPDX-License-Identifier: Apache-2.0 */
/* Files with a number in their name: fps-000001.csv, snapshot-000001.txt. The name without the
 * number, such as "fps.csv", is the kind of the file. The number is before the first dot that is
 * not the first character. It has at least six digits, and leading zeros only up to six digits.
 * Numbers only grow, and the oldest files are removed first. */
#ifndef JANKD_DAEMON_FILES_NUMBERED_FILES_H
#define JANKD_DAEMON_FILES_NUMBERED_FILES_H

#include <stdint.h>

struct numbered_name {
	char text[64];
};

/* "fps.csv", 12: "fps-000012.csv" */
struct numbered_name numbered_name(const char *name, unsigned long number);

/* --- segments: closed files of csv_files. Those of one number cover the same part of the trace */

/* The first number above @last that no file has. */
unsigned long segments_next(int folder_fd, unsigned long last);

/* The highest number of all files. Returns 0 or -errno. */
int segments_last(int folder_fd, unsigned long *last);

/* Renames the file @name into the segment @number, never onto another file. Returns 0 or
 * -errno. */
int segments_close(int folder_fd, const char *name, unsigned long number);

/* Gives the file @name of the segment @number its name back, if there is such a file. */
void segments_reopen(int folder_fd, const char *name, unsigned long number);

/* Removes all segments above @number. */
void segments_remove_above(int folder_fd, unsigned long number);

/* Syncs the names in a folder. */
void segments_sync(int folder_fd);

/* events.csv says which segments were removed. It is small, so it can be kept longer. */
enum segments_spared { SEGMENTS_SPARE_NONE, SEGMENTS_SPARE_EVENTS };

/* The number of segments that have rows. Returns 0 or -errno. */
int segments_count(int folder_fd, uint64_t *count);

/* The removed segments. */
struct segments_removed {
	uint64_t count;
	uint64_t bytes; /* disk space that they used */
	/* Set by the caller, may be NULL: called for each. */
	void (*removed)(void *context, unsigned long number, uint64_t bytes);
	void *context;
};

/**
 * segments_remove_oldest() - free disk space
 * @keep: the number of segments to keep
 * @spared: files that are not removed, and do not make a segment
 * @enough: stops when this many bytes are free again
 *
 * Returns 0, or -errno if one could not be removed; the others are removed in any case.
 */
int segments_remove_oldest(int folder_fd, uint64_t keep, enum segments_spared spared,
			   uint64_t enough, struct segments_removed *removed);

/* --- snapshots of all sessions --- */

struct numbered_name snapshot_files_name(unsigned long number);

/* The highest number, or 0. */
unsigned long snapshot_files_last(int folder_fd);

/* Removes an incomplete snapshot after a kill. */
void snapshot_files_remove_partial(int folder_fd);

/* Removes the oldest snapshots beyond 64. */
void snapshot_files_remove_oldest(int folder_fd);

#endif

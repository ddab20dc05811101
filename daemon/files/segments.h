/* SPDX-License-Identifier: Apache-2.0 */
/* Closed files of a folder: NAME-000001.csv and so on (numbered_files.h). All files of one number
 * are a segment: they cover the same part of the trace. Numbers only grow, and the oldest segment
 * is removed first. */
#ifndef JANKD_DAEMON_FILES_SEGMENTS_H
#define JANKD_DAEMON_FILES_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif

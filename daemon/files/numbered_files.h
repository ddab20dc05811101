/* SPDX-License-Identifier: Apache-2.0 */
/* Files with a number in their name: fps-000001.csv, snapshot-000001.txt. The name without the
 * number, such as "fps.csv", is the kind of the file. The number is before the first dot that is
 * not the first character. It has at least six digits, and leading zeros only up to six digits.
 * Numbers only grow, and the oldest files are removed first. */
#ifndef JANKD_DAEMON_FILES_NUMBERED_FILES_H
#define JANKD_DAEMON_FILES_NUMBERED_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/folder.h"

enum numbered_kind {
	NUMBERED_SEGMENTS,  /* closed files of csv_files; one number is one part of the trace */
	NUMBERED_ROWS,	    /* the same except events.csv, which is small: it can be kept longer */
	NUMBERED_SNAPSHOTS, /* of all sessions */
	NUMBERED_PARTIAL,   /* the temporary name of a snapshot, which a kill leaves */
};

#define SNAPSHOT_FILE "snapshot.txt"

struct numbered_name {
	char text[64];
};

/* "fps.csv", 12: "fps-000012.csv" */
struct numbered_name numbered_name(const char *name, unsigned long number);

/* The highest number of the files of a kind, or 0. Returns 0 or -errno. */
int numbered_last(int folder_fd, enum numbered_kind which, unsigned long *last);

/* How many numbers there are. Returns 0 or -errno. */
int numbered_count(int folder_fd, enum numbered_kind which, uint64_t *count);

/* What was removed. */
struct numbered_removed {
	uint64_t count; /* of numbers */
	uint64_t bytes; /* disk space that they used */
	/* Set by the caller, may be NULL: called for each number. */
	void (*removed)(void *context, unsigned long number, uint64_t bytes);
	void *context;
};

/**
 * numbered_remove_oldest() - free disk space
 * @keep: how many numbers are kept
 * @enough: stops when this many bytes are free again
 *
 * Returns 0, or -errno if one could not be removed; the others are removed in any case.
 */
int numbered_remove_oldest(int folder_fd, enum numbered_kind which, uint64_t keep, uint64_t enough,
			   struct numbered_removed *removed);

/* The first number of a segment above @last that no file has. */
unsigned long segments_next(int folder_fd, unsigned long last);

/* Renames the file @name into the segment @number, never onto another file. Returns 0 or
 * -errno. */
int segments_close(int folder_fd, const char *name, unsigned long number);

/* To be called before a session begins. Repairs the files of the earlier session, which may have
 * been killed, and renames them to the next segment (fps-000001.csv): all of them or none.
 * @reports: a failure, by a message. Returns 0 or -errno. */
int segments_keep_earlier(struct folder *folder, bool reports);

/* Removes the files and segments of this session, and restores the names of the earlier session's
 * files. */
void segments_restore_earlier(const struct folder *folder);

#endif

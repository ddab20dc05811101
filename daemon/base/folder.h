/* SPDX-License-Identifier: Apache-2.0 */
/* The output folder. Only one jankd at a time uses it. No file of an earlier session is
 * overwritten. */
#ifndef JANKD_DAEMON_BASE_FOLDER_H
#define JANKD_DAEMON_BASE_FOLDER_H

#include <limits.h>
#include <stddef.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "daemon/base/state_dir.h"

static inline bool folder_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

struct folder {
	char path[PATH_MAX];
	int fd;			    /* the directory */
	struct state_dir state_dir; /* with its lock and its journal */
	int lock_fd;		    /* held as long as the folder is open */
	size_t made;		    /* length of the first part of ->path that was created, or 0 */
	bool is_lock_new;	    /* the lock was created, too */
	bool skip_sync;		    /* set while files that are replaced can be made again */
	unsigned long kept;	    /* segment number of the previous session's files; 0: none */
	unsigned long last;	    /* segments with a higher number are of this session */
	char address[64];	    /* see folder_write_address(); "" without control socket */
};

/* Creates the folder if it does not exist, and locks it. Returns 0, or -errno after the reason was
 * printed on stderr. */
int folder_open(struct folder *folder, const char *path);

/* Removes the temporary file of @name that a killed jankd left. */
void folder_remove_temporary(const struct folder *folder, const char *name);

/* Removes what folder_open() created: the lock, and the folder and those above, if they are empty.
 * Does nothing if the folder is not open. */
void folder_undo_open(const struct folder *folder);

/* Returns true if the folder was removed or renamed. Another one may have its name now. */
bool folder_is_gone(const struct folder *folder);

/* Creates the folder again, locks it, and moves the journal to it. The other files stay in the old
 * folder. @keep_files: called for files that are already in the new folder; returns 0 or -errno.
 * Returns 0, or -errno with nothing changed. */
int folder_open_again(struct folder *folder, int (*keep_files)(struct folder *folder));

/* Locks the folder again if the lock was removed. Returns 0 if it was not removed, 1 if the folder
 * is locked again, or -errno: -EWOULDBLOCK if another process has locked it meanwhile. */
int folder_watch_lock(struct folder *folder);

/* If the folder at @path has a journal but no lock, a running jankd may have lost its lock. Waits
 * until it has created the lock again, at most 4.5 seconds; not if no jankd runs. */
void folder_wait_for_lock(const char *path);

/* Writes the address of the control socket into the lock. Returns 0 or -errno. */
int folder_write_address(struct folder *folder, const char *address);

void folder_close(struct folder *folder);

/* Opens the regular file @name in the directory @directory with @flags of open(), without following
 * a link or waiting. O_CREAT: only its owner can use a new file. Returns a descriptor or -errno;
 * -EINVAL: it is not a regular file. *info is set. */
int folder_open_regular(int directory, const char *name, int flags, struct stat *info);

/* Begins a file that replaces @name in @directory as a whole. Returns a descriptor or -errno. */
int folder_create_temporary(int directory, const char *name, mode_t mode);

/* The most bytes of a journal: two texts of settings, and more. */
#define JOURNAL_MAX (768 << 10)

/* Replaces the journal (trace/settings.h); only its owner can read and write it. Returns 0 or
 * -errno. */
int folder_write_journal(const struct folder *folder, const char *text, size_t len);

void folder_remove_journal(const struct folder *folder);

/* True: there is a journal, or may be one. */
bool folder_has_journal(const struct folder *folder);

/* Opens the journal for reading. Returns as folder_open_regular(). */
int folder_open_journal(const struct folder *folder, struct stat *info);

/* For messages: why a file cannot be created or written in the folder (@error: -errno), and what to
 * do. */
const char *folder_why(int error);
const char *folder_advice(int error);

/* Writes all of @text to a file. Returns 0 or -errno. */
int folder_write(int fd, const char *text, size_t len);

/* Waits until all of a file is on the disk; or its bytes alone, if its size and name already are.
 * Returns 0, also if the file system has no sync, or -errno. */
int folder_sync(int fd, bool bytes_alone);

/* Completes a file of folder_create_temporary(): syncs it, unless @skip_sync, and renames it to
 * @name. @error < 0: removes it instead. Closes @fd. Returns 0 or -errno. */
int folder_replace(int directory, const char *name, int fd, bool skip_sync, int error);

#endif

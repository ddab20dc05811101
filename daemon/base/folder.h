/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of the files: one jankd at a time uses it, and no file of an earlier session is
 * overwritten. */
#ifndef JANKD_DAEMON_BASE_FOLDER_H
#define JANKD_DAEMON_BASE_FOLDER_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "daemon/base/hidden.h"

/* Do both describe the same file? */
static inline bool folder_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

struct folder {
	char path[PATH_MAX];
	int fd;		      /* the directory */
	struct hidden hidden; /* the place of its lock and its journal */
	int lock_fd;	      /* held as long as the folder is open */
	bool is_new;	      /* folder_open() created it */
	bool may_lose;	      /* its files can be made again: they are not synced */
	unsigned long kept;   /* segment that the files of the earlier session became, 0: none */
	unsigned long last;   /* segments with a higher number are of this session */
	char address[64];     /* see folder_write_address(); "" without control socket */
};

/**
 * folder_open() - create the folder where it is missing, and lock it
 * @command: its name, for messages
 *
 * Returns 0, or -errno after the reason was printed on stderr.
 */
int folder_open(struct folder *folder, const char *command, const char *path);

/* Removes the temporary file that a kill left of @name. */
void folder_remove_temporary(const struct folder *folder, const char *name);

/* Removes the folder where folder_open() created it, and it is empty. */
void folder_remove_if_new(const struct folder *folder);

/* Was it removed or renamed? Another one may have its name now. */
bool folder_is_gone(const struct folder *folder);

/* Creates it again and locks it; the files in the old one stay there, but for the journal.
 * @keep_files: called for files that are in the new one already, returns 0 or -errno. Returns 0 or
 * -errno: then nothing has changed. */
int folder_open_again(struct folder *folder, int (*keep_files)(struct folder *folder));

/* Where the lock was removed: locks the folder again. Returns 0: it was not removed; 1: it is
 * locked again; or -errno, -EWOULDBLOCK where another process locked it meanwhile. */
int folder_watch_lock(struct folder *folder);

/* Writes the address of the control socket into the lock. Returns 0 or -errno. */
int folder_write_address(struct folder *folder, const char *address);

void folder_close(struct folder *folder);

/* A file without a name: closing it removes it. Returns a descriptor or -errno. */
int folder_create_nameless(const struct folder *folder);

/* Begins a file that replaces @name as a whole. Returns a descriptor or -errno. */
int folder_create_temporary(const struct folder *folder, const char *name);

/* The same two for the journal (journal.h), which only its owner can read and write. */
int folder_create_journal(const struct folder *folder);
int folder_replace_journal(const struct folder *folder, int fd, int error);

/* Removes it. Does it exist? */
void folder_remove_journal(const struct folder *folder);
bool folder_has_journal(const struct folder *folder);

/* Opens it to read. Returns a descriptor or -errno. */
int folder_open_journal(const struct folder *folder);

/* For messages: why a file cannot be created or written there, of -errno, and what to do. */
const char *folder_why(int error);
const char *folder_advice(int error);

/* Writes all of @text to a file. Returns 0 or -errno. */
int folder_write(int fd, const char *text, size_t len);

/* The same at an offset. */
int folder_write_at(int fd, uint64_t offset, const void *bytes, size_t len);

/* Waits until all of a file is on the disk. Returns 0, also where the file system has no sync, or
 * -errno. */
int folder_sync(int fd);

/* The same, of its bytes only: its size and name are on the disk. */
int folder_sync_bytes(int fd);

/* Ends a file that was begun so: syncs it, unless @folder->may_lose, and renames it to @name.
 * @error < 0: removes it instead. Closes @fd. Returns 0 or -errno. */
int folder_replace(const struct folder *folder, const char *name, int fd, int error);

#endif

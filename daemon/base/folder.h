/* SPDX-License-Identifier: Apache-2.0 */
/* The folder that the files go into: one jankd at a time, and nothing in it is ever lost. */
#ifndef JANKD_DAEMON_BASE_FOLDER_H
#define JANKD_DAEMON_BASE_FOLDER_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "daemon/base/hidden.h"

/* Are both of the same file? */
static inline bool folder_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

struct folder {
	char path[PATH_MAX];
	int fd;		      /* the directory */
	struct hidden hidden; /* where its lock and its journal are */
	int lock_fd;	      /* held as long as the folder is open */
	bool is_new;	      /* it was not there before */
	bool may_lose;	      /* what is made here can be made again: the disk is not waited for */
	unsigned long kept;   /* segment that the files of the session before went to, 0: none */
	unsigned long last;   /* what has a higher number is of this session */
	char ask_at[64];      /* see folder_tell_name(); "" where nobody can be asked */
};

/**
 * folder_open() - make the folder where it is missing, and lock it
 * @command: its name, for messages
 *
 * Returns 0, or -errno after the reason was said on stderr.
 */
int folder_open(struct folder *folder, const char *command, const char *path);

/* Removes what is left of a file @name that was to be replaced. */
void folder_remove_temporary(const struct folder *folder, const char *name);

/* Removes the folder where it was made by folder_open(), and is empty. */
void folder_remove_if_new(const struct folder *folder);

/* Was it removed, or moved away? Another one may have its name now. */
bool folder_is_gone(const struct folder *folder);

/* Makes it anew and takes the lock; what is in the old one stays there, but for the journal.
 * @make_room: called for what is in the new one already, returns 0 or -errno. Returns 0 or -errno:
 * then all is as it was. */
int folder_open_again(struct folder *folder, int (*make_room)(struct folder *folder));

/* Sees whether the lock was removed, and takes it again. Returns 0: it is there; 1: it is there
 * again; or -errno, -EWOULDBLOCK where another took it meanwhile. */
int folder_watch_lock(struct folder *folder);

/* Writes under which name the one who holds the folder can be asked. Returns 0 or -errno. */
int folder_tell_name(struct folder *folder, const char *name);

void folder_close(struct folder *folder);

/* A file that has no name and is gone when it is closed. Returns a descriptor or -errno. */
int folder_create_nameless(const struct folder *folder);

/* Begins a file that replaces @name as a whole. Returns a descriptor or -errno. */
int folder_create_temporary(const struct folder *folder, const char *name);

/* The same two for the journal (journal.h), which is for its owner alone. */
int folder_create_journal(const struct folder *folder);
int folder_replace_journal(const struct folder *folder, int fd, int error);

/* Removes it; is it there? */
void folder_remove_journal(const struct folder *folder);
bool folder_has_journal(const struct folder *folder);

/* Opens it to read. Returns a descriptor or -errno. */
int folder_open_journal(const struct folder *folder);

/* For messages: what keeps a file from being made or written there, of -errno, and what to do. */
const char *folder_why(int error);
const char *folder_advice(int error);

/* Writes all of @text into it. Returns 0 or -errno. */
int folder_write(int fd, const char *text, size_t len);

/* The same at an offset. */
int folder_write_at(int fd, uint64_t offset, const void *bytes, size_t len);

/* Waits until all of it is on the disk. Returns 0, too where that cannot be asked for, or -errno.
 */
int folder_sync(int fd);

/* The same, of its bytes alone: its size and name are there. */
int folder_sync_bytes(int fd);

/* Ends it: written to the disk, unless that may lose it, then renamed to @name. Closes @fd. @error
 * < 0: thrown away instead. Returns 0 or -errno. */
int folder_replace(const struct folder *folder, const char *name, int fd, int error);

#endif

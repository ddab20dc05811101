/* SPDX-License-Identifier: Apache-2.0 */
/* The place of the lock and the journal of a folder. jankd, usually as root, restores the settings
 * in a journal, so no other user must be able to write it. Usually both are hidden files in the
 * folder. On a file system where all files have the same owner and mode, such as vfat, they are in
 * a directory of jankd's own, mode 0700, in another place:
 *
 *     /data/local/tmp/.jankd-2000/fd01-2c81.lock
 *     /data/local/tmp/.jankd-2000/fd01-2c81.journal
 *
 * named by the uid of its owner, and by the folder's device and inode. */
#ifndef JANKD_DAEMON_BASE_HIDDEN_H
#define JANKD_DAEMON_BASE_HIDDEN_H

#include <stdbool.h>

enum hidden_file { HIDDEN_LOCK, HIDDEN_JOURNAL, HIDDEN_FILES };

#define HIDDEN_NAME_SIZE 48

struct hidden {
	int fd;	       /* the directory: that of the folder, or closed by hidden_close() */
	bool is_apart; /* ->fd is not the folder */
	bool is_open;  /* no safe place was found: any user can write the files */
	char names[HIDDEN_FILES][HIDDEN_NAME_SIZE];
};

/* Finds or creates the place for the folder @folder_fd. */
void hidden_open(struct hidden *hidden, int folder_fd);
void hidden_close(struct hidden *hidden);

/* Opens the lock or the journal of the folder at @path, read-only. It searches this user's own
 * place, the folder, and, for root, the places of other users who can write to the folder. A lock
 * that is held is preferred. Returns a descriptor or -errno. */
int hidden_find(const char *path, enum hidden_file which);

/* The same, but searches only the places of other users. */
int hidden_find_others(const char *path, enum hidden_file which);

#endif

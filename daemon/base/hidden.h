/* SPDX-License-Identifier: Apache-2.0 */
/* The place of the lock and the journal of a folder. jankd, usually as root, restores what a
 * journal says: no other user may be able to write it. Usually both are hidden files in the folder.
 * On a file system where all files have one owner and one mode, such as vfat, they are in a folder
 * of jankd's own, mode 0700, elsewhere:
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
	int fd;	       /* of the directory; the folder's own, or closed by hidden_close() */
	bool is_apart; /* it is not the folder */
	bool is_open;  /* any user can write them: there is no better place */
	char names[HIDDEN_FILES][HIDDEN_NAME_SIZE];
};

/* Finds or creates the place for the folder @folder_fd. */
void hidden_open(struct hidden *hidden, int folder_fd);
void hidden_close(struct hidden *hidden);

/* Opens the file of the folder at @path, read-only: our own, the one in the folder, or, for root,
 * that of another user who can write to the folder. A lock that is held comes first. Returns a
 * descriptor or -errno. */
int hidden_find(const char *path, enum hidden_file which);

/* The same, only those of other users. */
int hidden_find_others(const char *path, enum hidden_file which);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Where the lock and the journal of a folder are. What stands in them is done as whoever reads
 * them, root as a rule: nobody else may be able to write them. As a rule they are hidden files of
 * the folder. On a file system that gives all files one owner and one mode, as vfat, they are in a
 * folder of our own, mode 0700, elsewhere:
 *
 *     /data/local/tmp/.jankd-2000/fd01-2c81.lock
 *     /data/local/tmp/.jankd-2000/fd01-2c81.journal
 *
 * by the uid of whoever has it, and the folder's device and inode. */
#ifndef JANKD_DAEMON_BASE_HIDDEN_H
#define JANKD_DAEMON_BASE_HIDDEN_H

#include <stdbool.h>

enum hidden_file { HIDDEN_LOCK, HIDDEN_JOURNAL, HIDDEN_FILES };

#define HIDDEN_NAME_SIZE 48

struct hidden {
	int fd;	       /* of the directory; the folder's own, or closed by hidden_close() */
	bool is_apart; /* it is not the folder */
	bool is_open;  /* anybody may write them: there is no better place */
	char names[HIDDEN_FILES][HIDDEN_NAME_SIZE];
};

/* Finds a place for those of the folder @folder_fd, and makes it. */
void hidden_open(struct hidden *hidden, int folder_fd);
void hidden_close(struct hidden *hidden);

/* Opens the file of the folder at @path as it is there, read-only: our own, that in the folder, or,
 * by root, that of another user who can write to the folder. A lock that is held comes first.
 * Returns a descriptor or -errno. */
int hidden_find(const char *path, enum hidden_file which);

/* The same, of another user's alone. */
int hidden_find_others(const char *path, enum hidden_file which);

#endif

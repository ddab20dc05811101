/* SPDX-License-Identifier: Apache-2.0 */
/* The directory with the lock, the journal and the control socket of an output folder. jankd,
 * usually as root, restores the settings in a journal, so no other user must be able to write it.
 * Usually they are hidden files in the folder itself. On a file system that gives all files the
 * same owner and mode, such as vfat, they are in a directory of jankd's own, mode 0700, in another
 * place:
 *
 *     /data/local/tmp/.jankd-2000/fd01-2c81.lock
 *     /data/local/tmp/.jankd-2000/fd01-2c81.journal
 *
 * The directory's name has the uid of its owner, the files' names the folder's device and inode. */
#ifndef JANKD_DAEMON_BASE_STATE_DIR_H
#define JANKD_DAEMON_BASE_STATE_DIR_H

#include <stdbool.h>

enum state_dir_file { STATE_DIR_LOCK, STATE_DIR_JOURNAL, STATE_DIR_SOCKET, STATE_DIR_FILES };

#define STATE_DIR_NAME_SIZE 48

struct state_dir {
	int fd;			/* the folder's own, borrowed; if ->is_apart, another directory */
	bool is_apart;		/* ->fd is not the folder; state_dir_close() closes it */
	bool is_world_writable; /* no safe place was found: any user can write the files */
	char names[STATE_DIR_FILES][STATE_DIR_NAME_SIZE];
};

/* Finds or creates the directory for the folder @folder_fd. */
void state_dir_open(struct state_dir *dir, int folder_fd);
void state_dir_close(struct state_dir *dir);

/* Opens the lock or the journal of the folder at @path, read-only, or its socket as a path. It
 * searches this user's own directory, the folder, and, for root, the directories of other users who
 * can write to the folder. A lock that is held is preferred. Returns a descriptor or -errno. */
int state_dir_find(const char *path, enum state_dir_file which);

/* Returns true if a process, usually a jankd that captures, holds the lock of the folder at @path.
 * To test that, the file is locked for a moment. */
bool state_dir_is_held(const char *path);

/* The same as state_dir_find(), but searches only the directories of other users. */
int state_dir_find_others(const char *path, enum state_dir_file which);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The snapshots in a folder, of all sessions: snapshot-000001.txt and so on. */
#ifndef JANKD_DAEMON_FILES_SNAPSHOT_FILES_H
#define JANKD_DAEMON_FILES_SNAPSHOT_FILES_H

struct snapshot_files {
	unsigned int count;
	unsigned long first, last; /* numbers */
	char first_name[40];
};

/* Finds them. Half a one is none: it is removed. */
void snapshot_files_find(int folder_fd, struct snapshot_files *found);

/* Of more files in the folder than there may be the oldest ones go. */
void snapshot_files_remove_oldest(int folder_fd);

#endif

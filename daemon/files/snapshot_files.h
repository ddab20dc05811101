/* SPDX-License-Identifier: Apache-2.0 */
/* The snapshots in a folder, of all sessions: snapshot-000001.txt and so on. */
#ifndef JANKD_DAEMON_FILES_SNAPSHOT_FILES_H
#define JANKD_DAEMON_FILES_SNAPSHOT_FILES_H

#include "daemon/files/numbered_files.h"

struct numbered_name snapshot_files_name(unsigned long number);

/* The highest number, or 0. */
unsigned long snapshot_files_last(int folder_fd);

/* Removes an incomplete snapshot after a kill. */
void snapshot_files_remove_partial(int folder_fd);

/* Removes the oldest snapshots beyond 64. */
void snapshot_files_remove_oldest(int folder_fd);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The files of an earlier session in the folder, which a kill or a power cut may have ended. */
#ifndef JANKD_DAEMON_FILES_EARLIER_FILES_H
#define JANKD_DAEMON_FILES_EARLIER_FILES_H

#include "daemon/base/folder.h"

/**
 * csv_repair_file() - make a file end with its last whole row
 * @name: in the folder; @header: its first line
 *
 * Removes an incomplete row at the end. Removes everything from the first NUL on: a power cut can
 * leave blocks of NULs, and no row has one. Removes a file that ends within its header. Does not
 * change a file that begins with something else or is not a regular file. The file is synced when
 * this returns. Returns 0 or -errno; 0 if there is no such file.
 */
int csv_repair_file(int folder_fd, const char *name, const char *header);

/* To be called before a session begins. Repairs the files of the earlier session, which may have
 * been killed, and renames them to the next segment (fps-000001.csv): all of them or none.
 * @reports: a failure, by a message. Returns 0 or -errno. */
int earlier_files_keep(struct folder *folder, bool reports);

/* Removes the files of this session, and restores the names of the earlier session's files. */
void earlier_files_put_back(const struct folder *folder);

#endif

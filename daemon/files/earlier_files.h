/* SPDX-License-Identifier: Apache-2.0 */
/* The files that an earlier session left in the folder. */
#ifndef JANKD_DAEMON_FILES_EARLIER_FILES_H
#define JANKD_DAEMON_FILES_EARLIER_FILES_H

#include "daemon/base/folder.h"

/* Before a session begins: repairs the files of the earlier one, which may have been killed, and
 * renames all of them to the next segment number (fps-000001.csv), or none of them. @command: for
 * the message of a failure; NULL: none is printed. Returns 0 or -errno. */
int earlier_files_keep(struct folder *folder, const char *command);

/* Removes the files of the session, and restores the names of the earlier one's. */
void earlier_files_put_back(const struct folder *folder);

#endif

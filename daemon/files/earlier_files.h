/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a folder holds of the session before. */
#ifndef JANKD_DAEMON_FILES_EARLIER_FILES_H
#define JANKD_DAEMON_FILES_EARLIER_FILES_H

#include "daemon/base/folder.h"

/* Makes room for a session: the files of the one before, which may have been killed, are repaired
 * and renamed once, all to the next segment number (fps-000001.csv), or none of them. @command: for
 * the message, or NULL: the reason of a failure is not said. Returns 0 or -errno. */
int earlier_files_keep(struct folder *folder, const char *command);

/* Removes what the session has made, and gives the files of the one before their names back. */
void earlier_files_put_back(const struct folder *folder);

#endif

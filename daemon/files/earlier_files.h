/* SPDX-License-Identifier: Apache-2.0 */
/* The files of an earlier session in the folder, which a kill or a power cut may have ended. */
#ifndef JANKD_DAEMON_FILES_EARLIER_FILES_H
#define JANKD_DAEMON_FILES_EARLIER_FILES_H

#include "daemon/base/folder.h"

/* To be called before a session begins. Repairs the files of the earlier session, which may have
 * been killed, and renames them to the next segment (fps-000001.csv): all of them or none.
 * @reports: a failure, by a message. Returns 0 or -errno. */
int earlier_files_keep(struct folder *folder, bool reports);

/* Removes the files of this session, and restores the names of the earlier session's files. */
void earlier_files_put_back(const struct folder *folder);

#endif

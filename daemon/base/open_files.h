/* SPDX-License-Identifier: Apache-2.0 */
/* A capture opens many files. Whether the process may do so is checked before anything is changed.
 */
#ifndef JANKD_DAEMON_BASE_OPEN_FILES_H
#define JANKD_DAEMON_BASE_OPEN_FILES_H

/* Raises the limit of open files where that is needed. Returns 0, or EXIT_FAILED after the reason
 * was printed on stderr. @command: its name. */
int open_files_allow(const char *command);

#endif
